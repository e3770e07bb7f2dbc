#!/bin/bash
# progress.t - what is said of how far a run is: on a terminal, in a log, quietly, by several ranks.
. "$(dirname "$0")/../../tap/tap.sh"
need_command mpirun script
run phi3sat synth --quiet -o m.gguf --layers 2 --hidden 64 --intermediate 64 --heads 2 --type F32
expect_status 0 "a model is made"
for ((i = 0; i < 300; i++)); do echo "The sea was calm, and number $i was the last of its boats."; done >text
profile() { run phi3sat --model m.gguf --prompts text --output got.csv --batch-tokens 64 "$@"; }

SECONDS=0
profile
lines=$(grep -c '^ *[0-9]*%' "$stderr") # on a busy machine a run may take longer than 10 s
ok "a log gets the first line and the last, and one every 10 s between ($lines)" \
    test "$lines" -ge 2 -a "$lines" -le $((3 + SECONDS / 10))
expect_stderr_match '^ +[0-9]+%  [0-9]+ of 300 prompts, [0-9]+ tokens/s, [0-9]+:[0-9]{2} left$' "with prompts, speed and time left"
expect_stderr_match '^100%  300 of 300 prompts, [0-9]+ tokens/s, 0:[0-9]{2} in all$' "the last line counts all"
expect_stdout_match '^  300 prompts with [0-9]+ tokens$' "the summary states prompts and tokens"
tokens=$(sed -n 's/^prompts: 300 with \([0-9]*\) tokens.*/\1/p' "$stderr")
expect_stdout_match "^  300 prompts with $tokens tokens$" "as many as the log"
profile --quiet
expect_empty stderr "--quiet says nothing"
profile --quiet --progress always
is "$(grep -vc '^ *[0-9]*%' "$stderr")" 0 "--progress always shows progress all the same, and nothing else"
profile --progress never
ok "--progress never shows none" test "$(grep -c '^ *[0-9]*%' "$stderr")" = 0
expect_stderr_match '^written: got.csv' "but the rest"

mpirun_n 3 phi3sat --model m.gguf --prompts text --output got.csv --batch-tokens 64
expect_stderr_match "^ +[0-9]+%  about [0-9]+ of 300 prompts, about [0-9]+ tokens/s, [0-9:]+ left \\(told by rank 0's share\\)$" \
    "of several ranks rank 0 tells by its share"
expect_stderr_match '^100%  300 of 300 prompts, [0-9]+ tokens/s, 0:[0-9]{2} in all$' "and in the end all are counted"

# A terminal: lines are written over.
run script -qec "phi3sat --model m.gguf --prompts text --output got.csv --batch-tokens 64 2>&1" /dev/null
expect_status 0 "a run on a terminal ends well"
ok "progress stays on one line there" grep -q $'\r\033\\[K.*100%  300 of 300 prompts' "$stdout"

run script -qec "stty cols 40; phi3sat --model m.gguf --prompts text --output got.csv --batch-tokens 64 --progress always 2>&1" /dev/null
longest=$(tr '\r' '\n' <"$stdout" | sed -n $'s/^\033\\[K//p' | awk '{ if (length > n) n = length } END { print n + 0 }')
ok "no line of it reaches the last column ($longest of 40)" test "$longest" -gt 20 -a "$longest" -lt 40

# One batch of many layers: the line moves between them, not only at its end.
run phi3sat synth --quiet -o deep.gguf --layers 40 --hidden 64 --intermediate 64 --heads 2 --type F32
PHI3SAT_KERNELS=reference run script -qec "phi3sat --model deep.gguf --prompts text --output got.csv --batch-tokens 65536 2>&1" /dev/null
ok "a single batch shows progress while it runs" \
    test "$(grep -aoE '[0-9]+%  [0-9]+ of 300' "$stdout" | sort -u | wc -l)" -gt 2

profile --verbose
for step in "opened the model" "read and tokenised the prompts" "took the model's fingerprint" "ran the prompts" \
    "merged the sums and wrote the outputs"; do
    expect_stderr_match "^note: $step: [0-9.]+ s; rank 0 holds at most [0-9]+ MB" "--verbose tells when it $step"
done
head -n 2 text >two
mpirun_n 3 phi3sat --model m.gguf --prompts two --output got.csv
expect_status 0 "more ranks than prompts"
profile --output -
expect_status 2 "--output - is refused"
expect_stderr_match '^phi3sat: -: standard output has the summary' "with the reason"
profile --hdf5 -
expect_status 2 "--hdf5 - too"
ok "no file of that name is left" test ! -e ./-
done_testing
