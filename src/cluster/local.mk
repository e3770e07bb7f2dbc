# src/cluster: ranks: the only room with MPI beside main.c.
#
# A new source is one line:    %C%_libcluster_a_SOURCES += %D%/FILE.c %D%/FILE.h
# A new unit test is two:      check_PROGRAMS += tests/unit/test_FILE
#                              tests_unit_test_FILE_LDADD = $(UNIT_CLUSTER)

noinst_LIBRARIES += %D%/libcluster.a
%C%_libcluster_a_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
%C%_libcluster_a_SOURCES =
%C%_libcluster_a_SOURCES += %D%/ranks.c %D%/ranks.h %D%/merge.c %D%/merge.h %D%/collector.c %D%/collector.h
%C%_libcluster_a_SOURCES += %D%/sources.c %D%/sources.h
%C%_libcluster_a_SOURCES += %D%/pace.c %D%/pace.h %D%/pace_measure.c %D%/link.c %D%/link.h %D%/simulate.c %D%/simulate.h
%C%_libcluster_a_SOURCES += %D%/foundation.c %D%/foundation.h
%C%_libcluster_a_SOURCES += %D%/checkpoint.c %D%/checkpoint.h %D%/orders.c %D%/orders.h
%C%_libcluster_a_SOURCES += %D%/partial.c %D%/partial.h %D%/drain.c %D%/drain.h
%C%_libcluster_a_SOURCES += %D%/intake.c %D%/intake.h %D%/schedule.c %D%/schedule.h %D%/batches.c %D%/batches.h
%C%_libcluster_a_SOURCES += %D%/grid.c %D%/grid.h %D%/pipeline.c %D%/pipeline.h %D%/waiting.c %D%/waiting.h
%C%_libcluster_a_SOURCES += %D%/alike.c %D%/alike.h
%C%_libcluster_a_SOURCES += %D%/nodes.c %D%/nodes.h
%C%_libcluster_a_SOURCES += %D%/watch.c %D%/watch.h %D%/beats.c %D%/beats.h %D%/beats_connect.c
%C%_libcluster_a_SOURCES += %D%/test_hooks.c %D%/test_hooks.h
check_PROGRAMS += tests/unit/test_grid
tests_unit_test_grid_LDADD = $(UNIT_CLUSTER)
check_PROGRAMS += tests/unit/test_schedule
tests_unit_test_schedule_LDADD = $(UNIT_CLUSTER)
check_PROGRAMS += tests/unit/test_simulate
tests_unit_test_simulate_LDADD = $(UNIT_CLUSTER)
check_PROGRAMS += tests/unit/test_beats
tests_unit_test_beats_LDADD = $(UNIT_CLUSTER)
check_PROGRAMS += tests/unit/test_nodes
tests_unit_test_nodes_LDADD = $(UNIT_CLUSTER)
check_PROGRAMS += tests/unit/test_orders
tests_unit_test_orders_LDADD = $(UNIT_CLUSTER)
