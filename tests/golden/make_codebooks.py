#!/usr/bin/env python3
"""Writes src/quants/codebooks.c: the codebooks of the IQ formats as tables of our own.

A codebook is a fact of its format: a set of points whose coordinates have three or eight levels. It
turns out that every one of them is in ascending order when a point is read as a number with its first
coordinate as the lowest digit, so the set alone defines the table. The points are asked of the PyPI
package `gguf`; what is written packs the number of each coordinate's level into two or three bits.

  python3 -m venv /tmp/v && /tmp/v/bin/pip install gguf
  /tmp/v/bin/python tests/golden/make_codebooks.py src/quants/codebooks.c
"""
import sys

import numpy as np
from gguf import quants

BOOKS = (("iq1", quants.IQ1_S, 2), ("iq2_xxs", quants.IQ2_XXS, 2), ("iq2_xs", quants.IQ2_XS, 2),
         ("iq2_s", quants.IQ2_S, 2), ("iq3_xxs", quants.IQ3_XXS, 3), ("iq3_s", quants.IQ3_S, 3))

HEAD = """\
/* codebooks.c - the codebooks of the IQ formats; see codebooks.h.
 *
 * Made by tests/golden/make_codebooks.py, which says where the numbers are from. Entries ascend: the test
 * of this file holds that.
 */
#include "codebooks.h"
"""


def packed(kind, bits):
    kind.init_grid()
    points = np.searchsorted(kind.grid_map, kind.grid.reshape(kind.grid_shape))
    codes = [sum(int(level) << bits * j for j, level in enumerate(point)) for point in points]
    assert codes == sorted(set(codes))
    return codes


def main():
    with open(sys.argv[1], "w", encoding="ascii") as f:
        f.write(HEAD)
        for name, kind, bits in BOOKS:
            codes = packed(kind, bits)
            f.write(f"\nconst uint16_t codebooks_{name}[{len(codes)}] = {{\n")
            for at in range(0, len(codes), 14):
                f.write("    " + " ".join(f"{code:#06x}," for code in codes[at:at + 14]) + "\n")
            f.write("};\n")


if __name__ == "__main__":
    main()
