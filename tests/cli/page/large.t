#!/bin/bash
# large.t - pages of Phi-3-mini's shape, and of more neurons than a map has cells: below 5 MB, right, without a fault in a browser.
. "$(dirname "$0")/../profile/profile.sh"
need_command python3

# shape NAME LAYERS NEURONS: NAME.h5 and NAME.html.
shape() {
    run phi3sat synth -o "$1.gguf" --quiet --layers "$2" --hidden 64 --intermediate "$3" --heads 4 --vocab 512 --plant-frozen 100 \
        --plant-dead 200 --plant-low 50 --plant-super 2
    run phi3sat --quiet --model "$1.gguf" --num-prompts 4 --output "$1.csv" --html "$1.html"
    expect_status 0 "$2 layers of $3 neurons"
    holds "their page: below 5 MB, whole, with the CSV's figures" python3 "$source_dir/tests/cli/page/check_page.py" "$1.html" --csv "$1.csv"
}
shape phi3 32 8192
shape wide 2 300032
ok "more neurons than cells: the map shows neighbours together" grep -q '"group":3,"columns":100011,' wide.html
if command -v chromium-headless-shell >/dev/null; then
    for name in phi3 wide; do
        holds "a browser shows $name without a fault" env PYTHONPATH="$source_dir/tests/cli/page" PYTHONDONTWRITEBYTECODE=1 \
            timeout 200 python3 - "$name.html" <<'PY'
import sys
from browser import Browser
browser = Browser()
browser.look()
seconds = browser.open(sys.argv[1])
browser.value("document.getElementById('map-canvas').focus()")
browser.key("ArrowRight", number=39)
text = browser.value("document.getElementById('map-readout').textContent")
faults = browser.faults
browser.close()
print("loaded in %.2f s" % seconds)
assert text.startswith("Layer 0, neuron") and not faults, (text, faults)
PY
    done
else
    skip 2 "chromium-headless-shell is not installed"
fi
done_testing
