#!/bin/bash
# commands.t - command lines in the documents are such as the program takes, and those marked to be run print what stands there.
. "$(dirname "$0")/../lint/lint.sh"
need_command python3
check() { python3 tests/docs/docs.py "$@"; }

check commands | none "phi3sat takes every command line of the documents"
check options | none "every option they name is one"
check run check | none "what is marked <!-- run --> prints what the documents say"

# The check itself.
cat >"$tap_home/work/x.md" <<'DOC'
Say `phi3sat report r.h5 --gone 3` or `phi3sat report r.h5 --combine any`, with `--no-such`, `--combine any` or `--absent-option`.

    mpirun -np 2 phi3sat --precision f64 \
        --model m.gguf
    phi3sat: m.gguf: is no command
    phi3sat tokenize --model m.gguf p.txt | head -n 3; phi3sat gone

<!-- run -->

    $ echo one; echo two; echo three
    one
    ...
    $ echo four
    five
DOC
found=$(check commands "$tap_home/work/x.md")
is "$(sed -E "s/.*x.md:([0-9]+): phi3sat ([^:]*):.*/\1 \2/" <<<"$found" | tr '\n' ';')" \
    "3 --precision f64 --model m.gguf;6 gone;1 report r.h5 --gone 3;" "wrong command lines are found, in blocks and in the text"
is "$(check options "$tap_home/work/x.md" | sed 's/.*x.md:1: //' | tr '\n' ';')" \
    "--absent-option is no option of phi3sat;" "and options that aren't there"
is "$(check run check "$tap_home/work/x.md" | sed 's/.*x.md:/x.md:/' | grep -c '^x.md:13: \$ echo four\|^-five\|^+four')" 3 \
    "and what prints something else"
done_testing
