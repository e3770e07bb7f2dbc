#!/bin/bash
# tidy.t - clang-tidy over src/, with the checks of clang-tidy.yaml and the kernels as AVX2 sees them.
. "$(dirname "$0")/../tap/tap.sh"
. "$source_dir/tests/analysis/compiles.sh"
. "$source_dir/tests/analysis/findings.sh"
need_command clang-tidy

# one SOURCE WORDS: clang-tidy's findings in one file, as make compiles it.
# shellcheck disable=SC2317 # called by xargs
one() {
    local word words=()
    eval "set -- $1 $2"
    local source=$1
    shift
    for word; do
        # Findings are what is asked for here, not the compiler's warnings.
        [[ $word == -W* ]] || words+=("$word")
    done
    cd "$build_dir" && clang-tidy --quiet --config-file="$source_dir/tests/analysis/clang-tidy.yaml" \
        "$source_dir/$source" -- "${words[@]}" 2>/dev/null
}
export -f one
export source_dir build_dir

# The kernels once: what differs between instruction sets is in lanes.h, which AVX2 takes more of than others.
compiles | grep -v -e 'KERNEL_SET=reference' -e 'KERNEL_SET=avx512' >lines
ok "make says how it compiles at least 200 sources" test "$(wc -l <lines)" -ge 200
# shellcheck disable=SC2016 # for the inner shell
tr '\t' '\n' <lines | tr '\n' '\0' | xargs -0 -n 2 -P "$(nproc)" bash -c 'one "$1" "$2"' bash >all
# FILE:LINE:COLUMN: error: WORDS [CHECK,-warnings-as-errors]; the same header line is said for each source.
sed -n 's,^\([^ :]*\):\([0-9]*\):[0-9]*: [a-z]*: .*\[\([^],]*\).*\]$,\1 \2 \3,p' all | sort -u |
    sed "s,^$source_dir/,,; s,^[^ ]*/src/,src/," | awk '{ print $1, $3 }' |
    expect_known clang-tidy "clang-tidy finds nothing in src/ but what known.txt explains" ||
    diag "$(grep -E '(error|warning): ' all | head -n 40)"
done_testing
