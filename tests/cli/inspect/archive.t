#!/bin/bash
# archive.t - phi3sat inspect: what is said of archives.
. "$(dirname "$0")/../../tap/tap.sh"
need_command python3
python3 "$source_dir/tests/golden/make_tiny.py" --layers 4 --with-vocab --vocab 300 --window 20 --plant-zero 0:5 \
    --plant-nan 3:7 -o m.gguf || bail "make_tiny.py failed"
printf 'the of and to in is that it was\nfor on are as with\nfor on are as with\n\n' >prompts
run phi3sat --quiet --model m.gguf --prompts prompts --output r.csv --variance-threshold 0.02 --combine ffn --threads 1
expect_status 5 "a profile with a NaN neuron"
cp r.h5 an-archive.gguf # its content tells

run phi3sat inspect an-archive.gguf
expect_status 0 "an archive is inspected"
expect_empty stderr "without a word on standard error"
for line in '^  what +archive$' '^  format +phi3sat archive$' '^  format version +1$' '^  model +m\.gguf$' \
    '^  model fingerprint +[0-9a-f]{32}$' '^  architecture +phi3$' '^  layers +4$' '^  intermediate size +96$' \
    '^  prompts +3$' '^  prompts repeated +1$' '^  tokens +[0-9]+$' '^  variance threshold +0\.02$' \
    '^  gradient threshold +0\.001$' '^  combine +ffn$' '^  activity +absolute$' '^  window +20$' '^  rotary +plain$' \
    '^  precision +f32$' '^  program version +[0-9]' '^  started +[0-9-]+T[0-9:]+Z$' '^  command line +phi3sat --quiet' \
    '^  hosts +[^ ]' '^  ranks +1$' '^  threads +1$' '^  kernels +[a-z0-9]+$' '^  seconds +[0-9]' \
    '^  tokens per second +[0-9]' '^  blank lines +1$' '^  saturated +[0-9.]+%$' '^  unmeasured layers +0$' '^  nonfinite +[1-9]' '^  present +yes$' \
    '^  distinct prompts +2$' '^  gate +12 .*\[4, 96\] \[4\]$' '^  state/ffn +13 '; do
    expect_stdout_match "$line" "a line: $line"
done
ok "counts of nothing are left out" test "$(grep -c 'nul prompts' "$stdout")" = 0
ok "no line is longer than 80 columns" test "$(awk '{ if (length > most) most = length } END { print most }' "$stdout")" -le 80
run phi3sat inspect --tensors r.h5
expect_stdout_match '^  ffn/variance +\[4, 96\] +float32 +1536 +[0-9]+$' "--tensors lists every data set"
expect_stdout_match '^  state/gate/sum1 +\[4, 3, 96\] +uint64 +9216 +[0-9]+$' "the state's too"

run phi3sat inspect --json r.h5
ok "JSON has what the run had" python3 - "$stdout" <<'PY'
import csv, json, os, sys
a = json.load(open(sys.argv[1]))
assert a["what"] == "archive" and a["file_size"] == os.path.getsize("r.h5")
m, r = a["measured"], a["run"]
assert m["variance_threshold"] == 0.02 and m["combine"] == "ffn" and m["prompts"] == 3 and m["window"] == 20
assert r["ranks"] == 1 and r["blank_lines"] == 1 and r["nul_prompts"] == 0 and r["seconds"] > 0
assert r["command_line"].startswith("phi3sat --quiet --model m.gguf") and r["model_kind"] == "GGUF v3"
rows = list(csv.DictReader(open("r.csv")))
shown = sum(float(row["Saturated%"]) for row in rows) / len(rows) / 100
assert abs(a["results"]["saturated"] - shown) < 0.001 and a["results"]["nonfinite"] > 0
assert a["state"] == {"present": True, "distinct_prompts": 2, "stored": a["state"]["stored"]}
sets = {d["name"]: d for d in a["datasets"]}
assert sets["ffn/variance"]["shape"] == [4, 96] and sets["ffn/variance"]["bytes"] == 4 * 96 * 4
assert sum(d["stored"] for n, d in sets.items() if n.startswith("state/")) == a["state"]["stored"]
PY
if /usr/bin/python3 -c 'import h5py' 2>/dev/null; then
    ok "data sets and attributes are those that h5py sees" /usr/bin/python3 - "$stdout" <<'PY'
import json, sys, h5py
a = json.load(open(sys.argv[1]))
with h5py.File("r.h5") as f:
    names = {}
    f.visititems(lambda n, d: names.update({n: d}) if isinstance(d, h5py.Dataset) and "/" in n else None)
    assert set(names) == {d["name"] for d in a["datasets"]}
    for d in a["datasets"]:
        h = f[d["name"]]
        assert list(h.shape) == d["shape"] and h.dtype.name == d["type"], d
        assert h.size * h.dtype.itemsize == d["bytes"] and h.id.get_storage_size() == d["stored"], d
    for k, v in f["run"].attrs.items():
        assert a["run"][k] == v, k
    for k, v in a["measured"].items():
        assert k == "model" or k in f.attrs, k
PY
    # Attributes from somebody else: hostile names and texts, and one that is new.
    /usr/bin/python3 - <<'PY'
import h5py
with h5py.File("r.h5", "a") as f:
    f["run"].attrs["hosts"] = "node\x1b[2J\u202e \"x\" " + "long " * 400
    f["run"].attrs["a_new\x1b[31m_one"] = "later"
    f["run"].attrs["seconds"] = float("nan")
PY
    run phi3sat inspect r.h5
    expect_status 0 "hostile texts are shown"
    expect_stdout_match '^  hosts +node\\x1b\[2J\\u\{202e\} "x" long' "escaped"
    expect_stdout_match '^  a new\\x1b\[31m one +later$' "an attribute of a newer version is shown too"
    ok "no control character comes out" test "$(LC_ALL=C tr -d '\n\040-\176' <"$stdout" | wc -c)" = 0
    run phi3sat inspect --json r.h5
    ok "as JSON: NaN is null" python3 -c '
import json, sys
r = json.load(open(sys.argv[1], encoding="utf-8"), parse_constant=lambda c: 1 / 0)["run"]
assert r["seconds"] is None and r["hosts"].startswith("node\x1b[2J\u202e") and r["a_new\x1b[31m_one"] == "later"' "$stdout"
else
    skip 6 "python3-h5py is not installed"
fi

# Damaged ones.
refuse() { # REGEX CLAIM FILE
    run phi3sat inspect --json "$3"
    expect_status 3 "$2: status 3"
    is "$(wc -l <"$stderr")" 1 "$2: one line"
    expect_stderr_match "^phi3sat: $3: $1" "$2: says why"
    expect_empty stdout "$2: prints nothing"
}
head -c 30000 an-archive.gguf >cut.h5
refuse '.' "an archive cut short" cut.h5
if command -v h5copy >/dev/null; then
    run h5copy -i an-archive.gguf -o part.h5 -s gate -d gate
    refuse 'is an HDF5 file, but no archive of phi3sat' "another HDF5 file" part.h5
else
    skip 4 "h5copy is not installed"
fi
done_testing
