#!/bin/bash
# deadline.t - a checkpoint within 5 s of the signal where a batch takes much longer: layers of Phi-3-mini's width and
# prompts of 4,000 tokens, 10 s and more a batch and core; and where a state of its size has to be written. The
# run that goes on ends in the bytes of one without a break.
. "$(dirname "$0")/../cli/profile/profile.sh"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
launch=("${PHI3SAT_MPIRUN:=$(command -v mpirun)}")
"$PHI3SAT_MPIRUN" --version 2>/dev/null | grep -q 'Open MPI' && launch+=(--oversubscribe --bind-to none)

# stop CLAIM RANKS SECONDS OPTION...: SIGUSR1 to the launcher so long after the work has begun.
stop() {
    local claim=$1 ranks=$2 seconds=$3 tenths began code
    shift 3
    : >log
    "${launch[@]}" -np "$ranks" phi3sat --progress always "$@" >out 2>log </dev/null &
    started=$!
    for ((tenths = 0; tenths < 1200; tenths++)); do
        if grep -q 'tokens/s' log || ! kill -0 $started 2>/dev/null; then break; fi
        sleep 0.1
    done
    sleep "$seconds"
    rm -f r.ckpt
    began=$(date +%s%N)
    kill -USR1 $started
    until [[ -e r.ckpt ]] || ! kill -0 $started 2>/dev/null; do sleep 0.05; done
    took=$((($(date +%s%N) - began) / 1000000))
    wait $started
    code=$?
    is "$code" 75 "$claim: ends with 75"
    ok "$claim: a checkpoint is there within 5 s" test -e r.ckpt -a $took -lt 5000
    diag "$claim: $took ms"
}

phi3sat synth --quiet -o wide.gguf --layers 2 --hidden 3072 --intermediate 8192 --heads 32 --vocab 512 --type Q8_0 ||
    bail "no model"
awk 'BEGIN { for (p = 0; p < 2; p++) { s = 1; for (i = 1; i < 4000; i++) s = s " " 3 + (i * 7919 + p * 31) % 500; print s } }' >ids
wide=(--model wide.gguf --tokens ids)
run phi3sat "${wide[@]}" --output one.csv --threads 2
expect_status 0 "a run without a break"

stop "in the first batch" 1 1 "${wide[@]}" --output r.csv --resume auto
stop "a batch for each rank" 2 2 "${wide[@]}" --output r.csv --resume auto --grid 2x1
stop "a stage for each rank" 2 2 "${wide[@]}" --output r.csv --resume auto --grid 1x2
run phi3sat "${wide[@]}" --output r.csv --threads 2 --resume auto
expect_status 0 "the run goes on to the end"
same one.h5 r.h5 "and to the same bytes"

# The state of 32 layers of 8,192 neurons.
phi3sat synth --quiet -o deep.gguf --layers 32 --hidden 64 --intermediate 8192 --vocab 512 || bail "no model"
for grid in 2x1 2x4; do
    stop "the whole state, $grid" $((${grid%x*} * ${grid#*x})) 2 --model deep.gguf --num-prompts 4000 --output r.csv \
        --resume auto --grid $grid
done
done_testing
