# tests/fuzz - fuzz targets, what they share, and their tests.
#
# A new target NAME is three lines, and its seeds in make_seeds.sh:
#     noinst_PROGRAMS += %D%/fuzz_NAME
#     tests_fuzz_fuzz_NAME_LDFLAGS = $(FUZZ_LINK)
#     tests_fuzz_fuzz_NAME_LDADD = $(FUZZ_LIBS) $(LINK_COMMANDS)
# configure --with-fuzz-engine=-fsanitize=fuzzer puts libFuzzer in the place of replay.c: tests/fuzz/campaign.

noinst_LIBRARIES += %D%/libfuzz.a
%C%_libfuzz_a_SOURCES = %D%/fuzz.c %D%/fuzz.h %D%/held_memory.c %D%/held_memory.h
%C%_libfuzz_a_SOURCES += %D%/mutate.c %D%/mutate_json.c %D%/mutate.h
if FUZZ_ENGINE
FUZZ_MAIN =
else
noinst_LIBRARIES += %D%/libreplay.a
%C%_libreplay_a_SOURCES = %D%/replay.c
FUZZ_MAIN = tests/fuzz/libreplay.a
endif
FUZZ_LIBS = $(FUZZ_MAIN) tests/fuzz/libfuzz.a
FUZZ_LINK = $(AM_LDFLAGS) $(FUZZ_ENGINE) -Wl,--wrap=aligned_alloc,--wrap=free

# Model files.
noinst_PROGRAMS += %D%/fuzz_gguf
%C%_fuzz_gguf_SOURCES = %D%/fuzz_gguf.c %D%/gguf_mutate.c %D%/gguf_mutate.h %D%/model_oracle.c %D%/model_oracle.h
%C%_fuzz_gguf_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_gguf_LDADD = $(FUZZ_LIBS) $(LINK_COMMANDS)
noinst_PROGRAMS += %D%/fuzz_knot
%C%_fuzz_knot_SOURCES = %D%/fuzz_knot.c %D%/gguf_mutate.c %D%/model_oracle.c
%C%_fuzz_knot_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_knot_LDADD = $(FUZZ_LIBS) $(LINK_COMMANDS)
noinst_PROGRAMS += %D%/fuzz_forward
%C%_fuzz_forward_SOURCES = %D%/fuzz_forward.c %D%/gguf_mutate.c
%C%_fuzz_forward_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_forward_LDADD = $(FUZZ_LIBS) $(LINK_MODEL)
noinst_PROGRAMS += %D%/fuzz_config
%C%_fuzz_config_SOURCES = %D%/fuzz_config.c %D%/hf_tiny.c %D%/hf_tiny.h %D%/model_oracle.c
%C%_fuzz_config_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_config_LDADD = $(FUZZ_LIBS) $(LINK_COMMANDS)
noinst_PROGRAMS += %D%/fuzz_safetensors
%C%_fuzz_safetensors_SOURCES = %D%/fuzz_safetensors.c %D%/hf_tiny.c %D%/model_oracle.c
%C%_fuzz_safetensors_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_safetensors_LDADD = $(FUZZ_LIBS) $(LINK_COMMANDS)
noinst_PROGRAMS += %D%/fuzz_folder
%C%_fuzz_folder_SOURCES = %D%/fuzz_folder.c %D%/hf_tiny.c %D%/model_oracle.c
%C%_fuzz_folder_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_folder_LDADD = $(FUZZ_LIBS) $(LINK_COMMANDS)
noinst_PROGRAMS += %D%/fuzz_tokenizer_json
%C%_fuzz_tokenizer_json_SOURCES = %D%/fuzz_tokenizer_json.c %D%/hf_tiny.c %D%/model_oracle.c
%C%_fuzz_tokenizer_json_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_tokenizer_json_LDADD = $(FUZZ_LIBS) $(LINK_COMMANDS)
noinst_PROGRAMS += %D%/fuzz_tokenizer_model
%C%_fuzz_tokenizer_model_SOURCES = %D%/fuzz_tokenizer_model.c %D%/hf_tiny.c %D%/model_oracle.c
%C%_fuzz_tokenizer_model_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_tokenizer_model_LDADD = $(FUZZ_LIBS) $(LINK_COMMANDS)

# A target that breaks all rules: do the rules hold?
if !FUZZ_ENGINE
noinst_PROGRAMS += %D%/trip
%C%_trip_LDFLAGS = $(FUZZ_LINK)
%C%_trip_LDADD = $(FUZZ_LIBS) $(LINK_BASE)
endif
SHELL_TESTS += tests/fuzz/harness.t tests/fuzz/replay.t
LONG_TESTS += tests/fuzz/mutants.t
EXTRA_DIST += %D%/found %D%/make_seeds.sh %D%/seeds_models.sh %D%/join_parts.py %D%/fuzz.sh %D%/campaign

# Archives and checkpoints.
noinst_PROGRAMS += %D%/fuzz_archive
%C%_fuzz_archive_SOURCES = %D%/fuzz_archive.c %D%/archive_oracle.c %D%/archive_oracle.h %D%/hdf5_mutate.c %D%/hdf5_mutate.h
%C%_fuzz_archive_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_archive_LDADD = $(FUZZ_LIBS) $(LINK_ARCHIVE)
noinst_PROGRAMS += %D%/fuzz_checkpoint
%C%_fuzz_checkpoint_SOURCES = %D%/fuzz_checkpoint.c %D%/archive_oracle.c %D%/hdf5_mutate.c
%C%_fuzz_checkpoint_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_checkpoint_LDADD = $(FUZZ_LIBS) $(LINK_ARCHIVE)

# Why they are read in a process of its own: run by hand.
noinst_PROGRAMS += %D%/hdf5_alone
%C%_hdf5_alone_SOURCES = %D%/hdf5_alone.c %D%/archive_oracle.c %D%/hdf5_mutate.c
%C%_hdf5_alone_LDFLAGS = $(FUZZ_LINK)
%C%_hdf5_alone_LDADD = tests/fuzz/libfuzz.a $(LINK_ARCHIVE)

# Prompts, token ids, criteria, command lines.
noinst_PROGRAMS += %D%/fuzz_prompts
%C%_fuzz_prompts_SOURCES = %D%/fuzz_prompts.c %D%/prompts_oracle.c %D%/prompts_oracle.h
%C%_fuzz_prompts_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_prompts_LDADD = $(FUZZ_LIBS) $(LINK_TEXT)
noinst_PROGRAMS += %D%/fuzz_packed
%C%_fuzz_packed_SOURCES = %D%/fuzz_packed.c %D%/prompts_oracle.c
%C%_fuzz_packed_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_packed_LDADD = $(FUZZ_LIBS) $(LINK_TEXT)
noinst_PROGRAMS += %D%/fuzz_tokens
%C%_fuzz_tokens_SOURCES = %D%/fuzz_tokens.c %D%/prompts_oracle.c
%C%_fuzz_tokens_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_tokens_LDADD = $(FUZZ_LIBS) $(LINK_TEXT)
noinst_PROGRAMS += %D%/fuzz_expression
%C%_fuzz_expression_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_expression_LDADD = $(FUZZ_LIBS) $(LINK_STATS)
noinst_PROGRAMS += %D%/fuzz_options
%C%_fuzz_options_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_options_LDADD = $(FUZZ_LIBS) $(LINK_COMMANDS)

EXTRA_DIST += %D%/seeds_archives.sh %D%/seeds_texts.sh
