#!/usr/bin/env python3
"""plant.py - plants faults in a copy of the tree, one at a time, and sees that the tests named for each notice.

  run [--texts] [--keep FOLDER] [NAME]...     all faults of this folder, or those named

A fault is a file NAME.fault: the path of a source, the tests that must fail (unit test programs or *.t; one is enough), why, and
two texts: the old one, which must stand in the source exactly once, and the new one. --texts looks only at that. Without it the
tree is copied to a temporary folder (or FOLDER, which stays), built there once, the tests are run as they are, and then with each
fault: built anew, run, put back. Output is lines of TAP's kind; the exit status is 1 if a fault survived or doesn't fit any more.
The copy is built with ccache if there is one. What configure was told for the first build (CONFIGURE, in the environment) is its
business; faults need no sanitizers.
"""
import argparse
import collections
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
LONGEST = 300  # seconds that a test may take before it counts as hanging, which is a failure too
Fault = collections.namedtuple("Fault", "name path tests why old new")


def read(name):
    with open(f"{HERE}/{name}.fault", encoding="utf-8") as f:
        head, texts = f.read().split("old:\n", 1)
    old, new = texts.split("\nnew:\n" if "\nnew:\n" in texts else "new:\n", 1)
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    return Fault(name, fields["path"], fields["tests"].split(), fields["why"], old, new[:-1])


def claim(holds, text, *notes):
    print("ok" if holds else "not ok", "-", text, flush=True)
    for note in notes if not holds else ():
        print("#", note, flush=True)
    return holds


def check_text(fault):
    """The old text is there once, differs from the new one, and the tests exist."""
    with open(f"{TOP}/{fault.path}", encoding="utf-8") as f:
        count = f.read().count(fault.old)
    missing = [t for t in fault.tests if not os.path.exists(f"{TOP}/{t}") and not os.path.exists(f"{TOP}/{t}.c")]
    return claim(count == 1 and fault.old != fault.new and fault.tests and not missing, f"{fault.name} still fits {fault.path}",
                 f"its old text is there {count} times", f"missing tests: {missing}")


def copy_tree(folder):
    """What the tree is made of; builds in it are left out."""
    def ignored(path, names):
        builds = [n for n in names if os.path.exists(f"{path}/{n}/config.status")]
        return [n for n in names if n in (".git", "build", "__pycache__", "autom4te.cache")] + builds
    shutil.copytree(TOP, f"{folder}/tree", ignore=ignored, symlinks=True, dirs_exist_ok=True)


class Build:
    def __init__(self, folder):
        self.tree, self.folder = f"{folder}/tree", f"{folder}/build"
        self.log = open(f"{folder}/log", "ab")
        os.makedirs(self.folder, exist_ok=True)

    def call(self, *command, seconds=3600, **more):
        environment = {**os.environ, "PHI3SAT_SRCDIR": self.tree, "PHI3SAT_BUILDDIR": self.folder, "HDF5_USE_FILE_LOCKING": "FALSE",
                       "LC_ALL": "C.UTF-8", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "PHI3SAT_LONG": "0",
                       "PHI3SAT_MPIRUN": os.environ.get("PHI3SAT_MPIRUN") or shutil.which("mpirun") or "mpirun"}
        environment.pop("MAKEFLAGS", None)  # of a make that this runs under
        environment.pop("MAKELEVEL", None)
        try:
            return subprocess.run(command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stderr=self.log, timeout=seconds,
                                  check=False, **{"stdout": self.log, **more})
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, 124, b"")

    def make(self, *targets):
        return self.call("make", f"-j{os.cpu_count()}", *targets).returncode == 0

    def prepare(self, faults):
        if not os.path.exists(f"{self.tree}/configure") and self.call("autoreconf", "-i", self.tree).returncode:
            return False
        compiler = {"CC": "ccache " + os.environ.get("CC", "gcc")} if shutil.which("ccache") and "ccache" not in os.environ.get("CC", "") else {}
        if not os.path.exists(f"{self.folder}/Makefile"):
            options = [f"{k}={v}" for k, v in compiler.items()] + os.environ.get("CONFIGURE", "").split()
            if self.call("../tree/configure", *options).returncode:
                return False
        return self.make() and self.make(*sorted({t for f in faults for t in f.tests if not t.endswith(".t")}))

    def rebuild(self, fault):
        return self.make(*sorted({"phi3sat" if t.endswith(".t") else t for t in fault.tests}))

    def failures(self, tests):
        """Those of `tests` that fail, with how many of their points."""
        found = []
        for test in tests:
            command = ["bash", f"{self.tree}/{test}"] if test.endswith(".t") else [f"{self.folder}/{test}"]
            done = self.call(*command, seconds=LONGEST, stdout=subprocess.PIPE)
            lines = done.stdout.decode("utf-8", "replace").splitlines()
            if any("# SKIP" in line and line.startswith("1..0") for line in lines):
                continue
            points = [line for line in lines if line.startswith("not ok")]
            if points or done.returncode:
                found.append(f"{test}: {points[0][7:] if points else 'ends with status %d' % done.returncode}")
                break
        return found

    def replace(self, path, text):
        """Anew, so that make sees it, whatever the clock's grain."""
        with open(f"{self.tree}/{path}", "w", encoding="utf-8") as f:
            f.write(text)
        now = time.time()
        os.utime(f"{self.tree}/{path}", (now, now))


def plant(build, fault):
    with open(f"{build.tree}/{fault.path}", encoding="utf-8") as f:
        good = f.read()
    begun = time.monotonic()
    build.replace(fault.path, good.replace(fault.old, fault.new))
    try:
        if not build.rebuild(fault):
            return claim(False, f"{fault.name} can be built", "see the log")
        found = build.failures(fault.tests)
        took = time.monotonic() - begun
        claim(bool(found), f"{fault.name}: {fault.why}", f"survived {' '.join(fault.tests)}")
        if found:
            print(f"# {fault.name} in {took:.0f} s, by {found[0]}", flush=True)
        return bool(found)
    finally:
        build.replace(fault.path, good)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--texts", action="store_true")
    p.add_argument("--keep", metavar="FOLDER")
    p.add_argument("names", nargs="*")
    o = p.parse_args()
    names = o.names or sorted(n[:-6] for n in os.listdir(HERE) if n.endswith(".fault"))
    faults = [read(n) for n in names]
    fits = all([check_text(f) for f in faults])
    if o.texts or not fits:
        return not fits
    folder = os.path.abspath(o.keep) if o.keep else tempfile.mkdtemp(prefix="phi3sat-planted-")
    try:
        os.makedirs(folder, exist_ok=True)
        copy_tree(folder)
        build = Build(folder)
        if not claim(build.prepare(faults), "a copy of the tree is built", f"see {folder}/log"):
            return 1
        tests = sorted({t for f in faults for t in f.tests})
        bad = [found for t in tests for found in build.failures([t])]
        if not claim(not bad, f"without a fault all {len(tests)} tests pass", *bad):
            return 1
        return not all([plant(build, f) for f in faults])
    finally:
        if not o.keep:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
