#!/bin/bash
# precision.t - each precision keeps the promise of one archive, says what it is, and mixes with no other.
. "$(dirname "$0")/../cli/profile/profile.sh"

# Prompts longer than a chunk, others that share a batch; 256 and 768 inputs: one unit, and three.
awk 'BEGIN { for (p = 0; p < 9; p++) { for (t = 0; t < (p == 4 ? 150 : 5 + 3 * p); t++) printf "%d ", 3 + (t * 31 + p * 7) % 200; print "" } }' >p.ids

compared() { # CLAIM
    expect_status 0 "it runs"
    same one.h5 r.h5 "$1: the same archive"
    holds "$1: the same table" cmp one.csv r.csv
}
for type in q4_k q8_0; do
    phi3sat synth --quiet -o m.gguf --type $type --layers 3 --hidden 256 --intermediate 768 --vocab 400 || bail "synth failed"
    run phi3sat --model m.gguf --tokens p.ids --output $type-f32.csv
    expect_status 0 "it runs"
    is "$(attribute $type-f32.h5 /precision)" f32 "float32 is what nobody asks for"
    for precision in int16 int8; do
        model=(--model m.gguf --tokens p.ids --precision "$precision" --output r.csv)
        run phi3sat "${model[@]}" --output one.csv
        expect_status 0 "it runs"
        is "$(attribute one.h5 /precision)" $precision "$type: the archive says $precision"
        holds "$type: $precision has other numbers than f32" test -n "$(cmp one.csv $type-f32.csv)"
        mpirun_n 3 phi3sat "${model[@]}"
        compared "$type $precision, 3 ranks"
        for batch in 1 33 2048; do
            run phi3sat "${model[@]}" --batch-tokens $batch --threads 3
            compared "$type $precision, 3 threads, batches of $batch"
        done
        for kernels in $(phi3sat --version --verbose | sed -n 's/^kernels: //p'); do
            PHI3SAT_KERNELS=$kernels run phi3sat "${model[@]}"
            compared "$type $precision, kernels $kernels"
        done
        run phi3sat merge one.h5 $type-f32.h5 -o sum.h5
        expect_status 3 "$type: $precision and f32 don't merge"
        expect_stderr_match "precision" "the message names the precision"
        cp one.csv $type-$precision.csv
        cp one.h5 $type-$precision.h5
    done
done
holds "Q8_0: int8 is int16 in all but name" cmp q8_0-int16.csv q8_0-int8.csv

# Inputs too long for the packed rows to stay in the cache: the down projection takes several goes at them.
awk 'BEGIN { for (t = 0; t < 700; t++) printf "%d ", 3 + t * 31 % 200; print "" }' >long.ids
phi3sat synth --quiet -o m.gguf --type q4_k --layers 2 --hidden 256 --intermediate 9216 --vocab 400 || bail "synth failed"
for precision in f32 int16 int8; do
    model=(--model m.gguf --tokens long.ids --precision "$precision" --output r.csv)
    run phi3sat "${model[@]}" --output one.csv --batch-tokens 20
    expect_status 0 "it runs"
    for batch in 300 700; do
        run phi3sat "${model[@]}" --batch-tokens $batch --threads 2
        compared "9216 inputs in $precision, batches of $batch as of 20"
    done
done

# Weights without an integer form.
phi3sat synth --quiet -o m.gguf --type f16 --layers 2 --hidden 256 --intermediate 768 --vocab 400 || bail "synth failed"
run phi3sat --model m.gguf --tokens p.ids --output f32.csv
run phi3sat --model m.gguf --tokens p.ids --output r.csv --precision int16
expect_stderr_match "14 of 14 weight matrices have no form for int16" "half-precision weights run in float32, which is said"
holds "F16: int16 gives what f32 does" cmp f32.csv r.csv

run phi3sat --model m.gguf --tokens p.ids --output r.csv --precision bf16
expect_status 2 "a precision that isn't there is wrong usage"
done_testing
