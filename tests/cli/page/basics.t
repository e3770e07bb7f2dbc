#!/bin/bash
# basics.t - the page of report and profile: whole, self-contained, its figures the CSV's, whatever the archive holds.
. "$(dirname "$0")/../profile/profile.sh"
need_command python3
check=$source_dir/tests/cli/page/check_page.py

# page CLAIM OPTION...: check_page.py is content with p.html.
page() {
    local claim=$1
    shift
    holds "$claim" python3 "$check" p.html "$@"
}

shape=(--with-vocab --vocab 300 --hidden 48 --intermediate 100 --heads 4 --layers 5 --context 120)
tiny m.gguf "${shape[@]}" --seed 4 --plant-zero 0:5
words 20 7 30 >p.txt
run phi3sat --model m.gguf --prompts p.txt --output r.csv --html own.html
expect_status 0 "profile writes a page"
expect_stderr_match '^written: own.html$' "and says so"
cp "$stdout" r.out
run phi3sat report r.h5 --html p.html --output p.csv
expect_status 0 "report writes one"
expect_stderr_match '^written: p.html$' "and says so"
holds "the summary is the same as without it" diff r.out "$stdout"
holds "the run's page and the report's are the same to the byte" cmp own.html p.html
page "it is whole, self-contained, with the CSV's figures, and its sliders' are the report's" --csv r.csv --thresholds r.h5
mpirun_n 2 phi3sat --model m.gguf --prompts p.txt --output two.csv --html two.html
expect_status 0 "two ranks write one page"
sed -e '/<h3>\|<table>/,$d' -e '/^<p class="facts">/d' own.html >own.part
sed -e '/<h3>\|<table>/,$d' -e '/^<p class="facts">/d' two.html >two.part
holds "that says the same" cmp own.part two.part

for options in '--combine any --activity signed' '--combine ffn --variance-threshold 0.5 --super-ratio 2' \
    '--gradient-threshold 0 --variance-threshold 0 --low-activity-ratio 1'; do
    read -ra words <<<"$options"
    run phi3sat report r.h5 "${words[@]}" --html p.html --output p.csv
    page "$options: as good" --csv p.csv --thresholds r.h5 "${words[@]}"
done
run phi3sat report r.h5 --criterion 'ffn.variance < 0.01 and gate.mean > 0' --html p.html --output p.csv
expect_status 0 "a criterion of one's own"
page "has its page" --csv p.csv
ok "that shows it, escaped" grep -q '<code>ffn.variance &lt; 0.01 and gate.mean &gt; 0</code>' p.html
ok "and says that thresholds have no part in it" grep -q 'thresholds have no part in it' p.html
run env LC_ALL=de_DE.UTF-8 phi3sat report r.h5 --html own.html
run phi3sat report r.h5 --html p.html
holds "the locale changes no byte" cmp own.html p.html

# Pictures as files.
run phi3sat report r.h5 --svg plots
expect_status 0 "--svg makes a folder of plots"
is "$(cd plots && echo *)" "criteria.svg depth.svg gradient-threshold.svg low-activity-ratio.svg map.svg spread.svg super-ratio.svg\
 variance-threshold.svg verdict.svg" "one a file"
ok "each well-formed, with its own style, a white ground and no variable" python3 - <<'PY'
import glob, xml.etree.ElementTree
for name in glob.glob("plots/*.svg"):
    text = open(name).read()
    root = xml.etree.ElementTree.fromstring(text)
    assert root.find("{http://www.w3.org/2000/svg}title").text == root.get("aria-label")
    assert "var(" not in text and 'fill="#ffffff"' in text and float(root.get("width")) > 0
PY
run phi3sat report r.h5 --svg plots
expect_status 0 "a folder that is there will do"
run phi3sat report none.h5 --svg fresh
ok "where there is no archive no folder is made" test "$status" = 3 -a ! -e fresh

# Odd shapes and values.
tiny one.gguf --with-vocab --vocab 300 --hidden 8 --intermediate 1 --heads 1 --layers 1 --context 60 --seed 4
head -n 1 p.txt >single.txt
run phi3sat --quiet --model one.gguf --prompts single.txt --output p.csv --html p.html
expect_status 0 "one layer of one neuron, one prompt"
page "has its page" --csv p.csv
ok "that knows no interval" grep -q 'it takes at least 2 prompts' p.html
tiny nan.gguf "${shape[@]}" --seed 4 --plant-nan 2:33
run phi3sat --quiet --model nan.gguf --prompts p.txt --output p.csv --html p.html
expect_status 5 "NaN among the activations"
page "has its page" --csv p.csv
ok "that warns" grep -q '<strong>Not finite:</strong>' p.html
if /usr/bin/python3 -c 'import h5py' 2>/dev/null; then
    cp r.h5 bad.h5
    /usr/bin/python3 - <<'PY' || bail "can't bend the archive"
import h5py
evil = "</title></script><script>alert('x')</script><img src=x onerror=\"alert(1)\">&amp;\u202e\x1b[31m\t--> ]]> '\"%s%n"
with h5py.File("bad.h5", "a") as f:
    for name in list(f["run"].attrs):
        if isinstance(f["run"].attrs[name], (str, bytes)):
            f["run"].attrs[name] = evil
PY
    run phi3sat report bad.h5 --html p.html --output p.csv
    expect_status 0 "an archive whose texts are markup"
    page "has a page with the same structure" --csv p.csv
    ok "and no element or handler of theirs" test "$(grep -c '<img\|<script>alert\|onerror="' p.html)" = 0
    ok "nor a character that steers" python3 -c "assert not set('\u202e\x1b') & set(open('p.html', encoding='utf-8').read())"
else
    skip 4 "python3-h5py is not installed"
fi

# Refusals: one line, nothing half done.
refuse() { # STATUS REGEX CLAIM ARGUMENT...
    local code=$1 regex=$2 claim=$3
    shift 3
    run phi3sat "$@"
    expect_status "$code" "$claim: refused"
    is "$(wc -l <"$stderr")" 1 "in one line"
    expect_stderr_match "^phi3sat: $regex" "that says why"
}
cp r.h5 kept.h5
refuse 2 'r.h5: is an input' "the archive for the page" report r.h5 --html r.h5
ln -s r.h5 depth.svg
refuse 2 './depth.svg: is an input' "the archive for a plot" report r.h5 --svg .
holds "the archive is as it was" cmp r.h5 kept.h5
refuse 2 'x: --output and --html name the same file' "one file for table and page" report r.h5 --output x --html x
refuse 2 '.*--neuron and --html exclude' "a neuron and a page" report r.h5 --neuron 0/0 --html x.html
refuse 4 'nowhere/x.html: ' "a folder that there is not" report r.h5 --html nowhere/x.html
refuse 4 'nowhere/x: ' "a folder in a folder that there is not" report r.h5 --svg nowhere/x
refuse 4 'p.txt: is there and no folder' "a file for the folder" report r.h5 --svg p.txt
refuse 2 'm.gguf: is an input' "the model for the page" --model m.gguf --prompts p.txt --output x.csv --html m.gguf
refuse 2 '.*x.csv: is to be the page and something else' "the table for the page" --model m.gguf --prompts p.txt --output x.csv --html ./x.csv
refuse 4 'nowhere/x.html: ' "a folder that there is not, before the run" --model m.gguf --prompts p.txt --output x.csv --html nowhere/x.html
ok "and nothing is written then" test ! -e x.csv -a ! -e x.h5
done_testing
