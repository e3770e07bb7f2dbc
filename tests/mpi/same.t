#!/bin/bash
# same.t - one archive, whatever the machine does: ranks, threads, batches, order, kernels.
. "$(dirname "$0")/../cli/profile/profile.sh"
need_command python3

# Sizes that are no multiple of a panel or a block; windows and grouped heads; prompts longer than
# the smallest batch and than a tile of attention.
tiny m.gguf --with-vocab --vocab 300 --hidden 48 --intermediate 100 --heads 4 --kv-heads 2 --layers 3 \
    --context 400 --window 40 --arch llama
{ words 20 7 30; words 3 8 200; words 2 7 30; echo the; } >p.txt
sort p.txt | awk '{ line[NR] = $0 } END { for (i = NR; i > 0; i--) print line[i] }' >shuffled.txt
model=(--model m.gguf)

run phi3sat "${model[@]}" --prompts p.txt --output one.csv
expect_status 0 "it runs"
cp "$stdout" one.out
compared() { # CLAIM
    expect_status 0 "it runs"
    same one.h5 r.h5 "$1: the same archive"
    holds "$1: the same table" cmp one.csv r.csv
    holds "$1: the same summary" cmp one.out "$stdout"
}
for ranks in 1 3 8; do
    mpirun_n $ranks phi3sat "${model[@]}" --prompts p.txt --output r.csv
    compared "$ranks ranks"
done
for threads in 2 3; do
    run phi3sat "${model[@]}" --prompts p.txt --threads $threads --output r.csv
    compared "$threads threads"
done
for batch in 1 16 100 2048; do
    run phi3sat "${model[@]}" --prompts p.txt --batch-tokens $batch --output r.csv
    compared "batches of $batch"
done
mpirun_n 2 phi3sat "${model[@]}" --prompts shuffled.txt --batch-tokens 33 --threads 2 --output r.csv
compared "shuffled prompts on 2 ranks"
run_with p.txt phi3sat "${model[@]}" --prompts - --output r.csv
compared "standard input"
input_of_ranks() { mpirun_n 3 phi3sat "${model[@]}" --prompts pipe --output r.csv; }
mkfifo pipe
cat p.txt >pipe &
input_of_ranks
compared "a pipe, on 3 ranks"
wait
for kernels in $(phi3sat --version --verbose | sed -n 's/^kernels: //p'); do
    PHI3SAT_KERNELS=$kernels run phi3sat "${model[@]}" --prompts p.txt --output r.csv
    compared "kernels $kernels"
done

# More ranks than prompts, and the smallest prompt.
printf 'the of\nthe\n' >few.txt
run phi3sat "${model[@]}" --prompts few.txt --output one.csv
cp "$stdout" one.out
mpirun_n 4 phi3sat "${model[@]}" --prompts few.txt --output r.csv
compared "4 ranks for 2 prompts"
run phi3sat "${model[@]}" --prompts few.txt --no-bos --num-prompts 1 --output one.csv
expect_status 0 "it runs"

# A test that can't fail shows nothing: other prompts are another archive.
run phi3sat "${model[@]}" --prompts few.txt --output r.csv
if "$build_dir/tests/archive/archive_same" one.h5 r.h5 >/dev/null; then
    fail "other prompts give another archive"
else pass "other prompts give another archive"; fi

# Two shards hold each prompt once.
run phi3sat "${model[@]}" --prompts p.txt --shard 0/2 --output a.csv
run phi3sat "${model[@]}" --prompts p.txt --shard 1/2 --output b.csv
is "$(($(attribute a.h5 prompts) + $(attribute b.h5 prompts)))" 26 "two shards hold all prompts"
done_testing
