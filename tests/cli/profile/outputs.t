#!/bin/bash
# outputs.t - what a run leaves and prints, and what its options change.
. "$(dirname "$0")/profile.sh"
need_command python3
header='Layer,Neurons,LowVarGate%,LowVarUp%,LowVarFFN%,Saturated%,AvgVarGate,AvgVarUp,AvgVarFFN,AvgMeanGate,AvgMeanUp,AvgMeanFFN,EstSpeedup'
tiny m.gguf --with-vocab --vocab 300 --hidden 32 --intermediate 70 --heads 2 --layers 32 --context 64 \
    --plant-zero 3:5 --plant-zero 3:6 --plant-zero 20:1
words 12 5 20 >p.txt

run phi3sat --knot m.gguf --prompts p.txt
expect_status 0 "it runs"
is "$(head -n 1 phi3-saturation-report.csv)" "$header" "the table's header"
is "$(wc -l <phi3-saturation-report.csv)" 33 "33 lines for 32 layers"
holds "the archive stands beside it" test -s phi3-saturation-report.h5
for line in '^=== Summary Statistics ===$' '^Average saturated neurons: [0-9.]+%$' '^Average estimated speedup: [0-9.]+x$' \
    '^=== Saturation by Depth ===$' '^Early layers \(0-7\):    [0-9.]+% saturated$' '^Mid layers \(8-15\):     [0-9.]+% saturated$' \
    '^Late layers \(16-31\):   [0-9.]+% saturated$' '^Trend: Saturation (is FLAT|INCREASES|DECREASES) with depth \([0-9.]+% -> [0-9.]+%\)$' \
    '^Interpretation: .' 'LOW|MODERATE|HIGH' '^Next steps: .'; do
    expect_stdout_match "$line" "the summary has $line"
done
expect_stderr_match 'written: phi3-saturation-report.h5' "where the outputs are is said"

# Flags, shares and averages follow from the arrays alone, whatever the rule.
rules=("" "--combine any" "--combine ffn" "--activity signed --combine ffn" "--variance-threshold 0.5 --combine any"
    "--gradient-threshold 0.05 --combine ffn" "--low-activity-ratio 0.05 --combine any" "--super-ratio 3"
    "--activity-threshold 0.5 --combine ffn" "--skip-first 1")
for rule in "${rules[@]}"; do
    # shellcheck disable=SC2086
    run phi3sat --model m.gguf --prompts p.txt --output r.csv --hdf5 other.h5 --quiet $rule
    expect_status 0 "it runs"
    holds "the table follows from the arrays: ${rule:-by default}" values recompute other.h5 r.csv
done
expect_empty stderr "--quiet says nothing"
is "$(values show other.h5 ffn/max 3 5)" 0 "a zero neuron has maximum 0"
is "$(values show other.h5 saturation/saturated 3 6)" 1 "and is saturated"
is "$(values show other.h5 saturation/saturated 3 7)" 0 "its neighbour is not"

# What is done with odd texts is counted.
printf '\357\273\277the of\r\n\r\nand to\n\n\377\376 in\nthe of' >odd.txt
run phi3sat --model m.gguf --prompts odd.txt --output r.csv --progress always
expect_status 0 "it runs"
is "$(attribute r.h5 prompts)" 4 "BOM, carriage returns, blank lines: four prompts are left"
is "$(attribute r.h5 prompts_repeated)" 1 "one is repeated, which the BOM and the carriage return don't hide"
is "$(attribute r.h5 run/blank_lines)" 2 "two blank lines"
is "$(attribute r.h5 run/malformed_prompts)" 1 "one prompt is no UTF-8"
expect_stderr_match '100%' "progress is shown"

# Overlong prompts.
words 3 9 60 | awk '{ print $0, $0, $0, $0 }' >long.txt
for how in truncate split skip; do
    run phi3sat --model m.gguf --prompts long.txt --context 8 --overlong $how --output $how.csv
done
is "$(attribute truncate.h5 tokens)" 24 "cut to the context"
is "$(attribute truncate.h5 prompts_cut)" 3 "and counted"
expect_status 3 "it is bad input"
expect_stderr_match 'no prompts' "all skipped leaves none"
run phi3sat tokenize --model m.gguf long.txt
is "$(attribute split.h5 tokens)" "$(wc -w <"$stdout")" "split keeps every token"
run phi3sat --model m.gguf --prompts p.txt --skip-first 3 --output r.csv
is "$(values show r.h5 ffn/count 0)" "$(phi3sat tokenize --model m.gguf p.txt | awk '{ n += NF > 64 ? 61 : NF > 3 ? NF - 3 : 0 } END { print n }')" \
    "--skip-first leaves positions out"

# Attention's window: off and as wide as the prompts are the same; a narrow one isn't.
run phi3sat --model m.gguf --prompts p.txt --output off.csv --window off
run phi3sat --model m.gguf --prompts p.txt --output wide.csv --window 64
run phi3sat --model m.gguf --prompts p.txt --output narrow.csv --window 2
expect_status 0 "it runs"
holds "a window wider than the prompts changes nothing" cmp off.csv wide.csv
if cmp -s off.csv narrow.csv; then fail "a narrow one does"; else pass "a narrow one does"; fi

# Numbers have points in every locale.
if locale -a 2>/dev/null | grep -qi 'de_DE.utf'; then
    LC_ALL=de_DE.UTF-8 run phi3sat --model m.gguf --prompts p.txt --output german.csv --window off
    holds "decimal points in a locale with commas" cmp off.csv german.csv
else skip 1 "no locale with decimal commas is installed"; fi

run phi3sat --help
expect_status 0 "it runs"
expect_stdout_match '^  profile ' "--help names the commands"
run phi3sat profile --help
expect_stdout_match '--variance-threshold X .*\[0.01\]' "and a command's options with their defaults"
run phi3sat --version
expect_stdout_match '^phi3sat [0-9]' "--version"
done_testing
