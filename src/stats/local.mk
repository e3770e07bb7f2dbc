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
%C%_libstats_a_SOURCES += %D%/student.c %D%/student.h %D%/contrast.c %D%/contrast.h %D%/sureness.c %D%/sureness.h
%C%_libstats_a_SOURCES += %D%/expression.c %D%/expression.h %D%/gain.c %D%/gain.h
%C%_libstats_a_SOURCES += %D%/spread.c %D%/spread.h %D%/what_if.c %D%/what_if.h

EXTRA_DIST += tests/unit/reference_sums.h
check_PROGRAMS += tests/unit/test_wide
tests_unit_test_wide_LDADD = $(UNIT_STATS)
check_PROGRAMS += tests/unit/test_accumulator
tests_unit_test_accumulator_LDADD = $(UNIT_STATS)
tests_unit_test_accumulator_LDFLAGS = $(AM_LDFLAGS) $(FAILING_MEMORY)
check_PROGRAMS += tests/unit/test_moments
tests_unit_test_moments_LDADD = $(UNIT_STATS)
check_PROGRAMS += tests/unit/test_metrics
tests_unit_test_metrics_LDADD = $(UNIT_STATS)
tests_unit_test_metrics_LDFLAGS = $(AM_LDFLAGS) $(FAILING_MEMORY)
check_PROGRAMS += tests/unit/test_criteria
tests_unit_test_criteria_LDADD = $(UNIT_STATS)
tests_unit_test_criteria_LDFLAGS = $(AM_LDFLAGS) $(FAILING_MEMORY)
check_PROGRAMS += tests/unit/test_sureness
tests_unit_test_sureness_LDADD = $(UNIT_STATS)
tests_unit_test_sureness_LDFLAGS = $(AM_LDFLAGS) $(FAILING_MEMORY)
# The simulation of intervals and comparisons; run by hand, see docs/methods.md.
noinst_PROGRAMS += tests/bench/coverage
tests_bench_coverage_LDADD = $(LINK_STATS)
EXTRA_DIST += tests/bench/intervals
check_PROGRAMS += tests/unit/test_expression
tests_unit_test_expression_LDADD = $(UNIT_STATS)
tests_unit_test_expression_LDFLAGS = $(AM_LDFLAGS) $(FAILING_MEMORY)
check_PROGRAMS += tests/unit/test_gain
tests_unit_test_gain_LDADD = $(UNIT_STATS)
check_PROGRAMS += tests/unit/test_student
tests_unit_test_student_LDADD = $(UNIT_STATS)
check_PROGRAMS += tests/unit/test_contrast
tests_unit_test_contrast_LDADD = $(UNIT_STATS)
check_PROGRAMS += tests/unit/test_spread tests/unit/test_what_if
tests_unit_test_spread_LDADD = $(UNIT_STATS)
tests_unit_test_what_if_LDADD = $(UNIT_STATS)
tests_unit_test_what_if_LDFLAGS = $(AM_LDFLAGS) $(FAILING_MEMORY)
check_PROGRAMS += tests/unit/test_summary
tests_unit_test_summary_LDADD = $(UNIT_STATS)
