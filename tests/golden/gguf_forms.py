#!/usr/bin/env python3
"""Writes a GGUF file in another form: other types of weights, byte order, alignment, version, in parts.

  gguf_forms.py IN OUT [--types unusual|all] [--decode TOOL] [--big] [--version N] [--align N] [--split N] [--empty-first]
                       [--set PART:KEY=TYPE:VALUE]...

  --types    matrices become random blocks, each matrix of the next type of those that synth can't write, or of all
  --decode   every tensor becomes F32, decoded by TOOL (tests/quants/decode_blocks)
  --split    N parts OUT-0000K-of-0000N.gguf as llama-gguf-split writes them; --empty-first: no tensors in the first
  --set      a key of a part (from 0), u16 or i32, changed or added: to make sets that don't fit together

A program of its own, which shares nothing with phi3sat's reader: what the parts of a block are and which
numbers have a byte order is written down here a second time. Needs NumPy only.
"""
import argparse
import struct
import subprocess
import tempfile

import numpy as np

CODES = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "B", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9

# Type: weights of a block, bytes, its numbers of several bytes as (first, width, count, step).
BLOCKS = {
    0: (1, 4, [(0, 4, 1, 0)]), 1: (1, 2, [(0, 2, 1, 0)]), 30: (1, 2, [(0, 2, 1, 0)]), 28: (1, 8, [(0, 8, 1, 0)]),
    24: (1, 1, []), 25: (1, 2, [(0, 2, 1, 0)]), 26: (1, 4, [(0, 4, 1, 0)]), 27: (1, 8, [(0, 8, 1, 0)]),
    2: (32, 18, [(0, 2, 1, 0)]), 3: (32, 20, [(0, 2, 2, 2)]), 6: (32, 22, [(0, 2, 1, 0), (2, 4, 1, 0)]),
    7: (32, 24, [(0, 2, 2, 2), (4, 4, 1, 0)]), 8: (32, 34, [(0, 2, 1, 0)]), 9: (32, 36, [(0, 2, 2, 2)]),
    10: (256, 84, [(80, 2, 2, 2)]), 11: (256, 110, [(108, 2, 1, 0)]), 12: (256, 144, [(0, 2, 2, 2)]),
    13: (256, 176, [(0, 2, 2, 2)]), 14: (256, 210, [(208, 2, 1, 0)]),
    15: (256, 292, [(0, 4, 1, 0), (260, 2, 16, 2)]), 16: (256, 66, [(0, 2, 1, 0), (6, 4, 8, 8)]),
    17: (256, 74, [(0, 2, 33, 2)]), 18: (256, 98, [(0, 2, 1, 0), (66, 4, 8, 4)]),
    19: (256, 50, [(0, 2, 1, 0), (34, 2, 8, 2)]), 20: (32, 18, [(0, 2, 1, 0)]), 21: (256, 110, [(0, 2, 1, 0)]),
    22: (256, 82, [(0, 2, 1, 0)]), 23: (256, 136, [(0, 2, 2, 2)]), 29: (256, 56, [(48, 2, 4, 2)]),
    34: (256, 54, [(52, 2, 1, 0)]), 35: (256, 66, [(64, 2, 1, 0)]), 39: (32, 17, []), 40: (64, 36, []),
    41: (128, 18, [(0, 2, 1, 0)]), 42: (64, 18, [(0, 2, 1, 0)]),
}

# Types that synth doesn't write, where their half stands, and about how large a weight is where it is 1.
UNUSUAL = [(9, 0, 74), (16, 0, 50), (17, 0, 50), (18, 0, 144), (19, 0, 6.4), (20, 0, 66), (21, 0, 144), (22, 0, 50),
           (23, 0, 1200), (34, 52, .8), (35, 64, 1.2), (41, 0, 1), (42, 0, 1.2), (29, None, 6.4), (15, None, 74),
           (39, None, 0), (40, None, 0), (28, None, 0)]
USUAL = [(0, None, 0), (1, None, 0), (30, None, 0), (2, 0, 4.6), (3, (0, 2), 9), (6, 0, 9.2), (7, (0, 2), 18), (8, 0, 74),
         (10, (80, 82), 11), (11, 108, 42), (12, (0, 2), 250), (13, (0, 2), 500), (14, 208, 1300)]
DEVIATION = 0.05


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, code):
        value, = struct.unpack_from("<" + code, self.data, self.at)
        self.at += struct.calcsize("<" + code)
        return value

    def string(self):
        length = self.number("Q")
        self.at += length
        return bytes(self.data[self.at - length:self.at])

    def value(self, kind):
        if kind == STRING:
            return self.string()
        if kind == ARRAY:
            element, count = self.number("I"), self.number("Q")
            return element, [self.value(element) for _ in range(count)]
        return self.number(CODES[kind])


def read(path):
    """Keys {name: (type, value)} and tensors [(name, dims, type, bytes)] of a little-endian file."""
    with open(path, "rb") as f:
        r = Reader(f.read())
    assert r.data[:4] == b"GGUF"
    r.at = 8
    tensors, keys = r.number("Q"), r.number("Q")
    table, infos = {}, []
    for _ in range(keys):
        name, kind = r.string(), r.number("I")
        table[name] = (kind, r.value(kind))
    for _ in range(tensors):
        name = r.string()
        dims = [r.number("Q") for _ in range(r.number("I"))]
        infos.append((name, dims, r.number("I"), r.number("Q")))
    align = table.get(b"general.alignment", (4, 32))[1]
    start = -(-r.at // align) * align
    found = []
    for name, dims, kind, offset in infos:
        weights, size, _ = BLOCKS[kind]
        found.append((name, dims, kind, r.data[start + offset:start + offset + int(np.prod(dims)) // weights * size]))
    return table, found


def swapped(kind, data):
    blocks = np.frombuffer(data, np.uint8).reshape(-1, BLOCKS[kind][1]).copy()
    for first, width, count, step in BLOCKS[kind][2]:
        for at in range(first, first + count * step if step else first + 1, step or 1):
            blocks[:, at:at + width] = blocks[:, at:at + width][:, ::-1]
    return blocks.tobytes()


def put_value(order, kind, value):
    if kind == STRING:
        return struct.pack(order + "Q", len(value)) + value
    if kind == ARRAY:
        element, values = value
        return struct.pack(order + "IQ", element, len(values)) + b"".join(put_value(order, element, v) for v in values)
    return struct.pack(order + CODES[kind], value)


def write(path, keys, tensors, a):
    order = ">" if a.big else "<"
    align = keys.get(b"general.alignment", (4, 32))[1]
    out = [b"GGUF", struct.pack(order + "IQQ", a.version, len(tensors), len(keys))]
    for name, (kind, value) in keys.items():
        out += [put_value(order, STRING, name), struct.pack(order + "I", kind), put_value(order, kind, value)]
    offset = 0
    for name, dims, kind, data in tensors:
        out.append(put_value(order, STRING, name))
        out.append(struct.pack(order + f"I{len(dims)}QIQ", len(dims), *dims, kind, offset))
        offset += -(-len(data) // align) * align
    head = b"".join(out)
    with open(path, "wb") as f:
        f.write(head + bytes(-len(head) % align))
        for _, _, kind, data in tensors:
            f.write(swapped(kind, data) if a.big else data)
            f.write(bytes(-len(data) % align))


def random_blocks(rng, kind, at, magnitude, count):
    """Blocks whose weights are about as large as a model's."""
    weights, size, _ = BLOCKS[kind]
    blocks = rng.integers(0, 256, (count // weights, size), dtype=np.uint8)
    scale = DEVIATION / magnitude * rng.uniform(0.5, 1.5, (len(blocks), 1)) if magnitude else None
    if kind in (0, 1, 28):
        return rng.normal(0, DEVIATION, count).astype({0: "<f4", 1: "<f2", 28: "<f8"}[kind]).tobytes()
    if kind == 30:
        return (rng.normal(0, DEVIATION, count).astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()
    if kind == 39:
        blocks[:, 0] = rng.integers(120, 123, len(blocks))
    elif kind == 40:
        blocks[:, :4] = rng.integers(8, 20, (len(blocks), 4))
    elif kind == 15:
        blocks[:, :4] = scale.astype("<f4").view(np.uint8)
    elif kind == 29:
        bits = scale.astype("<f2").view("<u2")[:, 0]
        for k in range(4):
            blocks[:, 49 + 2 * k] = blocks[:, 49 + 2 * k] & 15 | ((bits >> 4 * k & 15) << 4).astype(np.uint8)
    else:
        for first in at if isinstance(at, tuple) else (at,):
            blocks[:, first:first + 2] = scale.astype("<f2").view(np.uint8)
    return blocks.tobytes()


def retype(tensors, types):
    rng, turn, out = np.random.default_rng(20261203), 0, []
    for name, dims, kind, data in tensors:
        if len(dims) == 2:
            kind, at, magnitude = types[turn % len(types)]
            data = random_blocks(rng, kind, at, magnitude, int(np.prod(dims)))
            turn += 1
        out.append((name, dims, kind, data))
    assert turn >= len(types), "too few matrices for all types"
    return out


def decoded(tool, kind, data):
    if kind == 0:
        return data
    with tempfile.NamedTemporaryFile() as blocks, tempfile.NamedTemporaryFile() as weights:
        blocks.write(data)
        blocks.flush()
        subprocess.run([tool, str(kind), blocks.name, weights.name], check=True)
        return weights.read()


def part_keys(a, keys, number, total):
    own = dict(keys) if number == 0 else {}
    if a.split:
        own.update({b"split.no": (2, number), b"split.count": (2, a.split), b"split.tensors.count": (5, total)})
    for text in a.set:
        where, value = text.split("=")
        part, key = where.split(":")
        if int(part) == number:
            kind, number_text = value.split(":")
            own[key.encode()] = ({"u16": 2, "i32": 5, "u32": 4}[kind], int(number_text))
    return own


def main():
    p = argparse.ArgumentParser()
    p.add_argument("source")
    p.add_argument("target")
    p.add_argument("--types", choices=("unusual", "all"))
    p.add_argument("--decode")
    p.add_argument("--big", action="store_true")
    p.add_argument("--version", type=int, default=3)
    p.add_argument("--align", type=int)
    p.add_argument("--split", type=int, default=0)
    p.add_argument("--empty-first", action="store_true")
    p.add_argument("--set", action="append", default=[])
    a = p.parse_args()
    keys, tensors = read(a.source)
    if a.types:
        tensors = retype(tensors, UNUSUAL if a.types == "unusual" else USUAL + UNUSUAL)
    if a.decode:
        tensors = [(n, d, 0, decoded(a.decode, k, data)) for n, d, k, data in tensors]
    if a.align:
        keys[b"general.alignment"] = (4, a.align)
    if not a.split:
        return write(a.target, part_keys(a, keys, 0, len(tensors)), tensors, a)
    empty = 1 if a.empty_first else 0
    for number in range(a.split):
        first = (number - empty) * len(tensors) // (a.split - empty) if number >= empty else 0
        last = (number + 1 - empty) * len(tensors) // (a.split - empty) if number >= empty else 0
        own = part_keys(a, keys, number, len(tensors))
        if a.align:
            own[b"general.alignment"] = (4, a.align)
        write(f"{a.target}-{number + 1:05d}-of-{a.split:05d}.gguf", own, tensors[first:last], a)


if __name__ == "__main__":
    main()
