# src/kernels: the same lanes for each instruction set, behind one table.
#
# The choice at start and all that is no kernel:
#                              %C%_libkernels_a_SOURCES += %D%/FILE.c %D%/FILE.h
# A kernel, compiled once for each instruction set:
#                              KERNEL_LANES += %D%/lanes_FILE.c
# A new unit test is two:      check_PROGRAMS += tests/unit/test_FILE
#                              tests_unit_test_FILE_LDADD = $(UNIT_KERNELS)

noinst_LIBRARIES += %D%/libkernels.a
%C%_libkernels_a_SOURCES =
%C%_libkernels_a_SOURCES += %D%/kernels.c %D%/kernels.h
%C%_libkernels_a_SOURCES += %D%/decode_rows.c %D%/decode_rows.h
%C%_libkernels_a_SOURCES += %D%/interleave.c %D%/interleave.h
%C%_libkernels_a_SOURCES += %D%/lanes.h
%C%_libkernels_a_SOURCES += %D%/lanes_attention_tile.h
%C%_libkernels_a_SOURCES += %D%/lanes_columns.h
%C%_libkernels_a_SOURCES += %D%/lanes_decode.h
%C%_libkernels_a_SOURCES += %D%/lanes_exp.h
%C%_libkernels_a_SOURCES += %D%/lanes_integer.h %D%/lanes_integer_units.h
%C%_libkernels_a_SOURCES += %D%/lanes_matvec.h %D%/lanes_matvec_avx2.h %D%/lanes_matvec_parts.h
%C%_libkernels_a_SOURCES += %D%/lanes_table.h
%C%_libkernels_a_SOURCES += %D%/lanes_transpose.h

KERNEL_LANES =
KERNEL_LANES += %D%/lanes_attention.c
KERNEL_LANES += %D%/lanes_cache.c
KERNEL_LANES += %D%/lanes_decode_blocks32.c
KERNEL_LANES += %D%/lanes_decode_plain.c
KERNEL_LANES += %D%/lanes_decode_superblocks.c
KERNEL_LANES += %D%/lanes_elementwise.c
KERNEL_LANES += %D%/lanes_fold.c
KERNEL_LANES += %D%/lanes_int16.c
KERNEL_LANES += %D%/lanes_int8.c
KERNEL_LANES += %D%/lanes_integer_decode.c
KERNEL_LANES += %D%/lanes_integer_pack.c
KERNEL_LANES += %D%/lanes_matvec.c
KERNEL_LANES += %D%/lanes_matvec_int8.c
KERNEL_LANES += %D%/lanes_product.c
KERNEL_LANES += %D%/lanes_statistics.c
KERNEL_LANES += %D%/lanes_ways.c

# -O3 stands behind AM_CFLAGS' -O2 and ahead of the user's CFLAGS.
noinst_LIBRARIES += %D%/libkernels_reference.a
%C%_libkernels_reference_a_SOURCES = $(KERNEL_LANES)
%C%_libkernels_reference_a_CPPFLAGS = $(AM_CPPFLAGS) -DKERNEL_SET=reference
%C%_libkernels_reference_a_CFLAGS = $(AM_CFLAGS) -O3
LINK_LANES = %D%/libkernels.a %D%/libkernels_reference.a

if KERNELS_AVX2
noinst_LIBRARIES += %D%/libkernels_avx2.a
%C%_libkernels_avx2_a_SOURCES = $(KERNEL_LANES)
%C%_libkernels_avx2_a_CPPFLAGS = $(AM_CPPFLAGS) -DKERNEL_SET=avx2
%C%_libkernels_avx2_a_CFLAGS = $(AM_CFLAGS) -O3 $(KERNELS_AVX2_CFLAGS)
LINK_LANES += %D%/libkernels_avx2.a
endif

if KERNELS_AVX512
noinst_LIBRARIES += %D%/libkernels_avx512.a
%C%_libkernels_avx512_a_SOURCES = $(KERNEL_LANES)
%C%_libkernels_avx512_a_CPPFLAGS = $(AM_CPPFLAGS) -DKERNEL_SET=avx512
%C%_libkernels_avx512_a_CFLAGS = $(AM_CFLAGS) -O3 $(KERNELS_AVX512_CFLAGS)
LINK_LANES += %D%/libkernels_avx512.a
endif

# NEON is part of every 64-bit ARM, so that no flag is needed.
if KERNELS_NEON
noinst_LIBRARIES += %D%/libkernels_neon.a
%C%_libkernels_neon_a_SOURCES = $(KERNEL_LANES)
%C%_libkernels_neon_a_CPPFLAGS = $(AM_CPPFLAGS) -DKERNEL_SET=neon
%C%_libkernels_neon_a_CFLAGS = $(AM_CFLAGS) -O3
LINK_LANES += %D%/libkernels_neon.a
endif

# The lanes read vector forms, which stand in the first library.
LINK_LANES += %D%/libkernels.a

check_PROGRAMS += tests/unit/test_decode_rows
tests_unit_test_decode_rows_LDADD = $(UNIT_KERNELS)
check_PROGRAMS += tests/unit/test_kernels
tests_unit_test_kernels_SOURCES = tests/unit/test_kernels.c tests/unit/lane_buffers.h
tests_unit_test_kernels_LDADD = $(UNIT_KERNELS)
check_PROGRAMS += tests/unit/test_lanes_statistics
tests_unit_test_lanes_statistics_SOURCES = tests/unit/test_lanes_statistics.c tests/unit/lane_buffers.h
tests_unit_test_lanes_statistics_LDADD = $(UNIT_KERNELS)
check_PROGRAMS += tests/unit/test_lanes_fold
tests_unit_test_lanes_fold_SOURCES = tests/unit/test_lanes_fold.c tests/unit/lane_buffers.h
tests_unit_test_lanes_fold_LDADD = $(UNIT_KERNELS)
check_PROGRAMS += tests/unit/test_lanes_attention
tests_unit_test_lanes_attention_SOURCES = tests/unit/test_lanes_attention.c tests/unit/lane_buffers.h
tests_unit_test_lanes_attention_LDADD = $(UNIT_KERNELS)
check_PROGRAMS += tests/unit/test_products
tests_unit_test_products_SOURCES = tests/unit/test_products.c tests/unit/lane_buffers.h tests/unit/way_products.h
tests_unit_test_products_LDADD = $(UNIT_KERNELS)
check_PROGRAMS += tests/unit/test_integer_products
tests_unit_test_integer_products_SOURCES = tests/unit/test_integer_products.c tests/unit/lane_buffers.h tests/unit/way_products.h
tests_unit_test_integer_products_LDADD = $(UNIT_KERNELS)
check_PROGRAMS += tests/unit/test_matvec
tests_unit_test_matvec_SOURCES = tests/unit/test_matvec.c tests/unit/lane_buffers.h tests/unit/way_products.h
tests_unit_test_matvec_LDADD = $(UNIT_KERNELS)
