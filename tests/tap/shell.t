#!/bin/bash
# shell.t - the shell harness tests itself: a child test makes points that hold and points
# that fail, and what it printed is compared to the letter.
. "$(dirname "$0")/tap.sh"

# child TEXT: runs a test that sources the harness and then does TEXT.
child() {
    printf '. "%s"\n%s\n' "$source_dir/tests/tap/tap.sh" "$1" >child.t
    run bash child.t
}

child 'pass "a # b"; is x x same; ok true true; skip 1 moon; done_testing'
expect_status 0 "points that hold end well"
expect_stdout "and are printed as TAP has it" <<'END'
ok 1 - a \# b
ok 2 - same
ok 3 - true
ok 4 # SKIP moon
1..4
END

child 'is x y differs; ok no false; run false; expect_status 0 ends; done_testing'
expect_status 1 "points that fail end badly"
is "$(grep -c '^not ok' "$stdout")" 3 "each failure is a point"
is "$(grep -vc '^\(not ok\|1\.\.3\|# \)' "$stdout")" 0 "all else is a comment"

child 'pass one; exit 0'
expect_status 99 "a test that ends early fails"

child 'skip_all "no sun"'
expect_stdout "skipping all gives the reason" <<<'1..0 # SKIP no sun'

child 'run sh -c "echo out; echo phi3sat: bad >&2; echo note >&2; exit 3"
expect_status 3 status; expect_stdout out <<<out; expect_error_lines 1 one; expect_stderr_match "^note" note
expect_empty stdout empty; done_testing'
is "$(grep -c '^ok' "$stdout")" 4 "status, output and error lines are compared"
is "$(grep -c '^not ok' "$stdout")" 1 "an output that is there is not empty"

child 'PHI3SAT_TEST_SECONDS=1; run sleep 20; expect_status 124 hangs; done_testing'
expect_status 0 "what hangs is stopped"

# shellcheck disable=SC2016 # the child expands it
child 'echo "$tap_home"; pass one; done_testing'
ok "the folder of a test is removed" test ! -e "$(head -n 1 "$stdout")"

# shellcheck disable=SC2016 # each rank expands it
mpirun_n 3 sh -c 'echo $OMP_NUM_THREADS'
is "$(tr -d '\n' <"$stdout")" 111 "three ranks start with one thread each"
done_testing
