#!/bin/bash
# sums.t - every sum in made prompts is right, by arithmetic of its own (check_sums.py).
. "$(dirname "$0")/../../tap/tap.sh"
need_command python3
check=$source_dir/tests/cli/prompts/check_sums.py

run phi3sat prompts --model "$source_dir/tests/golden/tokenizer-bpe.gguf" --num-prompts 6000 --seed 11 --json
expect_status 0 "6,000 prompts are made"
cp "$stdout" made
run python3 "$check" made
expect_status 0 "every sum in them is right"
expect_stdout_match '^equation [0-9]{4,}$' "thousands of equations were worked out"
for kind in 'per cent' sequence clock divisor multiple unknown words square binary years heights; do
    expect_stdout_match "^$kind [0-9]+\$" "and what is worded as: $kind"
done
ok "almost every solution shows its steps" test "$(grep -cE '(Solution|Answer): [^=]*$' <(grep '"mathematical"' made))" -lt 60

# The check itself: a wrong figure is found.
wrong() { # CLAIM TEXT
    printf '{"text": "%s", "domain": "mathematical", "tokens": 9}\n' "$2" >one
    run python3 "$check" one
    expect_status 1 "$1"
}
wrong "a wrong sum is found" "We see that 12 + 13 = 26."
wrong "a wrong step in a chain is found" "(2 + 3) * 4 = 5 * 4 = 24."
wrong "a wrong product in brackets is found" "2 * (3 + 4) = 13, so"
wrong "wrong money is found" "The two cost \$3.05 + \$2.95 = \$6.10 together."
wrong "a wrong percentage is found" "15% of 240 is 35."
wrong "a wrong sum in words is found" "Twenty-one plus one hundred and four is one hundred and twenty-six."
wrong "an equation that can't be read is found" "Then 3 + = 4."
done_testing
