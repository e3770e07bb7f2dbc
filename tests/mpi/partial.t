#!/bin/bash
# partial.t - --partial-every: archives of what a run has done so far, seen while it runs on grids of groups and stages. Each
# is a whole archive of its prompts: recomputed from its state it is the same, and with the rest of the prompts
# it becomes the archive of all.
. "$(dirname "$0")/../cli/profile/profile.sh"
need_command python3

tiny m.gguf --with-vocab --vocab 300 --hidden 64 --intermediate 300 --heads 2 --layers 6 --context 60
{ words 400 7 30; words 10 9 90; sed 5q <(words 400 7 30); } >p.txt
profile=(phi3sat --model m.gguf --progress never --prompts p.txt)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 PHI3SAT_TEST_DELAY=3:4
launch=("${PHI3SAT_MPIRUN:=$(command -v mpirun)}")
"$PHI3SAT_MPIRUN" --version 2>/dev/null | grep -q 'Open MPI' && launch+=(--oversubscribe --bind-to none)
PHI3SAT_TEST_DELAY='' run "${profile[@]}" --output one.csv
expect_status 0 "a run"
ok "without --partial-every there is no partial archive" test ! -e one.partial.h5

# watch COMMAND...: runs it and keeps the first partial archives that are seen meanwhile, three at most, in seen-*.h5.
watch() {
    local seen=0 last=''
    rm -f seen-*.h5
    "$@" >"$stdout" 2>"$stderr" </dev/null &
    started=$!
    while kill -0 $started 2>/dev/null; do
        if [[ -e r.partial.h5 && $(stat -c %i r.partial.h5 2>/dev/null) != "$last" && $seen -lt 3 ]]; then
            last=$(stat -c %i r.partial.h5 2>/dev/null)
            ! cp r.partial.h5 "seen-$seen.h5" 2>/dev/null || ((++seen))
        fi
        sleep 0.02
    done
    wait $started
    status=$?
}

# whole FILE CLAIM: a valid archive of its prompts.
whole() {
    local prompts
    run phi3sat inspect "$1"
    expect_status 0 "$2: inspect reads it"
    ok "$2: and says that it is partial" grep -q 'partial archive' "$stdout"
    prompts=$(attribute "$1" prompts)
    is "$(attribute "$1" /run/partial)" "$prompts of 415 prompts" "$2: which it says itself, and how much it has"
    run phi3sat merge "$1" -o again.h5
    expect_status 0 "$2: merge takes it"
    expect_stderr_match "$1 is partial: it has $prompts of 415 prompts of its run" "$2: and says what it is"
    holds "$2: computed from its state it is the same, but not compressed" \
        "$build_dir/tests/archive/archive_same" --any-filters "$1" again.h5
    cp "$1" rest.h5
    PHI3SAT_TEST_DELAY='' run "${profile[@]}" --output rest.csv --append rest.h5
    expect_status 0 "$2: --append takes it"
    expect_stderr_match 'rest.h5 is partial: it has' "$2: and says what it is"
    same one.h5 rest.h5 "$2: with the rest of the prompts it is the archive of all"
}

# Batches of 16 tokens: longer prompts are handed on in chunks, the longest after bands of 2 of 3 layers as 2x2, and a stage waits
# inside a batch.
for setting in 1x1:100 3x1:100 1x3:100 1x3:16 2x2:16; do
    grid=${setting%:*} tokens=${setting#*:}
    watch "${launch[@]}" -np $((${grid%x*} * ${grid#*x})) "${profile[@]}" --output r.csv --grid "$grid" \
        --batch-tokens "$tokens" --partial-every 0.002
    grid+=", $tokens tokens"
    expect_status 0 "grid $grid: the run ends well"
    same one.h5 r.h5 "grid $grid: its archive is that of a run without partial ones"
    is "$(echo r.*)" "r.csv r.h5" "grid $grid: the partial archive is gone"
    ok "grid $grid: several were written" test "$(grep -c '^partial archive: r.partial.h5, ' "$stderr")" -ge 2
    ok "grid $grid: one was seen" test -e seen-0.h5
    for file in $(echo seen-*.h5 | tr ' ' '\n' | sed -n '1p;$p' | uniq); do whole "$file" "grid $grid, $file"; done
done

# With checkpoints, stops and prompts that these had under way; the partial archive of the last go goes in the end.
for ((go = 1; go <= 4; go++)); do
    PHI3SAT_TEST_SIGNAL=1:10:$((go * 37)) mpirun_n 4 "${profile[@]}" --output r.csv --grid 2x2 --batch-tokens 100 \
        --partial-every 0.0005 --checkpoint-every 0.001 --resume auto
    is "$status" 75 "stop $go: by a signal"
done
watch "${launch[@]}" -np 3 "${profile[@]}" --output r.csv --batch-tokens 100 --partial-every 0.0005 --resume auto
expect_status 0 "after four stops: the run ends"
same one.h5 r.h5 "after four stops: with the archive of a run without a break"
is "$(echo r.*)" "r.csv r.h5" "after four stops: nothing else is left"
ok "after four stops: a partial archive was seen" test -e seen-0.h5
whole seen-0.h5 "after four stops"

run "${profile[@]}" --output r.csv --partial-every 1 --checkpoint r.partial.h5
expect_status 2 "a checkpoint where the partial archive will be is refused"
expect_stderr_match '^phi3sat: r.partial.h5: is to be the partial archive' "with the file named"
done_testing
