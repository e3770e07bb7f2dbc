"""table.py LINES.JSON MISSED.TXT - gcovr's counts as a table by room, and a list of the lines that nothing went through.

Called by tests/coverage/run. A line that is compiled several times (kernels, once for each
instruction set) is covered when one of them went through it, as gcovr merges them. src/main.c is
apart: it is the process's start and end, which every test of the command line goes through.
"""
import json
import sys


def spans(numbers):
    """[3, 4, 5, 9] -> "3-5 9"."""
    parts, first, last = [], None, None
    for n in sorted(numbers) + [None]:
        if last is not None and n == last + 1:
            last = n
            continue
        if first is not None:
            parts.append(str(first) if first == last else f"{first}-{last}")
        first = last = n
    return " ".join(parts)


rooms, missed = {}, []
for file in json.load(open(sys.argv[1]))["files"]:
    name = file["file"]
    room = name if name.count("/") == 1 else "/".join(name.split("/")[:2])
    count = rooms.setdefault(room, [0, 0, 0, 0])
    lines = [line for line in file["lines"] if not line.get("gcovr/noncode")]
    gone = [line["line_number"] for line in lines if line["count"] == 0]
    branches = [branch for line in lines for branch in line.get("branches", [])]
    count[0] += len(lines)
    count[1] += len(lines) - len(gone)
    count[2] += len(branches)
    count[3] += sum(branch["count"] > 0 for branch in branches)
    if gone:
        missed.append((len(gone), name, spans(gone)))

with open(sys.argv[2], "w") as out:
    for number, name, where in sorted(missed, reverse=True):
        out.write(f"{number:5} {name}: {where}\n")


def row(name, count):
    share = [100 * count[i + 1] / count[i] if count[i] else 100 for i in (0, 2)]
    print(f"| {name} | {count[0]} | {share[0]:.1f} % | {count[2]} | {share[1]:.1f} % |")


print("| room | lines | covered | branches | covered |")
print("| --- | ---: | ---: | ---: | ---: |")
for room in sorted(rooms):
    row(f"`{room}`", rooms[room])
row("all but `src/main.c`", [sum(c[i] for r, c in rooms.items() if r != "src/main.c") for i in range(4)])
