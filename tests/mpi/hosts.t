#!/bin/bash
# hosts.t - four hosts with addresses of their own: one archive, whatever runs where; one that is cut off in the middle.
. "$(dirname "$0")/../cli/profile/profile.sh"
. "$source_dir/tests/mpi/hosts.sh"
need_command python3
hosts_start 4
address=$(awk -v host="${hosts[0]}" '$2 == host { print $1 }' "$hosts_home/hosts")

tiny m.gguf --with-vocab --vocab 300 --hidden 64 --intermediate 300 --heads 2 --layers 4
words 400 3 12 >p.txt
profile=(phi3sat --model m.gguf --prompts p.txt --output r.csv --batch-tokens 64)
run phi3sat "${profile[@]:1:4}" --output one.csv
expect_status 0 "one rank"
cp "$stdout" one.out

# on_hosts COMMAND...: mpirun on all hosts, as `run` does; what it leaves in $stderr is shown in full on failure.
on_hosts() {
    tap_command="$*"
    (hosts_mpirun 1 "$@" </dev/null >"$stdout" 2>"$stderr")
    status=$?
}
compared() { # CLAIM
    expect_status 0 "$1: it runs"
    same one.h5 r.h5 "$1: the archive of one rank"
    holds "$1: its summary" cmp one.out "$stdout"
}
on_hosts "${profile[@]}"
compared "four hosts"
is "$(attribute r.h5 /run/hosts)" "${hosts[*]}" "four hosts: /run names them"
expect_stderr_match "^4 nodes, each: 1 rank x 1 thread on [0-9]+ cores?, [0-9]+ NUMA domains?, [0-9.]+ GB: ${hosts[*]}\$" \
    "so does one line at the start"
ok "and nothing is said of a watch that works" test "$(grep -c 'watch over' "$stderr")" = 0
on_hosts "${profile[@]}" --grid 2x2
compared "stages over the network"

# begin COMMAND...: on all hosts, in the background, until there is a checkpoint.
begin() {
    local tenths
    rm -f r.csv r.h5
    (hosts_mpirun 2 "$@" </dev/null >"$stdout" 2>"$stderr") &
    launcher=$!
    for ((tenths = 0; tenths < 300; tenths++)); do
        ! grep -q '^checkpoint: ' "$stderr" || break
        sleep 0.1
    done
    tap_command="$*"
}
# ended SECONDS CLAIM: the launcher ends by itself.
ended() {
    local end=$((SECONDS + $1))
    while kill -0 "$launcher" 2>/dev/null && ((SECONDS < end)); do sleep 0.2; done
    if ! kill -0 "$launcher" 2>/dev/null; then pass "$2"; else fail "$2" || tap_show; fi
    wait "$launcher" 2>/dev/null
    status=$?
}
ranks_left() { # the phi3sats on the hosts
    local process
    for process in $(hosts_processes); do
        [[ $(cat "/proc/$process/comm" 2>/dev/null) != phi3sat ]] || echo "$process"
    done
}

# cut_off OTHERS HOST...: a run whose hosts, those named, are cut off in the middle. Any of them may be the first missed.
cut_off() {
    local others=$1 missed="" host tenths
    shift
    for host in "$@"; do missed+="|rank $((2 * host)) on ${hosts[host]}"; done
    rm -f r.ckpt
    export PHI3SAT_TEST_DELAY=1:300 # a run that lasts
    begin "${profile[@]}" --checkpoint-every 0.02 --watch-seconds 4
    for host in "$@"; do hosts_cut "$host"; done
    ended 60 "hosts $*: being cut off ends the job"
    ok "with a status that isn't 0" test $status != 0
    expect_error_lines 1 "with one line"
    expect_stderr_match "^phi3sat: (${missed:1}) has not been heard of for 4 s$others: .*; start again with --resume auto" \
        "that names rank and host, and what to do"
    for ((tenths = 0; tenths < 150; tenths++)); do
        [[ -n $(ranks_left) ]] || break
        sleep 0.1
    done
    is "$(ranks_left)" "" "no rank is left, on neither side of the cut"
    for ((tenths = 0; tenths < 150; tenths++)); do
        [[ -n $(hosts_processes) ]] || break
        sleep 0.1
    done
    is "$(hosts_processes)" "" "nor a daemon of the launcher's"
    ok "the checkpoint is there, and nothing else" test -s r.ckpt -a ! -e r.h5
    for host in "$@"; do hosts_mend "$host"; done
    unset PHI3SAT_TEST_DELAY
}
cut_off "" 2
on_hosts "${profile[@]}" --resume auto
compared "gone on from the checkpoint"
expect_stderr_match '^resume: r.ckpt holds [1-9]' "with what it holds"
((long)) && cut_off ", nor of 2 other hosts" 1 2 3

# Ranks that compute for longer than that are not missed.
PHI3SAT_TEST_STALL=4 on_hosts "${profile[@]}" --watch-seconds 2
compared "busy ranks"

# Where the watch can't connect the run goes on without.
PHI3SAT_TEST_WATCH=${address%.*}.99 on_hosts "${profile[@]}" --watch-seconds 2
compared "no way for the watch"
is "$(grep -c "^warning: no watch over hosts: they can't connect to ${hosts[0]} " "$stderr")" 1 "a warning says so once"
if ((long)); then
    PHI3SAT_TEST_WATCH=${address%.*}.99 on_hosts "${profile[@]}" --watch-seconds 0
    expect_status 0 "no watch is wanted"
    ok "and nothing said" test "$(grep -c 'no watch over' "$stderr")" = 0
fi
mpirun_n 2 "${profile[@]}" --watch-seconds 0.1
ok "one host needs no watch" test "$status $(grep -c 'no watch over' "$stderr")" = "0 0"
done_testing
