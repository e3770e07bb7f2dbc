#!/bin/bash
# sizes.t - files and functions stay short enough to be read in one go.
. "$(dirname "$0")/lint.sh"

# Data tables, which nobody reads in one go. One path a line.
tables=(
)

mapfile -t files < <(find src include tests m4 jobs bootstrap .ci/run configure.ac Makefile.am -type f \
    \( -name '*.[chty]' -o -name '*.sh' -o -name '*.mk' -o -name '*.m4' -o -name '*.py' -o -perm -u+x \) \
    ! -name '*.gguf' | sort)
for file in "${files[@]}"; do
    [[ " ${tables[*]} " == *" $file "* ]] && continue
    lines=$(wc -l <"$file")
    ((lines <= 650)) || echo "$file: $lines lines"
done | none "no file is longer than 650 lines"

# function_sizes FILE...: FILE:LINE LENGTH NAME of each function. In our style its braces stand
# alone in the first column.
function_sizes() {
    awk '
        FNR == 1 { open = 0 }
        /^[A-Za-z_].*\(/ { head = $0 }
        /^\{/ { open = FNR }
        /^\}[ \t]*$/ && open {
            sub(/\(.*/, "", head); sub(/.*[ *]/, "", head)
            print FILENAME ":" open, FNR - open - 1, head
            open = 0
        }' "$@"
}
mapfile -t c_files < <(find src tests -name '*.c' | sort)
function_sizes "${c_files[@]}" >"$tap_home/work/functions"
awk '$2 > 80 { print $1 ": " $3 " has " $2 " lines" }' "$tap_home/work/functions" |
    none "no function is longer than 80 lines"
awk '$2 > 60 && $2 <= 80 { print "# " $1 ": " $3 " has " $2 " lines; 60 read better" }' "$tap_home/work/functions"

printf 'static int\nf(int a,\n  int b)\n{\n    if (a) {\n    }\n\n}\n\nstruct s {\n    int a;\n};\n' >"$tap_home/work/x.c"
is "$(function_sizes "$tap_home/work/x.c" | cut -d' ' -f 2-)" "3 f" "a function's lines are counted between its braces"
done_testing
