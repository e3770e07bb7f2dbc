# shellcheck shell=bash
# findings.sh - what an analyser found against what known.txt lists. A test sources this file after tap.sh.
# shellcheck disable=SC2154 # tap.sh sets the trees

# expect_known TOOL CLAIM: the findings on standard input, lines "FILE CHECK", are those that known.txt lists for the
# tool: no other, no more of a kind in a file, and none listed that is no longer found.
expect_known() {
    local tool=$1 claim=$2 differences
    sort | uniq -c | awk '{ print $2, $3, $1 }' >"$tap_io/found"
    awk -v tool="$tool" '$1 == tool { print $2, $3, $4 }' "$source_dir/tests/analysis/known.txt" | sort >"$tap_io/known"
    differences=$(diff --old-line-format='listed, not found: %L' --new-line-format='found, not listed: %L' \
        --unchanged-line-format= "$tap_io/known" <(sort "$tap_io/found"))
    if [[ -z $differences ]]; then pass "$claim"; else
        fail "$claim"
        diag "$differences"
        return 1
    fi
}
