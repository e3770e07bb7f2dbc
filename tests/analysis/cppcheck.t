#!/bin/bash
# cppcheck.t - cppcheck over src/, instruction sets one after another.
. "$(dirname "$0")/../lint/lint.sh"
need_command cppcheck

# Without an instruction set lanes are one float each, about which much can be said and nothing matters.
cppcheck --enable=warning,performance,portability --std=c11 --quiet -j "$(nproc)" -I src -I include \
    -D__x86_64__ -D__AVX2__ -D__FMA__ -D__F16C__ -D__linux__ -D_GNU_SOURCE -DHAVE_KERNELS_AVX2 -DKERNEL_SET=avx2 -D_OPENMP=201511 \
    -i src/text/prompt_texts.c --template='{file} {id} {line} {message}' \
    --suppressions-list=tests/analysis/cppcheck.txt src 2>&1 | none "cppcheck finds nothing in src/ but what cppcheck.txt explains"
done_testing
