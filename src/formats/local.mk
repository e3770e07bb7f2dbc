# src/formats: GGUF, safetensors: one view of keys and tensors.
#
# A new source is one line:    %C%_libformats_a_SOURCES += %D%/FILE.c %D%/FILE.h
# A new unit test is two:      check_PROGRAMS += tests/unit/test_FILE
#                              tests_unit_test_FILE_LDADD = $(UNIT_FORMATS)

noinst_LIBRARIES += %D%/libformats.a
%C%_libformats_a_SOURCES =
%C%_libformats_a_SOURCES += %D%/foreign.c %D%/foreign.h
%C%_libformats_a_SOURCES += %D%/gguf.c %D%/gguf.h
%C%_libformats_a_SOURCES += %D%/gguf_keys.c
%C%_libformats_a_SOURCES += %D%/gguf_split.c
%C%_libformats_a_SOURCES += %D%/gguf_tensors.c
%C%_libformats_a_SOURCES += %D%/gguf_writer.c %D%/gguf_writer.h
%C%_libformats_a_SOURCES += %D%/hf_config.c %D%/hf_config.h
%C%_libformats_a_SOURCES += %D%/hf_folder.c %D%/hf_folder.h
%C%_libformats_a_SOURCES += %D%/hf_json.c %D%/hf_json.h
%C%_libformats_a_SOURCES += %D%/hf_names.c %D%/hf_names.h
%C%_libformats_a_SOURCES += %D%/hf_shards.c %D%/hf_shards.h
%C%_libformats_a_SOURCES += %D%/hf_tokenizer.c %D%/hf_tokenizer.h
%C%_libformats_a_SOURCES += %D%/hf_tokens.c %D%/hf_tokens.h
%C%_libformats_a_SOURCES += %D%/hf_tokens_json.c
%C%_libformats_a_SOURCES += %D%/hf_tokens_model.c
%C%_libformats_a_SOURCES += %D%/made_keys.c %D%/made_keys.h
%C%_libformats_a_SOURCES += %D%/knot.c %D%/knot.h %D%/knot_writer.c %D%/knot_writer.h
%C%_libformats_a_SOURCES += %D%/model_file.c %D%/model_file.h
%C%_libformats_a_SOURCES += %D%/names.c %D%/names.h
%C%_libformats_a_SOURCES += %D%/safetensors.c %D%/safetensors.h
%C%_libformats_a_SOURCES += %D%/view.c %D%/view.h
EXTRA_DIST += tests/golden/make_tiny.py

check_PROGRAMS += tests/unit/test_foreign tests/unit/test_gguf tests/unit/test_model_file
tests_unit_test_foreign_SOURCES = tests/unit/test_foreign.c tests/unit/gguf_writer.h
tests_unit_test_foreign_LDADD = $(UNIT_FORMATS)
tests_unit_test_gguf_SOURCES = tests/unit/test_gguf.c tests/unit/gguf_writer.h
tests_unit_test_gguf_LDADD = $(UNIT_FORMATS)
tests_unit_test_model_file_SOURCES = tests/unit/test_model_file.c tests/unit/gguf_writer.h
tests_unit_test_model_file_LDADD = $(UNIT_FORMATS)
check_PROGRAMS += tests/unit/test_gguf_split
tests_unit_test_gguf_split_SOURCES = tests/unit/test_gguf_split.c tests/unit/gguf_writer.h
tests_unit_test_gguf_split_LDADD = $(UNIT_FORMATS)
tests_unit_test_gguf_split_LDFLAGS = $(AM_LDFLAGS) $(FAILING_MEMORY)
check_PROGRAMS += tests/unit/test_gguf_writer
tests_unit_test_gguf_writer_LDADD = $(UNIT_FORMATS)
tests_unit_test_gguf_writer_LDFLAGS = $(AM_LDFLAGS) $(FAILING_MEMORY)
check_PROGRAMS += tests/unit/test_knot
tests_unit_test_knot_SOURCES = tests/unit/test_knot.c tests/unit/gguf_writer.h
tests_unit_test_knot_LDADD = $(UNIT_FORMATS)
tests_unit_test_knot_LDFLAGS = $(AM_LDFLAGS) $(FAILING_MEMORY)

SHELL_TESTS += tests/cli/folder/same.t tests/cli/folder/refused.t tests/cli/folder/tokenizer.t
EXTRA_DIST += tests/cli/folder/folder.sh tests/cli/folder/refused.py tests/cli/folder/tokenizer.py tests/golden/make_hf.py
EXTRA_DIST += tests/golden/compare_folder.py tests/golden/folder
