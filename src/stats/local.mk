# src/stats: accumulators, moments, criteria, summary.
#
# A new source is one line:    %C%_libstats_a_SOURCES += %D%/FILE.c %D%/FILE.h
# A new unit test is two:      check_PROGRAMS += tests/unit/test_FILE
#                              tests_unit_test_FILE_LDADD = $(UNIT_STATS)

noinst_LIBRARIES += %D%/libstats.a
%C%_libstats_a_SOURCES =
