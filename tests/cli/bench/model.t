#!/bin/bash
# model.t - phi3sat bench model: its forms, the answer to a text, and what is refused. Never how fast anything is.
. "$(dirname "$0")/../../tap/tap.sh"
run phi3sat synth --quiet -o m.gguf --layers 2 --context 256
expect_status 0 "a model is made"
quick=(--model m.gguf --iterations 2 --threads 1)

run phi3sat bench model "${quick[@]}" --prompt-lengths 5,40
expect_status 0 "a model is timed"
expect_empty stderr "without a word on standard error"
expect_stdout_match '^phi3, 2 layers, hidden [0-9]+, intermediate [0-9]+, vocabulary [0-9]+; f32, 1 thread, [a-z0-9]+ kernels\.$' "it says which"
expect_stdout_match '^Prompt +FFN +Prompt/s +p10 +p90 +Speedup +First ms +Token/s +p10 +p90 +Speedup +FFN +Att\. +Head +Rest$' "the columns have titles"
for tokens in 5 40; do
    for form in 'Baseline' 'Fused gate\+up' '50% Low-rank' 'Fused \+ 50% LR'; do
        expect_stdout_match "^ +$tokens +$form +[0-9.]+ " "a line: $tokens tokens, $form"
    done
done
run phi3sat bench model "${quick[@]}" --prompt-lengths 256
expect_status 2 "a prompt that leaves no room for a token is refused"

if command -v python3 >/dev/null; then
    for set in $(phi3sat --version --verbose | sed -n 's/^kernels: //p'); do
        PHI3SAT_KERNELS=$set run phi3sat bench model --model m.gguf --iterations 2 --threads 2 --prompt-lengths 9 --json
        ok "$set: figures fit together" python3 - "$stdout" "$set" <<'PY'
import json, sys
rows = json.load(open(sys.argv[1]))
assert [r["ffn"] for r in rows] == ["baseline", "fused", "low-rank", "both"]
base = rows[0]
for r in rows:
    assert r["prompt_tokens"] == 9 and r["threads"] == 2 and r["kernels"] == sys.argv[2] and r["precision"] == "f32"
    assert abs(r["prompt_tokens_per_second"] - 9e3 / r["first_token_milliseconds"]) < 1e-3 * r["prompt_tokens_per_second"]
    for name in "tokens_per_second", "prompt_tokens_per_second":
        assert 0 < r[name + "_p10"] <= r[name] <= r[name + "_p90"]
    assert abs(r["speedup"] - r["tokens_per_second"] / base["tokens_per_second"]) < 1e-3 * r["speedup"]
    shares = [r[n + "_share"] for n in ("ffn", "attention", "head", "rest")]
    assert abs(sum(shares) - 1) < 1e-3 and min(shares) >= 0 and min(shares[:3]) > 0, shares
    half = r["ffn"] in ("low-rank", "both")
    assert r["neurons"] == (512 if half else 768) and r["repacked_bytes"] <= r["weight_bytes"]
    assert (r["weight_bytes"] < base["weight_bytes"]) == half
    assert r["prompt_samples"] == r["samples"] == 2
PY
    done
fi
run phi3sat bench model "${quick[@]}" --prompt-lengths 4 --ffn both,fused
ok "--ffn chooses forms and their order" test "$(sed -n '/^ *4 /p' "$stdout" | sed 's/^ *4 *//; s/  .*//' | tr '\n' ,)" = 'Fused + 50% LR,Fused gate+up,'
expect_stdout_match 'Fused gate\+up .* nan ' "without a baseline there is no speedup"

# What greedy decoding says does not depend on how it is done.
run phi3sat bench model --model m.gguf --text 'The capital of France is' --max-tokens 12 --threads 1
expect_status 0 "a text is answered"
expect_stderr_match '^[0-9]+ tokens of prompt in [0-9.]+ ms, [0-9]+ tokens of answer at [0-9.]+ tokens/s$' "with what it took on standard error"
text=$(<"$stdout")
ok "the answer says something" test -n "$text"
for form in baseline fused; do
    for set in $(phi3sat --version --verbose | sed -n 's/^kernels: //p'); do
        PHI3SAT_KERNELS=$set run phi3sat bench model --model m.gguf --text 'The capital of France is' --max-tokens 12 --threads 3 --ffn $form
        is "$(<"$stdout")" "$text" "$form, $set, 3 threads: the same answer"
    done
done
run phi3sat bench model --model m.gguf --text 'The capital of France is' --max-tokens 12 --json
expect_stdout_match '^  \{"prompt_tokens": [0-9]+, "tokens": ([1-9]|1[0-2]), .*"text": ".+"\}$' "JSON has the answer in one object"
run phi3sat bench model --model m.gguf --text 'Why?' --chat --max-tokens 3
expect_status 0 "--chat puts it into the chat format"

refused() { # STATUS REGEX ARGUMENT...
    local wanted=$1 regex=$2
    shift 2
    run phi3sat bench model "$@"
    ok "status $wanted and one line: $*" test "$status,$(wc -l <"$stderr"),$(wc -c <"$stdout")" = "$wanted,1,0"
    expect_stderr_match "$regex" "which says: $regex"
}
refused 2 '^phi3sat: no model is given; '
refused 2 "^phi3sat: --prompt-lengths '0' is not a list" --model m.gguf --prompt-lengths 0
refused 2 "^phi3sat: --prompt-lengths 256 and a token behind it pass the model's context of 256 tokens; " --model m.gguf --prompt-lengths 1,256
refused 2 "^phi3sat: --ffn 'sparse' is not one of baseline, fused, low-rank, both; " --model m.gguf --ffn fused,sparse
refused 3 '^phi3sat: the prompt has [0-9]+ tokens, and the model.s context is 256 with the answer; ' --model m.gguf \
    --text "$(printf 'word %.0s' {1..400})"
refused 3 '^phi3sat: missing' --model missing
refused 3 'tokenizer-spm.gguf: lacks the key' --model "$source_dir/tests/golden/tokenizer-spm.gguf"
PHI3SAT_TEST_MEMORY=1000000 refused 3 '^phi3sat: m.gguf: a text of 17 tokens takes [0-9.]+ MiB of memory .* and 1.0 MiB are left; ' \
    --model m.gguf --prompt-lengths 16
PHI3SAT_TEST_MEMORY=1000000 refused 3 '^phi3sat: m.gguf: a text of [0-9]+ tokens takes ' --model m.gguf --text a
done_testing
