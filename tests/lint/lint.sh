# shellcheck shell=bash
# lint.sh - what the lints share: they read the source tree and make one point a rule.
. "$(dirname "${BASH_SOURCE[0]}")/../tap/tap.sh"
cd "$source_dir" || bail "no source tree"
# The last command of a pipe runs in this shell, so that `... | none CLAIM` counts its point.
shopt -s lastpipe

# code FILE...: C with comments and the insides of strings blanked, as FILE:LINE:TEXT.
code() { awk -f tests/lint/code.awk "$@"; }

# none CLAIM: holds when nothing comes on standard input; what comes are the findings.
none() {
    local findings
    findings=$(cat)
    if [[ -z $findings ]]; then pass "$1"; else
        fail "$1"
        diag "$findings"
    fi
}

# calls NAME|NAME: a regular expression (grep -E) for calls of these functions, after FILE:LINE:.
calls() { echo "(^|[^A-Za-z0-9_.>])($1)[[:space:]]*\\("; }

# shellcheck disable=SC2034 # read by lints
mapfile -t sources < <(find src -name '*.[ch]' ! -name build_id.h | sort)
