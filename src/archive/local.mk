# src/archive: the HDF5 file: the only room with HDF5.
#
# A new source is one line:    %C%_libarchive_a_SOURCES += %D%/FILE.c %D%/FILE.h
# A new unit test is two:      check_PROGRAMS += tests/unit/test_FILE
#                              tests_unit_test_FILE_LDADD = $(UNIT_ARCHIVE)

noinst_LIBRARIES += %D%/libarchive.a
%C%_libarchive_a_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS)
%C%_libarchive_a_SOURCES =
%C%_libarchive_a_SOURCES += %D%/archive_facts.c %D%/archive_facts.h
%C%_libarchive_a_SOURCES += %D%/archive_match.c %D%/archive_match.h %D%/archive_sum.c %D%/archive_sum.h
%C%_libarchive_a_SOURCES += %D%/archive_guard.c %D%/archive_guard.h %D%/guard_process.c %D%/guard_wire.c %D%/guard_wire.h
%C%_libarchive_a_SOURCES += %D%/archive_reader.c %D%/archive_reader.h %D%/archive_seal.c %D%/archive_seal.h
%C%_libarchive_a_SOURCES += %D%/archive_source.c %D%/archive_source.h
%C%_libarchive_a_SOURCES += %D%/archive_writer.c %D%/archive_writer.h
%C%_libarchive_a_SOURCES += %D%/attributes.c %D%/attributes.h
%C%_libarchive_a_SOURCES += %D%/facts_io.c %D%/facts_io.h
%C%_libarchive_a_SOURCES += %D%/hdf5_fault.c %D%/hdf5_fault.h
%C%_libarchive_a_SOURCES += %D%/layout.c %D%/layout.h
%C%_libarchive_a_SOURCES += %D%/prompt_set.c %D%/prompt_set.h
%C%_libarchive_a_SOURCES += %D%/schema.c %D%/schema.h

check_PROGRAMS += tests/unit/test_archive_reader
tests_unit_test_archive_reader_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) -I$(top_srcdir)/tests
tests_unit_test_archive_reader_LDADD = $(UNIT_ARCHIVE_SAMPLE)
check_PROGRAMS += tests/unit/test_archive_guard
tests_unit_test_archive_guard_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(ZLIB_CFLAGS) -I$(top_srcdir)/tests
tests_unit_test_archive_guard_LDADD = $(UNIT_ARCHIVE_SAMPLE) $(ZLIB_LIBS)
check_PROGRAMS += tests/unit/test_archive_writer
tests_unit_test_archive_writer_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_archive_writer_LDADD = $(UNIT_ARCHIVE_SAMPLE)
check_PROGRAMS += tests/unit/test_archive_same
tests_unit_test_archive_same_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) -I$(top_srcdir)/tests
tests_unit_test_archive_same_LDADD = $(UNIT_ARCHIVE_SAMPLE)
check_PROGRAMS += tests/unit/test_prompt_set
tests_unit_test_prompt_set_LDADD = $(UNIT_ARCHIVE)

# An invented archive, and the comparison of two: for tests here and of programs.
check_LIBRARIES += tests/archive/libsample.a
tests_archive_libsample_a_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS)
tests_archive_libsample_a_SOURCES = tests/archive/sample.c tests/archive/sample.h tests/archive/same.c tests/archive/same.h
UNIT_ARCHIVE_SAMPLE = tests/archive/libsample.a $(UNIT_ARCHIVE)

noinst_PROGRAMS += tests/archive/make_archive tests/archive/archive_same
tests_archive_make_archive_LDADD = tests/archive/libsample.a $(LINK_ARCHIVE)
tests_archive_archive_same_LDADD = tests/archive/libsample.a $(LINK_ARCHIVE)
SHELL_TESTS += tests/python/package.t
LONG_TESTS += tests/python/notebook.t
EXTRA_DIST += python/profile.ipynb python/run_notebook.py
EXTRA_DIST += python/pyproject.toml python/README.md python/phi3sat/__init__.py python/phi3sat/archive.py
EXTRA_DIST += python/phi3sat/version.py python/tests/test_phi3sat.py
SHELL_TESTS += tests/readers/readers.t tests/readers/saturated.t tests/readers/schema.t
EXTRA_DIST += tests/readers/schema.py tests/readers/saturated.py tests/readers/saturated.R tests/readers/saturated.m tests/readers/saturated.awk
EXTRA_DIST += tests/readers/readers.py docs/archive.md
check_PROGRAMS += tests/unit/test_schema
tests_unit_test_schema_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS)
tests_unit_test_schema_LDADD = $(UNIT_ARCHIVE)
check_PROGRAMS += tests/unit/test_archive_memory
tests_unit_test_archive_memory_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_archive_memory_LDADD = $(UNIT_ARCHIVE_SAMPLE)
tests_unit_test_archive_memory_LDFLAGS = $(AM_LDFLAGS) $(FAILING_MEMORY)
check_PROGRAMS += tests/unit/test_archive_match
tests_unit_test_archive_match_LDADD = $(UNIT_ARCHIVE)
