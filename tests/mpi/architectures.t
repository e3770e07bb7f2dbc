#!/bin/bash
# architectures.t - biases and norms of heads keep the promise of one archive; generation and benchmarks know them.
. "$(dirname "$0")/../cli/profile/profile.sh"

awk 'BEGIN { for (p = 0; p < 7; p++) { for (t = 0; t < (p == 4 ? 120 : 5 + 3 * p); t++) printf "%d ", 3 + (t * 31 + p * 7) % 300; print "" } }' >p.ids
cat "$source_dir"/docs/HACKING.md >text
mapfile -t sets < <(phi3sat --version --verbose | sed -n 's/^kernels: //p' | tr ' ' '\n' | sed '/^$/d')

compared() { # CLAIM
    expect_status 0 "it runs"
    same one.h5 r.h5 "$1: the same archive"
}
for arch in qwen2 qwen3; do
    phi3sat synth --quiet -o m.gguf --arch $arch --type q4_k --layers 3 --hidden 256 --intermediate 256 --kv-heads 2 \
        --head-dim 32 --vocab 400 --context 256 || bail "synth failed"
    precision=f32
    [[ $arch == qwen2 ]] && precision=int8
    model=(--quiet --model m.gguf --tokens p.ids --precision "$precision")
    run phi3sat "${model[@]}" --output one.csv
    expect_status 0 "$arch, $precision: it runs"
    mpirun_n 3 phi3sat "${model[@]}" --grid 1x3 --batch-tokens 50 --output r.csv
    compared "$arch, $precision, a stage a layer"
    for set in "${sets[@]}"; do
        PHI3SAT_KERNELS=$set run phi3sat "${model[@]}" --batch-tokens 33 --threads 2 --output r.csv
        compared "$arch, $precision, $set, batches of 33 on 2 threads"
    done
    mpirun_n 4 phi3sat "${model[@]}" --grid 2x2 --output r.csv
    compared "$arch, two groups of two stages"
    first=
    for set in "${sets[@]}"; do
        PHI3SAT_KERNELS=$set run phi3sat perplexity --model m.gguf --prompts text --context 64 --chunks 2 --csv
        expect_status 0 "$arch, $set: a perplexity"
        figures=$(<"$stdout")
        PHI3SAT_KERNELS=$set run phi3sat bench model --model m.gguf --text 'Bees hum' --max-tokens 12
        expect_status 0 "$arch, $set: an answer"
        figures+=$(<"$stdout")
        [[ -z $first ]] || is "$figures" "$first" "$arch, $set: both are the same"
        first=$figures
    done
    run phi3sat bench model --model m.gguf --prompt-lengths 4 --ffn fused --iterations 1 --warmup 0
    expect_status 0 "$arch: the model is timed"
    run phi3sat plan --model m.gguf --ranks 4
    expect_status 0 "$arch: and a run is planned"
done
done_testing
