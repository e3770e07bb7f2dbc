#!/bin/bash
# many.t - 64 ranks on whatever cores there are (slow: MPI's start alone takes most of a minute).
. "$(dirname "$0")/../cli/profile/profile.sh"
need_command python3
tiny m.gguf --with-vocab --vocab 300 --hidden 32 --intermediate 64 --heads 2 --layers 2 --context 100
words 200 3 30 >p.txt
run phi3sat --model m.gguf --prompts p.txt --output one.csv
expect_status 0 "it runs"
mpirun_n 64 phi3sat --model m.gguf --prompts p.txt --output r.csv
expect_status 0 "it runs"
same one.h5 r.h5 "64 ranks give the archive of one"
mpirun_n 64 phi3sat --model none.gguf --prompts p.txt --output r.csv
expect_status 3 "it is bad input"
expect_error_lines 1 "one line of 64 ranks"
done_testing
