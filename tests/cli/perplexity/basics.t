#!/bin/bash
# basics.t - phi3sat perplexity: its three forms, the same figures however it is run, and what is refused.
. "$(dirname "$0")/../../tap/tap.sh"
run phi3sat synth --quiet -o m.gguf --layers 2 --context 256
expect_status 0 "a model is made"
cat "$source_dir"/docs/ARCHITECTURE.md "$source_dir"/docs/HACKING.md >text

run phi3sat perplexity --model m.gguf --prompts text --context 64 --chunks 4
expect_status 0 "a text is measured"
expect_empty stderr "without a word on standard error"
expect_stdout_match '^ Chunk +Tokens +Perplexity +Std. error$' "the columns have titles"
for line in 1:31 2:62 3:93 4:124; do
    expect_stdout_match "^ +${line%:*} +${line#*:} +[0-9]+\.[0-9]{4} +[0-9]+\.[0-9]{4}$" "chunk ${line%:*}: ${line#*:} tokens are scored so far"
done
expect_stdout_match '^Final estimate: perplexity [0-9.]+ \+/- [0-9.]+ over 124 tokens of 4 chunks$' "the last line is the estimate"
table=$(<"$stdout")

for threads in 1 2 3; do
    run phi3sat perplexity --model m.gguf --prompts text --context 64 --chunks 4 --threads $threads
    is "$(<"$stdout")" "$table" "the same figures with $threads threads"
done
for set in $(phi3sat --version --verbose | sed -n 's/^kernels: //p'); do
    PHI3SAT_KERNELS=$set run phi3sat perplexity --model m.gguf --prompts text --context 64 --chunks 4
    is "$(<"$stdout")" "$table" "the same figures of $set"
done
run_with text phi3sat perplexity --knot m.gguf --prompts - --context 64 --chunks 4
is "$(<"$stdout")" "$table" "--prompts - is standard input"

run phi3sat perplexity --model m.gguf --prompts text --context 64 --chunks 4 --csv
is "$(head -n 1 "$stdout")" chunk,tokens,perplexity,standard_error "CSV has a header"
is "$(wc -l <"$stdout")" 5 "and a line a chunk"
if command -v python3 >/dev/null; then
    mv "$stdout" rows.csv
    for precision in f32 int16 int8; do
        run phi3sat perplexity --model m.gguf --prompts text --context 64 --chunks 4 --json --precision $precision
        ok "$precision: JSON has the figures of the CSV, as near as the precision is" python3 - "$stdout" rows.csv $precision <<'PY'
import csv, json, sys
rows = json.load(open(sys.argv[1]))
other = list(csv.DictReader(open(sys.argv[2])))
assert len(rows) == len(other) == 4
near = {"f32": 0, "int16": 1e-3, "int8": 0.1}[sys.argv[3]]
for a, b in zip(rows, other):
    assert a["chunk"] == int(b["chunk"]) and a["tokens"] == int(b["tokens"]) == 31 * a["chunk"]
    assert abs(a["perplexity"] - float(b["perplexity"])) <= near * a["perplexity"]
    assert a["perplexity"] > 1 and 0 < a["standard_error"] < a["perplexity"]
PY
    done
fi
run phi3sat perplexity --model m.gguf --prompts text --context 256
tokens=$(phi3sat tokenize --model m.gguf --raw --no-parse-special text 2>/dev/null | wc -w)
chunks=$((tokens / 256))
expect_stdout_match "over $((chunks * 127)) tokens of $chunks chunks$" "without --chunks all whole chunks are measured"

refused() { # STATUS REGEX ARGUMENT...
    local wanted=$1 regex=$2
    shift 2
    run phi3sat perplexity "$@"
    ok "status $wanted and one line: $*" test "$status,$(wc -l <"$stderr"),$(wc -c <"$stdout")" = "$wanted,1,0"
    expect_stderr_match "$regex" "which says: $regex"
}
refused 2 '^phi3sat: no model is given; ' --prompts text
refused 2 '^phi3sat: no text is given; ' --model m.gguf
refused 2 '^phi3sat: --json and --csv exclude each other; ' --model m.gguf --prompts text --json --csv
refused 2 "^phi3sat: --context 512 passes the model's context of 256 tokens; " --model m.gguf --prompts text
refused 3 '^phi3sat: missing' --model m.gguf --prompts missing --context 64
refused 3 '^phi3sat: missing' --model missing --prompts text
printf 'too short\n' >short
refused 3 '^phi3sat: short: the text has [0-9]+ tokens, and two chunks of 64 need 128; ' --model m.gguf --prompts short --context 64
refused 3 'tokenizer-spm.gguf: lacks the key' --model "$source_dir/tests/golden/tokenizer-spm.gguf" --prompts text
PHI3SAT_TEST_MEMORY=1000000 refused 3 '^phi3sat: m.gguf: a text of 64 tokens takes [0-9.]+ MiB of memory .* and 1.0 MiB are left; ' \
    --model m.gguf --prompts text --context 64
done_testing
