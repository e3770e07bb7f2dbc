#!/bin/bash
# avx512.t - the AVX-512 sources of the kernels on plain vectors (plain512/immintrin.h): what they compute is seen on
# machines without AVX-512. They stand in for the set `neon`, which no x86 processor has otherwise.
. "$(dirname "$0")/../tap/tap.sh"
[[ $(uname -m) == x86_64 ]] || skip_all "this machine is no x86-64"
cd "$source_dir" || bail "no source tree"
wide=$tap_home/work/wide
mkdir "$wide"

flags=(-std=gnu11 -D_GNU_SOURCE -DHAVE_KERNELS_NEON -ffp-contract=off -fopenmp -O2 -g -Wno-psabi -Isrc -Iinclude -Itests/tap
    "-DTAP_SOURCE_FOLDER=\"$source_dir\"")
# What -mavx512... defines, without the instructions; FMA and F16C speed the plain vectors up where this machine has them.
as_if=(-Itests/cross/plain512 -DKERNEL_SET=neon -D__AVX512F__ -D__AVX512BW__ -D__AVX512DQ__ -D__AVX512VL__ -D__AVX512VNNI__)
! grep -qw avx2 /proc/cpuinfo || as_if+=(-mavx2 -mfma)

# compile NAME FLAG... SOURCE: in the background, two at a time; a failure leaves the file `failed`.
compile() {
    local name=$1
    shift
    while (($(jobs -rp | wc -l) >= 2)); do wait -n; done
    { "${CC:-cc}" "${flags[@]}" -o "$wide/$name.o" -c "$@" 2>>"$wide/messages" || echo "$name" >>"$wide/failed"; } &
}

for file in src/{base,quants,stats,formats,model}/*.c src/kernels/[!l]*.c src/bench/timing.c tests/tap/tap.c; do
    compile "${file//\//_}" "$file"
done
for file in src/kernels/lanes_*.c; do
    compile "wide-$(basename "$file")" -O3 "${as_if[@]}" "$file"
done
wait
ok "the AVX-512 sources compile to plain vectors" test ! -e "$wide/failed"
[[ ! -s $wide/messages ]] || diag "$(head -n 20 "$wide/messages")"
ar cr "$wide/all.a" "$wide"/*.o

# As configure found them; sums of files and what the machine has are in rooms below.
read -ra libraries < <(sed -n 's/^\(XXHASH\|HWLOC\)_LIBS = //p' "$build_dir/Makefile" | tr '\n' ' ')
link() {
    "${CC:-cc}" "${flags[@]}" -o "$wide/$1" "$2" "$wide/all.a" "$build_dir/src/kernels/libkernels_reference.a" "${libraries[@]}" -lm \
        2>"$wide/link"
}

for file in tests/unit/test_{kernels,products,integer_products}.c tests/unit/test_lanes_*.c; do
    [[ -e $file ]] || continue
    name=$(basename "$file" .c)
    if ! link "$name" "$file"; then
        fail "$name links with them"
        diag "$(head -n 10 "$wide/link")"
        continue
    fi
    PHI3SAT_LONG=0 run "$wide/$name"
    expect_status 0 "$name passes with them: $(grep -c '^ok' "$stdout") points"
    ((status == 0)) || diag "$(grep '^not ok' "$stdout" | head -n 10)"
done

# A whole forward pass, every precision.
ok "the forward pass links with them" link forward_bits tests/cross/forward_bits.c
[[ ! -s $wide/link ]] || diag "$(head -n 10 "$wide/link")"
for type in q4_k q8_0 q6_k f16; do
    model=$tap_home/work/$type.gguf
    phi3sat synth --quiet -o "$model" --layers 2 --hidden 256 --intermediate 512 --type $type || bail "synth failed"
    "$build_dir/tests/cross/forward_bits" "$model" >"$wide/here" || bail "forward_bits failed"
    PHI3SAT_KERNELS=neon run "$wide/forward_bits" "$model"
    expect_stdout "$type: they compute the bits that this machine does, residual stream and sums" <"$wide/here"
    ok "$type: in at least one precision" test -s "$stdout"
done
done_testing
