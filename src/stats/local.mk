# src/stats: accumulators, moments, criteria, summary.
#
# A new source is one line:    %C%_libstats_a_SOURCES += %D%/FILE.c %D%/FILE.h
# A new unit test is two:      check_PROGRAMS += tests/unit/test_FILE
#                              tests_unit_test_FILE_LDADD = $(UNIT_STATS)

noinst_LIBRARIES += %D%/libstats.a
%C%_libstats_a_SOURCES =
# A fold meets every neuron of every prompt: half the time of -O2.
%C%_libstats_a_CFLAGS = $(AM_CFLAGS) -O3
%C%_libstats_a_SOURCES += %D%/sums.c %D%/sums.h %D%/wide.c %D%/wide.h
%C%_libstats_a_SOURCES += %D%/accumulator.c %D%/accumulator.h %D%/moments.c %D%/moments.h
%C%_libstats_a_SOURCES += %D%/metrics.c %D%/metrics.h %D%/criteria.c %D%/criteria.h
%C%_libstats_a_SOURCES += %D%/summary.c %D%/summary.h
