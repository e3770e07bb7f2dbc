#!/bin/sh
# embed-texts.sh OUTPUT FILE... - writes C arrays of the lines of text files.
#
# data/facts.txt becomes `const char *const prompt_texts_facts[]`, a string a line and NULL at the end.
# Remarks (#) and empty lines are left out.
set -eu
output=$1
shift
{
    echo "/* made by build-aux/embed-texts.sh from data/ */"
    echo '#include <stddef.h>'
    echo '#include "text/prompt_texts.h"'
    for file in "$@"; do
        name=${file##*/}
        printf '\nconst char *const prompt_texts_%s[] = {\n' "${name%.txt}"
        LC_ALL=C sed -e '/^#/d' -e '/^[[:space:]]*$/d' -e 's/[\\"]/\\&/g' -e 's/^/    "/' -e 's/$/",/' "$file"
        printf '    NULL};\n'
    done
} >"$output.new"
mv -f "$output.new" "$output"
