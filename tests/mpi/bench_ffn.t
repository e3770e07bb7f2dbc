#!/bin/bash
# bench_ffn.t - phi3sat bench ffn under mpirun: every rank measures, one speaks. Never how fast anything is.
. "$(dirname "$0")/../tap/tap.sh"
quick=(--hidden 256 --intermediate 512 --iterations 5 --threads 1 --batch "1,9")
start=("${PHI3SAT_MPIRUN:-mpirun}" --oversubscribe --bind-to none -np 3)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1

run "${start[@]}" phi3sat bench "${quick[@]}"
expect_status 0 "three ranks measure"
ok "one of them prints" test "$(grep -c '^| Q4K Baseline' "$stdout")" = 1
expect_stdout_match '^Over 3 ranks at the same time' "all ranks' figures"
# shellcheck disable=SC2016 # awk expands it
ok "the least, the median and the most are in order" awk '/^Over 3 ranks/ { on = 1; next } on && NF == 0 { exit }
    on { n++; if (!($(NF - 2) <= $(NF - 1) && $(NF - 1) <= $NF)) bad = 1 } END { exit n != 8 || bad }' "$stdout"
run "${start[@]}" phi3sat bench "${quick[@]}" --json
if command -v python3 >/dev/null; then
    ok "JSON counts the ranks" python3 - "$stdout" <<'PY'
import json, sys
rows = json.load(open(sys.argv[1]))
assert len(rows) == 8 and all(r["ranks"] == 3 and r["error"] == 0 for r in rows)
assert all(r["milliseconds_least_rank"] <= r["milliseconds"] <= r["milliseconds_most_rank"] for r in rows)
PY
fi
run "${start[@]}" phi3sat bench --type q9
ok "wrong usage is one line from one rank" test "$(grep -c '^phi3sat: ' "$stderr")" = 1
expect_stderr_match "^phi3sat: --type 'q9' is not a weight type" "which says what is wrong"
done_testing
