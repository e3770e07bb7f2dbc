#!/bin/bash
# checkpoint.t - runs that are stopped and go on: in the end the archive is that of a run without a break, to the byte.
#
# Where and when a run is stopped is random; the seed is shown and can be given as PHI3SAT_TEST_SEED.
. "$(dirname "$0")/../cli/profile/profile.sh"
need_command python3

seed=${PHI3SAT_TEST_SEED:-$RANDOM}
RANDOM=$seed
diag "seed $seed"
tiny m.gguf --with-vocab --vocab 300 --hidden 64 --intermediate 300 --heads 2 --layers 4
{ words 40 7 30; words 1800 3 40; sed 3q <(words 40 7 30); } >p.txt

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
: "${PHI3SAT_MPIRUN:=$(command -v mpirun)}"
options=()
"$PHI3SAT_MPIRUN" --version 2>/dev/null | grep -q 'Open MPI' && options=(--oversubscribe --bind-to none)

# on RANKS: sets `launch`; 0 ranks is no launcher at all.
on() {
    launch=()
    (($1 == 0)) || launch=("$PHI3SAT_MPIRUN" -np "$1" "${options[@]}")
}

profile=(phi3sat --model m.gguf --progress never --prompts p.txt)
mpirun_n 2 "${profile[@]}" --output one.csv
expect_status 0 "a run without a break"

# begin COMMAND...: in the background, until it says that it runs. Its ranks nap now and then, so that it lasts several
# times as long as all its stops take, on a busy machine as well.
begin() {
    local tenths
    : >"$stderr"
    PHI3SAT_TEST_DELAY=$seed:40 "$@" >"$stdout" 2>"$stderr" </dev/null &
    started=$!
    for ((tenths = 0; tenths < 300; tenths++)); do
        if grep -q '^run: ' "$stderr" || ! kill -0 $started 2>/dev/null; then break; fi
        sleep 0.1
    done
}

# moment LONGEST: sleeps at random, at most so many milliseconds.
moment() { sleep "$(printf '0.%03d' $((RANDOM % $1)))"; }

# whole NAME CLAIM: the run that was stopped has made what the other made, and nothing else is left.
whole() {
    same one.h5 "$1.h5" "$2: the archive of a run without a break"
    holds "$2: and its table" cmp one.csv "$1.csv"
    is "$(echo "$1".*)" "$1.csv $1.h5" "$2: the checkpoint is gone"
}

# finish NAME CLAIM: the last go.
finish() {
    mpirun_n 2 "${profile[@]}" --output "$1.csv" --checkpoint "$1.ckpt" --resume auto
    expect_status 0 "$2: goes on to the end"
    whole "$1" "$2"
}

# send SIGNAL HOW: to the process that was started, or as srun does to all `ranks` it has started, or to `one` of them.
send() {
    local children
    mapfile -t children < <(pgrep -P "$started" -f 'm.gguf')
    case $2 in
    ranks) kill -s "$1" "${children[@]}" ;;
    one) kill -s "$1" "${children[RANDOM % ${#children[@]}]}" ;;
    *) kill -s "$1" "$started" ;;
    esac
}

# Five times each signal, alone and under a launcher; in `make check` less often of two of them, which early.t
# tries under launchers as well.
for case in "TERM 143" "USR1 75" "INT 130"; do
    read -r signal code <<<"$case"
    stopped=0
    places=("3 ranks" "0 alone" "2 one" "0 alone" "4 ranks")
    [[ $signal == TERM ]] || ((long)) || places=("0 alone")
    for place in "${places[@]}"; do
        read -r ranks how <<<"$place"
        on "$ranks"
        begin "${launch[@]}" "${profile[@]}" --output "$signal.csv" --checkpoint "$signal.ckpt" --resume auto
        moment 250
        send "$signal" "$how"
        wait $started
        is "$?" "$code" "SIG$signal, $ranks $how: exit status"
        grep -q '^stopped by' "$stderr" && ((++stopped))
        ok "SIG$signal, $ranks $how: a checkpoint is left" test -s "$signal.ckpt"
    done
    is "$stopped" ${#places[@]} "SIG$signal: all these runs say that they were stopped"
    finish "$signal" "SIG$signal"
done
is "$(attribute TERM.h5 /run/resumed_from)" TERM.ckpt "the archive says where it went on from"

# Signals to the launcher. Open MPI's passes SIGUSR1 on; of the others the ranks first get SIGCONT, which has
# them write a checkpoint, then SIGTERM, then SIGKILL.
signals=(USR1 TERM)
((!long)) || signals+=(INT)
for signal in "${signals[@]}"; do
    on 3
    begin "${launch[@]}" "${profile[@]}" --output r.csv --checkpoint r.ckpt --resume auto
    moment 250
    rm -f r.ckpt
    send "$signal" launcher
    for ((tenths = 0; tenths < 50; tenths++)); do
        if [[ -e r.ckpt ]]; then break; fi
        sleep 0.1
    done
    ok "SIG$signal to the launcher: a checkpoint within 5 s" test -e r.ckpt
    wait $started
    status=$?
    if [[ $signal == USR1 ]]; then is $status 75 "SIGUSR1 to the launcher: exit status"; else
        ok "SIG$signal to the launcher: ends" test "$status" != 0
    fi
done
finish r "signals to the launcher"

# A signal that one rank alone gets, in the middle of a batch and before the first; a prompt of many chunks.
places=(2:15:1 0:10:40)
((!long)) || places+=(1:10:7 2:2:23)
for place in "${places[@]}"; do
    PHI3SAT_TEST_SIGNAL=$place mpirun_n 3 "${profile[@]}" --output r.csv --batch-tokens 7 --resume auto
    ok "signal $place: stops all" test "$status" != 0
    expect_stderr_match '^stopped by' "signal $place: says so"
    expect_error_lines 0 "signal $place: as no error"
done
run "${profile[@]}" --output r.csv --resume r.ckpt
expect_status 0 "--resume FILE goes on"
whole r "signals to one rank"

# Written as time goes by, while the run goes on.
mpirun_n 3 "${profile[@]}" --output r.csv --checkpoint-every 0.001
expect_status 0 "checkpoints at every turn"
ok "are many" test "$(grep -c '^checkpoint: r.ckpt' "$stderr")" -gt 3
whole r "checkpoints at every turn"

done_testing
