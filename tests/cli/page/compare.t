#!/bin/bash
# compare.t - the page of compare: whole, self-contained, its figures the CSV's.
. "$(dirname "$0")/../profile/profile.sh"
need_command python3
check=$source_dir/tests/cli/page/check_page.py

tiny m.gguf --with-vocab --vocab 300 --hidden 48 --intermediate 100 --heads 4 --layers 5 --context 120 --seed 4 --plant-zero 0:5
words 20 7 30 >p.txt
words 20 8 30 >q.txt
run phi3sat --quiet --model m.gguf --prompts p.txt --output a.csv
run phi3sat --quiet --model m.gguf --prompts p.txt --output 'b<i>.csv' --precision int8
run phi3sat --quiet --model m.gguf --prompts q.txt --output c.csv

run phi3sat compare a.h5 'b<i>.h5' --combine any
cp "$stdout" text
run phi3sat compare a.h5 'b<i>.h5' --combine any --output p.csv --html p.html
expect_status 0 "compare writes a page"
expect_stderr_match '^written: p.html$' "and says so"
holds "and prints what it prints without" diff text "$stdout"
holds "the page is whole, self-contained, and has the CSV's figures" python3 "$check" p.html --compared p.csv
ok "a name with markup is text" grep -q 'A and b&lt;i&gt;.h5 (B)' p.html
holds "the verdict is the one printed" python3 - <<'PY'
import html, re
verdict = re.search(r"^Verdict: (.*)$", open("text").read(), re.M).group(1)
assert verdict in html.unescape(open("p.html").read()), verdict
PY
run phi3sat compare a.h5 c.h5 --combine any --output p.csv --html p.html
holds "other prompts: as good" python3 "$check" p.html --compared p.csv
ok "with the test's verdict" grep -Eq 'what sampling gives at the 5% level \(p = ' p.html
run phi3sat compare a.h5 a.h5 --output p.csv --html p.html
holds "an archive with itself: as good" python3 "$check" p.html --compared p.csv
ok "and no difference" grep -q 'NO difference: the same prompts' p.html
run phi3sat compare a.h5 'b<i>.h5' c.h5 --html p.html
holds "three archives make one page" python3 "$check" p.html
is "$(grep -c '<section id="pair-' p.html)" 2 "with a part for each further one"
ok "and no script" test "$(grep -c '<script' p.html)" = 0
run phi3sat compare a.h5 c.h5 --html c.h5
expect_status 2 "an archive for the page: refused"
expect_stderr_match '^phi3sat: c.h5: is an input' "in one line"
run phi3sat compare a.h5 c.h5 --output x --html ./x
expect_status 2 "one file for table and page: refused"
done_testing
