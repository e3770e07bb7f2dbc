#!/usr/bin/env python3
"""Compares our decoders with independent ones on random blocks: live.py DECODE_BLOCKS BLOCKS SEED.

Every bit of a block is random, scales included; what takes 16 bits of scale has all 65536 of them in turn, besides.
The other decoder is that of the PyPI package gguf, or, for types that it lacks, the NumPy of
tests/golden/make_quants.py. Bits have to be equal; any NaN equals any other. Prints TAP.
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
import make_quants  # noqa: E402

AT_ONCE = 1 << 22  # weights


def random_blocks(rng, kind, halves, count, first):
    elements, size = make_quants.SIZES[kind]
    blocks = rng.integers(0, 256, (count, size), dtype=np.uint8)
    for n, at in enumerate(halves):
        bits = ((np.arange(first, first + count) * (2 * n + 1)) & 0xffff).astype("<u2")
        if kind == make_quants.Type.IQ1_M:
            for k in range(4):
                blocks[:, at + 1 + 2 * k] = blocks[:, at + 1 + 2 * k] & 15 | ((bits >> 4 * k & 15) << 4).astype(np.uint8)
        else:
            blocks[:, at:at + 2] = bits.view(np.uint8).reshape(count, 2)
    return blocks


def compare(tool, folder, kind, blocks):
    source, target = folder / "blocks", folder / "weights"
    blocks.tofile(source)
    subprocess.run([tool, str(int(kind)), source, target], check=True)
    got = np.fromfile(target, "<f4").reshape(len(blocks), -1)
    wanted = make_quants.decode(kind, blocks)
    differ = (got.view(np.uint32) != wanted.view(np.uint32)) & ~(np.isnan(got) & np.isnan(wanted))
    return int(differ.sum())


def main():
    tool, total, rng = sys.argv[1], int(sys.argv[2]), np.random.default_rng(int(sys.argv[3]))
    print(f"1..{len(make_quants.KINDS)}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        for number, (kind, (_, halves)) in enumerate(make_quants.KINDS.items(), 1):
            elements = make_quants.SIZES[kind][0]
            count = total if elements > 1 else 256 * total
            wrong = 0
            for first in range(0, count, AT_ONCE // elements):
                n = min(AT_ONCE // elements, count - first)
                # the first third as random as can be, the rest with every 16-bit scale in turn
                wrong += compare(tool, pathlib.Path(name), kind,
                                 random_blocks(rng, kind, halves if 3 * first >= count else (), n, first))
            title = getattr(kind, "name", "Q2_0")
            print(f"{'not ok' if wrong else 'ok'} {number} - {title}: {count} random blocks, {wrong} weights differ", flush=True)


if __name__ == "__main__":
    main()
