#!/bin/bash
# valgrind.t - valgrind's memcheck over the program with the plain kernels and those for AVX2: no byte is used before it is
# set, none outside its block, and no block is lost. valgrind.txt says what of Open MPI's is let pass.
. "$(dirname "$0")/../cli/profile/profile.sh"
need_command valgrind python3
! grep -q 'address' <<<"$(sed -n 's/^SANITIZER_CFLAGS = //p' "$build_dir/Makefile")" || skip_all "this build has a sanitizer"
export OMPI_MCA_ess_singleton_isolated=1 OMPI_MCA_btl=self PHI3SAT_TEST_SECONDS=600
# The process that reads archives may take longer here; it isn't followed: it is killed when it is no longer wanted.
export PHI3SAT_TEST_PATIENCE=50
checked=(valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite
    --num-callers=40 "--suppressions=$source_dir/tests/analysis/valgrind.txt" "$build_dir/phi3sat")

# clean CLAIM COMMAND...
clean() {
    local claim=$1
    shift
    run "${checked[@]}" "$@"
    expect_status 0 "$claim"
    ((status == 0)) || diag "$(grep '==' "$stderr" | head -n 40)"
}

words 5 3 12 >p.txt
for type in f32 q4_k q8_0 q6_k q5_0 f16 bf16; do
    phi3sat synth --quiet -o $type.gguf --layers 2 --hidden 256 --intermediate 320 --heads 4 --kv-heads 2 --vocab 320 --type $type ||
        bail "synth failed"
done
kernels=(reference)
grep -qw avx2 /proc/cpuinfo && kernels+=(avx2)
for set in "${kernels[@]}"; do
    export PHI3SAT_KERNELS=$set
    for type in f32 q4_k q8_0 q6_k q5_0 f16 bf16; do
        ((long)) || [[ $type == q4_k ]] || continue
        clean "$set: profile, $type" --model $type.gguf --prompts p.txt --threads 2 --quiet --output "$set-$type.csv"
    done
    for precision in int16 int8; do
        clean "$set: profile, $precision" --model q4_k.gguf --prompts p.txt --threads 2 --quiet --output $precision.csv --precision $precision
    done
    clean "$set: perplexity" perplexity --model q4_k.gguf --prompts p.txt --context 16 --threads 2
    clean "$set: decoding" bench model --model q4_k.gguf --prompt-lengths 4 --iterations 5 --warmup 0 --seconds 0.01 --threads 2
    clean "$set: bench ffn" bench ffn --hidden 100 --intermediate 333 --iterations 5 --warmup 0 --threads 2 --batch 1,9
done
[[ ! -e avx2-q4_k.h5 ]] || same reference-q4_k.h5 avx2-q4_k.h5 "both gave the same archive"
clean "pack" pack --quiet q4_k.gguf -o m.knot
clean "profile from a .knot" --model m.knot --prompts p.txt --threads 2 --quiet --output knot.csv
clean "inspect" inspect --tensors q4_k.gguf
clean "tokenize" tokenize --model q4_k.gguf p.txt
clean "report" report knot.h5 --output again.csv --intervals i.csv --html r.html --quiet
clean "compare" compare knot.h5 int8.h5 --output c.csv --html c.html --quiet
clean "export" export knot.h5 --npz e.npz --long e.csv --imatrix e.imatrix --quiet
clean "plan" plan --model q4_k.gguf --prompts p.txt --ranks 8 --gflops 10 --threads 1
run "${checked[@]}" --model nowhere.gguf
expect_status 3 "what fails frees its memory too"
# (What is read is used, else valgrind's translation leaves the read out.)
printf '#include <stdlib.h>\nint main(int n, char **v) { volatile char *p = malloc(1); return v && p[n]; }\n' >wrong.c
"${CC:-cc}" -g -o wrong wrong.c || bail "cc failed"
run valgrind --quiet --error-exitcode=99 ./wrong
expect_status 99 "and valgrind is one that finds errors"
done_testing
