# shellcheck shell=bash
# folder.sh - what tests of Hugging Face folders share.
# shellcheck source-path=SCRIPTDIR/../profile
. "$(dirname "${BASH_SOURCE[0]}")/../profile/profile.sh"

# relay COMMAND...: makes a point of each line "ok - CLAIM" or "not ok - CLAIM" that the command prints.
relay() {
    local line
    "$@" >relayed 2>&1 || fail "$*: exit status $?"
    while IFS= read -r line; do
        case $line in
            "ok - "*) pass "${line#ok - }" ;;
            "not ok - "*) fail "${line#not ok - }" ;;
            *) diag "$line" ;;
        esac
    done <relayed
}
