#!/bin/bash
# ffn.t - phi3sat bench ffn: its tables, CSV and JSON, on synthetic weights and a model's; wrong usage. Never how fast anything is.
. "$(dirname "$0")/../../tap/tap.sh"
quick=(--hidden 256 --intermediate 512 --iterations 5 --threads 1)

PHI3SAT_KERNELS=reference run phi3sat bench "${quick[@]}" --batch 1,9
expect_status 0 "bench without a word is bench ffn"
expect_stdout_match '^\| Variant +\| Latency \(ms\) \| Throughput \(GFLOP/s\) \| Speedup \| Error \(L2\) \|$' "a box has the columns"
expect_stdout_match '^\| Q4K Baseline +\| +[0-9.]+ \| +[0-9.]+ \| +1\.00x \| +0\.0 \(ref\) \|$' "the baseline is the reference"
for name in 'Q4K \+ Fused gate\+up' 'Q4K \+ 50% Low-rank' 'Q4K \+ Fused \+ 50% LR'; do
    expect_stdout_match "^\\| $name +\\| +[0-9.]+ \\| +[0-9.]+ \\| +[0-9.]+x \\| +0\\.0 \\+ \\|\$" "a row, to the bit the baseline of its size: $name"
    expect_stdout_match "^ +9  $name +" "and a line for 9 tokens at a time"
    expect_stdout_match "^  $name +(Investigate|Rejected) +[a-z]" "with a verdict and its reason"
done
expect_stdout_match '^The FFNs of 32 layers take [0-9.]+ ms for a token' "what a token takes"

if command -v python3 >/dev/null; then
    for set in $(phi3sat --version --verbose | sed -n 's/^kernels: //p'); do
        PHI3SAT_KERNELS=$set run phi3sat bench ffn --hidden 100 --intermediate 333 --iterations 5 --threads 2 --batch 1,3,20 --json
        ok "$set: sizes that are no multiple of a block; figures fit each other" python3 - "$stdout" "$set" <<'PY'
import json, math, sys
rows = json.load(open(sys.argv[1]))
names = ["baseline", "fused", "low_rank", "fused_low_rank"]
assert [(r["batch"], r["variant"]) for r in rows] == [(b, v) for b in (1, 3, 20) for v in names]
for r in rows:
    neurons = 167 if "low_rank" in r["variant"] else 333
    assert (r["hidden"], r["intermediate"], r["neurons"]) == (100, 333, neurons) and r["kernels"] == sys.argv[2]
    flops = 6.0 * r["batch"] * 100 * neurons
    assert abs(r["gflops"] * r["milliseconds"] * 1e6 - flops) < 1e-4 * flops, r
    size = 144 * 2 * neurons + 100 * 144 * math.ceil(neurons / 256)
    assert abs(r["weight_megabytes"] * 1e6 - size) < 1e-4 * size, r
    assert abs(r["flops_per_byte"] - flops / size) < 1e-4 * flops / size
    assert abs(r["gigabytes_per_second"] * r["milliseconds"] * 1e6 - size) < 1e-4 * size
    assert r["error"] == 0 and 0 < r["kernel_error"] < 1e-5
    assert (r["approximation_error"] > 0.1) == ("low_rank" in r["variant"])
    assert r["speedup_low"] <= r["speedup"] <= r["speedup_high"] and r["samples"] == 5
    assert r["milliseconds_p10"] <= r["milliseconds"] <= r["milliseconds_p90"]
    assert r["repacked"] == (r["batch"] <= 8) and r["ranks"] == 1 and r["threads"] == 2
    assert r["verdict"] == "-" if r["variant"] == "baseline" else r["verdict"] in ("Investigate", "Rejected")
PY
    done
    run phi3sat bench ffn "${quick[@]}" --batch 1 --type F32 --csv
    ok "CSV has the same columns, and F32 is the name" python3 - "$stdout" <<'PY'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert [r["name"] for r in rows] == ["F32 Baseline", "F32 + Fused gate+up", "F32 + 50% Low-rank", "F32 + Fused + 50% LR"]
assert all(float(r["weight_megabytes"]) > 0 and r["type"] == "F32" for r in rows)
PY
fi

model=$tap_home/m.gguf
phi3sat synth -o "$model" --layers 3 --hidden 256 --intermediate 512 --type Q4_K >/dev/null
phi3sat --model "$model" --quiet --num-prompts 4 --output "$tap_home/r.csv" >/dev/null
run phi3sat bench ffn --model "$model" --layer 1 --batch 1,16 --iterations 5 --threads 2
expect_status 0 "a model's layer is measured"
expect_stdout_match "^FFN of .*m.gguf, layer 1: hidden size 256, intermediate size 512, Q4_K" "which is named"
expect_stdout_match '^The FFNs of 3 layers take' "and the model's layers count"
expect_stdout_match '^ +75%  first +384 ' "three quarters of its neurons are measured"
expect_stdout_match '^ +75%  svd +256 ' "and matrices of as many weights"
expect_stdout_match '^ *100%  first +512 .* 0\.00%$' "all neurons are the layer"
phi3sat synth -o "$tap_home/frozen.gguf" --layers 2 --hidden 256 --intermediate 512 --type Q4_K --plant-dead 200 >/dev/null
phi3sat --model "$tap_home/frozen.gguf" --quiet --num-prompts 4 --output "$tap_home/f.csv" >/dev/null
run phi3sat bench ffn --model "$tap_home/frozen.gguf" --layer 0 --batch 1 --iterations 5 --threads 1 --archive "$tap_home/f.h5" \
    --shares 100,50 --svg "$tap_home/f.svg"
expect_status 0 "an archive ranks the neurons"
expect_stdout_match '^ +50%  important +256 ' "the most important half is measured beside the first"
expect_stdout_match '^The archive calls [0-9.]+ % of this layer' "the saturated share is said"
# shellcheck disable=SC2016 # awk expands it
ok "above 30 % with the advice to try a sparse variant, and its time" awk '/^The archive calls/ { share = $4 }
    /^That is more than 30 %: try a sparse variant\. Without them the layer takes [0-9.]+ ms/ { advised = 1 }
    END { exit !(advised == (share > 30)) }' "$stdout"
expect_stdout_match '^That is more than 30 %' "as here"
ok "the curve is an SVG with a mark for each" test "$(grep -cE '<title>(first|important|svd|active), ' "$tap_home/f.svg")" = "$(grep -cE '^ +[0-9]+%  (first|important|svd|active) ' "$stdout")"
if command -v xmllint >/dev/null; then
    ok "which is XML" xmllint --noout "$tap_home/f.svg"
fi
run phi3sat bench ffn --model "$model" --layer all --batch 2 --iterations 5 --threads 1 --archive "$tap_home/r.h5"
expect_status 0 "so are all layers, with the neurons an archive shows to matter"
expect_stdout_match 'layers 0 to 2:' "which are named"

run phi3sat bench ffn --model "$tap_home/frozen.gguf" --layer all --batch 1 --iterations 5 --threads 1 --archive "$tap_home/f.h5"
# shellcheck disable=SC2016 # awk expands it
ok "of all layers, those with more than 30 % saturated get the advice" awk '/^The archive calls [0-9.]+ % of layer [01]/ { n++; if ($4 <= 30) bad = 1 }
    /^That is more than 30 %/ { m++ } END { exit n == 0 || n != m || bad }' "$stdout"

run phi3sat bench ffn "${quick[@]}" --batch 1 --strict
ok "--strict is status 6 where a variant is rejected, else 0" test "$status" = "$(grep -q ' Rejected ' "$stdout" && echo 6 || echo 0)"

refused() { # STATUS REGEX OPTION...
    local wanted=$1 regex=$2
    shift 2
    run phi3sat bench ffn "$@"
    ok "status $wanted and one line: $*" test "$status,$(wc -l <"$stderr"),$(wc -c <"$stdout")" = "$wanted,1,0"
    expect_stderr_match "$regex" "which says: $regex"
}
refused 2 "^phi3sat: --layer '3' is no layer of this model; give one from 0 to 2, or all" --model "$model" --layer 3
refused 2 "^phi3sat: --layer 'x' is no layer" --model "$model" --layer x
refused 2 "^phi3sat: --hidden is there only without --model" --model "$model" --hidden 3
refused 2 "^phi3sat: --archive is there only with --model" --archive "$tap_home/r.h5"
refused 2 "^phi3sat: --svg is there only for one layer" --model "$model" --layer all --svg x.svg
refused 2 "^phi3sat: --shares '0' is not a list of whole numbers from 1 to 100" --model "$model" --shares 0
refused 2 "^phi3sat: --csv is there only without --json" --csv --json
refused 2 "^phi3sat: --type 'q9' is not a weight type" --type q9
refused 2 "^phi3sat: --precision 'f64' is not one of" --precision f64
refused 2 "^phi3sat: --batch '0' is not a list" --batch 0
refused 2 "^phi3sat: .* don't fit the memory of this machine; choose a smaller shape" --hidden 1000000 --intermediate 1000000
refused 2 "^phi3sat: --hidden '0' is not a whole number" --hidden 0
refused 3 "^phi3sat: .*nowhere: can't be opened" --model "$tap_home/nowhere"
refused 3 "^phi3sat: .*m.gguf: .*HDF5" --model "$model" --archive "$model"
phi3sat synth -o "$tap_home/other.gguf" --layers 3 --hidden 256 --intermediate 768 >/dev/null
refused 3 "^phi3sat: .*r.h5: the archive has 3 layers of 512 neurons, the model 3 of 768" --model "$tap_home/other.gguf" --archive "$tap_home/r.h5"
done_testing
