#!/bin/bash
# checkpoints.t - writing a checkpoint goes wrong: the nth write, fsync, rename or open fails, or is the last that the process does.
# The run goes on without it, or has ended; the old outputs are whole; and the same command started again reaches the bytes
# of a run that nothing happened to.
#
# `make check` tries a few of the calls, check-long half a dozen of each kind.
. "$(dirname "$0")/torture.sh"

words 12 5 9 >p.txt
# A checkpoint after each batch.
again=(--model m.gguf --prompts p.txt --progress never --threads 1 --output r.csv --batch-tokens 16 --checkpoint-every 0.000001
    --resume auto)
phi3sat "${again[@]}" >/dev/null 2>&1 || bail "profile failed"
cp r.h5 one.h5
cp r.csv one.csv
phi3sat --model m.gguf --num-prompts 2 --quiet --output old.csv >/dev/null || bail "profile failed"
old() { cp old.h5 r.h5 && cp old.csv r.csv && rm -f r.ckpt; }

# whole NAME: is the archive, or the table, the old one or the new one?
whole() {
    case $1 in
    *.h5) cmp -s "$1" old.h5 || "$build_dir/tests/archive/archive_same" "$1" one.h5 >/dev/null 2>&1 ;;
    *) cmp -s "$1" old.csv || cmp -s "$1" one.csv ;;
    esac
}

# struck RANKS SPEC: one run, and one that goes on; prints what is wrong.
struck() {
    local ranks=$1 file
    old
    rm -f "$tap_io"/own.*
    PHI3SAT_TEST_FAIL=$2 PHI3SAT_TEST_COUNT=$tap_io/own start "$ranks" "$failing" "${again[@]}"
    case $2 in
    *:kill) # this run may have had fewer calls than were counted
        ((status)) || (($(sed -n "s/^$kind //p" "$tap_io/own.0") < number)) || echo "it lives" ;;
    *) [[ $status == 0 || $status == 4 ]] || echo "status $status: $(tail -n 1 "$stderr")" ;;
    esac
    ((status == 4)) && [[ $(grep -c '^phi3sat: ' "$stderr") -lt 1 ]] && echo "no line"
    for file in r.h5 r.csv; do whole $file || echo "$file is neither the old one nor the new one"; done
    ((status)) || cmp -s r.csv one.csv || echo "another table"
    # Only what was killed may leave a file behind; the next run removes it.
    [[ $2 == *:kill || -z $(find . -name '*.part-*') ]] || echo "left: $(find . -name '*.part-*')"
    start "$ranks" phi3sat "${again[@]}"
    ((status == 0)) || echo "it can't go on: status $status: $(tail -n 1 "$stderr")"
    cmp -s r.csv one.csv || echo "goes on to another table"
    "$build_dir/tests/archive/archive_same" r.h5 one.h5 || echo "goes on to another archive"
    [[ -z $(find . -name '*.part-*') ]] || echo "still there: $(find . -name '*.part-*')"
}

# strikes RANKS POINTS KIND HOW CLAIM
strikes() {
    local ranks=$1 points=$2 kind=$3 how=$4 total point number wrong all='' tried=0
    total=$(calls "$kind")
    ((${total:-0} > 0)) || { fail "$5: there is nothing to fail"; return; }
    ((!long)) || points=6
    ((points < total)) || points=$total
    # How many checkpoints there are depends on time a little: the last calls may not come.
    for ((point = 0; point < points; point++)); do
        number=$(((2 * point + 1) * total * 2 / (5 * points)))
        wrong=$(struck "$ranks" "0:$kind:$number$how")
        ((++tried))
        [[ -z $wrong ]] || all+="0:$kind:$number$how: ${wrong//$'\n'/, }"$'\n'
    done
    if [[ -z $all ]]; then pass "$5 ($kind, $tried of $total)"; else
        fail "$5 ($kind, $tried of $total)"
        diag "$(head -n 12 <<<"$all")"
    fi
}

for ranks in 1 2; do
    ((ranks == 1 || long)) || continue
    old
    rm -f "$tap_io"/count.*
    PHI3SAT_TEST_COUNT=$tap_io/count start $ranks "$failing" "${again[@]}"
    expect_status 0 "it runs, on $ranks"
    written=$(grep -c 'checkpoint: r.ckpt' "$stderr")
    ok "and writes at least three checkpoints" test "${written:-0}" -ge 3
    for kind in write sync rename open; do
        strikes $ranks 1 $kind :kill "$ranks ranks, killed"
        strikes $ranks 1 $kind :28 "$ranks ranks, the disk is full once"
        ((!long)) || strikes $ranks 1 $kind +:28 "$ranks ranks, and stays full"
        ((!long)) || [[ $kind == open ]] || strikes $ranks 1 $kind :5 "$ranks ranks, the disk is broken"
    done
    ((ranks > 1)) || strikes 1 1 write :short "written in part"
done
done_testing
