# src/quants: block formats and their exact decoders.
#
# A new source is one line:    %C%_libquants_a_SOURCES += %D%/FILE.c %D%/FILE.h
# A new unit test is two:      check_PROGRAMS += tests/unit/test_FILE
#                              tests_unit_test_FILE_LDADD = $(UNIT_QUANTS)

noinst_LIBRARIES += %D%/libquants.a
%C%_libquants_a_SOURCES =
%C%_libquants_a_SOURCES += %D%/blocks32.c %D%/blocks32.h
%C%_libquants_a_SOURCES += %D%/half.h
%C%_libquants_a_SOURCES += %D%/plain.c %D%/plain.h
%C%_libquants_a_SOURCES += %D%/quants.c %D%/quants.h
%C%_libquants_a_SOURCES += %D%/superblocks.c %D%/superblocks.h

check_PROGRAMS += tests/unit/test_quants
tests_unit_test_quants_LDADD = $(UNIT_QUANTS) -lm
EXTRA_DIST += tests/golden/make_quants.py tests/golden/quants.bin tests/golden/README.md
