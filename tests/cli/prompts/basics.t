#!/bin/bash
# basics.t - phi3sat prompts: what it prints, and what is refused.
. "$(dirname "$0")/../../tap/tap.sh"
spm=$source_dir/tests/golden/tokenizer-spm.gguf

run phi3sat prompts --model "$spm"
expect_status 0 "a vocabulary will do for a model"
ok "100 prompts, one a line" test "$(wc -l <"$stdout")" = 100
ok "no two alike" test "$(sort -u "$stdout" | wc -l)" = 100
expect_empty stderr "nothing else is said"
cp "$stdout" all
run phi3sat prompts --knot "$spm" --seed 1 --num-prompts 40
expect_stdout "the default seed is 1, and fewer prompts are the first of more" <<<"$(head -n 40 all)"
run phi3sat prompts --model "$spm" --seed 2
ok "another seed gives others" test "$(sort "$stdout" all | uniq -d | wc -l)" -lt 3

run phi3sat prompts --model "$spm" --num-prompts 900 --json
expect_status 0 "--json"
ok "900 objects with text, domain and tokens" test "$(grep -cE '^\{"text": "([^"\\]|\\["\\])+", "domain": "(factual|narrative|mathematical)", "tokens": [0-9]+\}$' "$stdout")" = 900
for domain in factual narrative mathematical; do
    ok "a third is $domain" test "$(grep -c "\"domain\": \"$domain\"" "$stdout")" = 300
done
sed 's/^{"text": "//; s/", "domain": .*//; s/\\\(.\)/\1/g' "$stdout" >texts
sed 's/.*"tokens": \([0-9]*\)}$/\1/' "$stdout" >counts
words=$(tr -cs '[:alpha:]' '\n' <texts | tr '[:upper:]' '[:lower:]' | sort -u | wc -l)
ok "900 prompts use well over 1,500 different words ($words)" test "$words" -gt 2000
run phi3sat tokenize --model "$spm" texts
awk '{ print NF }' "$stdout" >tokenized
ok "tokens are what phi3sat tokenize gives for the text, BOS too" cmp -s counts tokenized
ok "none has fewer than 10" test "$(sort -n counts | head -n 1)" -ge 10
ok "none has more than 512" test "$(sort -n counts | tail -n 1)" -le 512
run phi3sat prompts --model "$spm" --num-prompts 50 --context 60 --json
ok "--context keeps prompts shorter" test "$(sed 's/.*"tokens": //; s/}//' "$stdout" | sort -n | tail -n 1)" -le 60

refuse() { # STATUS REGEX CLAIM ARGUMENT...
    local code=$1 regex=$2 claim=$3
    shift 3
    run phi3sat prompts "$@"
    expect_status "$code" "$claim: status $code"
    expect_error_lines 1 "$claim: one line"
    expect_stderr_match "$regex" "$claim: says why"
    expect_empty stdout "$claim: prints nothing"
}
refuse 2 'no model is given' "no model"
refuse 2 'unknown option' "an unknown option" --model "$spm" --nonsense
refuse 2 'num-prompts' "no prompts wanted" --model "$spm" --num-prompts 0
refuse 2 "seed 'x'" "a seed that is no number" --model "$spm" --seed x
refuse 3 'No such file' "a missing model" --model missing
refuse 3 'no more than 0 different prompts of at most 3 tokens .*; give --prompts' "too short a context" --model "$spm" --context 3
run bash -c "phi3sat prompts --model '$spm' >/dev/full"
expect_status 4 "a full disk is an output error"
expect_error_lines 1 "said in one line"
run phi3sat prompts --help
expect_status 0 "--help is no error"
expect_stdout_match '--num-prompts N +how many \[100\]' "and lists the options"
done_testing
