#!/bin/bash
# pages.t - manual pages: one for each command, with every option of its --help, and nothing that mandoc's lint minds.
. "$(dirname "$0")/../../tap/tap.sh"

mkdir man1
run phi3sat --manual --list
expect_status 0 "the pages are listed"
mapfile -t pages <"$stdout"
for page in "${pages[@]}"; do
    phi3sat --manual "$page" >"man1/$page.1" || fail "$page is printed"
done

# The commands of --help, and the benchmarks of bench --help: lines of two blanks and a word.
words() { sed -n "/^$1\$/,/^Options/s/^  \\([a-z][a-z0-9]*\\) .*/\\1/p"; }
wanted="phi3sat $(phi3sat --help | words Commands: | sed 's/^/phi3sat-/' | tr '\n' ' ')"
wanted+=$(phi3sat bench --help | words 'Time .*' | sed 's/^/phi3sat-bench-/' | tr '\n' ' ')
is "$(tr ' ' '\n' <<<"$wanted" | sort | tr '\n' ' ')" "$(printf '\n%s' "" "${pages[@]}" | sort -u | tr '\n' ' ')" \
    "each command and each benchmark has a page, and nothing else has"

# options TEXT: the long options that stand at the beginning of a line of --help.
options() { sed -nE 's/^  (-[a-z], )?(--[a-z0-9-]+).*/\2/p' "$1"; }
for page in "${pages[@]}"; do
    command=${page#phi3sat}
    # shellcheck disable=SC2086 # "-bench-ffn" is two words
    phi3sat ${command//-/ } --help >help.txt
    missing=''
    for option in $(options help.txt); do
        grep -Eq "^\.It (Fl [a-z] , )?Fl -${option#--}( |\$)" "man1/$page.1" || missing+=" $option"
    done
    is "$missing" "" "$page.1 has every option of --help: $(options help.txt | wc -l)"
    is "$(grep -c '^\.Sh \(NAME\|SYNOPSIS\|DESCRIPTION\|OPTIONS\|EXIT STATUS\|SEE ALSO\)$' "man1/$page.1")" 6 \
        "and the six sections that every page has"
done
ok "the pages of the build are these" diff -r -x '*.stamp' -x '*.bash' -x '*.new' man1 "$build_dir/man"

run phi3sat --manual 'bench ffn'
expect_stdout "a page has its name with blanks as well" <"man1/phi3sat-bench-ffn.1"
run phi3sat --manual
expect_stdout "without a name it is the program's" <man1/phi3sat.1
run phi3sat --manual no-such
expect_status 2 "a page that isn't there is wrong usage"
expect_error_lines 1 "and said in one line"

# What would be done, not done: make is in the middle of a check.
make -n -C "$build_dir" mandir=/M datarootdir=/D DESTDIR="$PWD/root" install-data-local >install.txt 2>/dev/null
ok "make install puts pages where man looks" grep -q "root/M/man1'\?\$" install.txt
ok "and completion where bash looks" grep -q "root/D/bash-completion/completions/phi3sat'\?\$" install.txt

if command -v mandoc >/dev/null; then
    cd man1 || bail "no pages" # where references to other pages are looked for
    for page in "${pages[@]}"; do
        run mandoc -Tlint "$page.1"
        expect_stdout "mandoc's lint has nothing to say of $page.1" </dev/null
    done
    is "$(mandoc -Tascii phi3sat-report.1 | col -b | grep -c -- '-o, --output FILE')" 1 "an option reads as one types it"
    # The lint itself.
    printf '.Dd June 1, 2026\n.Dt X 1\n.Os\n.Sh NAME\n.Nm x\n.Nd y\n.Sh DESCRIPTION\n.Xr no-such-page 1\n.Xx\n' >x.1
    run mandoc -Tlint x.1
    is "$(grep -c 'no-such-page\|unknown macro' "$stdout")" 2 "a macro that isn't one and a lost reference are found"
else
    skip "$((${#pages[@]} + 2))" "mandoc is not installed"
fi
done_testing
