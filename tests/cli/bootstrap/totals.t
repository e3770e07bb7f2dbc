#!/bin/bash
# totals.t - the last line of `bootstrap check` counts single points and hides no failure.
. "$(dirname "$0")/../../tap/tap.sh"
totals=$source_dir/build-aux/tap-totals.sh

# results NAME WORD...: leaves what automake would after a test with these results.
results() {
    local name=$1 word
    shift
    mkdir -p "$(dirname "$name")"
    for word in "$@"; do echo ":test-result: $word"; done >"$name.trs"
    for word in "$@"; do echo "$word: $name.t 1 - because"; done >"$name.log"
}

mkdir empty
run "$totals" empty
expect_status 1 "that no test ran is a failure"
is "$(tail -n 1 "$stdout")" "0 passed, 0 failed" "and the last line says so"

results good/a PASS PASS
results good/b/c PASS
run "$totals" good
expect_status 0 "passes are a success"
is "$(tail -n 1 "$stdout")" "3 passed, 0 failed" "points are counted over all programs"

results skips/a PASS SKIP
run "$totals" skips
expect_status 0 "a skip is no failure"
is "$(tail -n 1 "$stdout")" "1 passed, 0 failed, 1 skipped" "but it is counted"
expect_stdout_match "^  skips/a.t 1 - because" "and its reason is told"

for word in FAIL ERROR XPASS; do
    results "bad-$word/a" PASS "$word"
    run "$totals" "bad-$word"
    expect_status 1 "$word is a failure"
    is "$(tail -n 1 "$stdout")" "1 passed, 1 failed" "$word is counted"
done

results both/a PASS FAIL FAIL ERROR
results both/b PASS ERROR
run "$totals" both
is "$(tail -n 1 "$stdout")" "2 passed, 3 failed" "a bad end is counted where no failed point explains it"

results only/a SKIP
run "$totals" only
expect_status 1 "skipping all there is is a failure"
done_testing
