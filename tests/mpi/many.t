#!/bin/bash
# many.t - 64 ranks on whatever cores there are (slow: MPI's start alone takes most of a minute).
. "$(dirname "$0")/../cli/profile/profile.sh"
need_command python3
tiny m.gguf --with-vocab --vocab 300 --hidden 32 --intermediate 64 --heads 2 --layers 8 --context 100
words 2000 3 30 >p.txt
run phi3sat --model m.gguf --prompts p.txt --output one.csv
expect_status 0 "it runs"
for grid in 64x1 8x8; do
    mpirun_n 64 phi3sat --model m.gguf --prompts p.txt --output r.csv --grid $grid
    expect_status 0 "64 ranks run as $grid"
    same one.h5 r.h5 "64 ranks give the archive of one ($grid)"
    own=$(attribute r.h5 /run/own_memory)
    ok "none of them holds more than 150 MB of its own ($grid)" test "${own:-999999999}" -lt 150000000
    diag "$grid: at most $own bytes"
done
mpirun_n 64 phi3sat --model none.gguf --prompts p.txt --output r.csv
expect_status 3 "it is bad input"
expect_error_lines 1 "one line of 64 ranks"
done_testing
