#!/bin/bash
# grid.t - prompt groups and layer stages: one archive for every grid, whatever its ranks are slow at.
. "$(dirname "$0")/../cli/profile/profile.sh"
need_command python3

tiny m.gguf --with-vocab --vocab 300 --hidden 48 --intermediate 100 --heads 4 --kv-heads 2 --layers 8 \
    --context 400 --window 40 --arch llama
{ words 40 7 30; words 3 8 200; words 2 7 30; echo the; } >p.txt
model=(--model m.gguf --prompts p.txt)
run phi3sat "${model[@]}" --output one.csv
expect_status 0 "it runs"
cp "$stdout" one.out
compared() { # CLAIM
    expect_status 0 "$1: it runs"
    same one.h5 r.h5 "$1: the archive of one rank"
    holds "$1: its table" cmp one.csv r.csv
    holds "$1: its summary" cmp one.out "$stdout"
}
on_grid() { # GRID ARGUMENT...
    local grid=$1
    shift
    mpirun_n $((${grid%x*} * ${grid#*x})) phi3sat "${model[@]}" --output r.csv --grid "$grid" "$@"
    compared "grid $grid $*"
    is "$(attribute r.h5 /run/grid)" "$grid" "/run says $grid"
}
on_grid 1x1
on_grid 2x1
on_grid 1x2
expect_stderr_match '^grid: 1 group x 2 stages \(as asked for\)$' "the log says so"
expect_stderr_match '^layers of the stages: 0-3 4-7$' "and which layers the stages have"
is "$(attribute r.h5 /run/stage_layers)" "0-3 4-7" "so does /run"
on_grid 2x2 --batch-tokens 33
on_grid 3x4 --threads 2
on_grid 1x8 --batch-tokens 16
((long)) && on_grid 8x8

# Ranks that are late at random.
for seed in 1 2 3; do
    export PHI3SAT_TEST_DELAY=$seed:20
    on_grid 2x3 --batch-tokens 64
done
unset PHI3SAT_TEST_DELAY

# More groups than prompts: the others wait, and say so.
printf 'the of\nthe\n' >few.txt
run phi3sat --model m.gguf --prompts few.txt --output one.csv
cp "$stdout" one.out
mpirun_n 8 phi3sat --model m.gguf --prompts few.txt --output r.csv --grid 4x2
compared "4 groups for 2 prompts"
expect_stderr_match '^4 of 8 ranks have no prompts and wait for the others$' "those without work are told of"

# Memory decides, where it is short.
auto() { # BYTES GRID CLAIM
    PHI3SAT_TEST_MEMORY=$1 mpirun_n 4 phi3sat --model m.gguf --prompts few.txt --output r.csv --batch-tokens 16
    compared "$3"
    is "$(attribute r.h5 /run/grid)" "$2" "$3: $2"
}
auto 100000000000 4x1 "with memory for all there are groups only"
expect_stderr_match '^grid: 4 groups x 1 stage \(auto: one stage needs [0-9]+ MB of the 100.0 GB that .* has left\)$' "and why"
auto 4500000 2x2 "with less there are stages"
expect_stderr_match '^grid: 2 groups x 2 stages \(auto: one stage would need .*, 2 stages need .*\)$' "and why"
auto 1000000 1x4 "with next to none there are as many as can be"
expect_stderr_match '^warning: memory is short: this grid needs .* that .* has left' "and a warning"
PHI3SAT_TEST_MEMORY=4500000 mpirun_n 4 phi3sat --model m.gguf --prompts few.txt --output r.csv --batch-tokens 16 --grid 4x1
expect_stderr_match '^warning: memory is short: .*; --grid 2x2 would fit$' "a grid that is asked for and doesn't fit: which would"

# NaN in the middle of a model reach later stages, and are told as one rank tells them.
tiny nan.gguf --with-vocab --vocab 300 --hidden 48 --intermediate 100 --heads 4 --layers 4 --context 400 --plant-nan 1:33
run phi3sat --model nan.gguf --prompts p.txt --output one.csv
expect_status 5 "NaN: exit status 5"
told=$(grep '^warning: .*NaN' "$stderr")
mpirun_n 4 phi3sat --model nan.gguf --prompts p.txt --output r.csv --grid 1x4
expect_status 5 "so it is in stages"
same one.h5 r.h5 "with the archive of one rank"
is "$(grep '^warning: .*NaN' "$stderr")" "$told" "and the same first place"

# A rank that fails in the middle ends all of them, wherever the others wait.
for rank in 0 2 4; do
    export PHI3SAT_TEST_FAIL_BATCH=$rank:2 PHI3SAT_TEST_SECONDS=40
    mpirun_n 6 phi3sat "${model[@]}" --output x.csv --grid 2x3 --batch-tokens 32
    expect_status 1 "rank $rank of 2x3 fails: all end"
    expect_error_lines 1 "with one line"
    ((rank == 0)) || expect_stderr_match "^phi3sat: rank $rank on [^ ]*: a test wants" "that names the rank"
    ok "and nothing is written" test ! -e x.h5 -a ! -e x.csv
done
unset PHI3SAT_TEST_FAIL_BATCH PHI3SAT_TEST_SECONDS

# Archives grow on any grid.
run phi3sat "${model[@]}" --output one.csv
cp "$stdout" one.out
sed -n 1,20p p.txt >a.txt
mpirun_n 4 phi3sat --model m.gguf --prompts a.txt --output r.csv --grid 2x2
expect_status 0 "some prompts in two stages"
mpirun_n 3 phi3sat "${model[@]}" --output r.csv --append r.h5 --grid 1x3
compared "the others in three"

# What can't be.
refused() { # RANKS REGEX CLAIM ARGUMENT...
    local ranks=$1 regex=$2 claim=$3
    shift 3
    rm -f x.csv x.h5
    mpirun_n "$ranks" phi3sat "${model[@]}" --output x.csv "$@"
    expect_status 2 "$claim: wrong usage"
    expect_error_lines 1 "in one line"
    expect_stderr_match "^phi3sat: $regex" "that says why"
    ok "and nothing is written" test ! -e x.h5
}
refused 3 '--grid 2x2 is for 4 ranks, and there are 3; start that many \(mpirun -np 4\)' "other ranks than the grid has" --grid 2x2
refused 1 '--grid 1x2 is for 2 ranks, and there is 1;' "one rank for two" --grid 1x2
refused 9 '--grid 1x9 has 9 stages, and the model has 8 layers;' "more stages than layers" --grid 1x9
refused 2 "--grid '2' is neither PxS" "half a grid" --grid 2
refused 2 "--grid '2x1x' is neither PxS" "more than a grid" --grid 2x1x
done_testing
