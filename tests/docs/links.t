#!/bin/bash
# links.t - what documents point at is there: files, headings, paths of the tree; and every document is shipped.
. "$(dirname "$0")/../lint/lint.sh"
need_command python3
check() { python3 tests/docs/docs.py "$@"; }

check links | none "every link and every path in the documents leads somewhere"
shipped=$(cat Makefile.am docs/local.mk)
for document in docs/*.md *.md; do
    [[ $shipped == *"$document"* || $shipped == *"%D%/${document#docs/} "* || $shipped == *"%D%/${document#docs/}"$'\n'* ]] ||
        echo "$document is in no EXTRA_DIST"
done | none "every document is in the distribution"
for document in docs/*.md; do
    grep -q "($document" README.md || grep -q "(${document#docs/}" docs/*.md || echo "$document"
done | none "and some document leads to it"

version=$(sed -n 's/^AC_INIT(\[phi3sat\], \[\([0-9.]*\)\])$/\1/p' configure.ac)
date=$(sed -nE "s/^## $version \((20[0-9]{2}-[01][0-9]-[0-3][0-9])\)\$/\1/p" CHANGELOG.md)
is "${date:0:2}" 20 "CHANGELOG.md has this version, with its date"
is "$(sed -n 's/^version: //p; s/^date-released: //p' CITATION.cff | tr '\n' ' ')" "$version $date " "CITATION.cff says the same"
ok "LICENSE is Apache's of 2004" grep -q 'Version 2.0, January 2004' LICENSE

# The check itself.
cat >"$tap_home/work/x.md" <<'DOC'
# A `heading`, twice
See [this](#a-heading-twice), [that](x.md#gone), [a file](gone.md), [far](https://example.org/gone), `src/main.c`, `src/gone.c`.

    [code](gone-too.md)
DOC
is "$(check links "$tap_home/work/x.md" | sed 's/.*x.md:2: //' | sed 's/: .*//' | tr '\n' ';')" \
    "link to x.md#gone;link to gone.md;there is no src/gone.c;" "lost links are found, those in code are not looked at"
done_testing
