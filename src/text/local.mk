# src/text: tokenizers, chat formats, prompt sources.
#
# A new source is one line:    %C%_libtext_a_SOURCES += %D%/FILE.c %D%/FILE.h
# A new unit test is two:      check_PROGRAMS += tests/unit/test_FILE
#                              tests_unit_test_FILE_LDADD = $(UNIT_TEXT)

noinst_LIBRARIES += %D%/libtext.a
%C%_libtext_a_CPPFLAGS = $(AM_CPPFLAGS) $(PCRE2_CFLAGS) $(UTF8PROC_CFLAGS) $(ZLIB_CFLAGS) $(ZSTD_CFLAGS)
%C%_libtext_a_SOURCES =
%C%_libtext_a_SOURCES += %D%/bytelevel.c %D%/bytelevel.h
%C%_libtext_a_SOURCES += %D%/compose.c %D%/compose.h
%C%_libtext_a_SOURCES += %D%/merges.c %D%/merges.h
%C%_libtext_a_SOURCES += %D%/unigram.c %D%/unigram.h
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
%C%_libtext_a_SOURCES += %D%/chat.c %D%/chat.h
%C%_libtext_a_SOURCES += %D%/conversation.c %D%/conversation.h
%C%_libtext_a_SOURCES += %D%/inflow.c %D%/inflow.h
%C%_libtext_a_SOURCES += %D%/recognise.c %D%/recognise.h
%C%_libtext_a_SOURCES += %D%/scan.c %D%/scan.h
%C%_libtext_a_SOURCES += %D%/spool.c %D%/spool.h
%C%_libtext_a_SOURCES += %D%/text_buffer.c %D%/text_buffer.h
%C%_libtext_a_SOURCES += %D%/token_line.c %D%/token_line.h
%C%_libtext_a_SOURCES += %D%/prompts_open.c
%C%_libtext_a_SOURCES += %D%/grammar.c %D%/grammar.h %D%/grammar_numbers.c %D%/grammar_numbers.h
%C%_libtext_a_SOURCES += %D%/prompt_book.c %D%/prompt_book.h %D%/prompt_draft.c %D%/prompt_draft.h
%C%_libtext_a_SOURCES += %D%/prompt_facts.c %D%/prompt_stories.c %D%/prompt_sums.c
%C%_libtext_a_SOURCES += %D%/prompt_maker.c %D%/prompt_maker.h %D%/prompt_texts.h

# The prompt maker's texts are part of the program.
PROMPT_TEXTS = data/words.txt data/facts.txt data/stories.txt data/sums.txt
nodist_%C%_libtext_a_SOURCES = %D%/prompt_texts.c
CLEANFILES += %D%/prompt_texts.c
EXTRA_DIST += build-aux/embed-texts.sh $(PROMPT_TEXTS) docs/prompts.md
%D%/prompt_texts.c: $(PROMPT_TEXTS) build-aux/embed-texts.sh
	$(AM_V_GEN)$(MKDIR_P) %D% && cd $(srcdir) && \
		$(SHELL) build-aux/embed-texts.sh '$(abs_top_builddir)/%D%/prompt_texts.c' $(PROMPT_TEXTS)

check_PROGRAMS += tests/unit/test_grammar tests/unit/test_prompt_book tests/unit/test_prompt_maker
tests_unit_test_grammar_LDADD = $(UNIT_TEXT)
tests_unit_test_prompt_book_LDADD = $(UNIT_TEXT)
tests_unit_test_prompt_maker_LDADD = $(UNIT_TEXT)
tests_unit_test_prompt_maker_LDFLAGS = $(AM_LDFLAGS) $(FAILING_MEMORY)
SHELL_TESTS += tests/cli/prompts/basics.t tests/cli/prompts/sums.t
EXTRA_DIST += tests/cli/prompts/check_sums.py

check_PROGRAMS += tests/unit/test_chat
tests_unit_test_chat_LDADD = $(UNIT_TEXT)
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
check_PROGRAMS += tests/unit/test_tokenizer_memory
tests_unit_test_tokenizer_memory_LDADD = $(UNIT_TEXT)
tests_unit_test_tokenizer_memory_LDFLAGS = $(AM_LDFLAGS) $(FAILING_MEMORY)
check_PROGRAMS += tests/unit/test_utf8
tests_unit_test_utf8_LDADD = $(UNIT_TEXT)
EXTRA_DIST += docs/tokenizers.md
EXTRA_DIST += tests/golden/make_tokenizer.py tests/golden/tokenizer-spm.gguf tests/golden/tokenizer-bpe.gguf tests/golden/tokenizer.txt
EXTRA_DIST += tests/golden/compare_huggingface.py tests/golden/huggingface.txt tests/golden/tokenizer-untied.gguf
SHELL_TESTS += tests/cli/tokenize/basics.t
EXTRA_DIST += docs/prompt-sources.md tests/golden/make_chat.py tests/golden/chat.jsonl
SHELL_TESTS += tests/cli/tokenize/sources.t tests/cli/tokenize/chat.t tests/mpi/sources.t
LONG_TESTS += tests/cli/tokenize/large.t
