#!/bin/bash
# neon.t - the NEON kernels, cross-built and run by an emulator: their unit tests, and a whole forward pass against the
# bits that this machine computes. About 40 seconds.
. "$(dirname "$0")/../tap/tap.sh"
# Debian: gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static; bootstrap installs them.
[[ $(uname -m) != aarch64 ]] || skip_all "this machine is an ARM itself: its own tests run the NEON kernels"
need_command aarch64-linux-gnu-gcc
emulator=$(command -v qemu-aarch64-static || command -v qemu-aarch64) || skip_all "qemu-aarch64 is not installed"
cd "$source_dir" || bail "no source tree"
arm=$tap_home/work/arm
mkdir "$arm"

# As the Makefile compiles them. The model's fingerprint and the machine's cores need libraries that aren't there for ARM,
# and nobody here needs them; xxHash, which reading a .knot takes, is compiled in from its header.
flags=(-std=gnu11 -D_GNU_SOURCE -DHAVE_KERNELS_NEON -DXXH_INLINE_ALL -ffp-contract=off -fopenmp -O2 -g -Isrc -Iinclude -Itests/tap
    "-DTAP_SOURCE_FOLDER=\"$source_dir\"")

# compile NAME FLAG... SOURCE: in the background, two at a time; a failure leaves the file `failed`.
compile() {
    local name=$1
    shift
    while (($(jobs -rp | wc -l) >= 2)); do wait -n; done
    { aarch64-linux-gnu-gcc "${flags[@]}" -o "$arm/$name.o" -c "$@" 2>>"$arm/messages" || echo "$name" >>"$arm/failed"; } &
}

if ! echo 'int main(void) { return 0; }' | aarch64-linux-gnu-gcc -xc - -fopenmp -static -o "$arm/nothing" 2>/dev/null; then
    skip_all "aarch64-linux-gnu-gcc can't link: libc6-dev-arm64-cross is not installed"
fi
"$emulator" "$arm/nothing" || skip_all "$emulator runs no ARM program here"

for file in src/{base,quants,stats,formats,model}/*.c src/kernels/[!l]*.c src/bench/{roof,timing}.c tests/tap/tap.c; do
    [[ $file == */fingerprint.c || $file == */machine.c ]] || compile "${file//\//_}" "$file"
done
for set in reference neon; do
    for file in src/kernels/lanes_*.c src/bench/roof_lanes.c; do
        compile "$set-$(basename "$file")" -O3 -DKERNEL_SET=$set "$file"
    done
done
wait
ok "kernels and what they rest on compile for ARM" test ! -e "$arm/failed"
[[ ! -s $arm/messages ]] || diag "$(head -n 20 "$arm/messages")"
aarch64-linux-gnu-ar cr "$arm/all.a" "$arm"/*.o

# link NAME SOURCE: statically, so that the emulator needs no ARM system. The linker's remark about dlopen is dropped.
link() { aarch64-linux-gnu-gcc "${flags[@]}" -static -o "$arm/$1" "$2" "$arm/all.a" -lm 2>"$arm/link"; }

for file in tests/unit/test_{kernels,products,integer_products,matvec,quants,roof}.c tests/unit/test_lanes_*.c; do
    name=$(basename "$file" .c)
    if ! link "$name" "$file"; then
        fail "$name links for ARM"
        diag "$(grep -v dlopen "$arm/link" | head -n 10)"
        continue
    fi
    PHI3SAT_LONG=0 run "$emulator" "$arm/$name"
    expect_status 0 "$name passes on ARM: $(grep -c '^ok' "$stdout") points"
    ((status == 0)) || diag "$(grep '^not ok' "$stdout" | head -n 10)"
done

# A whole forward pass, every precision: the digests of this machine's kernels are those of NEON.
ok "the forward pass links for ARM" link forward_bits tests/cross/forward_bits.c
for type in q4_k q8_0 q6_k f16; do
    model=$tap_home/work/$type.gguf
    phi3sat synth --quiet -o "$model" --layers 2 --hidden 256 --intermediate 512 --type $type || bail "synth failed"
    "$build_dir/tests/cross/forward_bits" "$model" >"$arm/here" || bail "forward_bits failed"
    PHI3SAT_KERNELS=neon run "$emulator" "$arm/forward_bits" "$model"
    expect_stdout "$type: NEON computes the bits that this machine does, residual stream and sums" <"$arm/here"
    ok "$type: in at least one precision" test -s "$stdout"
done
done_testing
