# shellcheck shell=bash
# tap.sh - the shell side of the harness: what a user types, and exactly what comes out.
#
# A test sources this file, runs a command, makes claims about its three results, and ends
# with `done_testing`:
#
#     . "$(dirname "$0")/../../tap/tap.sh"
#     run phi3sat --no-such-option
#     expect_status 2 "an unknown option is wrong usage"
#     expect_error_lines 1 "and is said in one line"
#     done_testing
#
# Each test starts in its own empty folder ($PWD), removed at the end. Programs of the build
# come first in PATH. Variables a test may read:
#     source_dir, build_dir   the trees
#     status, stdout, stderr  of the last run: a number and two files
#     long                    1 under `make check-long`

set -u
# Without the ".." that make may have in it.
source_dir=$(cd "${PHI3SAT_SRCDIR:-$(dirname "${BASH_SOURCE[0]}")/../..}" && pwd)
build_dir=${PHI3SAT_BUILDDIR:-$source_dir/build}
# shellcheck disable=SC2034 # read by tests
long=${PHI3SAT_LONG:-0}
export PATH="$build_dir:$PATH" LC_ALL=${LC_ALL:-C.UTF-8}
# No benchmark of a test is there for its figures: 8 MiB are enough to read.
export PHI3SAT_CACHE=${PHI3SAT_CACHE:-1}

tap_made=0
tap_failed=0
tap_ended=0
tap_home=$(mktemp -d "${TMPDIR:-/tmp}/phi3sat-test-XXXXXX") || exit 99
tap_io=$tap_home/.io
mkdir "$tap_io"
mkdir "$tap_home/work"
status=0 stdout=$tap_io/stdout stderr=$tap_io/stderr
: >"$stdout"
: >"$stderr"

# A test that ends early made too few points: no plan is printed, and the driver says so.
tap_leave() {
    local code=$?
    cd / && rm -rf "$tap_home"
    ((tap_ended)) || exit $((code ? code : 99))
}
trap tap_leave EXIT
cd "$tap_home/work" || exit 99

diag() {
    local line
    while IFS= read -r line; do printf '# %s\n' "$line"; done <<<"$*"
}

# ok CLAIM COMMAND...: holds when the command succeeds.
ok() {
    local claim=$1
    shift
    if "$@"; then pass "$claim"; else fail "$claim"; fi
}

pass() {
    ((++tap_made))
    printf 'ok %d - %s\n' "$tap_made" "${1//'#'/'\#'}"
}

fail() {
    ((++tap_made))
    ((++tap_failed))
    printf 'not ok %d - %s\n' "$tap_made" "${1//'#'/'\#'}"
    return 1
}

# is GOT WANTED CLAIM
is() {
    if [[ $1 == "$2" ]]; then
        pass "$3"
    else
        fail "$3"
        diag "got:    $1"
        diag "wanted: $2"
        return 1
    fi
}

# skip COUNT REASON
skip() {
    local i
    for ((i = 0; i < $1; i++)); do
        printf 'ok %d # SKIP %s\n' "$((++tap_made))" "$2"
    done
}

skip_all() {
    printf '1..0 # SKIP %s\n' "$1"
    tap_ended=1
    exit 0
}

bail() {
    printf 'Bail out! %s\n' "$1"
    tap_ended=1
    exit 255
}

done_testing() {
    printf '1..%d\n' "$tap_made"
    tap_ended=1
    exit $((tap_failed > 0))
}

# need_command NAME...: skips the whole test where one is missing.
need_command() {
    local name
    for name in "$@"; do
        command -v "$name" >/dev/null || skip_all "$name is not installed"
    done
}

# run COMMAND...: leaves status, and the outputs in the files $stdout and $stderr. Standard
# input is empty unless the caller redirects it with `run_with FILE COMMAND...`. What hangs
# is stopped after 5 minutes (status 124).
run() { run_with /dev/null "$@"; }

run_with() {
    local input=$1
    shift
    tap_command="$*"
    timeout --kill-after=10 "${PHI3SAT_TEST_SECONDS:-300}" "$@" <"$input" >"$stdout" 2>"$stderr"
    status=$?
}

# mpirun_n N COMMAND...: the same on N ranks of this machine, more than it has cores if need
# be, one thread each unless OMP_NUM_THREADS is set. Unbound: tests run side by side.
mpirun_n() {
    local ranks=$1
    shift
    [[ -n ${PHI3SAT_MPIRUN:=$(command -v mpirun)} ]] || bail "no mpirun: install openmpi-bin"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
    local options=(-np "$ranks")
    : "${tap_is_open_mpi:=$("$PHI3SAT_MPIRUN" --version 2>/dev/null | grep -c 'Open MPI')}"
    ((tap_is_open_mpi)) && options+=(--oversubscribe --bind-to none)
    run "$PHI3SAT_MPIRUN" "${options[@]}" "$@"
}

# Shows what the last run said, after a failed claim about it.
tap_show() {
    diag "command: ${tap_command:-}"
    diag "status:  $status"
    diag "standard output (first lines):"
    diag "$(head -n 15 "$stdout")"
    diag "standard error (first lines):"
    diag "$(head -n 15 "$stderr")"
    return 1
}

# expect_status N CLAIM
expect_status() {
    if ((status == $1)); then pass "$2"; else
        fail "$2"
        diag "wanted status $1"
        tap_show
    fi
}

# expect_stdout CLAIM, expect_stderr CLAIM: the output equals the text on standard input.
#     expect_stdout "prints ids" <<<"1 2 3"
expect_stdout() { tap_compare "$stdout" "$1"; }
expect_stderr() { tap_compare "$stderr" "$1"; }
tap_compare() {
    cat >"$tap_io/wanted"
    if cmp -s "$1" "$tap_io/wanted"; then pass "$2"; else
        fail "$2"
        diag "command: ${tap_command:-}"
        diag "$(diff -u --label wanted --label got "$tap_io/wanted" "$1" | head -n 30)"
        return 1
    fi
}

# expect_stdout_match REGEX CLAIM, expect_stderr_match REGEX CLAIM: some line matches (grep -E).
expect_stdout_match() { tap_match "$stdout" "$1" "$2"; }
expect_stderr_match() { tap_match "$stderr" "$1" "$2"; }
tap_match() {
    if grep -Eq -- "$2" "$1"; then pass "$3"; else
        fail "$3"
        diag "no line matches: $2"
        tap_show
    fi
}

# expect_empty stdout|stderr CLAIM
expect_empty() {
    local file=$tap_io/$1
    if [[ ! -s $file ]]; then pass "$2"; else
        fail "$2"
        tap_show
    fi
}

# expect_error_lines N CLAIM: of the lines on standard error, N begin with `phi3sat: `. Under
# mpirun the launcher adds lines of its own, which are not counted.
expect_error_lines() {
    local count
    count=$(grep -c '^phi3sat: ' "$stderr")
    if ((count == $1)); then pass "$2"; else
        fail "$2"
        diag "wanted $1 lines that begin with 'phi3sat: ', got $count"
        tap_show
    fi
}
expect_stderr_line_count() { expect_error_lines "$@"; }

# shared_dir: sets `shared` to the folder of goldens beside the checkout, or skips the whole
# test. A distribution being checked lies somewhere inside the checkout, so each folder on
# the way up is asked.
shared_dir() {
    shared=${PHI3SAT_SHARED:-}
    local folder=$source_dir
    while [[ -z $shared && -n $folder ]]; do
        [[ -d $folder/shared/goldens ]] && shared=$folder/shared
        folder=${folder%/*}
    done
    [[ -r $shared/goldens/README.md ]] || skip_all "the goldens beside the checkout are not there"
}
