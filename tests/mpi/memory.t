#!/bin/bash
# memory.t - no memory, on one rank or another, wherever it is asked for: one line, status 1, old
# outputs untouched, and the ranks that have memory leave too instead of waiting for ever.
#
# Some allocations are tried, more under `make check-long`.
. "$(dirname "$0")/../cli/profile/profile.sh"
need_command python3
failing=$build_dir/tests/mpi/phi3sat_failing
export PHI3SAT_TEST_FAIL=0:-1

tiny m.gguf --with-vocab --vocab 300 --hidden 32 --intermediate 70 --heads 2 --layers 2
words 9 3 12 >p.txt
printf 'old table\n' >r.csv
printf 'old archive\n' >r.h5
before=$(sha256sum -- *)
command=("$failing" --model m.gguf --prompts p.txt --output r.csv --batch-tokens 16 --threads 1)

# attempt RANKS FAILING NUMBER REGEX: prints what is wrong. What HDF5 can't write for want of memory
# is an output that couldn't be written.
attempt() {
    PHI3SAT_TEST_FAIL=$2:$3
    if (($1 == 1)); then run "${command[@]}"; else mpirun_n "$1" "${command[@]}"; fi
    ((status == 1 || status == 4)) || echo "status $status"
    (($(grep -c '^phi3sat: ' "$stderr") == 1)) || echo "not one line"
    grep -Eq "^phi3sat: (.*: )?$4(.*no memory|the model.*memory)" "$stderr" || echo "not a word of memory"
    [[ $(sha256sum -- *) == "$before" ]] || echo "files have changed"
}

# sweep RANKS FAILING COUNT REGEX CLAIM: COUNT of them, evenly spread.
sweep() {
    local total step number wrong all=
    total=$(cat "$tap_io/count.$2")
    step=$(((total + $3 - 1) / $3))
    for ((number = total - 1; number >= 0; number -= step)); do
        wrong=$(attempt "$1" "$2" "$number" "$4")
        [[ -z $wrong ]] || all+="allocation $number: ${wrong//$'\n'/, }: $(grep -a '^phi3sat: ' "$stderr")"$'\n'
    done
    if [[ -z $all ]]; then pass "$5"; else
        fail "$5"
        diag "${all%$'\n'}"
    fi
}

# count RANKS: how many allocations each rank makes.
count() {
    cp r.csv r.h5 "$tap_io"
    export PHI3SAT_TEST_COUNT=$tap_io/count
    if (($1 == 1)); then run "${command[@]}"; else mpirun_n "$1" "${command[@]}"; fi
    expect_status 0 "with memory it runs ($1)"
    unset PHI3SAT_TEST_COUNT
    mv "$tap_io/r.csv" "$tap_io/r.h5" .
}

count 1
ok "allocations are counted" test "$(cat "$tap_io/count.0")" -gt 50
sweep 1 0 $((long ? 200 : 14)) "" "one rank says it once, whichever of its allocations fails"
count 3
sweep 3 0 $((long ? 60 : 5)) "" "so does rank 0 of 3"
sweep 3 2 $((long ? 200 : 7)) "rank 2 on [^ ]*: " "rank 2 of 3 is named, and all leave"
done_testing
