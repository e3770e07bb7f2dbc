# src/bench: timing, the machine's roofs, and what is timed.
#
# A new source is one line:    %C%_libbench_a_SOURCES += %D%/FILE.c %D%/FILE.h
# A new unit test is two:      check_PROGRAMS += tests/unit/test_FILE
#                              tests_unit_test_FILE_LDADD = $(UNIT_BENCH)

noinst_LIBRARIES += %D%/libbench.a
%C%_libbench_a_SOURCES =
%C%_libbench_a_SOURCES += %D%/factored_ffn.c %D%/factored_ffn.h
%C%_libbench_a_SOURCES += %D%/few_rows.c %D%/few_rows.h
%C%_libbench_a_SOURCES += %D%/ffn_inputs.c %D%/ffn_inputs.h
%C%_libbench_a_SOURCES += %D%/ffn_reference.c %D%/ffn_reference.h
%C%_libbench_a_SOURCES += %D%/ffn_variants.c %D%/ffn_variants.h
%C%_libbench_a_SOURCES += %D%/ffn_weights.c %D%/ffn_weights.h
%C%_libbench_a_SOURCES += %D%/lapack.c %D%/lapack.h
%C%_libbench_a_SOURCES += %D%/layer_ffn.c %D%/layer_ffn.h
%C%_libbench_a_SOURCES += %D%/generation.c %D%/generation.h
%C%_libbench_a_SOURCES += %D%/low_rank.c %D%/low_rank.h
%C%_libbench_a_SOURCES += %D%/products.c %D%/products.h
%C%_libbench_a_SOURCES += %D%/repacked.c %D%/repacked.h
%C%_libbench_a_SOURCES += %D%/roof.c %D%/roof.h %D%/roof_lanes.h
%C%_libbench_a_SOURCES += %D%/synthetic.c %D%/synthetic.h
%C%_libbench_a_SOURCES += %D%/timing.c %D%/timing.h
%C%_libbench_a_SOURCES += %D%/vectors.c %D%/vectors.h
%C%_libbench_a_SOURCES += %D%/verdict.c %D%/verdict.h

# The roofs of each instruction set, with its flags as in src/kernels.
ROOF_LANES = %D%/roof_lanes.c

noinst_LIBRARIES += %D%/libroof_reference.a
%C%_libroof_reference_a_SOURCES = $(ROOF_LANES)
%C%_libroof_reference_a_CPPFLAGS = $(AM_CPPFLAGS) -DKERNEL_SET=reference
%C%_libroof_reference_a_CFLAGS = $(AM_CFLAGS) -O3
LINK_ROOFS = %D%/libroof_reference.a

if KERNELS_AVX2
noinst_LIBRARIES += %D%/libroof_avx2.a
%C%_libroof_avx2_a_SOURCES = $(ROOF_LANES)
%C%_libroof_avx2_a_CPPFLAGS = $(AM_CPPFLAGS) -DKERNEL_SET=avx2
%C%_libroof_avx2_a_CFLAGS = $(AM_CFLAGS) -O3 $(KERNELS_AVX2_CFLAGS)
LINK_ROOFS += %D%/libroof_avx2.a
endif

if KERNELS_AVX512
noinst_LIBRARIES += %D%/libroof_avx512.a
%C%_libroof_avx512_a_SOURCES = $(ROOF_LANES)
%C%_libroof_avx512_a_CPPFLAGS = $(AM_CPPFLAGS) -DKERNEL_SET=avx512
%C%_libroof_avx512_a_CFLAGS = $(AM_CFLAGS) -O3 $(KERNELS_AVX512_CFLAGS)
LINK_ROOFS += %D%/libroof_avx512.a
endif

if KERNELS_NEON
noinst_LIBRARIES += %D%/libroof_neon.a
%C%_libroof_neon_a_SOURCES = $(ROOF_LANES)
%C%_libroof_neon_a_CPPFLAGS = $(AM_CPPFLAGS) -DKERNEL_SET=neon
%C%_libroof_neon_a_CFLAGS = $(AM_CFLAGS) -O3
LINK_ROOFS += %D%/libroof_neon.a
endif

check_PROGRAMS += tests/unit/test_roof tests/unit/test_synthetic tests/unit/test_timing
tests_unit_test_roof_LDADD = $(UNIT_BENCH)
tests_unit_test_synthetic_LDADD = $(UNIT_BENCH)
tests_unit_test_timing_LDADD = $(UNIT_BENCH)
check_PROGRAMS += tests/unit/test_layer_ffn tests/unit/test_low_rank tests/unit/test_verdict
tests_unit_test_low_rank_LDADD = $(UNIT_BENCH)
tests_unit_test_layer_ffn_LDADD = $(UNIT_BENCH)
tests_unit_test_layer_ffn_LDFLAGS = $(AM_LDFLAGS) $(FAILING_MEMORY)
tests_unit_test_verdict_LDADD = $(UNIT_BENCH)
SHELL_TESTS += tests/cli/bench/ffn.t tests/cli/bench/kernels.t tests/cli/bench/matvec.t tests/cli/bench/model.t \
	tests/cli/bench/roof.t
LONG_TESTS += tests/cli/bench/peers.t
EXTRA_DIST += docs/benchmarks.md tests/bench/instructions tests/bench/llama_prompt.py tests/bench/peers tests/bench/sgemm.c
EXTRA_DIST += tests/bench/perplexity
