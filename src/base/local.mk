# src/base: errors, memory, files, options, log, clock, random numbers, threads.
#
# A new source is one line:    %C%_libbase_a_SOURCES += %D%/FILE.c %D%/FILE.h
# A new unit test is two:      check_PROGRAMS += tests/unit/test_FILE
#                              tests_unit_test_FILE_LDADD = $(UNIT_BASE)

noinst_LIBRARIES += %D%/libbase.a
%C%_libbase_a_SOURCES =
%C%_libbase_a_SOURCES += %D%/cursor.c %D%/cursor.h
%C%_libbase_a_SOURCES += %D%/error.c %D%/error.h
%C%_libbase_a_SOURCES += %D%/mapping.c %D%/mapping.h
%C%_libbase_a_SOURCES += %D%/memory.c %D%/memory.h
%C%_libbase_a_SOURCES += %D%/clock.c %D%/clock.h
%C%_libbase_a_SOURCES += %D%/log.c %D%/log.h
%C%_libbase_a_SOURCES += %D%/options.c %D%/options.h
%C%_libbase_a_SOURCES += %D%/threads.c %D%/threads.h
%C%_libbase_a_SOURCES += %D%/outfile.c %D%/outfile.h
check_PROGRAMS += tests/unit/test_outfile
tests_unit_test_outfile_LDADD = $(UNIT_BASE)
