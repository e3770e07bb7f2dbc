# src/archive: the HDF5 file: the only room with HDF5.
#
# A new source is one line:    %C%_libarchive_a_SOURCES += %D%/FILE.c %D%/FILE.h
# A new unit test is two:      check_PROGRAMS += tests/unit/test_FILE
#                              tests_unit_test_FILE_LDADD = $(UNIT_ARCHIVE)

noinst_LIBRARIES += %D%/libarchive.a
%C%_libarchive_a_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS)
%C%_libarchive_a_SOURCES =
%C%_libarchive_a_SOURCES += %D%/archive_facts.c %D%/archive_facts.h
%C%_libarchive_a_SOURCES += %D%/archive_reader.c %D%/archive_reader.h
%C%_libarchive_a_SOURCES += %D%/archive_writer.c %D%/archive_writer.h
%C%_libarchive_a_SOURCES += %D%/attributes.c %D%/attributes.h
%C%_libarchive_a_SOURCES += %D%/facts_io.c %D%/facts_io.h
%C%_libarchive_a_SOURCES += %D%/hdf5_fault.c %D%/hdf5_fault.h
%C%_libarchive_a_SOURCES += %D%/layout.c %D%/layout.h
%C%_libarchive_a_SOURCES += %D%/prompt_set.c %D%/prompt_set.h
%C%_libarchive_a_SOURCES += %D%/schema.c %D%/schema.h
