# src/commands: one file a subcommand.
#
# A new source is one line:    %C%_libcommands_a_SOURCES += %D%/FILE.c %D%/FILE.h
# A new unit test is two:      check_PROGRAMS += tests/unit/test_FILE
#                              tests_unit_test_FILE_LDADD = $(UNIT_COMMANDS)

noinst_LIBRARIES += %D%/libcommands.a
%C%_libcommands_a_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
%C%_libcommands_a_SOURCES =
%C%_libcommands_a_SOURCES += %D%/tokenize.c %D%/tokenize.h
%C%_libcommands_a_SOURCES += %D%/program.c %D%/program.h %D%/profile.c %D%/profile.h
%C%_libcommands_a_SOURCES += %D%/profile_options.c %D%/profile_options.h %D%/profile_results.c %D%/profile_results.h
%C%_libcommands_a_SOURCES += %D%/profile_outputs.c %D%/profile_outputs.h
EXTRA_DIST += tests/golden/make_pieces.py
