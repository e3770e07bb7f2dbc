"""knot.py - named corruptions of .knot files, under checksums that are right: whoever writes a file can write its sums.

What a sum alone tells is in tests/cli/pack/verify.t. The file is put together here, from docs/knot.md; its tables of keys and
tensors are those of a GGUF (gguf_bytes.py), whose own faults gguf.py has. xxHash comes from the library that phi3sat uses.
"""
import ctypes
import struct

from gguf_bytes import ARRAY, STRING, U32, array, llama
from table import case, run

PAGE = 4096
INSPECT, VERIFY, RUN = "inspect m.knot", "inspect --verify m.knot", "perplexity --threads 1 --context 8 --prompts p.txt --model m.knot"
PROMPT = "a b ab c d e " * 9
rows = []


class Sum(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


xxh3 = ctypes.CDLL("libxxhash.so.0").XXH3_128bits
xxh3.restype, xxh3.argtypes = Sum, [ctypes.c_char_p, ctypes.c_size_t]


def checksum(data):
    found = xxh3(bytes(data), len(data))
    return struct.pack("<QQ", found.low, found.high)


class Knot:
    """A model's head and sections. Numbers of the fixed part may be said otherwise: `say`; of section i: `sections[i]`."""

    def __init__(self, model=None):
        self.model, self.say, self.sections, self.tail, self.version = model or llama(), {}, {}, b"", 1

    def bytes(self):
        m = self.model
        of_layers = {n: t for n, t in m.tensors.items() if n.startswith("blk.")}
        others = {n: t for n, t in m.tensors.items() if n not in of_layers}
        m.tensors = {**others, **of_layers}
        packed = bytes(m.bytes(64))
        tables = packed[24:m.places["data"]]
        where = {n: m.places["tensor " + n] + 8 + len(n) + 4 + 8 * len(t[0]) + 4 for n, t in m.tensors.items()}
        head_size = -(-(96 + 2 * 48 + len(tables)) // PAGE) * PAGE
        end = 96 + 2 * 48 + len(tables.rstrip(b"\0"))
        list_end = max(where.values()) + 8 - 24 + 96 + 2 * 48
        base = -(-list_end // 64) * 64
        data, starts, tables = b"", [], bytearray(tables)
        for part in (others, of_layers):
            data += bytes(-len(data) % PAGE)
            starts.append(head_size + len(data))
            for n, t in part.items():
                data += bytes(-len(data) % 64)
                offset = m.offsets.get(n, head_size + len(data) - base)
                struct.pack_into("<Q", tables, where[n] - 24, offset)
                data += t[2]
        data += bytes(-len(data) % PAGE)
        assert end <= head_size
        ends = starts[1:] + [head_size + len(data)]
        say = {"size": head_size + len(data), "head": head_size, "alignment": PAGE, "sections": 2, "keys": len(m.keys),
               "tensors": len(m.tensors), **self.say}
        table = b""
        for i, (start, stop) in enumerate(zip(starts, ends)):
            place = self.sections.get(i, (start, stop - start))
            table += struct.pack("<QQ", *place) + checksum(data[start - head_size:stop - head_size]) + bytes(16)
        head = bytearray(b"\x89KNOT\r\n\x1a" + struct.pack("<II", self.version, 0) + bytes(16))
        head += struct.pack("<QQIIQQ", say["size"], say["head"], say["alignment"], say["sections"], say["keys"], say["tensors"])
        head += bytes(24) + table + tables
        head += bytes(head_size - len(head))
        head[16:32] = checksum(head)
        return bytes(head) + data + self.tail


def row(kind, name, knot, command=INSPECT, size=None):
    def write(path):
        with open(path, "wb") as f:
            f.write(knot if isinstance(knot, bytes) else knot.bytes())
            if size is not None:
                f.truncate(size)
    rows.append(case(kind, name, {"m.knot": write, "p.txt": PROMPT}, command))


def said(kind, name, command=INSPECT, **numbers):
    k = Knot()
    k.say = numbers
    row(kind, name, k, command)


def heads():
    whole = Knot().bytes()
    for size in (5, 7, 8, 12, 31, 95, 96, 191, 4095, len(whole) - 1):
        row("length past the end", f"{size} bytes" if size < 5000 else "a byte too few", whole, size=size)
    row("length past the end", "a byte too many", whole + b"\0")
    row("length past the end", "a hole behind it", whole, size=1 << 40)
    k = Knot()
    k.version = 2
    row("number", "version 2", k)
    row("number", "a transfer as text", whole.replace(b"\r\n", b"\n", 1))
    row("number", "a wrong checksum", whole[:16] + bytes(16) + whole[32:])
    for value in (0, 1, 3, 4095, 6000, 1 << 31):
        said("alignment", f"of {value}", alignment=value)
    for value in (0, 95, 1 << 20, 1 << 63, (1 << 64) - 1):
        said("length past the end", f"a head of {value} bytes", head=value)
    for value in (0, 1 << 63, (1 << 64) - 1):
        said("length past the end", f"a file of {value} bytes", size=value)
    for field in ("keys", "tensors"):
        for value in (1 << 40, (1 << 64) - 1):
            said("count before allocation", f"{value} {field}", **{field: value})
    said("count before allocation", "2^32 - 1 sections", sections=(1 << 32) - 1)
    said("number", "no sections", sections=0)
    said("number", "a section too few", sections=1)
    said("number", "a key too few", keys=len(llama().keys) - 1)
    said("number", "a tensor too few", tensors=len(llama().tensors) - 1)


def sections():
    good = Knot().bytes()
    start, size = struct.unpack_from("<QQ", good, 96 + 48)
    for kind, name, place in (("overlap", "a section in the head", (0, size)), ("overlap", "a section in the one before", (start - PAGE, size + PAGE)),
                              ("offset", "a gap between sections", (start + PAGE, size - PAGE)), ("offset", "off the alignment", (start + 64, size - 64)),
                              ("offset", "a section past the end", (1 << 62, size)), ("product that wraps", "a section's end that wraps", (start, (1 << 64) - start)),
                              ("length past the end", "a section past the file's end", (start, size + PAGE)),
                              ("length past the end", "a section that ends early", (start, size - PAGE)), ("length past the end", "a section of nothing", (start, 0))):
        k = Knot()
        k.sections[1] = place
        row(kind, name, k)
    k = Knot().bytes()
    row("number", "a weight changed under its sum", k[:-PAGE] + bytes([k[-PAGE] ^ 1]) + k[1 - PAGE:], VERIFY)


def tensors():
    for kind, name, tensor, offset in (("offset", "past the end", "output_norm.weight", 1 << 40), ("offset", "off the alignment", "output_norm.weight", 1),
                                       ("offset", "in another section", "output_norm.weight", 0), ("offset", "in the head", "blk.0.ffn_up.weight", 0),
                                       ("product that wraps", "an offset that wraps", "blk.0.ffn_up.weight", (1 << 64) - 64)):
        k = Knot()
        k.model.offsets[tensor] = offset
        row(kind, f"a tensor's data {name}", k)
    k = Knot()
    k.model.tensors["blk.1.ffn_up.weight"] = [[16], 0, bytes(64)]
    row("shape", "a tensor of a section that isn't there", k)
    k = Knot()
    k.model.tensors["blk.99999999999999999999.ffn_up.weight"] = [[16], 0, bytes(64)]
    row("shape", "a tensor of layer 99999999999999999999", k)
    k = Knot()
    k.model.key("llama.block_count", U32, 2)
    row("shape", "a layer that isn't there", k, RUN)
    k = Knot()
    k.model.key("llama.block_count", STRING, "1")
    row("wrong type", "the number of layers as text", k, RUN)
    k = Knot()
    k.model.key("phi3sat.rotary_halves", U32, 1)
    row("wrong type", "our own key as a number", k, RUN)
    k = Knot()
    k.model.key("k", ARRAY, array(STRING, [], 1 << 60))
    row("count before allocation", "an array of 2^60 strings", k)
    k = Knot()
    k.model.tensors["output_norm.weight"][1] = 1004
    row("number", "a type that nobody has", k)


for part in (heads, sections, tensors):
    part()
run("knot", rows, ({"m.knot": Knot().bytes(), "p.txt": PROMPT}, RUN.split()))
