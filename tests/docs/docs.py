#!/usr/bin/env python3
"""docs.py WHAT [FILE...] - checks what the documents claim; prints findings, FILE:LINE: WHAT, and nothing when all is well.

links      relative links and their anchors lead somewhere, and paths in `backticks` are files of the tree
commands   each phi3sat command line is one that the program takes: asked with --help added, which parses all and runs nothing
options    each option that stands in `backticks` by itself is an option of some command
run KIND   runs the blocks marked <!-- run --> (KIND "check") or <!-- run demo --> too ("demo"), one folder a file: a line
           "$ COMMAND" is run by bash, and what follows is what it prints; a line "..." stands for any lines

Run in the top folder of the tree, the built program in PATH.
"""
import difflib
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

# Names in the text that stand for a file of that kind, and what is no command behind the program's name.
PLACEHOLDER = re.compile(r"(^|[/_])(ROOM|FILE|WORD|NAME|TOPIC|CASE|COMMAND)")
FORMATS = ("archive", "checkpoint")
# What is in backticks and begins with -- but belongs to other programs.
FOREIGN = re.compile(r"--(oversubscribe|bind-to|map-by|mca|mpi|enable-|prefix|disable-|host|signal|write|times|mbit|requeue|exclusive|"
                     r"nodes|ntasks|cpus-per-task|golden|no-)")


def documents(given):
    return given or ["README.md", "CHANGELOG.md"] + sorted(glob.glob("docs/*.md")) + sorted(glob.glob("tests/*/*.md"))


def blocks(lines):
    """Yields (number of first line, [lines], mark) of indented and fenced blocks; mark is the comment ahead, or ""."""
    mark, i = "", 0
    while i < len(lines):
        line = lines[i]
        fence = re.match(r" *```", line)
        if fence:
            end = next((k for k in range(i + 1, len(lines)) if re.match(r" *```", lines[k])), len(lines))
            yield i + 1, lines[i + 1:end], mark
            mark, i = "", end + 1
        elif re.match(r"    +\S", line) and (i == 0 or not lines[i - 1].strip() or mark):
            end = i
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            while not lines[end - 1].strip():
                end -= 1
            yield i, [line[4:] for line in lines[i:end]], mark
            mark, i = "", end
        else:
            found = re.fullmatch(r"<!-- (run(?: demo)?) -->", line.strip())
            mark = found.group(1) if found else mark if not line.strip() else ""
            i += 1


def prose(lines):
    """The same lines, those of blocks emptied."""
    kept = list(lines)
    for first, block, _ in blocks(lines):
        for k in range(first, min(first + len(block), len(kept))):
            kept[k] = ""
    return kept


def anchors(path):
    """As GitHub makes them of headings."""
    seen, found = {}, set()
    for line in prose(open(path, encoding="utf-8").read().split("\n")):
        heading = re.match(r"#+ +(.*)", line)
        if heading:
            text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.group(1)).replace("`", "")
            slug = re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")
            found.add(slug + (f"-{seen[slug]}" if slug in seen else ""))
            seen[slug] = seen.get(slug, 0) + 1
    return found


def check_links(path, lines):
    for number, line in enumerate(prose(lines), 1):
        bare = re.sub(r"`[^`]*`", "", line)
        for target in re.findall(r"\]\(([^)\s]+)\)", bare):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            file = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            if not os.path.exists(file):
                yield number, f"link to {target}: there is no {file}"
            elif anchor and anchor not in anchors(file):
                yield number, f"link to {target}: {file} has no such heading"
        for name in re.findall(r"`((?:src|tests|docs|jobs|data|m4|build-aux|contrib|man|include|python)/[\w./*-]+)`", line):
            if not PLACEHOLDER.search(name) and not glob.glob(name) and not glob.glob(name + ".c"):
                yield number, f"there is no {name}"


def words_of(line):
    """The words of a command line up to what ends a command."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|;&<>")
    lexer.whitespace_split = True
    lexer.commenters = "#"
    words = []
    for word in lexer:
        if re.fullmatch(r"[|;&<>]+", word):
            if words:
                yield words
            words = []
        else:
            words.append(word)
    if words:
        yield words


LAUNCHER = re.compile(r"(\$ )?((mpirun|srun|flock|env|time|for|do|then|\w+=|/|-|\w+:\d|\d|\w+,\w+|sudo|xargs)\S*\s+|[a-z-]+ )*")


def check_command(line):
    """Findings of one line that may have phi3sat commands in it."""
    line = re.sub(r"^\s*\$ ", "", line).replace("...", "").replace("[", "").replace("]", "")
    line = re.sub(r"2>(&1|\s*\S+)", "", re.sub(r"\$\w+", "1", line))
    try:
        commands = list(words_of(line))
    except ValueError as fault:
        return [f"can't be read: {fault}"]
    findings = []
    for words in commands:
        at = next((i for i, w in enumerate(words) if w == "phi3sat" or w.endswith("/phi3sat")), None)
        if at is None or not LAUNCHER.fullmatch("".join(w + " " for w in words[:at])):
            continue
        words = [w for w in words[at + 1:] if w != "--help"]
        if words and words[0] in ("--version", "--manual", "--completion") + FORMATS:
            continue
        if any(re.search(r"[A-Z]\|", w) for w in words):
            continue
        done = subprocess.run(["phi3sat"] + words + ["--help"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            findings.append(f"phi3sat {' '.join(words)}: {done.stderr.strip()}")
    return findings


def check_commands(path, lines):
    for first, block, _ in blocks(lines):
        joined, at = "", None
        for k, line in enumerate(block):
            at = first + k + 1 if at is None else at
            joined += line
            if joined.endswith("\\"):
                joined = joined[:-1]
                continue
            if re.search(r"(^|[\s/])phi3sat( |$)", joined):
                for finding in check_command(joined):
                    yield at, finding
            joined, at = "", None
    for number, line in enumerate(prose(lines), 1):
        for code in re.findall(r"`((?:mpirun |srun |[A-Z_]+=\S+ |\S*/)*phi3sat [^`]*)`", line):
            for finding in check_command(code):
                yield number, finding


def known_options():
    listed = subprocess.run(["phi3sat", "--manual", "--list"], capture_output=True, text=True, check=True).stdout.split()
    found = {"--help"}
    for page in listed:
        text = subprocess.run(["phi3sat"] + page.split("-")[1:] + ["--help"], capture_output=True, text=True, check=True).stdout
        found.update(re.findall(r"^  (?:-\w, )?(--[a-z0-9-]+)", text, re.M))
    return found


def check_options(path, lines, known):
    for number, line in enumerate(prose(lines), 1):
        for option in re.findall(r"`(--[a-z0-9-]+)[^`]*`", line):
            if option not in known and not FOREIGN.match(option):
                yield number, f"{option} is no option of phi3sat"


def same(wanted, got):
    """wanted: lines, "..." among them standing for any number of lines."""
    pattern = "".join("(?:.*\n)*" if line == "..." else re.escape(line) + "\n" for line in wanted)
    return re.fullmatch(pattern, "".join(line + "\n" for line in got)) is not None


def run_block(first, block, folder):
    at = [k for k, line in enumerate(block) if line.startswith("$ ")]
    for k, end in zip(at, at[1:] + [len(block)]):
        command, after = block[k][2:], k + 1
        while command.endswith("\\"):
            command, after = command[:-1] + block[after].strip(), after + 1
        wanted = [line.rstrip() for line in block[after:end]]
        done = subprocess.run(["bash", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, text=True, errors="replace",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1800)
        got = [line.rstrip() for line in done.stdout.split("\n")]
        while got and not got[-1]:
            got.pop()
        while wanted and not wanted[-1]:
            wanted.pop()
        if not same(wanted, got):
            difference = "\n".join(difflib.unified_diff(wanted, got, "the document", "the program", lineterm="", n=1))
            yield first + k + 1, f"$ {command}\nprints something else:\n{difference}"


def compare_pictures(path, lines, folder):
    """Pictures that the page shows are those that its commands made, to the byte; or become them, if asked."""
    for number, line in enumerate(lines, 1):
        for name in re.findall(r"^!\[.*\]\((\S+\.svg)\)", line):
            made, shown = os.path.join(folder, name), os.path.join(os.path.dirname(path), name)
            if not os.path.exists(made):
                yield number, f"no command of the page makes {name}"
            elif os.environ.get("PHI3SAT_UPDATE_PICTURES"):
                shutil.copyfile(made, shown)
            elif open(made, "rb").read() != open(shown, "rb").read():
                yield number, f"{name} is another picture than the commands make; PHI3SAT_UPDATE_PICTURES=1 takes theirs"


def run_blocks(path, lines, kind):
    marked = [b for b in blocks(lines) if b[2] == "run" or (b[2] == "run demo" and kind == "demo")]
    if not marked:
        return
    folder = tempfile.mkdtemp(prefix="docs-")
    try:
        if kind == "demo":
            os.symlink(os.environ["PHI3SAT_DEMO"], os.path.join(folder, "smollm2.gguf"))
        for first, block, _ in marked:
            yield from run_block(first, block, folder)
        if kind == "demo":
            yield from compare_pictures(path, lines, folder)
    finally:
        shutil.rmtree(folder)


def main():
    what, given = sys.argv[1], sys.argv[2:]
    kind = given.pop(0) if what == "run" else ""
    known = known_options() if what == "options" else set()
    for path in documents(given):
        lines = open(path, encoding="utf-8").read().split("\n")
        findings = {"links": lambda: check_links(path, lines), "commands": lambda: check_commands(path, lines),
                    "options": lambda: check_options(path, lines, known),
                    "run": lambda: run_blocks(path, lines, kind)}[what]()
        for number, finding in findings:
            print(f"{path}:{number}: {finding}")


main()
