# src/quants: block formats, their exact decoders and our encoders.
#
# A new source is one line:    %C%_libquants_a_SOURCES += %D%/FILE.c %D%/FILE.h
# A new unit test is two:      check_PROGRAMS += tests/unit/test_FILE
#                              tests_unit_test_FILE_LDADD = $(UNIT_QUANTS)

noinst_LIBRARIES += %D%/libquants.a
%C%_libquants_a_SOURCES =
%C%_libquants_a_SOURCES += %D%/blocks32.c %D%/blocks32.h
%C%_libquants_a_SOURCES += %D%/byte_order.c %D%/byte_order.h
%C%_libquants_a_SOURCES += %D%/codebook_blocks.c %D%/codebook_blocks.h
%C%_libquants_a_SOURCES += %D%/codebooks.c %D%/codebooks.h
%C%_libquants_a_SOURCES += %D%/encode.c %D%/encode.h
%C%_libquants_a_SOURCES += %D%/encode_blocks32.c %D%/encode_blocks32.h
%C%_libquants_a_SOURCES += %D%/encode_fit.c %D%/encode_fit.h
%C%_libquants_a_SOURCES += %D%/encode_superblocks.c %D%/encode_superblocks.h
%C%_libquants_a_SOURCES += %D%/half.h
%C%_libquants_a_SOURCES += %D%/level_blocks.c %D%/level_blocks.h
%C%_libquants_a_SOURCES += %D%/plain.c %D%/plain.h
%C%_libquants_a_SOURCES += %D%/quants.c %D%/quants.h
%C%_libquants_a_SOURCES += %D%/superblocks.c %D%/superblocks.h
%C%_libquants_a_SOURCES += %D%/ternary_blocks.c %D%/ternary_blocks.h

check_PROGRAMS += tests/unit/test_byte_order
tests_unit_test_byte_order_LDADD = $(UNIT_QUANTS)
check_PROGRAMS += tests/unit/test_codebooks
tests_unit_test_codebooks_LDADD = $(UNIT_QUANTS)
check_PROGRAMS += tests/unit/test_encode
tests_unit_test_encode_LDADD = $(UNIT_QUANTS) -lm
check_PROGRAMS += tests/unit/test_quants
tests_unit_test_quants_LDADD = $(UNIT_QUANTS) -lm
EXTRA_DIST += tests/golden/make_codebooks.py tests/golden/make_quants.py tests/golden/quants.bin tests/golden/README.md
