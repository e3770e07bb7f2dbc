#!/bin/bash
# threads.t - ThreadSanitizer over everything that threads of ours share: the kernels' products, forward pass, decoding, and the
# commands that use them. clang's OpenMP tells it (Archer) what its barriers order; gcc's would not, and every loop be a race.
. "$(dirname "$0")/../cli/profile/profile.sh"
. "$source_dir/tests/analysis/sanitize.sh"
need_command clang python3
compiler=clang
archer=$(find /usr/lib/llvm-* /usr/lib/x86_64-linux-gnu -name libarcher.so 2>/dev/null | sort | tail -n 1)
[[ -n $archer ]] || skip_all "clang's OpenMP has no Archer here (libomp-dev)"
tests=(tests/unit/test_threads tests/unit/test_products tests/unit/test_matvec tests/unit/test_forward tests/unit/test_decode
    tests/unit/test_layer_ffn tests/unit/test_lone_product tests/unit/test_integer_products tests/unit/test_pack
    tests/unit/test_fingerprint tests/unit/test_perplexity)
sanitized '=thread' "${tests[@]}"
# OpenMP's threads that never sleep take none of its locks, which Archer doesn't tell of.
export OMP_TOOL_LIBRARIES=$archer KMP_BLOCKTIME=infinite PHI3SAT_CACHE=1
export TSAN_OPTIONS="ignore_noninstrumented_modules=1 suppressions=$source_dir/tests/analysis/thread.txt exitcode=66"
export OMPI_MCA_ess_singleton_isolated=1 OMPI_MCA_btl=self PHI3SAT_TEST_SECONDS=900 PHI3SAT_TEST_PATIENCE=50

printf '#include <omp.h>\nint main(void) { int n = 0;\n#pragma omp parallel num_threads(2)\n    n += omp_get_thread_num() + 1;\nreturn n & 0; }\n' >race.c
clang -g -fopenmp -fsanitize=thread -o race race.c || bail "clang failed"
run ./race
expect_status 66 "a race is one that it finds"
printf 'int main(void) { int n = 0;\n#pragma omp parallel for num_threads(2) reduction(+ : n)\n    for (int i = 0; i < 9; i++) n += i;\nreturn n & 0; }\n' >none.c
clang -g -fopenmp -fsanitize=thread -o none none.c || bail "clang failed"
run ./none
expect_status 0 "and OpenMP's own order is none"
passes "${tests[@]}"

# quiet CLAIM COMMAND...
quiet() {
    local claim=$1
    shift
    run build/phi3sat "$@"
    expect_status 0 "$claim"
    ((status == 0)) || diag "$(grep -A25 'ThreadSanitizer' "$stderr" | head -n 60)"
}
words 20 3 40 >p.txt
phi3sat synth --quiet -o m.gguf --layers 3 --hidden 256 --intermediate 320 --heads 4 --kv-heads 2 --vocab 320 --type q4_k || bail "synth failed"
for precision in f32 int16 int8; do
    quiet "profile, $precision" --model m.gguf --prompts p.txt --threads 4 --quiet --output $precision.csv --precision $precision
done
quiet "perplexity" perplexity --model m.gguf --prompts p.txt --context 16 --threads 4
quiet "decoding" bench model --model m.gguf --prompt-lengths 4 --iterations 5 --warmup 0 --seconds 0.01 --threads 4
quiet "bench ffn" bench ffn --hidden 256 --intermediate 333 --iterations 5 --warmup 0 --threads 4 --batch 1,9
quiet "bench roof" bench roof --threads 4 --seconds 0.01
quiet "pack" pack --quiet m.gguf -o m.knot --threads 4
done_testing
