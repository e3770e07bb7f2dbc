#!/bin/bash
# memory.t - address and undefined behaviour sanitizers over all unit tests, with lost blocks where MPI isn't there to lose any, and
# over the tables of hostile files.
. "$(dirname "$0")/../tap/tap.sh"
. "$source_dir/tests/analysis/sanitize.sh"
compiler=${CC:-gcc}
mapfile -t tests < <(make -s -C "$build_dir" -f - print <<<$'include Makefile\nprint:\n\t@printf "%s\\n" $(check_PROGRAMS)')
((${#tests[@]} > 90)) || bail "make doesn't say which unit tests there are"
sanitized '' "${tests[@]}"
ASAN_OPTIONS=detect_leaks=0 passes "${tests[@]}"
for table in gguf folder knot prompts archives; do
    # What a sanitizer's allocator holds back isn't the program's: PHI3SAT_TEST_MEMORY.
    PHI3SAT_TEST_SECONDS=900 PHI3SAT_BUILDDIR=$PWD/build ASAN_OPTIONS=detect_leaks=0 run bash "$source_dir/tests/corruptions/$table.t"
    ok "tests/corruptions/$table.t: no sanitizer has anything to say" eval "! grep -q 'Sanitizer\|runtime error' '$stdout' '$stderr'"
done
done_testing
