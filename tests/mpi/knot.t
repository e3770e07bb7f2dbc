#!/bin/bash
# knot.t - ranks on a .knot file: one archive for every grid, that of the source; and what packing takes of memory.
. "$(dirname "$0")/../cli/profile/profile.sh"
need_command python3
printf 'the of and to\nin is it that the\nof the\nthe\nand that is it\n' >p.txt
phi3sat synth --quiet -o m.gguf --arch llama --layers 5 --hidden 256 --intermediate 512 --kv-heads 2 --vocab 400 --context 256 ||
    bail "synth failed"
phi3sat pack --quiet m.gguf -o m.knot || bail "pack failed"
run phi3sat --quiet --model m.gguf --prompts p.txt --output one.csv
for grid in 1x1 2x1 1x5 2x2; do
    mpirun_n $((${grid%x*} * ${grid#*x})) phi3sat --quiet --model m.knot --prompts p.txt --output r.csv --grid $grid
    expect_status 0 "grid $grid: it runs"
    same one.h5 r.h5 "grid $grid: the archive that one rank makes of the GGUF"
done

# Private memory, not the maps': what a process may write to (RLIMIT_DATA) stays the same however large the model.
phi3sat synth --quiet -o large.gguf --type F16 --layers 6 --hidden 1024 --intermediate 8192 --heads 8 --vocab 400 --context 256
cat >limited.py <<'PY'
import resource, subprocess, sys
def run(words):
    limit = lambda: resource.setrlimit(resource.RLIMIT_DATA, (40 << 20, 40 << 20))
    return subprocess.run(["phi3sat", *words], preexec_fn=limit, stdout=subprocess.DEVNULL).returncode
assert run(["pack", "--quiet", "large.gguf", "-o", "large.knot"]) == 0, "pack"
assert run(["inspect", "--verify", "large.knot"]) == 0, "inspect"
PY
run python3 limited.py
expect_status 0 "a model of 360 MB is packed and verified with less than a layer's 58 MB of private memory"
diag "$(cat "$stderr")"
done_testing
