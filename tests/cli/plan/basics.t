#!/bin/bash
# basics.t - phi3sat plan: what it says of a run, alone and under mpirun, and what it refuses.
. "$(dirname "$0")/../../tap/tap.sh"
need_command python3

# field NAME: of the JSON object on standard output, as Python's path into it.
field() { python3 -c "import json, sys; print(json.load(open(sys.argv[1]))$1)" "$stdout"; }

phi3sat synth --quiet -o m.gguf --layers 4 --hidden 64 --intermediate 192 --vocab 512
for i in {1..40}; do echo "This is text number $i, and it is about as long as the others are."; done >p.txt

run phi3sat plan --model m.gguf --prompts p.txt --ranks 8 --ranks-per-node 4 --seconds 0.1
expect_status 0 "a plan is made alone"
for word in 'Pace of a rank, measured here' '8x1' '4x2' '2x4' 'efficiency' 'network'; do
    ok "which speaks of: $word" grep -qF "$word" "$stdout"
done
expect_empty stderr "and nothing else"

run phi3sat plan --model m.gguf --prompts p.txt --ranks 8 --ranks-per-node 4 --gflops 10 --json
expect_status 0 "the same as JSON, at a pace that is given"
is "$(field '["run"]["prompts"]')" 40 "all prompts are counted"
is "$(field '["run"]["nodes"]')" 2 "and nodes"
is "$(field '["pace"]["measured"]')" False "nothing was measured"
is "$(field '["plan"]["grids"][0]["grid"]')" 8x1 "the best grid has one stage"
cp "$stdout" first
run phi3sat plan --model m.gguf --prompts p.txt --ranks 8 --ranks-per-node 4 --gflops 20 --json
ok "twice the speed, half the time" python3 - first "$stdout" <<'PY'
import json, sys
a, b = (json.load(open(f))["plan"]["grids"][0]["prompts_seconds"] for f in sys.argv[1:])
sys.exit(not 1.999 < a / b < 2.001)
PY

# Prompts are looked at up to some thousands, and stand for the others.
run phi3sat plan --model m.gguf --num-prompts 200000 --ranks 4096 --ranks-per-node 64 --gflops 50 --memory 64 --json
expect_status 0 "4,096 ranks over 200,000 prompts"
is "$(field '["run"]["prompts"]')" 200000 "stand all in the plan"
ok "of which 600 were made" test "$(field '["run"]["prompts_looked_at"]')" = 600

run phi3sat plan --model m.gguf --prompts p.txt --precision int8 --seconds 0.1 --json
is "$(field '["run"]["precision"]')" int8 "plans are made for other precisions too"

run phi3sat plan --model m.gguf --prompts p.txt --ranks 6 --grid 3x2 --gflops 10 --json
is "$(field '["plan"]["grids"].__len__()')" 1 "one grid, where one is asked for"
run phi3sat plan --model m.gguf --prompts p.txt --shard 0/4 --gflops 10 --json
is "$(field '["run"]["prompts"]')" 10 "a shard has its share of the prompts"
run phi3sat plan --model m.gguf --prompts p.txt --ranks 4 --memory 0.05 --gflops 10
ok "a node that is too small is spoken of" grep -q 'None of them fits' "$stdout"

mpirun_n 2 phi3sat plan --model m.gguf --prompts p.txt --ranks 4 --seconds 0.1 --json
expect_status 0 "two ranks measure together"
ok "and one of them prints" field '["plan"]["grids"][0]["grid"]'

run phi3sat plan --model m.gguf --ranks 8 --grid 3x2
expect_status 2 "a grid of another number of ranks is wrong usage"
expect_stderr "and said so" <<'END'
phi3sat: --grid 3x2 has 6 ranks, and --ranks says 8; see 'phi3sat plan --help'
END
run phi3sat plan --model m.gguf --grid 1x5
expect_status 2 "so are more stages than layers"
run phi3sat plan --model m.gguf --grid 2by2
expect_status 2 "and what is no grid"
run phi3sat plan --model none.gguf
expect_status 3 "a model that isn't there is bad input"
expect_error_lines 1 "in one line"
run phi3sat plan --help
expect_status 0 "there is help"
done_testing
