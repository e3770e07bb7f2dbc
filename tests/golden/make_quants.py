#!/usr/bin/env python3
"""Makes quants.bin: random blocks of every decodable type and the float32 they stand for.

The decoding is that of the PyPI package `gguf` (NumPy), so that our C decoders are
checked against something nobody here wrote. Run it in a throw-away environment:

  python3 -m venv /tmp/v && /tmp/v/bin/pip install gguf
  /tmp/v/bin/python tests/golden/make_quants.py tests/golden/quants.bin

Records, little-endian: u32 type id, u32 blocks, u32 elements; the blocks' bytes; the
elements as float32. Each 16-bit scale of a block takes a special value (zero, both
signs, subnormal, largest, infinite, NaN) in some blocks, a moderate one in the others; the
8-bit ones take all their values.

gguf 0.19 has no decoder for five types: Q8_1 and Q8_K (scales times bytes), F64, Q1_0 and Q2_0. Theirs are
below, in NumPy, after the structs and the formulas of ggml.
"""
import random
import struct
import sys

import numpy as np
from gguf import quants
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType as Type

SPECIAL = (0x0000, 0x8000, 0x0001, 0x83ff, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7d01)
# Type: blocks, byte positions of its halves.
Q2_0 = 42  # newer than gguf 0.19
KINDS = {
    Type.Q4_0: (24, (0,)), Type.Q4_1: (32, (0, 2)), Type.Q5_0: (24, (0,)), Type.Q5_1: (32, (0, 2)),
    Type.Q8_0: (24, (0,)), Type.Q2_K: (20, (80, 82)), Type.Q3_K: (16, (108,)), Type.Q4_K: (20, (0, 2)),
    Type.Q5_K: (20, (0, 2)), Type.Q6_K: (16, (208,)), Type.F16: (512, (0,)), Type.BF16: (512, ()),
    Type.F32: (64, ()), Type.F64: (256, ()),
    Type.Q8_1: (14, (0,)), Type.Q8_K: (14, ()), Type.IQ2_XXS: (14, (0,)), Type.IQ2_XS: (14, (0,)),
    Type.IQ3_XXS: (14, (0,)), Type.IQ1_S: (14, (0,)), Type.IQ4_NL: (14, (0,)), Type.IQ3_S: (14, (0,)),
    Type.IQ2_S: (14, (0,)), Type.IQ4_XS: (14, (0,)), Type.IQ1_M: (14, (48,)), Type.TQ1_0: (14, (52,)),
    Type.TQ2_0: (14, (64,)), Type.MXFP4: (256, ()), Type.NVFP4: (64, ()), Type.Q1_0: (14, (0,)), Q2_0: (14, (0,)),
}
# Bytes of a block that count through all their values from block to block.
COUNTED = {Type.MXFP4: (0,), Type.NVFP4: (0, 1, 2, 3)}
SIZES = dict(GGML_QUANT_SIZES)
SIZES[Q2_0] = (64, 18)
SIZES[Type.Q8_1] = (32, 36)  # two halves: gguf's 40 are those of 2023


def half(blocks, at):
    return np.ascontiguousarray(blocks[:, at:at + 2]).view("<f2").astype(np.float32)


def signed(blocks, at, count):
    return blocks[:, at:at + count].view(np.int8).astype(np.float32)


def ours(kind, blocks):
    """The types that gguf can't decode."""
    if kind == Type.F16:  # gguf converts by NumPy's own type
        return np.ascontiguousarray(blocks).view("<f2").astype(np.float32)
    if kind == Type.F64:
        return np.ascontiguousarray(blocks).view("<f8").astype(np.float32)
    if kind == Type.Q8_1:
        return half(blocks, 0) * signed(blocks, 4, 32)
    if kind == Type.Q8_K:
        return np.ascontiguousarray(blocks[:, :4]).view("<f4") * signed(blocks, 4, 256)
    if kind == Type.Q1_0:
        bits = np.unpackbits(blocks[:, 2:], axis=1, bitorder="little")
        return np.where(bits, half(blocks, 0), -half(blocks, 0))
    if kind == Q2_0:
        bits = np.unpackbits(blocks[:, 2:], axis=1, bitorder="little")
        return half(blocks, 0) * (bits[:, 0::2] + 2.0 * bits[:, 1::2] - 1.0).astype(np.float32)
    return None


def decode(kind, blocks):
    """float32 [blocks, elements] of uint8 [blocks, bytes]."""
    with np.errstate(all="ignore"):
        values = ours(kind, blocks)
        if values is None:
            values = quants.dequantize(blocks.ravel(), kind)
    return np.ascontiguousarray(values, "<f4").reshape(len(blocks), -1)


def special_words(kind, rng, data, number):
    """What a plain or Q8_K number of 32 or 64 bits has at its edges: halfway cases, subnormals, infinity, NaN."""
    if kind == Type.Q8_K:
        data[:4] = struct.pack("<I", rng.choice((0, 1 << 31, 1, 0x807fffff, 0x7f7fffff, 0x7f800000, 0x7fc00000,
                                                 0x3f800001, 0x00800001, 0x3e000003)))
    if kind == Type.F64:
        near = struct.unpack("<f", struct.pack("<I", rng.randrange(0x7f7fffff)))[0]
        step = {0: 0, 1: 0x10000000, 2: 0x0fffffff, 3: 0x10000001}.get(number % 8)  # parts of a float32's last place
        if step is not None:
            data[:] = struct.pack("<Q", struct.unpack("<Q", struct.pack("<d", near))[0] + step)
        elif number % 8 == 4:
            data[6:] = struct.pack("<H", rng.choice((0x0000, 0x8000, 0x7ff0, 0xfff0, 0x7ff8, 0x47ef, 0x47f0, 0x3690)))
        elif number % 8 == 5:
            data[6:] = struct.pack("<H", rng.randrange(0x3680, 0x3820))  # about float32's subnormals


def block(rng, kind, halves, special, number):
    data = bytearray(rng.randbytes(SIZES[kind][1]))
    for at in COUNTED.get(kind, ()):
        data[at] = (number * len(COUNTED[kind]) + at) % 256
    special_words(kind, rng, data, number)
    if kind == Type.IQ1_M:  # its half lies in four pieces
        bits = rng.choice((0, 0x8000)) | rng.randrange(0x1000, 0x4400) if special is None else SPECIAL[special]
        for k in range(4):
            data[49 + 2 * k] = data[49 + 2 * k] & 15 | (bits >> 4 * k & 15) << 4
        return bytes(data)
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
            ordinary = max(2, blocks - len(SPECIAL) * max(1, len(halves)))
            data = b"".join(block(rng, kind, halves, b - ordinary if b >= ordinary and halves else None, b)
                            for b in range(blocks))
            values = decode(kind, np.frombuffer(data, np.uint8).reshape(blocks, -1)).ravel()
            f.write(struct.pack("<III", int(kind), blocks, values.size) + data + values.tobytes())


if __name__ == "__main__":
    main()
