# docs: what is shipped, and the tests of what documents claim. Examples of theirs are run: tests/docs/docs.py.

EXTRA_DIST += %D%/ARCHITECTURE.md %D%/HACKING.md %D%/archive.md %D%/benchmarks.md %D%/cluster.md %D%/formats.md %D%/inspect.md %D%/knot.md
EXTRA_DIST += %D%/methods.md %D%/plan.md %D%/prompt-sources.md %D%/prompts.md %D%/report.md %D%/security.md %D%/synth.md %D%/tokenizers.md
EXTRA_DIST += %D%/export.md %D%/page.png %D%/tutorial.md %D%/using.md %D%/faq.md %D%/choosing-prompts.md
EXTRA_DIST += %D%/pictures/criteria.svg %D%/pictures/depth.svg %D%/pictures/map.svg %D%/pictures/spread.svg \
	%D%/pictures/variance-threshold.svg
EXTRA_DIST += tests/bench/precisions tests/bench/ranks tests/bench/statistics tests/bench/start tests/bench/plan/hosts.sh tests/bench/plan/judge.py
EXTRA_DIST += tests/docs/docs.py tests/docs/patch.py
SHELL_TESTS += tests/docs/links.t tests/docs/commands.t tests/docs/contrib.t
EXTRA_DIST += contrib/spack/repo.yaml contrib/spack/packages/phi3sat/package.py contrib/modules/phi3sat.tcl contrib/modules/phi3sat.lua
LONG_TESTS += tests/docs/tutorial.t tests/docs/criterion.t
