#!/bin/bash
# killed.t - kill -9 at random moments, of a rank, of the launcher, of a run alone: never is a checkpoint or an archive
# torn, and the same command started again ends in the same bytes.
. "$(dirname "$0")/../cli/profile/profile.sh"
need_command python3

seed=${PHI3SAT_TEST_SEED:-$RANDOM}
RANDOM=$seed
diag "seed $seed"
tiny m.gguf --with-vocab --vocab 300 --hidden 64 --intermediate 300 --heads 2 --layers 4
words 1200 3 40 >p.txt

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
launch=("${PHI3SAT_MPIRUN:=$(command -v mpirun)}" -np 3)
"$PHI3SAT_MPIRUN" --version 2>/dev/null | grep -q 'Open MPI' && launch+=(--oversubscribe --bind-to none)
profile=(phi3sat --model m.gguf --progress never --prompts p.txt)
run "${profile[@]}" --output one.csv
expect_status 0 "a run without a break"

# Old outputs, which stay until there are new ones.
phi3sat --model m.gguf --num-prompts 3 --quiet --output old.csv >"$stdout"
cp old.h5 r.h5
cp old.csv r.csv
again=("${profile[@]}" --output "$PWD/r.csv" --resume auto --checkpoint-every 0.0005)
alive() { pgrep -f -- "--output $PWD/r.csv" | grep -v "^$$\$" || true; }

# gone: whatever was started has ended.
gone() {
    local tenths
    for ((tenths = 0; tenths < 200; tenths++)); do
        [[ -n $(alive) ]] || return 0
        sleep 0.1
    done
    return 1
}

# strike HOW: starts the command, kills something of it, and waits until all of it is gone.
strike() {
    local command=("${launch[@]}" "${again[@]}") victims
    [[ $1 == alone ]] && command=("${again[@]}")
    "${command[@]}" >"$stdout" 2>"$stderr" </dev/null &
    started=$!
    sleep "$((RANDOM % 2)).$(printf '%03d' $((RANDOM % 1000)))"
    case $1 in
    rank) mapfile -t victims < <(pgrep -P "$started") ;;
    *) victims=("$started") ;;
    esac
    ((${#victims[@]} == 0)) || kill -KILL "${victims[RANDOM % ${#victims[@]}]}" 2>/dev/null
    wait "$started" 2>/dev/null
    gone || fail "kill -9, $1: all ranks end"
}

# The reader checks what it opens; so does the run that goes on.
intact() {
    local claim=$1
    if cmp -s r.h5 old.h5; then
        ok "$claim: the old table stays with the old archive" cmp -s r.csv old.csv
    else
        same one.h5 r.h5 "$claim: the archive is the old one or the new one, whole"
    fi
    if [[ -e r.ckpt ]]; then
        run phi3sat inspect r.ckpt
        expect_stderr_match 'is a checkpoint, and no archive yet' "$claim: the checkpoint can be read"
    else pass "$claim: there is no checkpoint yet"; fi
}

hows=(rank launcher alone rank launcher)
((long)) && hows+=(rank launcher alone rank launcher rank launcher alone rank launcher rank launcher alone rank launcher)
for how in "${hows[@]}"; do
    strike "$how"
    intact "kill -9, $how"
done

mpirun_n 2 "${again[@]}"
expect_status 0 "the same command ends at last"
same one.h5 r.h5 "the archive of a run without a break"
holds "and its table" cmp one.csv r.csv
is "$(echo r.*)" "r.csv r.h5" "nothing is left of what was killed"
done_testing
