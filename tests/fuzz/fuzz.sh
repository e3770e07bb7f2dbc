# shellcheck shell=bash
# fuzz.sh - what the fuzz tests share: targets, their seeds, and a claim about a run.
. "$(dirname "${BASH_SOURCE[0]}")/../tap/tap.sh"

# Where the targets are: PHI3SAT_FUZZ_BUILD may name another build (with sanitizers, say) of the same sources.
fuzz_build=${PHI3SAT_FUZZ_BUILD:-$build_dir}
# No input may make a sanitizer's allocator give up instead of the program.
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=4096 UBSAN_OPTIONS=print_stacktrace=1

# The names of all targets.
fuzz_targets() {
    local file
    for file in "$source_dir"/tests/fuzz/fuzz_*.c; do
        file=${file##*/fuzz_}
        echo "${file%.c}"
    done
}

# fuzz CLAIM NAME ARGUMENT...: holds when the target ends well; an input that it kept is shown, for tests/fuzz/found/NAME.
fuzz() {
    local claim=$1 name=$2
    shift 2
    mkdir -p kept
    run "$fuzz_build/tests/fuzz/fuzz_$name" --save kept "$@"
    if ((status == 0)); then
        pass "$claim"
        diag "$(cat "$stdout")"
    else
        fail "$claim"
        tap_show
        for file in kept/*; do
            [[ -s $file ]] && diag "$file, compressed with xz, in base64:" && diag "$(xz -9e <"$file" | base64 | head -n 40)"
        done
    fi
    rm -rf kept
}
