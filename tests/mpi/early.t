#!/bin/bash
# early.t - a signal that comes before the work has begun, even before MPI has: the run ends with the status of a later
# one, as soon as it can, leaves what was there, and the same command started again makes what it would have made.
#
# A signal that is blocked and pending stays so across exec: the program meets it once it has set up its handlers.
. "$(dirname "$0")/../cli/profile/profile.sh"
need_command python3
env --block-signal=USR1 true 2>/dev/null || skip_all "this env blocks no signals"

tiny m.gguf --with-vocab --vocab 300 --hidden 64 --intermediate 300 --heads 2 --layers 4
words 60 3 30 >p.txt
profile=(phi3sat --model m.gguf --prompts p.txt --progress never)
run "${profile[@]}" --output one.csv
expect_status 0 "a run without a break"

# pending SIGNAL RANK COMMAND...: the command, with that signal on its way to rank RANK or, being "all", to all.
# shellcheck disable=SC2016 # for the inner shell
pending=(env '--block-signal=TERM,INT,USR1' bash -c 'signal=$1 rank=$2; shift 2
    [[ $rank != all && $rank != "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}" ]] || kill -s "$signal" $$
    exec "$@"' bash)

for case in "TERM 143" "USR1 75" "INT 130"; do
    read -r signal code <<<"$case"
    run "${pending[@]}" "$signal" all "${profile[@]}" --output r.csv --resume auto
    expect_status "$code" "SIG$signal before MPI: exit status"
    expect_stderr_match "^stopped by SIG$signal before any prompt was run: the same command starts again" "SIG$signal: says so"
    expect_error_lines 0 "SIG$signal: as no error"
    is "$(echo r.*)" "r.*" "SIG$signal: nothing is left"
    for rank in all 2; do
        mpirun_n 3 "${pending[@]}" "$signal" "$rank" "${profile[@]}" --output r.csv --resume auto
        expect_status "$code" "SIG$signal before MPI, 3 ranks, $rank: exit status"
        is "$(grep -c '^stopped by' "$stderr")" 1 "SIG$signal, 3 ranks, $rank: says so once"
    done
done

# What was there stays.
PHI3SAT_TEST_SIGNAL=0:10:9 run "${profile[@]}" --output r.csv --batch-tokens 50 --resume auto
expect_status 75 "a run stopped later"
cp r.ckpt kept
run "${pending[@]}" USR1 all "${profile[@]}" --output r.csv --resume auto
expect_status 75 "one that is to go on from its checkpoint and is stopped early"
ok "leaves the checkpoint as it was" cmp r.ckpt kept
run "${profile[@]}" --output r.csv --resume auto
expect_status 0 "which still leads to the end"
same one.h5 r.h5 "and to the archive of a run without a break"

# Without checkpoints signals do what they always do.
run "${pending[@]}" TERM all "${profile[@]}" --output s.csv
expect_status 0 "without checkpoints a signal that is blocked stays so"
done_testing
