# tests/local.mk - the harness, what unit tests link, and the shell tests.
#
# Unit tests are listed with their room, in src/ROOM/local.mk; shell tests here or there:
#     SHELL_TESTS += tests/cli/COMMAND/CASE.t
# What takes longer than a minute goes to LONG_TESTS (always .t): `make check-long` runs it.
# Both kinds may do more when PHI3SAT_LONG is 1.

check_LIBRARIES += tests/tap/libtap.a
tests_tap_libtap_a_SOURCES = %D%/tap/tap.c %D%/tap/tap.h
tests_tap_libtap_a_CPPFLAGS = $(AM_CPPFLAGS) -DTAP_SOURCE_FOLDER='"$(abs_top_srcdir)"'

UNIT_BASE = tests/tap/libtap.a $(LINK_BASE)
UNIT_QUANTS = tests/tap/libtap.a $(LINK_QUANTS)
UNIT_STATS = tests/tap/libtap.a $(LINK_STATS)
UNIT_FORMATS = tests/tap/libtap.a $(LINK_FORMATS)
UNIT_KERNELS = tests/tap/libtap.a $(LINK_KERNELS)
UNIT_TEXT = tests/tap/libtap.a $(LINK_TEXT)
UNIT_MODEL = tests/tap/libtap.a $(LINK_MODEL)
UNIT_BENCH = tests/tap/libtap.a $(LINK_BENCH)
UNIT_ARCHIVE = tests/tap/libtap.a $(LINK_ARCHIVE)
UNIT_REPORT = tests/tap/libtap.a $(LINK_REPORT)
UNIT_CLUSTER = tests/tap/libtap.a $(LINK_CLUSTER)
UNIT_COMMANDS = tests/tap/libtap.a $(LINK_COMMANDS)

# Every test program sees the harness as "tap.h".
AM_CPPFLAGS += -I$(top_srcdir)/tests/tap

# The harness tests itself, failures and all, so it links nothing of ours.
check_PROGRAMS += tests/tap/test_tap
tests_tap_test_tap_LDADD = tests/tap/libtap.a
SHELL_TESTS += %D%/tap/shell.t

SHELL_TESTS += %D%/lint/layers.t %D%/lint/sizes.t %D%/lint/banned.t %D%/lint/listed.t %D%/lint/shell.t
SHELL_TESTS += %D%/cli/bootstrap/words.t %D%/cli/bootstrap/totals.t %D%/cli/jobs/one-node.t %D%/cli/jobs/launchers.t

# The profiler from end to end; what its tests look into archives with knows HDF5 only.
noinst_PROGRAMS += %D%/cli/profile/archive_values
tests_cli_profile_archive_values_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS)
tests_cli_profile_archive_values_LDADD = $(HDF5_LIBS) -lm
SHELL_TESTS += %D%/cli/profile/architectures.t %D%/cli/profile/phi3_forms.t %D%/mpi/architectures.t
EXTRA_DIST += %D%/cli/profile/phi3_forms.py
EXTRA_DIST += %D%/golden/make_architectures.py %D%/golden/architectures.txt
SHELL_TESTS += %D%/cli/profile/golden.t %D%/cli/profile/outputs.t %D%/cli/profile/unusual.t %D%/cli/profile/progress.t
SHELL_TESTS += %D%/mpi/failures.t %D%/mpi/same.t %D%/mpi/precision.t
SHELL_TESTS += %D%/cli/inspect/split.t %D%/cli/profile/types.t %D%/mpi/forms.t
EXTRA_DIST += %D%/golden/gguf_forms.py
SHELL_TESTS += %D%/mpi/grid.t %D%/mpi/grid_resume.t
SHELL_TESTS += %D%/mpi/merge.t %D%/mpi/append.t %D%/mpi/bench_ffn.t %D%/mpi/bench_lines.t
SHELL_TESTS += %D%/mpi/early.t %D%/mpi/orders.t %D%/mpi/checkpoint.t %D%/mpi/checkpoint_refused.t %D%/mpi/killed.t
SHELL_TESTS += %D%/mpi/ends.t %D%/mpi/knot.t
SHELL_TESTS += %D%/mpi/hosts.t %D%/mpi/hosts_start.t %D%/mpi/nodes.t
EXTRA_DIST += %D%/mpi/hosts.sh
LONG_TESTS += %D%/mpi/partial.t %D%/mpi/deadline.t %D%/mpi/many.t %D%/mpi/slurm.t
EXTRA_DIST += %D%/mpi/slurm.sh %D%/mpi/slurm_requeue.sh

# The program itself, but a call of it fails where a test says so (tests/torture/faults.c).
noinst_PROGRAMS += %D%/torture/phi3sat_failing
tests_torture_phi3sat_failing_SOURCES = src/main.c %D%/torture/faults.c %D%/torture/faults.h \
	%D%/torture/faults_memory.c %D%/torture/faults_files.c
tests_torture_phi3sat_failing_CPPFLAGS = $(phi3sat_CPPFLAGS)
tests_torture_phi3sat_failing_LDFLAGS = $(AM_LDFLAGS) -Wl,--export-dynamic \
	-Wl,--wrap=aligned_alloc,--wrap=free,--wrap=clock_gettime,--wrap=time,--wrap=fdopen,--wrap=fileno
tests_torture_phi3sat_failing_LDADD = $(LINK_COMMANDS)
SHELL_TESTS += %D%/torture/memory.t %D%/torture/mapped.t %D%/torture/files.t %D%/torture/checkpoints.t
SHELL_TESTS += %D%/torture/surroundings.t
EXTRA_DIST += %D%/torture/torture.sh
# Decoders against other people's, on many blocks.
noinst_PROGRAMS += %D%/quants/decode_blocks
tests_quants_decode_blocks_LDADD = $(LINK_QUANTS)
LONG_TESTS += %D%/quants/live.t
EXTRA_DIST += %D%/quants/live.py

# Named corruptions: a table of rows and what is said of each, a table a format.
SHELL_TESTS += %D%/corruptions/gguf.t %D%/corruptions/folder.t %D%/corruptions/knot.t %D%/corruptions/nonfinite.t
SHELL_TESTS += %D%/corruptions/prompts.t %D%/corruptions/archives.t %D%/corruptions/documented.t
EXTRA_DIST += %D%/corruptions/corruptions.sh %D%/corruptions/table.py %D%/corruptions/gguf_bytes.py
EXTRA_DIST += %D%/corruptions/count.py
EXTRA_DIST += %D%/corruptions/gguf.py %D%/corruptions/gguf.txt %D%/corruptions/folder.py %D%/corruptions/folder.txt
EXTRA_DIST += %D%/corruptions/knot.py %D%/corruptions/knot.txt %D%/corruptions/nonfinite.py %D%/corruptions/nonfinite.txt
EXTRA_DIST += %D%/corruptions/prompts.py %D%/corruptions/prompts.txt %D%/corruptions/archives.py %D%/corruptions/archives.txt

# Faults of our own code that the tests must notice: texts.t looks whether they still fit; run plants them, by hand.
SHELL_TESTS += %D%/planted/texts.t
EXTRA_DIST += %D%/planted/run %D%/planted/plant.py
EXTRA_DIST += %D%/planted/batch-forgotten.fault %D%/planted/batch-unsent.fault %D%/planted/bomb-unseen.fault
EXTRA_DIST += %D%/planted/chunk-missing.fault %D%/planted/criterion-edge.fault %D%/planted/cursor-bound.fault
EXTRA_DIST += %D%/planted/error-unescaped.fault %D%/planted/exit-status.fault %D%/planted/first-nonfinite.fault
EXTRA_DIST += %D%/planted/folder-unsynced.fault %D%/planted/fsync-missing.fault %D%/planted/gate-up-swapped.fault
EXTRA_DIST += %D%/planted/gguf-bound.fault %D%/planted/gguf-count.fault %D%/planted/gguf-overlap.fault
EXTRA_DIST += %D%/planted/knot-unchecked.fault %D%/planted/kv-head.fault
EXTRA_DIST += %D%/planted/layer-past-last.fault %D%/planted/locale-kept.fault %D%/planted/lost-tail.fault
EXTRA_DIST += %D%/planted/mask-edge.fault %D%/planted/memory-overflow.fault %D%/planted/merge-forgets.fault
EXTRA_DIST += %D%/planted/merge-order.fault %D%/planted/merge-rank.fault %D%/planted/percent.fault
EXTRA_DIST += %D%/planted/perplexity-end.fault %D%/planted/prompt-dropped.fault %D%/planted/rename-missing.fault
EXTRA_DIST += %D%/planted/rope-shifted.fault %D%/planted/safetensors-bound.fault %D%/planted/scales-swapped.fault
EXTRA_DIST += %D%/planted/second-member.fault %D%/planted/shard-of-prompts.fault %D%/planted/token-outside.fault
EXTRA_DIST += %D%/planted/variance-divisor.fault %D%/planted/window-edge.fault

# Kernels for another processor, run by an emulator; the same forward pass here.
noinst_PROGRAMS += %D%/cross/forward_bits
tests_cross_forward_bits_LDADD = $(LINK_MODEL)
LONG_TESTS += %D%/cross/neon.t %D%/cross/avx512.t
EXTRA_DIST += %D%/cross/plain512/immintrin.h

# Analysers and sanitizers, each with a configuration of ours, and what the tests go through.
LONG_TESTS += %D%/analysis/cppcheck.t %D%/analysis/gcc.t
LONG_TESTS += %D%/analysis/valgrind.t %D%/analysis/memory.t %D%/analysis/threads.t
EXTRA_DIST += %D%/analysis/valgrind.txt %D%/analysis/thread.txt %D%/analysis/sanitize.sh
EXTRA_DIST += %D%/analysis/compiles.sh %D%/analysis/findings.sh %D%/analysis/known.txt %D%/analysis/tidy %D%/analysis/clang-tidy.yaml \
	%D%/analysis/cppcheck.txt
EXTRA_DIST += %D%/coverage/run %D%/coverage/table.py

EXTRA_DIST += %D%/cli/profile/profile.sh %D%/golden/make_tiny.py

TESTS = $(check_PROGRAMS) $(SHELL_TESTS)
TEST_EXTENSIONS = .t
TAP_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(TAP_DRIVER)
T_LOG_DRIVER = $(TAP_DRIVER)
T_LOG_COMPILER = $(BASH)

# Where a test finds the tree, the build and the launcher. Tests that start ranks do not
# bind them: several tests may run at once and would otherwise all sit on core 0. Nor do threads spin while they wait: tests
# side by side would take four times as long.
AM_TESTS_ENVIRONMENT = \
	PHI3SAT_SRCDIR='$(abs_top_srcdir)'; export PHI3SAT_SRCDIR; \
	PHI3SAT_BUILDDIR='$(abs_top_builddir)'; export PHI3SAT_BUILDDIR; \
	PHI3SAT_MPIRUN='$(MPIRUN)'; export PHI3SAT_MPIRUN; \
	HDF5_USE_FILE_LOCKING=FALSE; export HDF5_USE_FILE_LOCKING; \
	OMP_WAIT_POLICY=$${OMP_WAIT_POLICY:-passive}; export OMP_WAIT_POLICY; \
	ASAN_OPTIONS=$${ASAN_OPTIONS:-detect_leaks=0}; export ASAN_OPTIONS; \
	LC_ALL=C.UTF-8; export LC_ALL;

check-long:
	PHI3SAT_LONG=1 $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(TESTS) $(LONG_TESTS)'
.PHONY: check-long

EXTRA_DIST += $(SHELL_TESTS) $(LONG_TESTS) %D%/tap/tap.sh %D%/lint/lint.sh %D%/lint/code.awk %D%/golden/make_model.py
