#!/bin/bash
# sources.t - one model as GGUF, in parts, big-endian and as a folder: .knot files of one content, and the archive of the source.
. "$(dirname "$0")/../profile/profile.sh"
need_command python3
need_command /usr/bin/python3
export PYTHONDONTWRITEBYTECODE=1
for i in 1 2 3; do echo "$i 7 9 12 4 $((5 + i)) 9 8"; done >ids

form() { /usr/bin/python3 "$source_dir/tests/golden/gguf_forms.py" "$@" || bail "gguf_forms.py failed"; }
for arch in phi3 llama; do
    phi3sat synth --quiet --arch $arch -o $arch.gguf --layers 2 --hidden 256 --intermediate 256 --kv-heads 2 --vocab 400 \
        --context 256 || bail "synth failed"
    form $arch.gguf big.gguf --big
    form $arch.gguf cut --split 3
    phi3sat pack --quiet $arch.gguf -o whole.knot
    for source in big.gguf cut-00002-of-00003.gguf; do
        run phi3sat pack --quiet $source -o form.knot
        expect_status 0 "$arch, $source: it is packed"
        ok "into the bytes that the plain file gives" cmp whole.knot form.knot
    done
done
run phi3sat pack --quiet cut-00001-of-00003.gguf -o cut-00003-of-00003.gguf
expect_status 2 "no part may be the output"
phi3sat synth --quiet --arch llama --type f32 -o f32.gguf --layers 5 --hidden 256 --intermediate 256 --vocab 400 || bail 'synth failed'
form f32.gguf types.gguf --types all
form types.gguf turned.gguf --big
run phi3sat pack --quiet types.gguf -o types.knot
expect_status 0 "all types are packed"
run phi3sat --quiet --model types.gguf --tokens ids --output a.csv
cp "$stdout" a.out
run phi3sat --quiet --model types.knot --tokens ids --output b.csv
same a.h5 b.h5 "and give the archive of the source"
run phi3sat pack --quiet turned.gguf -o turned.knot
ok "big-endian ones of all types come out the same" cmp types.knot turned.knot
run phi3sat inspect --verify types.knot
expect_status 0 "and are what they were"

tiny llama-f32.gguf --layers 3 --arch llama --kv-heads 2 --tied --longrope-orig 64 --with-vocab --vocab 300
for shards in 1 3; do
    python3 "$source_dir/tests/golden/make_hf.py" llama-f32.gguf folder$shards --shards $shards --tokenizer none || bail "make_hf.py failed"
    run phi3sat pack --quiet folder$shards -o folder.knot
    expect_status 0 "a folder of $shards is packed"
    run phi3sat --quiet --model llama-f32.gguf --tokens ids --output a.csv
    run phi3sat --quiet --model folder.knot --tokens ids --output b.csv
    same a.h5 b.h5 "and gives the archive of its GGUF"
    run phi3sat inspect --verify folder.knot
    expect_status 0 "and is what it was"
done
done_testing
