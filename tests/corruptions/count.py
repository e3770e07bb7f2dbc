#!/usr/bin/env python3
"""count.py - the rows of each table by kind of fault, as the Markdown table of docs/security.md.

  count.py [DOCUMENT]    prints the table; with a document, says whether it has just these lines
"""
import collections
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from table import KINDS, expectations  # noqa: E402

TABLES = ("gguf", "folder", "knot", "prompts", "archives", "nonfinite")


def lines():
    count = collections.Counter()
    for table in TABLES:
        for name in expectations(os.path.join(os.path.dirname(os.path.abspath(__file__)), table + ".txt")):
            count[table, name.split(": ")[0]] += 1
    yield "| kind of fault | " + " | ".join(f"`{t}`" for t in TABLES) + " |"
    yield "| --- |" + " ---: |" * len(TABLES)
    for kind in KINDS:
        yield f"| {kind} | " + " | ".join(str(count[t, kind] or "") for t in TABLES) + " |"
    yield "| together | " + " | ".join(str(sum(n for (table, _), n in count.items() if table == t)) for t in TABLES) + " |"


if len(sys.argv) == 1:
    print("\n".join(lines()))
    sys.exit()
with open(sys.argv[1], encoding="utf-8") as f:
    there = f.read().splitlines()
missing = [line for line in lines() if line not in there]
print("ok" if not missing else "not ok", "-", "the document's table has each row of the tables, by kind")
for line in missing:
    print("# missing:", line)
