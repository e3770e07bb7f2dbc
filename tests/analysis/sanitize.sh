# shellcheck shell=bash
# sanitize.sh - builds the tree with a sanitizer, for tests that look what it says.
# shellcheck disable=SC2154 # tap.sh sets the trees

# sanitized OPTION TARGET...: configures and makes in the folder `build` with --enable-sanitizersOPTION.
sanitized() {
    local option=$1
    shift
    mkdir build
    # One make after the other: `all` is made by a make of its own, and two would make the same libraries at once.
    # shellcheck disable=SC2016 # the inner shell expands it
    if ! (cd build && env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS bash -c '"$1/configure" "--enable-sanitizers$2" "CC=$3" &&
        make -j "$(nproc)" all && make -j "$(nproc)" "${@:4}"' bash "$source_dir" "$option" "$compiler" "$@") >built 2>&1; then
        diag "$(tail -n 15 built)"
        bail "the tree can't be built with --enable-sanitizers$option"
    fi
}

# passes PROGRAM...: each of that build ends well and has nothing to tell.
passes() {
    local program
    for program; do
        PHI3SAT_TEST_SECONDS=900 run "build/$program"
        ok "$program: $(grep -c '^ok' "$stdout") points, and nothing is found" \
            eval "((status == 0)) && ! grep -q 'Sanitizer\|runtime error' '$stderr' && ! grep -q '^not ok' '$stdout'"
        ((status == 0)) || diag "$(grep -h '^not ok' "$stdout" | head -n 5)" "$(grep -A25 'Sanitizer\|runtime error' "$stderr" | head -n 40)"
    done
}
