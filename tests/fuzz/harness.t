#!/bin/bash
# harness.t - whatever a target does wrong is noticed, and the input is kept: trip.c does it all.
. "$(dirname "$0")/fuzz.sh"
trip=$build_dir/tests/fuzz/trip
mkdir good kept folders
export TMPDIR=$PWD/folders
printf 'x' >good/small
printf 'Refused' >good/refused
head -c 3000 /dev/zero >good/zeros

run "$trip" good
expect_status 0 "what is accepted or refused by the rules is fine"
expect_stdout_match '^trip: 3 runs, 2 accepted, 1 refused, ' "and counted"

# trips LETTER WORD CLAIM: status, reason, and the input in a file of its own.
trips() {
    printf '%s, and more' "$1" >bad
    rm -f kept/*
    run "$trip" --save kept bad
    if ((status == 0)) || ! grep -q "$2" "$stderr" || ! cmp -s bad kept/trip-*; then
        fail "$3"
        tap_show
    else
        pass "$3"
    fi
}
trips C 'a crash of input number 0, kept as kept/trip-crash-' "a crash is told and its input kept"
trips H 'a hang of input number 0, kept as kept/trip-hang-' "a hang ends after a second of processor time"
trips M 'bytes were taken before 11 were refused: is refused' "memory out of proportion"
trips L 'all memory is given back: [0-9]* bytes are not' "memory that is not given back"
trips O "must hold, and doesn't: an oracle" "a claim that doesn't hold"
trips F 'refused as bytes, not with status 1' "a refusal that blames the machine"
trips E 'a refusal has a sentence' "a refusal without words"
trips v 'a run has one verdict, not 0' "no verdict"

# Mutants: the same ones each time, others with another seed.
run "$trip" --mutate 500 --seed 3 --save kept good/zeros
is "$status" 0 "mutants of a file that doesn't trip"
cp "$stdout" once
run "$trip" --mutate 500 --seed 3 --save kept good/zeros
is "$(cut -d, -f 1-3 "$stdout")" "$(cut -d, -f 1-3 once)" "the same seed makes the same mutants"
rm -f kept/*
printf 'C' >good/crash
run "$trip" --mutate 2000 --seed 3 --save kept good
first=$(grep -o 'input number [0-9]*' "$stderr")
ok "a mutant that crashes is found" test "$status" -ne 0 -a -n "$first"
run "$trip" kept/trip-crash-*
ok "and crashes again from its file" test "$status" -ne 0
run "$trip" --mutate 1 --from "${first##* }" --seed 3 --save kept good
ok "and from its number" test "$status" -ne 0
is "$(grep -o 'input number [0-9]*' "$stderr")" "$first" "which is the same"
run "$trip" --mutate x good
expect_status 2 "a number that is none is wrong usage"
is "$(ls folders)" "" "no folder of a target is left behind"
done_testing
