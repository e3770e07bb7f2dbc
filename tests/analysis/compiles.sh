# shellcheck shell=bash
# compiles.sh - how make compiles each source of src/, for analysers that have to see the same code.
# shellcheck disable=SC2154 # tap.sh sets the trees
#
# Asked of make itself, as if every source were new (which `all` would not tell the make that it starts), so that no flag
# stands in two places; nothing is built by that. A test sources this file after tap.sh.

# compiles: prints one line a compilation, "SOURCE<TAB>WORDS": the source as seen from the tree, the compiler's
# arguments but for its output, quoted for a shell that stands in the build's folder.
compiles() {
    local pretend=() source top
    top=$(sed -n 's/^srcdir = //p' "$build_dir/Makefile")
    for source in "$source_dir"/src/*.c "$source_dir"/src/*/*.c; do
        pretend+=(-W "$top/${source#"$source_dir"/}")
    done
    (cd "$build_dir" && make -n V=1 "${pretend[@]}" all-am 2>/dev/null) | awk -v top="$top/" '
        / -c -o src\// && !/tests_/ {
            # The line ends with the source, or with `test -f "src/room/file.c" || echo "../"`src/room/file.c
            source = $0
            sub(/ &&.*/, "", source)
            sub(/.*[` ]/, "", source)
            if (index(source, top) == 1)
                source = substr(source, length(top) + 1)
            words = $0
            sub(/ -MT .*/, "", words)
            sub(/.*( |^)-DPACKAGE_NAME/, "-DPACKAGE_NAME", words)
            print source "\t" words
        }' | while IFS=$'\t' read -r source words; do
        # What make itself writes (texts as C arrays) isn't looked at.
        [[ ! -e $source_dir/$source ]] || printf '%s\t%s\n' "$source" "$words"
    done
}
