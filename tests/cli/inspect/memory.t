#!/bin/bash
# memory.t - the memory that inspect announces is what a run takes: the resident set of a model with large
# weights and state, less that of a tiny one, which stands for the program and its libraries.
. "$(dirname "$0")/../../tap/tap.sh"
need_command python3
run phi3sat synth --quiet -o big.gguf --layers 8 --hidden 256 --intermediate 8192 --context 256
run phi3sat synth --quiet -o small.gguf --layers 1 --hidden 64 --intermediate 96 --vocab 512 --context 256
python3 -c 'print("\n".join(" ".join(str(3 + (i * 7 + j * 13) % 400) for j in range(n)) for i, n in enumerate((200, 60, 9))))' >ids
cat >look.py <<'PY'
import json, os, resource, subprocess, sys
def planned(model, row):
    out = subprocess.run(["phi3sat", "inspect", "--json", model], capture_output=True, check=True).stdout
    return json.loads(out)["memory"]["stages"][row]["total"]
def peak(model):
    child = os.fork()
    if child == 0:
        p = subprocess.run(["phi3sat", "--quiet", "--threads", "1", "--model", model, "--tokens", "ids", "--output", "x.csv"],
                           stdout=subprocess.DEVNULL)
        print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, file=open("peak", "w"))
        os._exit(p.returncode)
    assert os.waitpid(child, 0)[1] == 0
    return int(open("peak").read())
base = peak("small.gguf") - planned("small.gguf", 0)
real, plan = peak("big.gguf") - base, planned("big.gguf", 0)
print("planned %.1f MB, taken %.1f MB, and %.1f MB for the program and its libraries" % (plan / 1e6, real / 1e6, base / 1e6))
sys.exit(not 0.85 * plan < real < 1.05 * plan)
PY
run python3 look.py
expect_status 0 "a run takes what was announced, from 15 % less to 5 % more"
diag "$(cat "$stdout")"
done_testing
