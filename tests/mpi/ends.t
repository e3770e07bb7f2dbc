#!/bin/bash
# ends.t - how a run ends before its time: full disks, signals, a rank that dies. Old outputs stay whole,
# nothing is left beside them, no process stays behind.
. "$(dirname "$0")/../cli/profile/profile.sh"
need_command python3

tiny m.gguf --with-vocab --vocab 300 --hidden 64 --intermediate 300 --heads 2 --layers 4
words 9 3 12 >p.txt
words 40000 3 20 >many.txt
printf 'old table\n' >r.csv
printf 'old archive\n' >r.h5
before=$(sha256sum -- *)
profile=(phi3sat --model m.gguf --output r.csv)

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
launch=("${PHI3SAT_MPIRUN:=$(command -v mpirun)}" -np 3)
"$PHI3SAT_MPIRUN" --version 2>/dev/null | grep -q 'Open MPI' && launch+=(--oversubscribe --bind-to none)

untouched() { # CLAIM
    is "$(sha256sum -- *)" "$before" "$1: old outputs are untouched, nothing is left"
}

# A disk that is full after so many KiB; it is seen, and goes, with its own name space.
# shellcheck disable=SC2016
small=(unshare -m bash -c 'mount -t tmpfs -o size="$0"k tmpfs small || exit 99
    cp r.csv r.h5 small && cd small && "$@"
    code=$?; cat -- * | cmp - <(cat ../r.csv ../r.h5) || code=98; exit $code')
full=(phi3sat --model ../m.gguf --prompts ../p.txt --output r.csv)
mkdir small
if "${small[@]}" 16 true >/dev/null 2>&1; then
    for kib in 16 100 400; do
        run "${small[@]}" $kib "${full[@]}"
        expect_status 4 "a disk of $kib KiB is an output error; old outputs are untouched, nothing is left"
        expect_error_lines 1 "said in one line ($kib KiB)"
        expect_stderr_match '^phi3sat: r.(h5|csv): ' "that names the file ($kib KiB)"
    done
    run "${small[@]}" 100 "${launch[@]}" "${full[@]}"
    expect_status 4 "so it is on 3 ranks"
    expect_error_lines 1 "said in one line (3 ranks)"
else skip 11 "no file system can be mounted here"; fi
rmdir small

# Of two outputs none replaces its old file unless both can be written.
run phi3sat --model m.gguf --prompts p.txt --output /dev/full --hdf5 r.h5
expect_status 4 "a table that can't be written is an output error"
expect_error_lines 1 "said in one line"
expect_stderr_match '^phi3sat: /dev/full: .*No space left' "that names it"
untouched "a table that can't be written"

# What the launcher starts and no longer waits for would show here.
left_behind() { pgrep -f -- "--model m.gguf --output r.csv --prompts many.txt --progress never --hdf5 $PWD/r.h5" || true; }
ended() { # CLAIM
    local tenths
    for ((tenths = 0; tenths < 150; tenths++)); do
        [[ -n $(left_behind) ]] || break
        sleep 0.1
    done
    is "$(left_behind)" "" "$1: no process stays behind"
}
long_run=("${profile[@]}" --prompts many.txt --progress never --hdf5 "$PWD/r.h5")

# begin COMMAND...: in the background, until it says that it runs.
begin() {
    local tenths
    : >"$stderr"
    "$@" >"$stdout" 2>"$stderr" </dev/null &
    started=$!
    for ((tenths = 0; tenths < 300; tenths++)); do
        if grep -q '^run: ' "$stderr"; then break; fi
        sleep 0.1
    done
    sleep 0.3
}

begin "${long_run[@]}"
kill -TERM $started
wait $started
is $? 143 "SIGTERM ends a run"
untouched "SIGTERM"

begin "${launch[@]}" "${long_run[@]}"
kill -TERM $started
wait $started
ok "SIGTERM to the launcher ends it" test $? != 0
ended "SIGTERM to the launcher"
untouched "SIGTERM to the launcher"

begin "${launch[@]}" "${long_run[@]}"
ranks=$(pgrep -P "$started" -f many.txt)
is "$(wc -w <<<"$ranks")" 3 "three ranks run"
kill -KILL "$(tail -n 1 <<<"$ranks")"
wait $started
ok "a rank that dies ends the run" test $? != 0
ended "a rank that died"
untouched "a rank that died"

# The summary's pipe may be full; the files are whole by then.
run bash -c 'exec "$@" >/dev/full' bash "${profile[@]}" --prompts p.txt
expect_status 4 "a summary that can't be printed is an output error"
expect_error_lines 1 "said in one line"
holds "the outputs are there nevertheless" values recompute r.h5 r.csv

# What one process would say, several don't say several times.
mpirun_n 3 phi3sat --version
expect_status 0 "--version on 3 ranks"
is "$(grep -c '^phi3sat' "$stdout")" 1 "is printed once"
mpirun_n 3 phi3sat profile --help
is "$(grep -c '^Usage' "$stdout")" 1 "so is --help"
done_testing
