#!/bin/bash
# mutants.t - 100,000 mutants of each kind of input: nothing crashes, hangs, or is accepted though it doesn't fit.
#
# PHI3SAT_FUZZ_BUILD=FOLDER takes the targets of another build: one with --enable-sanitizers.
. "$(dirname "$0")/fuzz.sh"
need_command python3
mapfile -t targets < <(fuzz_targets)
bash "$source_dir/tests/fuzz/make_seeds.sh" seeds || bail "no seeds"
export PHI3SAT_TEST_SECONDS=3600
for name in "${targets[@]}"; do
    fuzz "$name: ${PHI3SAT_FUZZ_MUTANTS:=100000} mutants" "$name" --mutate "$PHI3SAT_FUZZ_MUTANTS" --seed 2026 "seeds/$name"
done
done_testing
