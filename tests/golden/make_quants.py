#!/usr/bin/env python3
"""Makes quants.bin: random blocks of every decodable type and the float32 they stand for.

The decoding is that of the PyPI package `gguf` (NumPy), so that our C decoders are
checked against something nobody here wrote. Run it in a throw-away environment:

  python3 -m venv /tmp/v && /tmp/v/bin/pip install gguf
  /tmp/v/bin/python tests/golden/make_quants.py tests/golden/quants.bin

Records, little-endian: u32 type id, u32 blocks, u32 elements; the blocks' bytes; the
elements as float32. Each 16-bit scale of a block takes a special value (zero, both
signs, subnormal, largest, infinite, NaN) in some blocks, a moderate one in the others.
"""
import random
import struct
import sys

import numpy as np
from gguf import quants
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType as Type

SPECIAL = (0x0000, 0x8000, 0x0001, 0x83ff, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7d01)
# Type: blocks, byte positions of its halves.
KINDS = {
    Type.Q4_0: (24, (0,)), Type.Q4_1: (32, (0, 2)), Type.Q5_0: (24, (0,)), Type.Q5_1: (32, (0, 2)),
    Type.Q8_0: (24, (0,)), Type.Q2_K: (20, (80, 82)), Type.Q3_K: (16, (108,)), Type.Q4_K: (20, (0, 2)),
    Type.Q5_K: (20, (0, 2)), Type.Q6_K: (16, (208,)), Type.F16: (512, (0,)), Type.BF16: (512, ()),
    Type.F32: (64, ()),
}


def block(rng, size, halves, special):
    data = bytearray(rng.randbytes(size))
    for at in halves:
        bits = rng.choice((0, 0x8000)) | rng.randrange(0x1000, 0x4400)
        data[at:at + 2] = struct.pack("<H", bits)
    if special is not None and halves:
        at = halves[special // len(SPECIAL) % len(halves)]
        data[at:at + 2] = struct.pack("<H", SPECIAL[special % len(SPECIAL)])
    return bytes(data)


def main():
    rng = random.Random(20260801)
    with open(sys.argv[1], "wb") as f:
        for kind, (blocks, halves) in KINDS.items():
            size = GGML_QUANT_SIZES[kind][1]
            ordinary = max(2, blocks - len(SPECIAL) * max(1, len(halves)))
            data = b"".join(block(rng, size, halves, b - ordinary if b >= ordinary else None) for b in range(blocks))
            with np.errstate(all="ignore"):
                if kind == Type.F16:  # gguf converts by NumPy's own type
                    values = np.frombuffer(data, "<f2").astype(np.float32)
                else:
                    values = quants.dequantize(np.frombuffer(data, np.uint8), kind)
            values = np.ascontiguousarray(values, "<f4").ravel()
            f.write(struct.pack("<III", int(kind), blocks, values.size) + data + values.tobytes())


if __name__ == "__main__":
    main()
