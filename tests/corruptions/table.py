"""table.py - runs a table of named corruptions: one spoiled file a row, and the one line that phi3sat must say of it.

Flow: a table (gguf.py, prompts.py ...) makes rows with `case`; `run` writes each row's files into an empty folder, starts phi3sat
there and makes one TAP claim: exit status and the whole line as TABLE.txt has them, nothing on standard output, and a peak of
resident memory of at most a small multiple of the input's bytes above what a good little file takes. A row without its entry
in TABLE.txt fails, and so does an entry without a row; PHI3SAT_UPDATE_CORRUPTIONS=1 writes the file anew, to be read line by line
by whoever does that. Needs nothing but Python's standard library.
"""
import collections
import os
import resource
import shutil
import signal
import subprocess

# The kinds of faults that docs/security.md lists, in its order.
KINDS = ("product that wraps", "count before allocation", "length past the end", "offset", "overlap", "dimension", "alignment",
         "wrong type", "duplicate", "token id", "embedded zero", "shape", "NaN or infinity", "nesting", "UTF-8", "number", "bomb",
         "set of files")
TIMES, SLACK = 8, 6 << 20  # memory: bytes for each byte of input, and for what a refusal itself takes

Case = collections.namedtuple("Case", "kind name files command most")
Said = collections.namedtuple("Said", "status lines printed peak")


def case(kind, name, files, command, most=0):
    """`files`: name -> bytes, text, or a function that makes the file of that name. `most`: bytes that may be taken besides."""
    assert kind in KINDS, kind
    return Case(kind, name, files, command.split() if isinstance(command, str) else command, most)


def write(files):
    """The folder anew; the bytes that the files say they have, less the holes of sparse ones."""
    for entry in os.listdir("."):
        shutil.rmtree(entry) if os.path.isdir(entry) else os.remove(entry)
    real = 0
    for name, content in files.items():
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        if callable(content):
            content(name)
        else:
            with open(name, "wb") as f:
                f.write(content.encode() if isinstance(content, str) else content)
        real += os.stat(name).st_blocks * 512
    return real


def said(command, seconds=20):
    """Runs phi3sat; a hang is ended after `seconds` and seen as status -9."""
    with open("../out", "wb") as out, open("../err", "wb") as err:
        p = subprocess.Popen(["phi3sat", *command], stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        signal.signal(signal.SIGALRM, lambda *_: p.kill())
        signal.alarm(seconds)
        _, status, usage = os.wait4(p.pid, 0)
        signal.alarm(0)
        p.returncode = os.waitstatus_to_exitcode(status)
    with open("../err", encoding="utf-8", errors="replace") as f:
        lines = f.read().splitlines()
    return Said(p.returncode, lines, os.path.getsize("../out"), usage.ru_maxrss * 1024)


def sanitized():
    """Whether the program was built with AddressSanitizer, whose own memory drowns what is measured here."""
    return subprocess.run(["grep", "-q", "__asan_init", shutil.which("phi3sat")], check=False).returncode == 0


def expectations(path):
    """kind: name -> status and line, as text."""
    with open(path, encoding="utf-8") as f:
        lines = [line.rstrip("\n") for line in f if not line.startswith("#")]
    return dict(zip(lines[::2], (line.strip() for line in lines[1::2])))


def update(path, cases, told):
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"# {os.path.basename(path)} - what phi3sat says of each row of {os.path.basename(path)[:-4]}.py: "
                "kind and name, and below them exit status and line.\n")
        for c, words in zip(cases, told):
            f.write(f"{c.kind}: {c.name}\n    {words}\n")


def claim(holds, text, *notes):
    print("ok" if holds else "not ok", "-", text)
    for note in notes if not holds else ():
        print("#", note)


def judge(got, told, wanted, room, prints):
    """What is wrong; nothing if all is as it must be."""
    wrong = []
    if told != wanted:
        wrong += ["said:   " + told, "wanted: " + str(wanted)]
    if got.printed and not prints:
        wrong.append("and printed something")
    if got.peak > room:
        wrong.append(f"took {got.peak >> 10} KiB, allowed {room >> 10}")
    return wrong


def words(got, keep):
    """Status and the one line, without the program's name; more lines than one can't be what is wanted."""
    lines = [line for line in got.lines if not keep or line.startswith(keep)]
    lines = [line[len("phi3sat: "):] if line.startswith("phi3sat: ") else "(no error) " + line for line in lines]
    return f"{got.status} {' | '.join(lines)}"


def run(table, cases, good, whole=True, keep=None):
    """`good`: a row's files and command that succeed, whose memory is what the program itself takes. Not `whole`: some rows only.
    `keep`: rows that end well, of whose lines those count that begin so."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), table + ".txt")
    updating = os.environ.get("PHI3SAT_UPDATE_CORRUPTIONS") == "1"
    wanted = {} if updating else expectations(path)
    os.makedirs("rows", exist_ok=True)
    os.chdir("rows")
    write(good[0])
    base = said(good[1])
    claim(base.status == 0, "the file that the rows spoil is good", *base.lines)
    names = [f"{c.kind}: {c.name}" for c in cases]
    odd = set(names) ^ set(wanted) if whole else set(names) - set(wanted)
    claim(updating or len(set(names)) == len(names) and not odd, f"each of {len(names)} rows has its lines in {table}.txt", *sorted(odd))
    # what a child is born with counts too: the memory of this script
    base_peak = max(base.peak, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
    measured, most, told = not sanitized(), 0, []
    for c, name in zip(cases, names):
        size = write(c.files)
        got = said(c.command)
        told.append(words(got, keep))
        room = base_peak + TIMES * size + SLACK + c.most if measured else 1 << 62
        wrong = judge(got, told[-1], told[-1] if updating else wanted.get(name), room, keep)
        claim(not wrong, name, *wrong)
        most = max(most, got.peak - base_peak)
    if measured:
        print(f"# the hungriest of {len(cases)} rows took {most >> 10} KiB more than the good file")
    if updating:
        update(path, cases, told)
