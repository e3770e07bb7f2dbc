#!/bin/bash
# bench_lines.t - the other benchmarks under mpirun: every rank measures, one speaks. Never how fast anything is.
. "$(dirname "$0")/../tap/tap.sh"
start=("${PHI3SAT_MPIRUN:-mpirun}" --oversubscribe --bind-to none -np 3)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
small=(--shape 64x256 --rows 1 --threads 1 --iterations 2)
ok "a small model" phi3sat synth --quiet -o "m.gguf"

# Claims about the JSON in $stdout: so many rows, the key's least and most around its median.
# shellcheck disable=SC2317 # run by ok
ranks_agree() {
    python3 - "$stdout" "$@" <<'PY'
import json, sys
rows = json.load(open(sys.argv[1]))
key, count, ranks = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
assert len(rows) == count and all(r["ranks"] == ranks for r in rows), rows
assert all(r[key + "_least_rank"] <= r[key] <= r[key + "_most_rank"] for r in rows), rows
assert ranks > 1 or all(r[key + "_least_rank"] == r[key + "_most_rank"] for r in rows), rows
PY
}

run "${start[@]}" phi3sat bench kernels "${small[@]}"
expect_status 0 "kernels: three ranks measure"
ok "one of them prints" test "$(grep -c '^Q4_K ' "$stdout")" = 1
expect_stdout_match '^Medians over 3 ranks' "which says what the figures are"
expect_stdout_match 'GFLOP/s +Least +Most' "with the least and the most"
run phi3sat bench kernels "${small[@]}"
ok "alone there is neither" test "$(grep -cE 'Least|ranks' "$stdout")" = 0
run "${start[@]}" phi3sat bench matvec "${small[@]}" --memory 1 --types Q4_K,F32
expect_status 0 "matvec"
ok "a line a type" test "$(grep -cE '^(Q4_K|F32) ' "$stdout")" = 2
run "${start[@]}" phi3sat bench roof --memory 1 --cache 1 --seconds 0 --threads 1
expect_status 0 "roof"
ok "a line a roof" test "$(grep -c '^memory ' "$stdout")" = 1
model=(--model "m.gguf" --prompt-lengths 8 --iterations 2 --threads 1)
run "${start[@]}" phi3sat bench model "${model[@]}"
expect_status 0 "model"
ok "a line a form" test "$(grep -c 'Low-rank' "$stdout")" = 1
run "${start[@]}" phi3sat bench model "${model[@]}" --text "hello" --max-tokens 4 --json
ok "an answer is said once" test "$(grep -c '"text"' "$stdout")" = 1
if command -v python3 >/dev/null; then
    run "${start[@]}" phi3sat bench kernels "${small[@]}" --json
    ok "kernels as JSON" ranks_agree gflops 1 3
    run "${start[@]}" phi3sat bench matvec "${small[@]}" --memory 1 --types Q4_K,F32 --json
    ok "matvec as JSON" ranks_agree gflops 2 3
    run "${start[@]}" phi3sat bench roof --memory 1 --cache 1 --seconds 0 --threads 1 --json
    ok "roof as JSON" ranks_agree value 6 3
    run "${start[@]}" phi3sat bench model "${model[@]}" --json
    ok "model as JSON" ranks_agree tokens_per_second 4 3
    run phi3sat bench kernels "${small[@]}" --json
    ok "alone all three are one" ranks_agree gflops 1 1
fi
run "${start[@]}" phi3sat bench model --model "none.gguf"
expect_status 3 "a model that isn't there"
ok "is one line" test "$(grep -c '^phi3sat: ' "$stderr")" = 1
run "${start[@]}" phi3sat bench matvec --types q9
ok "wrong usage is one line from one rank" test "$(grep -c '^phi3sat: ' "$stderr")" = 1
run "${start[@]}" phi3sat bench roof --help
ok "help comes once" test "$(grep -c '^Usage' "$stdout")" = 1
done_testing
