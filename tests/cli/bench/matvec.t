#!/bin/bash
# matvec.t - phi3sat bench matvec: its two forms and wrong usage. Never how fast anything is.
. "$(dirname "$0")/../../tap/tap.sh"
quick=(--seconds 0 --memory 1 --shape 100x512 --threads 1)

run phi3sat bench matvec "${quick[@]}" --types Q4_K,F16 --rows 1,3
expect_status 0 "products of a few rows are timed"
expect_empty stderr "without a word on standard error"
expect_stdout_match '^Type +Rows +Precision +Threads +GFLOP/s +Memory +Instr. +Bound by +Share ' "the columns have titles"
for line in 'Q4_K +1 +f32 +1 ' 'Q4_K +3 +f32 +1 ' 'F16 +1 +f32 +1 ' 'F16 +3 +f32 +1 .*(memory|instructions) '; do
    expect_stdout_match "^$line" "a line: $line"
done

if command -v python3 >/dev/null; then
    for set in $(phi3sat --version --verbose | sed -n 's/^kernels: //p'); do
        PHI3SAT_KERNELS=$set run phi3sat bench matvec "${quick[@]}" --types Q4_K --rows 1,17 --threads 1,2 --precision f32,int8 --json
        ok "$set: each line has both roofs, names the lower and sets the share against it" python3 - "$stdout" "$set" <<'PY'
import json, sys
rows = json.load(open(sys.argv[1]))
assert [(r["precision"], r["threads"], r["rows"]) for r in rows] == [(p, t, n) for p in ("f32", "int8") for t in (1, 2) for n in (1, 17)]
for r in rows:
    lower = min(r["memory_gflops"], r["instruction_gflops"])
    assert r["bound"] == ("instructions" if r["instruction_gflops"] < r["memory_gflops"] else "memory")
    assert abs(r["share"] - r["gflops"] / lower) <= 1e-3 * r["share"] and r["computed"] == r["precision"]
    assert 0 < r["gflops_p10"] <= r["gflops"] <= r["gflops_p90"] and r["samples"] >= 5 and r["kernels"] == sys.argv[2]
    assert 0.02 < r["error"] < 0.2, r
    # the same work, in bytes and in operations
    weights = r["gflops"] / 2 / r["rows"]
    padded = (r["outputs"] + 63) // 64 * 64 / r["outputs"]
    assert abs(r["gigabytes_per_second"] / weights - 144 / 256 * padded) < 1e-3, r
PY
    done
fi

run phi3sat bench matvec "${quick[@]}" --rows 2
expect_stdout_match '^F32 .* 0 +[0-9.]+ +[0-9.]+$' "six types side by side; F32 is no error from F32"
# shellcheck disable=SC2016 # awk expands it
ok "the others are off by what their types lose" awk '$1 ~ /^(Q4_K|Q5_0|Q8_0|Q6_K|F16|F32)$/ { error[$1] = $(NF - 2); n++ }
    END { exit !(n == 6 && error["Q4_K"] > error["Q5_0"] && error["Q5_0"] > error["Q6_K"] && error["Q6_K"] > error["Q8_0"] &&
                 error["Q8_0"] > error["F16"] && error["F16"] > 0) }' "$stdout"

refused() { # REGEX OPTION...
    local regex=$1
    shift
    run phi3sat bench matvec "$@"
    ok "wrong usage is status 2 and one line: $*" test "$status,$(wc -l <"$stderr"),$(wc -c <"$stdout")" = 2,1,0
    expect_stderr_match "$regex" "which says: $regex"
}
refused "^phi3sat: Q4_0 has no form for products of a few rows" "${quick[@]}" --types Q4_0
refused "^phi3sat: Q6_K has no products of a few rows in this precision" "${quick[@]}" --types Q6_K --precision int8
refused "^phi3sat: --rows '0' is not a list" --rows 0
refused "^phi3sat: --memory '0' is not a whole number" --memory 0
refused "^phi3sat: .* half of this machine's memory" --shape 64x256 --memory 1048576
refused "^phi3sat: unexpected word 'x'" x
done_testing
