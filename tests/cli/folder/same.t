#!/bin/bash
# same.t - a model as GGUF and as a Hugging Face folder: one archive, however the folder is named and cut.
. "$(dirname "$0")/folder.sh"
need_command python3
folder() { python3 "$source_dir/tests/golden/make_hf.py" "$@" || bail "make_hf.py failed"; }

# Every token id below 60 is in every vocabulary here.
awk 'BEGIN { state = 5; for (i = 0; i < 4; i++) { for (k = 0; k < 15 + 20 * i; k++) {
    state = (state * 1103515245 + 12345) % 2147483648; printf "%d ", 3 + int(state / 65536) % 57 } print "" } }' >ids
compared() { # CLAIM FOLDER [OPTION...]
    local claim=$1 model=$2
    shift 2
    run phi3sat --quiet --model "$model" --tokens ids --output r.csv "$@"
    expect_status 0 "$claim: it runs"
    same g.h5 r.h5 "$claim: the archive of the GGUF"
}

# LongRoPE on both sides of the original context; fused and separate rows, part of a head turning, a window; llama's
# permuted rows, grouped heads, a tied head.
tiny longrope.gguf --layers 3 --longrope-orig 40
tiny separate.gguf --layers 2 --rope-dim 8 --separate --window 20
tiny llama.gguf --layers 3 --arch llama --kv-heads 2 --tied
for arch in qwen2 qwen3; do
    run phi3sat synth --quiet -o $arch.gguf --arch $arch --type f32 --heads 4 --kv-heads 2 --hidden 256 --intermediate 512
done
for name in longrope separate llama qwen2 qwen3; do
    run phi3sat --quiet --model $name.gguf --tokens ids --output g.csv
    expect_status 0 "$name: the GGUF runs"
    folder $name.gguf $name --tokenizer none
    compared $name $name
done
for place in llama/ llama/config.json llama/model.safetensors; do
    run phi3sat --quiet --model llama.gguf --tokens ids --output g.csv
    compared "$place" $place
done
folder llama.gguf shards --shards 3 --tokenizer none
for place in shards shards/model.safetensors.index.json shards/model-00002-of-00003.safetensors; do
    compared "$place" $place
done
(cd llama && run phi3sat --quiet --model . --tokens ../ids --output ../r.csv && run phi3sat --quiet --model config.json --tokens ../ids \
    --output ../r2.csv)
same g.h5 r.h5 "a folder named by a dot"
same g.h5 r2.h5 "a file without a path"
mpirun_n 2 phi3sat --quiet --model shards --tokens ids --grid 1x2 --output r.csv
same g.h5 r.h5 "stages on two ranks"
folder llama.gguf mistral --as mistral --tokenizer none --set sliding_window=null
compared "the same under the name mistral" mistral

# Narrower types: the archive of the same values in F32, which is another than that of the F32 weights.
cp g.h5 whole.h5
for type in BF16 F8_E4M3 F8_E5M2; do
    folder llama.gguf narrow-$type --tokenizer none --dtype $type
    folder llama.gguf wide-$type --tokenizer none --dtype $type --widen
    run phi3sat --quiet --model wide-$type --tokens ids --output g.csv
    compared "$type" narrow-$type
    ok "$type: and another model than the F32 one" \
        test "$(attribute whole.h5 model_fingerprint)" != "$(attribute r.h5 model_fingerprint)"
    mpirun_n 2 phi3sat --quiet --model narrow-$type --tokens ids --grid 1x2 --batch-tokens 16 --output r.csv
    same g.h5 r.h5 "$type on two ranks"
done

# The model's files are inputs.
cp llama/model.safetensors keep
run phi3sat --quiet --model llama --tokens ids --output llama/model.safetensors
expect_status 2 "an output that is a shard is refused"
holds "and it is left alone" cmp keep llama/model.safetensors

run phi3sat inspect shards
for line in '^  format +Hugging Face folder, sharded safetensors$' '^  files +5$' '^  architecture +llama$' '^  layers +3$' '^  runs +yes$'; do
    expect_stdout_match "$line" "inspect: $line"
done
run phi3sat inspect --tensors shards
expect_stdout_match '^  blk\.2\.attn_q\.weight +\[64, 64\] +F32 ' "inspect lists tensors by GGUF's names"
run phi3sat plan --model llama
expect_status 0 "plan takes a folder"
done_testing
