#!/bin/bash
# llama.t - llama.cpp loads what synth writes, and its logits are those of a float64 evaluation.
#
# PHI3SAT_LLAMA_PYTHON names a python3 that has llama-cpp-python, gguf and numpy; `./bootstrap check-long` makes one.
. "$(dirname "$0")/../../tap/tap.sh"
python=${PHI3SAT_LLAMA_PYTHON:-python3}
if ! "$python" -c 'import llama_cpp, gguf, numpy' 2>why; then
    [[ -z ${PHI3SAT_LLAMA_PYTHON:-} ]] || bail "$python: $(tail -n 1 why) (build/llama.log)"
    skip_all "no python3 with llama-cpp-python and gguf, and pip can't reach them (docs/synth.md)"
fi
mapfile -t texts < <(sed -n '2p;7p' "$source_dir/data/demo-prompts.txt")

# agrees CORRELATION BEST TEN CLAIM OPTION...: the correlation of all logits, and the shares of
# positions with the same best token and the same ten best in the same order.
agrees() {
    local correlation=$1 best=$2 ten=$3 claim=$4
    shift 4
    run phi3sat synth --quiet -o m.gguf --plant-super 1 --plant-low 5 "$@"
    expect_status 0 "$claim: a model is made"
    run "$python" "$source_dir/tests/golden/logits.py" m.gguf "${texts[@]}"
    expect_status 0 "$claim: llama.cpp runs it"
    diag "$(<"$stdout")"
    # shellcheck disable=SC2016 # awk's own variables
    ok "$claim: the logits agree" awk -v c="$correlation" -v b="$best" -v t="$ten" '
        $6 < c || $8 < b || $10 < t { bad = 1 } END { exit bad || NR != 2 }' "$stdout"
}
for arch in phi3 llama qwen2 qwen3; do
    agrees 0.999999 1 1 "$arch F32" --arch $arch --type F32
    agrees 0.999999 1 1 "$arch F32, grouped heads, tied" --arch $arch --type F32 --kv-heads 2 --tied
    if [[ $arch == llama || $arch == qwen3 ]]; then # llama.cpp has it for no others
        agrees 0.999999 1 1 "$arch F32, heads of their own size" --arch $arch --type F32 --head-dim 32
    fi
    agrees 0.999 0.9 0 "$arch q4_k_m" --arch $arch
    agrees 0.999 0.9 0 "$arch Q2_K" --arch $arch --type Q2_K
done
run "$python" "$source_dir/tests/golden/logits.py" --dump m.gguf "${texts[@]}"
mv "$stdout" theirs
printf '%s\n' "${texts[@]}" >text
run phi3sat tokenize --model m.gguf text
ok "both cut the texts into the same tokens" cmp -s theirs "$stdout"
done_testing
