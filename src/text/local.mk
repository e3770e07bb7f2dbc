# src/text: tokenizers, chat formats, prompt sources.
#
# A new source is one line:    %C%_libtext_a_SOURCES += %D%/FILE.c %D%/FILE.h
# A new unit test is two:      check_PROGRAMS += tests/unit/test_FILE
#                              tests_unit_test_FILE_LDADD = $(UNIT_TEXT)

noinst_LIBRARIES += %D%/libtext.a
%C%_libtext_a_CPPFLAGS = $(AM_CPPFLAGS) $(PCRE2_CFLAGS)
%C%_libtext_a_SOURCES =
%C%_libtext_a_SOURCES += %D%/bytelevel.c %D%/bytelevel.h
%C%_libtext_a_SOURCES += %D%/merge.c %D%/merge.h
%C%_libtext_a_SOURCES += %D%/pretokenize.c %D%/pretokenize.h
%C%_libtext_a_SOURCES += %D%/prompts.c %D%/prompts.h
%C%_libtext_a_SOURCES += %D%/sentencepiece.c %D%/sentencepiece.h
%C%_libtext_a_SOURCES += %D%/special.c %D%/special.h
%C%_libtext_a_SOURCES += %D%/string_table.c %D%/string_table.h
%C%_libtext_a_SOURCES += %D%/token_list.c %D%/token_list.h
%C%_libtext_a_SOURCES += %D%/tokenizer.c %D%/tokenizer.h
%C%_libtext_a_SOURCES += %D%/utf8.c %D%/utf8.h
%C%_libtext_a_SOURCES += %D%/vocabulary.c %D%/vocabulary.h
%C%_libtext_a_SOURCES += %D%/prompt_file.c %D%/prompt_file.h
