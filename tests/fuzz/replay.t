#!/bin/bash
# replay.t - seeds, inputs that were once found to break something, and a few thousand mutants of each kind: no crash, no hang.
. "$(dirname "$0")/fuzz.sh"
need_command python3
mapfile -t targets < <(fuzz_targets)
bash "$source_dir/tests/fuzz/make_seeds.sh" seeds || bail "no seeds"

# Mutants of each kind; a run of some targets takes longer than that of others.
declare -A mutants=([forward]=300 [tokenizer_json]=800 [knot]=1500 [archive]=150 [checkpoint]=150)
for name in "${targets[@]}"; do
    fuzz "$name: seeds" "$name" "seeds/$name"
    found=$source_dir/tests/fuzz/found/$name
    [[ -d $found ]] && fuzz "$name: what was found once" "$name" "$found"
    fuzz "$name: mutants" "$name" --mutate "${mutants[$name]:-2000}" --seed 1 "seeds/$name"
done
done_testing
