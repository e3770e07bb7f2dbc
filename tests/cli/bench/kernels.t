#!/bin/bash
# kernels.t - phi3sat bench kernels: its two forms, odd shapes, lists, wrong usage. Never how fast anything is.
. "$(dirname "$0")/../../tap/tap.sh"
quick=(--iterations 2 --warmup 0 --threads 1)

run phi3sat bench kernels --shape 17x256 --rows 1,3 "${quick[@]}"
expect_status 0 "small products are timed, without a model"
expect_empty stderr "without a word on standard error"
expect_stdout_match '^Products with a 17 x 256 weight matrix \(outputs x inputs\), [a-z0-9]+ kernels' "the heading says what"
expect_stdout_match 'packing of rows and decoding of' "and what is in the time"
expect_stdout_match '^Type +Rows +Precision +Threads +GFLOP/s +Peak +Share +ms +p10 +p90$' "the columns have titles"
expect_stdout_match '^Q4_K +1 +f32 +1 +[0-9.]+ +[0-9.]+ +[0-9.]+% +[0-9.]+ +[0-9.]+ +[0-9.]+$' "a line for one row"
expect_stdout_match '^Q4_K +3 +f32 +1 ' "and one for three"
ok "no line is longer than 110 columns" test "$(awk '{ if (length > most) most = length } END { print most }' "$stdout")" -le 110

# JSON: complete, numbers where numbers belong, the arithmetic right. Shapes that fill no block and no tile; up to 600 rows.
if command -v python3 >/dev/null; then
    run phi3sat bench kernels --shape 17x300 --rows 1,7,600 --types all --threads 1,3 --precision all --iterations 1 --warmup 0 --json
    expect_status 0 "all types, precisions and two numbers of threads"
    expect_empty stderr "without a word on standard error"
    ok "the array has an object for each, with every key" python3 - "$stdout" <<'PY'
import json, sys
rows = json.load(open(sys.argv[1]))
types = ["F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K"]
precisions = sorted({r["precision"] for r in rows})
assert "f32" in precisions
wanted = sorted((t, p, n, r) for t in types for p in precisions for n in (1, 3) for r in (1, 7, 600))
assert sorted((r["type"], r["precision"], r["threads"], r["rows"]) for r in rows) == wanted
for r in rows:
    assert r["outputs"] == 17 and r["inputs"] == 300 and r["samples"] == 1
    assert r["gflops"] > 0 and r["peak_gflops"] > 0 and r["milliseconds"] > 0
    assert abs(r["share"] - r["gflops"] / r["peak_gflops"]) < 1e-4 * r["share"]
    flops = 2.0 * 17 * 300 * r["rows"]
    assert abs(r["gflops"] * r["milliseconds"] * 1e6 / flops - 1) < 1e-3
    assert r["gflops_p10"] <= r["gflops"] <= r["gflops_p90"]
    assert r["peak_gflops_p10"] <= r["peak_gflops"] <= r["peak_gflops_p90"]
    assert r["computed"] in precisions and (r["type"] not in ("F32", "F16", "BF16") or r["computed"] == "f32")
    assert r["kernels"] and r["peak_instructions"]
PY
fi

# Each instruction set that runs here can be chosen and is named.
for set in $(phi3sat --version --verbose | sed -n 's/^kernels: //p'); do
    PHI3SAT_KERNELS=$set run phi3sat bench kernels --shape 33x64 --rows 5 --types Q8_0,f16 "${quick[@]}" --json
    ok "PHI3SAT_KERNELS=$set is what is timed" test "$status,$(grep -c "\"kernels\": \"$set\"" "$stdout")" = 0,2
done

# What is chosen stands in --version --verbose.
best=$(phi3sat --version --verbose | sed -n 's/^kernels: .* //p')
run phi3sat --version --verbose
expect_stdout_match "^chosen: ${best:-reference}\$" "the widest set is chosen"
PHI3SAT_KERNELS=reference run phi3sat --version --verbose
expect_stdout_match '^chosen: reference$' "unless PHI3SAT_KERNELS names another"
PHI3SAT_KERNELS=sse9 run phi3sat --version --verbose
expect_status 2 "one that doesn't run here is wrong usage"

refused() { # REGEX OPTION...
    local regex=$1
    shift
    run phi3sat bench "$@"
    ok "wrong usage is status 2 and one line: $*" test "$status,$(wc -l <"$stderr"),$(wc -c <"$stdout")" = 2,1,0
    expect_stderr_match "$regex" "which says: $regex"
}
refused "^phi3sat: --rows '0' is not a list of whole numbers from 1 to 65536" kernels --rows 0
refused "^phi3sat: --rows '1,,2' is not a list" kernels --rows 1,,2
refused "^phi3sat: --threads '1,x' is not a list" kernels --threads 1,x
refused "^phi3sat: --types 'IQ2_XXS' is not a weight type that phi3sat decodes" kernels --types Q4_K,IQ2_XXS
refused "^phi3sat: --precision 'f64' is not one of f32" kernels --precision f64
refused "^phi3sat: --shape '8192' is not OUTPUTSxINPUTS" kernels --shape 8192
refused "^phi3sat: .* don't fit the memory of this machine; choose a smaller shape" kernels --shape 16777216x16777216 --json
refused "^phi3sat: unexpected word 'm.gguf'" kernels m.gguf
refused "^phi3sat: unknown option '--model'" kernels --model m.gguf
refused "^phi3sat: there is no benchmark 'speed'; name one: phi3sat bench ffn, .*, phi3sat bench model, phi3sat bench roof" speed
PHI3SAT_KERNELS=sse9 refused "PHI3SAT_KERNELS 'sse9' is not among the kernels" kernels
PHI3SAT_KERNELS=sse9 refused "PHI3SAT_KERNELS 'sse9' is not among the kernels" roof

run phi3sat bench --help
expect_status 0 "bench has a help"
expect_stdout_match '^  kernels +matrix products' "which lists the benchmarks"
for what in kernels roof; do
    run phi3sat bench $what --help
    expect_status 0 "bench $what has a help"
    expect_stdout_match '^PHI3SAT_KERNELS=reference\|avx2\|avx512\|neon' "which names the variable that chooses kernels"
done
run phi3sat --help
expect_stdout_match '^  bench +' "the program's help names it"
if [[ -w /dev/full ]]; then
    run bash -c 'phi3sat bench kernels --shape 8x32 --types Q8_0 --rows 1 --threads 1 --iterations 1 >/dev/full'
    expect_status 4 "an output that can't be written is status 4"
    expect_error_lines 1 "and one line"
fi
done_testing
