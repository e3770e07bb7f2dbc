#!/bin/bash
# goals.t - how well many ranks are used, by simulation, with a model of Phi-3-mini's shape and prompts as long as
# people's are.
. "$(dirname "$0")/../../tap/tap.sh"
need_command python3
tree=$(dirname "$0")
case $tree in /*) ;; *) tree=$source_dir/tests/cli/plan ;; esac

# efficiency RANKS GRID OPTION...
efficiency() {
    local grid=$1
    shift
    phi3sat plan --model phi.gguf --grid "$grid" --gflops 100 --memory 512 --json "$@" 2>/dev/null |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["plan"]["grids"][0]["efficiency"])'
}

# at_least CLAIM VALUE LEAST
at_least() {
    ok "$1: $2 >= $3" python3 -c 'import sys; sys.exit(float(sys.argv[1]) < float(sys.argv[2]))' "$2" "$3"
}

python3 "$tree/phi3_shape.py" phi.gguf
python3 "$tree/lengths.py" 3000 >ids
at_least "3,000 prompts, 64 groups" "$(efficiency 64x1 --tokens ids --ranks-per-node 8)" 0.97
at_least "3,000 prompts, 8 groups of 8 stages" "$(efficiency 8x8 --tokens ids --ranks-per-node 8)" 0.92
for grid in 32x2 16x4 4x16 2x32; do
    at_least "3,000 prompts, $grid" "$(efficiency $grid --tokens ids --ranks-per-node 8)" 0.92
done
at_least "200,000 prompts, 4,096 groups" "$(efficiency 4096x1 --num-prompts 200000 --ranks-per-node 64)" 0.95
at_least "200,000 prompts, 512 groups of 8 stages" "$(efficiency 512x8 --num-prompts 200000 --ranks-per-node 64)" 0.95
done_testing
