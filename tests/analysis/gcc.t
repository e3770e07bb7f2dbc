#!/bin/bash
# gcc.t - gcc's own analyser over src/, one source at a time.
. "$(dirname "$0")/../tap/tap.sh"
. "$source_dir/tests/analysis/compiles.sh"
. "$source_dir/tests/analysis/findings.sh"
need_command gcc
echo 'int main(void) { return 0; }' >probe.c
gcc -fanalyzer -c probe.c 2>/dev/null || skip_all "this gcc has no -fanalyzer"
[[ $(gcc -dumpversion) == 12* ]] || skip_all "known.txt lists what gcc 12 finds, and this is gcc $(gcc -dumpversion)"

# one SOURCE WORDS: gcc's findings in one file, as make compiles it.
# shellcheck disable=SC2317 # called by xargs
one() {
    eval "set -- $1 $2"
    local source=$1 word words=()
    shift
    for word; do
        [[ $word == -Werror || $word == -O[0-9] || $word == --coverage || $word == -fsanitize* ]] || words+=("$word")
    done
    cd "$build_dir" && gcc "${words[@]}" -O1 -fanalyzer -fdiagnostics-plain-output -fdiagnostics-path-format=none \
        -S -o /dev/null "$source_dir/$source" 2>&1
}
export -f one
export source_dir build_dir

# Not the lanes: gcc 12 takes a vector's number of lanes for the width of its numbers, and warns of every shift.
compiles | grep -v -e KERNEL_SET= -e ROOF_SET= >lines
ok "make says how it compiles at least 200 sources" test "$(wc -l <lines)" -ge 200
# shellcheck disable=SC2016 # for the inner shell
tr '\t' '\n' <lines | tr '\n' '\0' | xargs -0 -n 2 -P "$(nproc)" bash -c 'one "$1" "$2"' bash >all
sed -n 's,^\([^ :]*\):\([0-9]*\):[0-9]*: warning: .*\[-W\([^]]*\)\]$,\1 \2 \3,p' all | sort -u |
    sed "s,^$source_dir/,,; s,^[^ ]*/src/,src/," | awk '{ print $1, $3 }' >found
expect_known gcc "gcc -fanalyzer finds nothing in src/ but what known.txt explains" <found || # not behind a pipe: it counts
    diag "$(grep 'warning: ' all | head -n 40)"
done_testing
