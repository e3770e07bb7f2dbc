#!/bin/bash
# llama.t - llama-quantize loads both forms of the importance matrix, and quantises by them.
#
# PHI3SAT_LLAMA_QUANTIZE names the program where it is not in PATH.
. "$(dirname "$0")/../profile/profile.sh"
quantize=${PHI3SAT_LLAMA_QUANTIZE:-llama-quantize}
command -v "$quantize" >/dev/null || skip_all "no llama-quantize (docs/export.md); forms.t pins the bytes"
python=/usr/bin/python3
"$python" -c 'import h5py, numpy' 2>/dev/null || skip_all "python3-h5py is not installed"

for arch in llama phi3; do
    run phi3sat synth --quiet -o m.gguf --arch $arch --type F32 --layers 3 --hidden 256 --intermediate 512 --heads 4
    expect_status 0 "$arch: a model is made"
    run phi3sat --quiet --model m.gguf --num-prompts 20 --output r.csv
    expect_status 0 "$arch: and profiled"
    run phi3sat export --quiet r.h5 --imatrix r.imatrix
    expect_status 0 "$arch: the older form"
    run phi3sat export --quiet r.h5 --imatrix i.gguf
    expect_status 0 "$arch: the newer one"
    run "$quantize" m.gguf none.gguf Q4_K 1
    expect_status 0 "$arch: quantised without"
    for form in r.imatrix i.gguf; do
        run "$quantize" --imatrix $form m.gguf by-$form.gguf Q4_K 1
        expect_status 0 "$arch, $form: quantised with it"
        ok "$arch, $form: three entries and the prompts are seen" \
            grep -q "loaded 3 importance matrix entries from $form computed on 20 chunks" "$stdout" "$stderr"
        holds "$arch, $form: the down projections differ, and nothing else" \
            "$python" "$source_dir/tests/cli/export/check_forms.py" none.gguf quantized by-$form.gguf
    done
done
done_testing
