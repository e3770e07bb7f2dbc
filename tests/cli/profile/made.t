#!/bin/bash
# made.t - a run that is given no prompts makes its own.
. "$(dirname "$0")/profile.sh"
need_command python3
small=(--layers 1 --hidden 16 --intermediate 24 --heads 2 --kv-heads 2)
tiny m.gguf "${small[@]}" --with-vocab --vocab 300 --context 600

run phi3sat --knot m.gguf
expect_status 0 "a model is all that it needs"
ok "the report is in the current folder" test -s phi3-saturation-report.csv -a -s phi3-saturation-report.h5
is "$(attribute phi3-saturation-report.h5 prompts)" 100 "100 prompts"
is "$(attribute phi3-saturation-report.h5 /run/prompts_source)" "made, seed 1" "the archive says where they come from"
expect_stderr_match '^prompts: 100 with [0-9]+ tokens, the longest [0-9]+; made, seed 1$' "so does the log"

phi3sat prompts --model m.gguf >p.txt
run phi3sat --model m.gguf --prompts p.txt --output given.csv --quiet
same phi3-saturation-report.h5 given.h5 "they are those that phi3sat prompts prints"
mpirun_n 3 phi3sat --model m.gguf --output ranks.csv --quiet
expect_status 0 "on 3 ranks"
same phi3-saturation-report.h5 ranks.h5 "the same archive"

run phi3sat --model m.gguf --num-prompts 7 --seed 5 --output r.csv --quiet
phi3sat prompts --model m.gguf --num-prompts 7 --seed 5 >p.txt
run phi3sat --model m.gguf --prompts p.txt --output given.csv --quiet
same r.h5 given.h5 "--num-prompts and --seed are those of phi3sat prompts"
is "$(attribute r.h5 /run/prompts_source)" "made, seed 5" "the seed is told"
run phi3sat --model m.gguf --num-prompts 9 --context 60 --shard 1/3 --output r.csv
is "$(attribute r.h5 prompts)" 3 "shards take their part"
is "$(attribute r.h5 prompts_cut)" 0 "a short context gets short prompts, none is cut"
tiny chat.gguf "${small[@]}" --with-vocab --vocab 300 --name phi3 --chat-template '<|user|>\n<|end|><|assistant|>'
run phi3sat --model chat.gguf --num-prompts 3 --chat --output r.csv
expect_stderr_match '^chat format: ' "--chat puts them into the chat format"

tiny bare.gguf "${small[@]}" --no-vocab --vocab 70
run phi3sat --model bare.gguf --num-prompts 20 --output bare.csv
expect_status 0 "a model without tokenizer runs"
expect_stderr_match '^warning: the model has no tokenizer.*: 20 sequences of random token ids' "on random ids, which is said"
is "$(attribute bare.h5 /run/prompts_source)" "made, seed 1, random token ids" "in the archive too"
is "$(attribute bare.h5 prompts)" 20 "as many as asked for"
mpirun_n 2 phi3sat --model bare.gguf --num-prompts 20 --output r.csv --quiet
same bare.h5 r.h5 "on 2 ranks the same"

if ((long)); then # more than 4 MB: shared by a temporary file
    run phi3sat --model m.gguf --num-prompts 24000 --shard 5/2000 --output r.csv --quiet
    mpirun_n 3 phi3sat --model m.gguf --num-prompts 24000 --shard 5/2000 --output ranks.csv --quiet
    same r.h5 ranks.h5 "24,000 prompts on 3 ranks"
fi

refuse() { # STATUS REGEX CLAIM ARGUMENT...
    local code=$1 regex=$2 claim=$3
    shift 3
    run phi3sat "$@"
    expect_status "$code" "$claim: status $code"
    expect_error_lines 1 "$claim: one line"
    expect_stderr_match "$regex" "$claim: says why"
}
refuse 2 '--seed has no use where prompts are given' "a seed for given prompts" --model m.gguf --prompts p.txt --seed 2
refuse 3 'no more than 0 different prompts of at most 3 tokens' "too short a context" --model m.gguf --context 3
refuse 3 '^phi3sat: made, seed 1: ' "nothing to measure" --model m.gguf --skip-first 600
mpirun_n 2 phi3sat --model m.gguf --context 3
expect_status 3 "all ranks leave alike"
expect_error_lines 1 "with one line"
done_testing
