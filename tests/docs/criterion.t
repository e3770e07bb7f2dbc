#!/bin/bash
# criterion.t - the worked example of docs/HACKING.md: a criterion is added to a copy of the tree, built, and works. Minutes.
. "$(dirname "$0")/../tap/tap.sh"
need_command python3
[[ $build_dir == "$source_dir"/* && -e $build_dir/Makefile ]] || skip_all "the build is not inside the tree"
copy=$tap_home/copy
inside=${build_dir#"$source_dir"/}

# With the build's objects, so that only what the change concerns is compiled again.
mkdir -p "$copy/$inside"
(cd "$source_dir" && tar cf - --exclude=./.git --exclude='./build' --exclude="./$inside" --exclude='./_build*' .) | tar xf - -C "$copy"
(cd "$build_dir" && tar cf - --exclude=./demo --exclude=./llama --exclude='*.gguf' --exclude='*.h5' .) | tar xf - -C "$copy/$inside"
run python3 "$source_dir/tests/docs/patch.py" "$source_dir/docs/HACKING.md" "$copy"
expect_status 0 "the change that the document shows can be made"
PHI3SAT_TEST_SECONDS=1500 run make -C "$copy/$inside" -j2 phi3sat
expect_status 0 "and the tree builds with it"
PATH=$copy/$inside:$PATH

run phi3sat report --help
expect_stdout_match '--kurtosis-threshold X .*excess kurtosis' "--help has the option"
ok "so has the manual" bash -c "phi3sat --manual report | grep -q 'Fl -kurtosis-threshold'"
ok "and completion" bash -c "phi3sat --completion bash | grep -q -- '--kurtosis-threshold'"
phi3sat synth -o m.gguf --layers 2 --plant-low 30 --quiet
run phi3sat --model m.gguf --num-prompts 6 --output r.csv --quiet
expect_status 0 "a run goes on as before"
run phi3sat report r.h5 --combine ffn --output as.csv --quiet
run phi3sat report r.h5 --combine ffn --kurtosis-threshold 1 --output heavy.csv --quiet
expect_status 0 "the threshold is taken"
share() { awk -F, 'NR == 2 { print $6 }' "$1"; }
ok "and the table's share follows: $(share as.csv) %, $(share heavy.csv) %" \
    awk -v a="$(share as.csv)" -v b="$(share heavy.csv)" 'BEGIN { exit !(b > a + 1) }'
run phi3sat inspect r.h5
expect_stdout_match 'kurtosis' "the archive names the threshold"
done_testing
