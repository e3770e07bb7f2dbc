# src/base: errors, memory, files, options, log, clock, random numbers, threads.
#
# A new source is one line:    %C%_libbase_a_SOURCES += %D%/FILE.c %D%/FILE.h
# A new unit test is two:      check_PROGRAMS += tests/unit/test_FILE
#                              tests_unit_test_FILE_LDADD = $(UNIT_BASE)

noinst_LIBRARIES += %D%/libbase.a
%C%_libbase_a_CPPFLAGS = $(AM_CPPFLAGS) $(HWLOC_CFLAGS)
%C%_libbase_a_SOURCES =
%C%_libbase_a_SOURCES += %D%/caches.c %D%/caches.h
%C%_libbase_a_SOURCES += %D%/cursor.c %D%/cursor.h
%C%_libbase_a_SOURCES += %D%/descriptors.c %D%/descriptors.h
%C%_libbase_a_SOURCES += %D%/error.c %D%/error.h
%C%_libbase_a_SOURCES += %D%/escape.c %D%/escape.h
%C%_libbase_a_SOURCES += %D%/machine.c %D%/machine.h
%C%_libbase_a_SOURCES += %D%/mapping.c %D%/mapping.h
%C%_libbase_a_SOURCES += %D%/mapping_guard.c %D%/mapping_guard.h
%C%_libbase_a_SOURCES += %D%/memory.c %D%/memory.h
%C%_libbase_a_SOURCES += %D%/clock.c %D%/clock.h
%C%_libbase_a_SOURCES += %D%/log.c %D%/log.h
%C%_libbase_a_SOURCES += %D%/json.c %D%/json.h
%C%_libbase_a_SOURCES += %D%/options.c %D%/options.h
%C%_libbase_a_SOURCES += %D%/signals.c %D%/signals.h
%C%_libbase_a_SOURCES += %D%/random.c %D%/random.h
%C%_libbase_a_SOURCES += %D%/resources.c %D%/resources.h
%C%_libbase_a_SOURCES += %D%/temporaries.c %D%/temporaries.h
%C%_libbase_a_SOURCES += %D%/threads.c %D%/threads.h
%C%_libbase_a_SOURCES += %D%/outfile.c %D%/outfile.h
check_PROGRAMS += tests/unit/test_outfile
tests_unit_test_outfile_LDADD = $(UNIT_BASE)
tests_unit_test_outfile_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fsync,--wrap=rename

# What a test links that makes the nth allocation fail: tests/unit/failing_memory.h.
FAILING_MEMORY = -Wl,--wrap=aligned_alloc,--wrap=free
EXTRA_DIST += tests/unit/failing_memory.h
check_PROGRAMS += tests/unit/test_clock
tests_unit_test_clock_LDADD = $(UNIT_BASE)
check_PROGRAMS += tests/unit/test_cursor
tests_unit_test_cursor_LDADD = $(UNIT_BASE)
check_PROGRAMS += tests/unit/test_error
tests_unit_test_error_LDADD = $(UNIT_BASE)
check_PROGRAMS += tests/unit/test_escape
tests_unit_test_escape_LDADD = $(UNIT_BASE)
check_PROGRAMS += tests/unit/test_json
tests_unit_test_json_LDADD = $(UNIT_BASE)
check_PROGRAMS += tests/unit/test_log
tests_unit_test_log_LDADD = $(UNIT_BASE)
check_PROGRAMS += tests/unit/test_machine
tests_unit_test_machine_LDADD = $(UNIT_BASE)
check_PROGRAMS += tests/unit/test_mapping
tests_unit_test_mapping_LDADD = $(UNIT_BASE)
tests_unit_test_mapping_LDFLAGS = $(AM_LDFLAGS) $(FAILING_MEMORY)
check_PROGRAMS += tests/unit/test_memory
tests_unit_test_memory_LDADD = $(UNIT_BASE)
tests_unit_test_memory_LDFLAGS = $(AM_LDFLAGS) $(FAILING_MEMORY)
check_PROGRAMS += tests/unit/test_options
tests_unit_test_options_LDADD = $(UNIT_BASE)
check_PROGRAMS += tests/unit/test_random
tests_unit_test_random_LDADD = $(UNIT_BASE) -lm
check_PROGRAMS += tests/unit/test_resources
tests_unit_test_resources_LDADD = $(UNIT_BASE)
check_PROGRAMS += tests/unit/test_signals
tests_unit_test_signals_LDADD = $(UNIT_BASE)
check_PROGRAMS += tests/unit/test_threads
tests_unit_test_threads_LDADD = $(UNIT_BASE)
