#!/bin/bash
# planted.t - profile finds every planted neuron by its class, and no other: any type, any shape.
. "$(dirname "$0")/../../tap/tap.sh"
python=/usr/bin/python3
"$python" -c 'import h5py' 2>/dev/null || skip_all "h5py is not installed for $python (Debian: python3-h5py)"
head -n 60 "$source_dir/data/demo-prompts.txt" >prompts.txt
export OMP_NUM_THREADS=2

# found CLAIM OPTION...: makes a model, profiles it, compares.
found() {
    local claim=$1
    shift
    run phi3sat synth --quiet -o m.gguf --layers 2 --plant-dead 4 --plant-frozen 4 --plant-low 4 --plant-duplicate 3 \
        --plant-noisy-duplicate 2 --plant-super 1 --manifest m.json "$@"
    expect_status 0 "$claim: a model is made"
    run phi3sat --quiet --model m.gguf --prompts prompts.txt --output r.csv
    expect_status 0 "$claim: it is profiled"
    run "$python" "$source_dir/tests/cli/synth/planted.py" r.h5 m.json
    expect_status 0 "$claim: the archive is read"
    expect_stdout "$claim: every planted neuron is found, and no other" </dev/null
}

for type in F32 F16 BF16 Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q2_K Q3_K Q4_K Q5_K Q6_K q4_k_m q5_k_m; do
    found "$type" --type $type --intermediate 512
done
found "llama" --arch llama --intermediate 512
found "llama Q2_K" --arch llama --type Q2_K --kv-heads 2 --intermediate 512
found "rows of no 256" --hidden 160 --heads 5 --kv-heads 1 --intermediate 352 --seed 9
found "rows of no 32" --hidden 72 --heads 6 --kv-heads 3 --intermediate 100 --type Q5_K --vocab 320
found "narrow and tied" --arch llama --hidden 64 --heads 2 --intermediate 96 --type Q4_1 --tied --seed 4
done_testing
