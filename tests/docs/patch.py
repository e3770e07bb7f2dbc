#!/usr/bin/env python3
"""patch.py DOCUMENT TREE - makes the change of the document's ```diff block to a copy of the tree.

The hunks have no line numbers, which nobody would keep right in a document: what a hunk keeps and takes away must stand
in the file exactly once, and is replaced by what it keeps and adds.
"""
import os
import re
import sys


def main():
    document, tree = sys.argv[1:]
    block = re.search(r"^```diff\n(.*?)^```", open(document).read(), re.S | re.M).group(1)
    name, old, new = None, [], []

    def apply():
        if not old and not new:
            return
        path = os.path.join(tree, name)
        text, before, after = open(path).read(), "".join(old), "".join(new)
        if text.count(before) != 1:
            sys.exit(f"{name}: what the document changes stands there {text.count(before)} times:\n{before}")
        open(path, "w").write(text.replace(before, after))
        old.clear()
        new.clear()

    for line in block.splitlines(keepends=True):
        if line.startswith(("--- ", "@@")):
            apply()
        elif line.startswith("+++ b/"):
            name = line[6:].strip()
        else:
            if line[0] in " -":
                old.append(line[1:])
            if line[0] in " +":
                new.append(line[1:])
    apply()


main()
