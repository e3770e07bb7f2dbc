# src/text: tokenizers, chat formats, prompt sources.
#
# A new source is one line:    %C%_libtext_a_SOURCES += %D%/FILE.c %D%/FILE.h
# A new unit test is two:      check_PROGRAMS += tests/unit/test_FILE
#                              tests_unit_test_FILE_LDADD = $(UNIT_TEXT)

noinst_LIBRARIES += %D%/libtext.a
%C%_libtext_a_CPPFLAGS = $(AM_CPPFLAGS) $(PCRE2_CFLAGS)
%C%_libtext_a_SOURCES =
%C%_libtext_a_SOURCES += %D%/bytelevel.c %D%/bytelevel.h
%C%_libtext_a_SOURCES += %D%/pair_merge.c %D%/pair_merge.h
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
check_PROGRAMS += tests/unit/test_pair_merge
tests_unit_test_pair_merge_LDADD = $(UNIT_TEXT)
check_PROGRAMS += tests/unit/test_pretokenize
tests_unit_test_pretokenize_LDADD = $(UNIT_TEXT)
check_PROGRAMS += tests/unit/test_prompts
tests_unit_test_prompts_LDADD = $(UNIT_TEXT)
check_PROGRAMS += tests/unit/test_tokenizer
tests_unit_test_tokenizer_LDADD = $(UNIT_TEXT)
check_PROGRAMS += tests/unit/test_tokenizer_goldens
tests_unit_test_tokenizer_goldens_LDADD = $(UNIT_TEXT)
check_PROGRAMS += tests/unit/test_utf8
tests_unit_test_utf8_LDADD = $(UNIT_TEXT)
EXTRA_DIST += docs/tokenizers.md
EXTRA_DIST += tests/golden/make_tokenizer.py tests/golden/tokenizer-spm.gguf tests/golden/tokenizer-bpe.gguf tests/golden/tokenizer.txt
SHELL_TESTS += tests/cli/tokenize/basics.t
