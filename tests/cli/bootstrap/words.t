#!/bin/bash
# words.t - bootstrap's words, and what it does with wrong ones.
. "$(dirname "$0")/../../tap/tap.sh"

run "$source_dir/bootstrap" --help
expect_status 0 "help is a success"
for verb in build demo check check-long; do
    expect_stdout_match "^  $verb " "and tells of $verb"
done
expect_empty stderr "and says nothing on standard error"

run "$source_dir/bootstrap"
expect_status 2 "no verb is wrong usage"
expect_empty stdout "which is told on standard error alone"

run "$source_dir/bootstrap" biuld
expect_status 2 "an unknown verb is wrong usage"
expect_stderr_match "unknown verb 'biuld'" "and is named"
done_testing
