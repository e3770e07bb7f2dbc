#!/bin/sh
# tap-totals.sh FOLDER - what the last test run below FOLDER came to.
#
# Counts single points, not programs: automake leaves one line for each point in *.trs,
# and what was said about it in *.log. A program that died, or made another number of
# points than planned, counts as a failure; one that ends badly because points failed counts
# those alone. The last line is for machines and always the
# same form; the exit status is 0 only when something ran and nothing failed.
set -eu
folder=$1

results=$(find "$folder" -name '*.trs' | sort)
if test -z "$results"; then
    echo "no test has run"
    echo "0 passed, 0 failed"
    exit 1
fi

echo "Test programs:"
for trs in $results; do
    awk -v name="${trs#"$folder"/}" '
        $1 == ":test-result:" { count[$2]++ }
        END {
            sub(/\.trs$/, "", name)
            bad = count["FAIL"] + count["XPASS"]
            if (!bad)
                bad = count["ERROR"]
            printf "  %-44s %5d passed %4d failed %4d skipped\n",
                name, count["PASS"] + count["XFAIL"], bad, count["SKIP"]
        }' "$trs"
done

logs=$(echo "$results" | sed 's/\.trs$/.log/')
# shellcheck disable=SC2086 # our own file names hold no spaces
skips=$(sed -n 's/^SKIP: //p' $logs)
if test -n "$skips"; then
    echo "Skipped, and why:"
    echo "$skips" | sed 's/^/  /'
fi
# shellcheck disable=SC2086
failures=$(sed -n '/^\(FAIL\|ERROR\|XPASS\): /p' $logs)
if test -n "$failures"; then
    echo "Failed:"
    echo "$failures" | sed 's/^/  /'
fi

echo "Totals:"
# shellcheck disable=SC2086
awk '
    FNR == 1 { bad += failed ? failed : errors; failed = errors = 0 }
    $1 == ":test-result:" { count[$2]++ }
    $2 == "FAIL" || $2 == "XPASS" { failed++ }
    $2 == "ERROR" { errors++ }
    END {
        bad += failed ? failed : errors
        good = count["PASS"] + count["XFAIL"]
        line = good " passed, " bad " failed"
        if (count["SKIP"])
            line = line ", " count["SKIP"] " skipped"
        print line
        exit bad > 0 || good == 0
    }' $results
