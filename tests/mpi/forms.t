#!/bin/bash
# forms.t - a model is one model in whatever form its file has: types decoded, byte order, parts, version, alignment.
. "$(dirname "$0")/../cli/profile/profile.sh"
need_command /usr/bin/python3
/usr/bin/python3 -c 'import numpy' 2>/dev/null || skip_all "/usr/bin/python3 has no numpy"
forms() { /usr/bin/python3 "$source_dir/tests/golden/gguf_forms.py" "$@" || bail "gguf_forms.py failed"; }
awk 'BEGIN { for (p = 0; p < 5; p++) { for (t = 0; t < (p == 2 ? 90 : 5 + 3 * p); t++) printf "%d ", 3 + (t * 31 + p * 7) % 200; print "" } }' >p.ids

profile() { run phi3sat --quiet --tokens p.ids --output "$@"; }
compared() { # CLAIM
    expect_status 0 "$1: it runs"
    same one.h5 r.h5 "$1: the same archive"
    holds "$1: the same table" cmp one.csv r.csv
}

# Every type that synth doesn't write, in one model; beside it the same weights as float32.
phi3sat synth --quiet -o f32.gguf --type f32 --layers 5 --hidden 256 --intermediate 256 --vocab 512 || bail "synth failed"
forms f32.gguf types.gguf --types unusual
forms types.gguf plain.gguf --decode "$build_dir/tests/quants/decode_blocks"
profile one.csv --model plain.gguf
expect_status 0 "float32 runs"
for kernels in $(phi3sat --version --verbose | sed -n 's/^kernels: //p'); do
    PHI3SAT_KERNELS=$kernels profile r.csv --model types.gguf
    compared "18 types, kernels $kernels"
done
is "$(attribute r.h5 /run/weight_types | tr ',' '\n' | wc -l)" 19 "F32 and 18 other types are in it"
profile r.csv --model types.gguf --precision int16
is "$(attribute r.h5 /precision)" int16 "their products are float32's in every precision, which is asked for all the same"
holds "and the numbers are float32's" cmp one.csv r.csv
mpirun_n 4 phi3sat --quiet --model types.gguf --tokens p.ids --output r.csv --grid 2x2
compared "18 types, a grid of 2 x 2"

# Containers of it.
forms types.gguf big.gguf --big
forms types.gguf v2.gguf --version 2 --align 4096
forms types.gguf s --split 3
forms types.gguf b --split 4 --big --empty-first --align 64
for model in big v2 s-00002-of-00003 b-00004-of-00004; do
    profile r.csv --model $model.gguf
    compared $model
    mpirun_n 3 phi3sat --quiet --model $model.gguf --tokens p.ids --output r.csv --grid 1x3
    compared "$model, three stages"
done

# Types with decoders of their own, in every precision; rows that are no whole super-blocks.
for type in q4_k_m q3_k q5_0 q5_1 f16 bf16; do
    phi3sat synth --quiet -o m.gguf --type $type --layers 2 --hidden 256 --intermediate 544 --vocab 400 || bail "synth failed"
    forms m.gguf big.gguf --big
    for precision in f32 int16 int8; do
        profile one.csv --model m.gguf --precision $precision
        profile r.csv --model big.gguf --precision $precision
        compared "$type $precision, big-endian"
    done
done

# A test that can't fail shows nothing: blocks whose numbers are left as they were are another model.
sed 's/^def swapped(kind, data):$/&\n    return data/' "$source_dir/tests/golden/gguf_forms.py" >wrong.py
/usr/bin/python3 wrong.py m.gguf wrong.gguf --big || bail "wrong.py failed"
profile r.csv --model wrong.gguf
if "$build_dir/tests/archive/archive_same" one.h5 r.h5 >/dev/null 2>&1; then
    fail "the byte order of blocks counts"
else pass "the byte order of blocks counts"; fi

# What runs, decodes too.
phi3sat synth --quiet -o m.gguf --layers 2 --hidden 256 --intermediate 512 --vocab 400 || bail "synth failed"
forms m.gguf big.gguf --big
run phi3sat perplexity --model m.gguf --prompts "$source_dir/docs/HACKING.md"
expect_status 0 "perplexity runs"
cp "$stdout" little
run phi3sat perplexity --model big.gguf --prompts "$source_dir/docs/HACKING.md"
holds "perplexity of the big-endian file is the little-endian one's" cmp little "$stdout"
run phi3sat bench ffn --model big.gguf
expect_status 3 "a benchmark of big-endian weights is refused"
expect_stderr_match "is big-endian, and this benchmark times little-endian weights only" "and said"
done_testing
