# src/text: tokenizers, chat formats, prompt sources.
#
# A new source is one line:    %C%_libtext_a_SOURCES += %D%/FILE.c %D%/FILE.h
# A new unit test is two:      check_PROGRAMS += tests/unit/test_FILE
#                              tests_unit_test_FILE_LDADD = $(UNIT_TEXT)

noinst_LIBRARIES += %D%/libtext.a
%C%_libtext_a_CPPFLAGS = $(AM_CPPFLAGS) $(PCRE2_CFLAGS)
%C%_libtext_a_SOURCES =
