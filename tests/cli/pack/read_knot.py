"""read_knot.py - reads a .knot file from docs/knot.md alone: keys, tensors, sections.

    python3 read_knot.py FILE [SOURCE.gguf]

Checks what the page promises of places and zeros. With the source, F32 matrices are compared row by row: fused ones come apart,
rows of llama's rotary pairs are put in the order of halves. Needs nothing but Python.
"""
import struct
import sys

WIDTH = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
BLOCK = {0: (1, 4), 8: (32, 34), 12: (256, 144), 13: (256, 176), 14: (256, 210)}


class Reader:
    def __init__(self, data, at):
        self.data, self.at = data, at

    def number(self, kind):
        value = struct.unpack_from("<" + kind, self.data, self.at)[0]
        self.at += struct.calcsize("<" + kind)
        return value

    def text(self):
        length = self.number("Q")
        self.at += length
        return self.data[self.at - length : self.at]

    def value(self, kind):
        if kind == 8:
            return self.text()
        if kind == 9:
            element = self.number("I")
            return [self.value(element) for _ in range(self.number("Q"))]
        return self.number(WIDTH[kind])

    def keys(self, count):
        return {self.text().decode(): self.value(self.number("I")) for _ in range(count)}

    def tensors(self, count):
        """Name: (dims, type, offset)."""
        found = {}
        for _ in range(count):
            name = self.text().decode()
            dims = [self.number("Q") for _ in range(self.number("I"))]
            found[name] = (dims, self.number("I"), self.number("Q"))
        base = -(-self.at // 64) * 64
        return {n: (d, t, base + o) for n, (d, t, o) in found.items()}


def knot(data):
    assert data[:8] == b"\x89KNOT\r\n\x1a"
    version, _ = struct.unpack_from("<II", data, 8)
    size, head, alignment, sections, keys, tensors = struct.unpack_from("<QQIIQQ", data, 32)
    assert version == 1 and size == len(data) and not any(data[72:96])
    table = [struct.unpack_from("<QQ", data, 96 + 48 * i) for i in range(sections)]
    end = head
    for start, length in table:
        assert start == end and start % alignment == 0
        end += length
    assert end == size
    r = Reader(data, 96 + 48 * sections)
    k, t = r.keys(keys), r.tensors(tensors)
    assert not any(data[r.at : head])
    used = [[] for _ in table]
    for name, (dims, kind, at) in t.items():
        number = int(name.split(".")[1]) + 1 if name.startswith("blk.") else 0
        per, size = BLOCK[kind]
        count = 1
        for d in dims:
            count *= d
        assert at % 64 == 0
        used[number].append((at, at + count // per * size))
    for (start, length), places in zip(table, used):
        before = start
        for first, last in sorted(places) + [(start + length, None)]:
            assert before <= first and not any(data[before:first])
            before = last
    return k, t


def gguf(data):
    r = Reader(data, 8)
    tensors, keys = r.number("Q"), r.number("Q")
    k = r.keys(keys)
    assert k.get("general.alignment", 32) == 32
    found, start = Reader.tensors(r, tensors), r.at
    shift = -(-start // 32) * 32 - -(-start // 64) * 64
    return k, {n: (d, t, at + shift) for n, (d, t, at) in found.items()}


def rows(data, tensor):
    dims, kind, at = tensor
    per, size = BLOCK[kind]
    width = dims[0] // per * size
    return [data[at + i * width : at + (i + 1) * width] for i in range(dims[1])]


def halves(found, head, rotary):
    """llama's pairs in the order of halves."""
    result = []
    for first in range(0, len(found), head):
        one = found[first : first + head]
        result += one[0:rotary:2] + one[1:rotary:2] + one[rotary:]
    return result


def compare(data, k, t, source):
    ks, ts = gguf(source)
    for name, value in ks.items():
        assert name == "general.alignment" or k[name] == value, name
    assert k["phi3sat.rotary_halves"] is True
    arch = ks["general.architecture"].decode()
    heads, hidden = ks[arch + ".attention.head_count"], ks[arch + ".embedding_length"]
    kv = ks.get(arch + ".attention.head_count_kv", heads)
    head = hidden // heads
    rotary = ks.get(arch + ".rope.dimension_count", head)
    for layer in range(ks[arch + ".block_count"]):
        part = lambda where, data, name: rows(data, where["blk.%d.%s.weight" % (layer, name)])
        if "blk.0.attn_qkv.weight" in ts:
            qkv, up = part(ts, source, "attn_qkv"), part(ts, source, "ffn_up")
            wanted = {"attn_q": qkv[: heads * head], "attn_k": qkv[heads * head : (heads + kv) * head],
                      "attn_v": qkv[(heads + kv) * head :], "ffn_gate": up[: len(up) // 2], "ffn_up": up[len(up) // 2 :]}
        else:
            wanted = {n: part(ts, source, n) for n in ("attn_q", "attn_k", "attn_v", "ffn_gate", "ffn_up")}
            if arch == "llama":
                for n in ("attn_q", "attn_k"):
                    wanted[n] = halves(wanted[n], head, rotary)
        wanted.update({n: part(ts, source, n) for n in ("attn_output", "ffn_down")})
        for name, value in wanted.items():
            assert part(t, data, name) == value, (layer, name)
    assert rows(data, t["token_embd.weight"]) == rows(source, ts["token_embd.weight"])


if __name__ == "__main__":
    data = open(sys.argv[1], "rb").read()
    keys, tensors = knot(data)
    if len(sys.argv) > 2:
        compare(data, keys, tensors, open(sys.argv[2], "rb").read())
    print(len(keys), "keys,", len(tensors), "tensors")
