#!/bin/bash
# roof.t - phi3sat bench roof: its two forms and wrong usage. Never how fast anything is.
. "$(dirname "$0")/../../tap/tap.sh"
quick=(--seconds 0 --memory 2 --cache 1)

run phi3sat bench roof --threads 1 "${quick[@]}"
expect_status 0 "the roofs are measured"
expect_empty stderr "without a word on standard error"
expect_stdout_match '^Roof +Threads +Median +p10 +p90 +Unit +How$' "the columns have titles"
for line in 'fma +1 +[0-9.]+ +[0-9.]+ +[0-9.]+ +GFLOP/s ' 'int16 +1 .* GOP/s ' 'int8 +1 .* GOP/s ' 'decode +1 .* GOP/s ' \
    'memory +1 .* GB/s +read 2 MiB' 'cache +1 .* GB/s +read 1 MiB'; do
    expect_stdout_match "^$line" "a line: $line"
done

if command -v python3 >/dev/null; then
    for set in $(phi3sat --version --verbose | sed -n 's/^kernels: //p'); do
        PHI3SAT_KERNELS=$set run phi3sat bench roof --threads 1,2 "${quick[@]}" --json
        ok "$set: the array has six roofs for each number of threads" python3 - "$stdout" "$set" <<'PY'
import json, sys
rows = json.load(open(sys.argv[1]))
assert [(r["threads"], r["roof"]) for r in rows] == [(n, k) for n in (1, 2) for k in ("fma", "int16", "int8", "decode", "memory", "cache")]
for r in rows:
    assert 0 < r["p10"] <= r["value"] <= r["p90"] and r["samples"] >= 5 and r["kernels"] == sys.argv[2] and r["how"]
    assert r["unit"] == {"fma": "GFLOP/s", "int16": "GOP/s", "int8": "GOP/s", "decode": "GOP/s"}.get(r["roof"], "GB/s")
PY
    done
fi

refused() { # REGEX OPTION...
    local regex=$1
    shift
    run phi3sat bench roof "$@"
    ok "wrong usage is status 2 and one line: $*" test "$status,$(wc -l <"$stderr"),$(wc -c <"$stdout")" = 2,1,0
    expect_stderr_match "$regex" "which says: $regex"
}
refused "^phi3sat: --threads '0' is not a list of whole numbers" --threads 0
refused "^phi3sat: --memory '0' is not a whole number" --memory 0
refused "^phi3sat: --memory is more than half of this machine's memory" --memory 1048576
refused "^phi3sat: --seconds 'x' is not a number" --seconds x
refused "^phi3sat: unexpected word 'fma'" fma
done_testing
