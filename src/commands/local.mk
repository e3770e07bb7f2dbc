# src/commands: one file a subcommand.
#
# A new source is one line:    %C%_libcommands_a_SOURCES += %D%/FILE.c %D%/FILE.h
# A new unit test is two:      check_PROGRAMS += tests/unit/test_FILE
#                              tests_unit_test_FILE_LDADD = $(UNIT_COMMANDS)

noinst_LIBRARIES += %D%/libcommands.a
%C%_libcommands_a_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
%C%_libcommands_a_SOURCES =
%C%_libcommands_a_SOURCES += %D%/bench.c %D%/bench.h %D%/bench_kernels.c %D%/bench_kernels.h
%C%_libcommands_a_SOURCES += %D%/bench_lists.c %D%/bench_lists.h %D%/bench_roof.c %D%/bench_roof.h
%C%_libcommands_a_SOURCES += %D%/inspect.c %D%/inspect.h %D%/inspect_archive.c %D%/inspect_archive.h
%C%_libcommands_a_SOURCES += %D%/inspect_model.c %D%/inspect_model.h %D%/inspect_use.c %D%/inspect_use.h
%C%_libcommands_a_SOURCES += %D%/merge.c %D%/merge.h %D%/merge_run.c %D%/merge_run.h
%C%_libcommands_a_SOURCES += %D%/model_words.c %D%/model_words.h
%C%_libcommands_a_SOURCES += %D%/prompts.c %D%/prompts.h
%C%_libcommands_a_SOURCES += %D%/tokenize.c %D%/tokenize.h
%C%_libcommands_a_SOURCES += %D%/program.c %D%/program.h %D%/profile.c %D%/profile.h
%C%_libcommands_a_SOURCES += %D%/profile_options.c %D%/profile_options.h %D%/profile_results.c %D%/profile_results.h
%C%_libcommands_a_SOURCES += %D%/profile_outputs.c %D%/profile_outputs.h %D%/profile_prompts.c %D%/profile_prompts.h
%C%_libcommands_a_SOURCES += %D%/synth.c %D%/synth.h %D%/synth_plants.c %D%/synth_plants.h
%C%_libcommands_a_SOURCES += %D%/synth_pieces.c %D%/synth_pieces.h %D%/synth_rows.c %D%/synth_rows.h
%C%_libcommands_a_SOURCES += %D%/synth_shape.c %D%/synth_shape.h %D%/synth_vocabulary.c %D%/synth_vocabulary.h
check_PROGRAMS += tests/unit/test_bench_lists
tests_unit_test_bench_lists_LDADD = $(UNIT_COMMANDS)
check_PROGRAMS += tests/unit/test_synth_rows tests/unit/test_synth_vocabulary
tests_unit_test_synth_rows_LDADD = $(UNIT_COMMANDS)
tests_unit_test_synth_vocabulary_LDADD = $(UNIT_COMMANDS)
SHELL_TESTS += tests/cli/synth/basics.t tests/cli/synth/planted.t
LONG_TESTS += tests/cli/synth/llama.t
EXTRA_DIST += tests/golden/make_pieces.py tests/golden/logits.py tests/cli/synth/planted.py docs/synth.md
SHELL_TESTS += tests/cli/profile/made.t
SHELL_TESTS += tests/cli/inspect/model.t
SHELL_TESTS += tests/cli/inspect/archive.t
SHELL_TESTS += tests/cli/inspect/hostile.t
SHELL_TESTS += tests/cli/inspect/memory.t
EXTRA_DIST += tests/cli/inspect/odd_models.py docs/inspect.md
