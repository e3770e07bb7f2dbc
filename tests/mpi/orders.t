#!/bin/bash
# orders.t - the claims of tests/unit/test_orders.c on four ranks.
. "$(dirname "$0")/../tap/tap.sh"
mpirun_n 4 "$build_dir/tests/unit/test_orders"
expect_status 0 "four ranks meet the same orders"
is "$(grep -c '^ok' "$stdout")" "$(grep -oE '^1\.\.[0-9]+' "$stdout" | cut -c4-)" "and all claims about them hold" ||
    diag "$(grep -v '^ok' "$stdout")"
done_testing
