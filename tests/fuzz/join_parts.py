#!/usr/bin/env python3
"""Joins the parts of a split model into one input of fuzz_gguf: join_parts.py OUT PART..."""
import struct
import sys

parts = []
for name in sys.argv[2:]:
    with open(name, "rb") as f:
        parts.append(f.read())
with open(sys.argv[1], "wb") as f:
    f.write(b"PARTS\n" + struct.pack("<H", len(parts)) + b"".join(struct.pack("<I", len(p)) for p in parts) + b"".join(parts))
