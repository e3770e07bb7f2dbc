#!/bin/bash
# memory.t - no memory, wherever base/memory.c is asked for it, in every command, on one rank and on either of two: one line,
# status 1 (4 where HDF5 can't write for want of it), all blocks given back, old outputs whole, no rank left waiting.
#
# `make check` tries some of the allocations, check-long two dozen of each run, PHI3SAT_TORTURE=all all.
. "$(dirname "$0")/torture.sh"

phi3sat --quiet --model m.gguf --prompts p.txt --output a.csv >/dev/null || bail "profile failed"
awk 'NR % 2' p.txt >odd.txt
phi3sat --quiet --model m.gguf --prompts odd.txt --output b.csv >/dev/null || bail "profile failed"
mkdir "$tap_io/keep"

# The process in which archives are read has little memory on purpose, so that want of it may be the file's fault: 3.
statuses="1 3 4"

# short RANKS RANK:POINTS CLAIM OUTPUTS COMMAND...: POINTS in `make check`.
short() {
    local ranks=$1 place=$2 claim=$3 outs=$4
    shift 4
    ((long || ${place#*:})) || return
    task "$ranks" "$outs" "$@"
    sweep $((long ? 0 : ${place#*:})) "${place%:*}:alloc" "" "$statuses" "no memory|the model.*memory|[Mm]emory allocation" "$claim"
}

run_it=(--model m.gguf --prompts p.txt --progress never --threads 1 --quiet --output r.csv --batch-tokens 16)
short 1 0:4 "profile" "r.csv r.h5 r.html" "${run_it[@]}" --html r.html --plot
short 2 0:1 "profile, rank 0 of 2" "r.csv r.h5" "${run_it[@]}"
short 2 1:2 "profile, rank 1 of 2" "r.csv r.h5" "${run_it[@]}"
short 3 2:1 "profile, rank 2 of 3" "r.csv r.h5" "${run_it[@]}"
short 2 1:0 "profile, the second stage of 2" "r.csv r.h5" "${run_it[@]}" --grid 1x2
short 2 0:0 "profile, the first stage of 2" "r.csv r.h5" "${run_it[@]}" --grid 1x2
short 1 0:0 "prompts that it makes, in a chat format" "r.csv r.h5" --model m.gguf --num-prompts 2 --threads 1 --quiet --output r.csv
phi3sat --quiet --model m.gguf --prompts odd.txt --output r.csv >/dev/null || bail "profile failed"
cp r.h5 "$tap_io/keep"
short 1 0:1 "profile --append" "r.csv r.h5" "${run_it[@]}" --append r.h5
rm "$tap_io/keep/r.h5"
PHI3SAT_TEST_SIGNAL=0:10:9 phi3sat "${run_it[@]}" --checkpoint r.ckpt >/dev/null 2>&1
ok "a checkpoint is left" test -s r.ckpt
short 1 0:1 "profile --resume" "r.csv r.h5" "${run_it[@]}" --resume r.ckpt --checkpoint s.ckpt
short 2 1:0 "profile --resume, rank 1 of 2" "r.csv r.h5" "${run_it[@]}" --resume r.ckpt --checkpoint s.ckpt

short 1 0:4 "report" "r.csv i.csv r.html" report a.h5 --output r.csv --intervals i.csv --html r.html --plot --quiet
short 1 0:2 "report --criterion" "r.csv" report a.h5 --output r.csv --criterion 'ffn.kurtosis > 3 and gate.variance < 0.1 * median(gate.variance)'
short 1 0:1 "report --neuron" "" report a.h5 --neuron 1/5
short 1 0:4 "compare" "c.csv c.html" compare a.h5 b.h5 --output c.csv --html c.html --quiet
short 1 0:4 "export" "e.npz e.csv e.imatrix" export a.h5 --npz e.npz --state --compress --long e.csv --imatrix e.imatrix --quiet
short 1 0:2 "export as GGUF" "e.gguf" export a.h5 -o e.gguf --quiet
short 1 0:2 "merge" "m.h5 m.csv" merge a.h5 b.h5 -o m.h5 --output m.csv --quiet
short 2 0:1 "merge, rank 0 of 2" "m.h5 m.csv" merge a.h5 b.h5 -o m.h5 --output m.csv --quiet
short 1 0:4 "inspect, a model" "" inspect --json --tensors m.gguf
short 1 0:4 "inspect, an archive" "" inspect --tensors a.h5
short 1 0:3 "pack" "m.knot" pack --quiet m.gguf -o m.knot
short 1 0:3 "synth" "s.gguf s.json" synth --quiet -o s.gguf --layers 1 --hidden 64 --intermediate 64 --vocab 320 --threads 1 \
    --plant-dead 1 --plant-duplicate 1 --manifest s.json
short 1 0:2 "plan" "" plan --model m.gguf --prompts p.txt --ranks 8 --gflops 10 --threads 1
short 1 0:4 "tokenize" "" tokenize --model m.gguf p.txt
short 1 0:2 "perplexity" "" perplexity --model m.gguf --prompts p.txt --context 16 --threads 1
short 1 0:2 "prompts" "" prompts --model m.gguf --num-prompts 2 --json
# Benchmarks take seconds each, whatever is asked of them.
bench=(--iterations 5 --threads 1 --warmup 0 --seconds 0.01)
slow() {
    ((!long)) || { task 1 "" "${@:2}"; sweep 12 0:alloc "" "1 4" "no memory" "$1"; }
}
slow "bench ffn" bench ffn --hidden 64 --intermediate 64 "${bench[@]}"
slow "bench kernels" bench kernels --shape 64x64 --rows 2 "${bench[@]}"
slow "bench model" bench model --model m.gguf --prompt-lengths 4 "${bench[@]}"
slow "bench matvec" bench matvec --shape 64x64 --types Q8_0 --memory 1 "${bench[@]}"
slow "bench roof" bench roof --memory 1 --cache 1 --threads 1 --seconds 0.01
diag "$tried points"
done_testing
