#!/usr/bin/env python3
"""judge.py PHI3SAT: predictions of `phi3sat plan` against runs, by hand.

Paces are measured by plan on 1 and 2 ranks, here; they and the machine's cores are all that the predictions know.
Judged are grids that were not measured, up to 8 ranks, and with --mbit N a link of that bandwidth between two network
namespaces (root only). Each run is done --times times and counts with its shortest, as does each measurement.

More ranks than cores share them, which plan is told by --cores; ranks that wait yield. What they cost each other in caches is
not in the model, so that grids beyond the cores tell less than those within.
Exit status: 0 all within --tolerance, 1 not.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
GRIDS = ["1x1", "2x1", "1x2", "3x1", "4x1", "2x2", "1x4", "8x1", "4x2", "2x4", "1x8"]
FAR_GRIDS = ["2x1", "1x2", "2x2", "4x1"]
BASE = ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]


def options():
    p = argparse.ArgumentParser()
    p.add_argument("phi3sat")
    p.add_argument("--layers", type=int, default=8)
    p.add_argument("--hidden", type=int, default=512)
    p.add_argument("--intermediate", type=int, default=1536)
    p.add_argument("--prompts", type=int, default=96)
    p.add_argument("--times", type=int, default=2)
    p.add_argument("--tolerance", type=float, default=0.15)
    p.add_argument("--mbit", type=float, default=0)
    p.add_argument("--grids", default="")
    return p.parse_args()


def shell(command, env=None):
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    if done.returncode not in (0, 5):
        sys.exit("%s\nfailed (%d): %s" % (" ".join(command), done.returncode, done.stderr[-2000:]))
    return done


def launcher(ranks, far, folder):
    """mpirun for ranks on this host, or the first half of them on one namespace, the other on the other."""
    if not far:
        return ["mpirun", "-np", str(ranks)] + BASE
    half = ranks // 2
    return [os.path.join(HERE, "hosts.sh"), "on", folder, "phi3a", "mpirun", "-np", str(ranks)] + BASE + [
        "--mca", "plm_rsh_agent", os.path.join(HERE, "hosts.sh"), "--mca", "btl_tcp_if_include", "10.77.5.0/24",
        "--mca", "oob_tcp_if_include", "10.77.5.0/24", "-H", "phi3a:%d,phi3b:%d" % (half, ranks - half),
        "-x", "OMP_NUM_THREADS", "-x", "OMPI_MCA_btl"]


def plan(args, grid, measure_on, more, far, folder):
    """Seconds from the first batch to the end, and in all, at the pace that `measure_on` ranks reach."""
    best = None
    for _ in range(args.times):
        out = shell(launcher(measure_on, far, folder) +
                    [args.phi3sat, "plan", "--model", "m.gguf", "--num-prompts", str(args.prompts), "--grid", grid,
                     "--threads", "1", "--json", "--seconds", "3"] + more).stdout
        grid_plan = json.loads(out)["plan"]["grids"][0]
        seconds = grid_plan["prompts_seconds"] + grid_plan["merge_seconds"] + grid_plan["write_seconds"]
        best = min(best or (9e99,), (seconds, grid_plan["seconds"]))
    return best


def run(args, grid, far, folder):
    groups, stages = map(int, grid.split("x"))
    best = None
    for _ in range(args.times):
        start = time.monotonic()
        err = shell(launcher(groups * stages, far, folder) +
                    [args.phi3sat, "--model", "m.gguf", "--num-prompts", str(args.prompts), "--grid", grid, "--threads", "1",
                     "--output", "r.csv", "--verbose", "--progress", "never"]).stderr
        steps = {name: float(s) for name, s in re.findall(r"note: ([^:]*): ([0-9.]+) s;", err)}
        seconds = steps["ran the prompts"] + steps["merged the sums and wrote the outputs"]
        best = min(best or (9e99,), (seconds, time.monotonic() - start))
    return best


def judge(args, grids, far, folder):
    cores = os.cpu_count()
    worst = 0.0
    print("%-6s %-9s %9s %9s %7s   %s" % ("grid", "where", "predicted", "run", "off", "in all: predicted, run"))
    for grid in grids:
        groups, stages = map(int, grid.split("x"))
        ranks = groups * stages
        more = ["--ranks-per-node", str((ranks + 1) // 2 if far else ranks)]
        more += ["--cores", str(1 if far else min(ranks, cores))]
        predicted, all_predicted = plan(args, grid, 1 if ranks == 1 else 2, more, far, folder)
        seconds, all_seconds = run(args, grid, far, folder)
        off = predicted / seconds - 1
        worst = max(worst, abs(off))
        print("%-6s %-9s %8.2fs %8.2fs %+6.1f%%   %.2f %.2f%s" % (
            grid, "2 hosts" if far else "1 host", predicted, seconds, 100 * off, all_predicted, all_seconds,
            "   measured grid" if ranks <= 2 and stages == 1 and not far else ""), flush=True)
    return worst


def main():
    args = options()
    args.phi3sat = os.path.abspath(args.phi3sat)
    os.environ.update(OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        shell([args.phi3sat, "synth", "--quiet", "-o", "m.gguf", "--layers", str(args.layers), "--hidden", str(args.hidden),
               "--intermediate", str(args.intermediate), "--heads", "8", "--type", "Q4_K"])
        chosen = args.grids.split(",") if args.grids else None
        if not args.mbit:
            worst = judge(args, chosen or GRIDS, False, folder)
        else:
            os.environ.update(HOSTS_FOLDER=folder, OMPI_MCA_btl="self,vader,tcp")
            shell([os.path.join(HERE, "hosts.sh"), "up", folder, str(args.mbit)])
            try:
                worst = judge(args, chosen or FAR_GRIDS, True, folder)
            finally:
                shell([os.path.join(HERE, "hosts.sh"), "down", folder])
    print("the farthest off: %.1f %%" % (100 * worst))
    return worst > args.tolerance


if __name__ == "__main__":
    sys.exit(main())
