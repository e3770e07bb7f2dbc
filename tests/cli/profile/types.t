#!/bin/bash
# types.t - every type of weights in every architecture, whole, split, big-endian, packed; docs/formats.md has the table of it.
#
# A model holds each type in some of its matrices; it must give the archive of the model whose F32 weights are those blocks
# decoded. What was seen to hold becomes the table; PHI3SAT_WRITE=1 writes it into the document.
. "$(dirname "$0")/profile.sh"
need_command /usr/bin/python3
/usr/bin/python3 -c 'import numpy' 2>/dev/null || skip_all "/usr/bin/python3 has no numpy"
forms() { /usr/bin/python3 "$source_dir/tests/golden/gguf_forms.py" "$@" || bail "gguf_forms.py failed"; }
awk 'BEGIN { for (p = 0; p < 3; p++) { for (t = 0; t < 8 + 9 * p; t++) printf "%d ", 3 + (t * 31 + p * 7) % 200; print "" } }' >p.ids

archs=(phi3 llama qwen2 qwen3)
declare -A seen
# holds_in ARCH LETTER MODEL: its archive is plain.h5; each type in it then has that letter.
holds_in() {
    local type count
    run phi3sat --quiet --model "$3" --tokens p.ids --output r.csv
    expect_status 0 "$1: $3 runs"
    same plain.h5 r.h5 "$1: $3 gives the archive of the decoded weights" || return 0
    while read -r type count; do
        [[ ${seen[$type $1]:-} == *"$2"* ]] || seen[$type $1]+="$2"
    done < <(attribute r.h5 /run/weight_types | tr ',' '\n')
}
for arch in "${archs[@]}"; do
    layers=$([[ $arch == phi3 ]] && echo 8 || echo 5)
    phi3sat synth --quiet -o f32.gguf --arch "$arch" --type f32 --layers "$layers" --hidden 256 --intermediate 256 --vocab 400 ||
        bail "synth failed"
    forms f32.gguf all.gguf --types all
    forms all.gguf plain.gguf --decode "$build_dir/tests/quants/decode_blocks"
    forms all.gguf b.gguf --big
    forms all.gguf s --split 2
    run phi3sat --quiet --model plain.gguf --tokens p.ids --output plain.csv
    expect_status 0 "$arch: the decoded weights run"
    holds_in "$arch" G all.gguf
    holds_in "$arch" S s-00002-of-00002.gguf
    holds_in "$arch" B b.gguf
    phi3sat pack --quiet all.gguf -o all.knot || bail "pack failed"
    holds_in "$arch" K all.knot
    python3 "$source_dir/tests/golden/make_hf.py" f32.gguf folder --tokenizer none || bail "make_hf.py failed"
    run phi3sat --quiet --model f32.gguf --tokens p.ids --output plain.csv
    holds_in "$arch" F folder
    for form in narrow wide; do
        python3 "$source_dir/tests/golden/make_hf.py" f32.gguf $form --tokenizer none --dtype BF16,F8_E4M3,F8_E5M2 \
            "$([[ $form == wide ]] && echo --widen || echo --shards=2)" || bail "make_hf.py failed"
    done
    run phi3sat --quiet --model wide --tokens p.ids --output plain.csv
    holds_in "$arch" F narrow
    phi3sat pack --quiet narrow -o narrow.knot || bail "pack failed"
    holds_in "$arch" K narrow.knot
    rm -rf narrow wide folder ./*.gguf ./*.knot
done

# The rows of the document's table of types, in its order.
document=$source_dir/docs/formats.md
mapfile -t types < <(sed -n 's/^| [0-9]* | \([A-Z0-9_]*\) | [0-9]* | [0-9]* |.*/\1/p' "$document")
is "${#types[@]}" "$(grep -c '^    {[0-9].*decode_\|^    {[0-9].*plain_' "$source_dir/src/quants/quants.c")" "the document lists every type that is decoded"
print_table() {
    printf '| type |'
    printf ' %s |' "${archs[@]}"
    printf '\n| --- |'
    printf ' --- |%.0s' "${archs[@]}"
    printf '\n'
    for type in "${types[@]}"; do
        printf '| %s |' "$type"
        for arch in "${archs[@]}"; do printf ' %s |' "${seen[$type $arch]:-none}"; done
        printf '\n'
    done
}
print_table >table
if [[ ${PHI3SAT_WRITE:-} == 1 ]]; then
    sed -i -e '/^<!-- types.t -->$/,/^<!-- end -->$/ { /^<!--/!d }' -e "/^<!-- types.t -->\$/r table" "$document"
fi
sed -n '/^<!-- types.t -->$/,/^<!-- end -->$/p' "$document" | grep -v '^<!--' >documented
holds "the document's table is what was seen here" diff documented table
done_testing
