#!/bin/bash
# browser.t - the page in headless Chromium: no error, hover, zoom, keys, sliders, dark, narrow, print, no JavaScript.
. "$(dirname "$0")/../profile/profile.sh"
need_command python3
found=0
for name in chromium-headless-shell chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null && found=1
done
((found)) || skip_all "chromium is not installed"

tiny m.gguf --with-vocab --vocab 300 --hidden 48 --intermediate 300 --heads 4 --layers 6 --context 120 --seed 4 --plant-zero 0:5
words 20 7 30 >p.txt
run phi3sat --model m.gguf --prompts p.txt --output r.csv
expect_status 0 "a profile"
run phi3sat report r.h5 --combine any --super-ratio 3 --html p.html
expect_status 0 "and its page"
PYTHONPATH=$source_dir/tests/cli/page PYTHONDONTWRITEBYTECODE=1 timeout 200 \
    python3 "$source_dir/tests/cli/page/check_browser.py" p.html >claims 2>noise
while read -r line; do
    case $line in
        'ok '*) pass "${line#ok }" ;;
        *) fail "${line#not ok }" ;;
    esac
done <claims
# A model whose name is markup: told as text, nothing of it runs.
evil='<img src=x onerror="document.title=1"><svg onload="document.title=2">.gguf'
cp m.gguf "$evil"
run phi3sat --quiet --model "$evil" --prompts p.txt --output e.csv --html evil.html
expect_status 0 "a model whose name is markup"
holds "its page shows the name, makes no element of it, and no fault" env PYTHONPATH="$source_dir/tests/cli/page" PYTHONDONTWRITEBYTECODE=1 \
    timeout 100 python3 - "$evil" <<'PY'
import sys
from browser import Browser
browser = Browser()
browser.look()
browser.open("evil.html")
browser.settle()
name, title, images = (browser.value(e) for e in ("document.querySelector('h1').textContent", "document.title",
                                                  "document.querySelectorAll('img').length"))
faults = browser.faults
browser.close()
assert name == sys.argv[1] and title == name + " - phi3sat" and images == 0 and not faults, (name, title, images, faults)
PY
ok "all claims were made" test "$(wc -l <claims)" -ge 36
diag "$(cat noise)"
done_testing
