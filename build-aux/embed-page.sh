#!/bin/sh
# embed-page.sh OUTPUT FILE... - writes C arrays of the lines of a page's parts.
#
# src/report/page.css becomes `const char *const page_files_css[]`, a string a line and NULL at the end. Indents and empty
# lines are left out; comments stay, since whoever saves the page may want to read it.
set -eu
output=$1
shift
{
    echo "/* made by build-aux/embed-page.sh from src/report/ */"
    echo '#include <stddef.h>'
    echo '#include "report/page_files.h"'
    for file in "$@"; do
        printf '\nconst char *const page_files_%s[] = {\n' "${file##*.}"
        LC_ALL=C sed -e 's/^[[:space:]]*//' -e '/^$/d' -e 's/[\\"]/\\&/g' -e 's/^/    "/' -e 's/$/",/' "$file"
        printf '    NULL};\n'
    done
} >"$output.new"
mv -f "$output.new" "$output"
