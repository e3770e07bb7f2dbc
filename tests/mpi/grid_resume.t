#!/bin/bash
# grid_resume.t - a run that is stopped again and again and goes on with another grid each time ends in one archive.
#
# Prompts under way between stages count in the layers that have seen them; the next grid is cut elsewhere.
. "$(dirname "$0")/../cli/profile/profile.sh"
need_command python3

tiny m.gguf --with-vocab --vocab 300 --hidden 48 --intermediate 100 --heads 4 --kv-heads 2 --layers 8 \
    --context 400 --window 40 --arch llama
{ words 60 7 30; words 3 8 200; words 2 7 30; echo the; } >p.txt
profile=(phi3sat --model m.gguf --prompts p.txt --batch-tokens 32)
run "${profile[@]}" --output one.csv
expect_status 0 "one run without a break"

# Each is stopped by SIGUSR1 (10) to one rank or another, while ranks are late at random.
grids=(2x2 1x4 2x3 1x8 3x2)
((long)) && grids+=(4x1 1x2 1x7 2x4 1x3 3x2)
stops=0
for grid in "${grids[@]}"; do
    ranks=$((${grid%x*} * ${grid#*x}))
    export PHI3SAT_TEST_SIGNAL=$((stops % ranks)):10:$((20 + stops * 11)) PHI3SAT_TEST_DELAY=$((stops + 1)):10
    mpirun_n $ranks "${profile[@]}" --output r.csv --grid "$grid" --checkpoint c.ckpt --resume auto
    ((stops++))
    expect_status 75 "stopped on $grid"
    expect_stderr_match '^checkpoint: c.ckpt, ' "with a checkpoint"
    ((stops == 1)) || expect_stderr_match '^resume: c.ckpt holds ' "it had gone on from the last one"
done
unset PHI3SAT_TEST_SIGNAL PHI3SAT_TEST_DELAY
mpirun_n 6 "${profile[@]}" --output r.csv --grid 3x2 --checkpoint c.ckpt --resume auto
expect_status 0 "the rest on 3x2"
same one.h5 r.h5 "the archive of a run without a break"
holds "and its table" cmp one.csv r.csv
ok "the checkpoint is gone" test ! -e c.ckpt
done_testing
