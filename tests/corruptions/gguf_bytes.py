"""gguf_bytes.py - a GGUF file in parts that a table spoils one at a time; and where its parts then lie.

Flow: gguf.py and knot.py take `llama()`, change keys or tensors, and ask `bytes()`. It shares nothing with src/formats.
"""
import random
import struct

U8, I8, U16, I16, U32, I32, F32, BOOL, STRING, ARRAY, U64, I64, F64 = range(13)
PACK = {U8: "B", I8: "b", U16: "H", I16: "h", U32: "I", I32: "i", F32: "f", BOOL: "B", U64: "Q", I64: "q", F64: "d"}


def text(s):
    s = s.encode() if isinstance(s, str) else s
    return struct.pack("<Q", len(s)) + s


def array(element, values, count=None):
    """An array's value; `count` says another number of elements than there are."""
    body = b"".join(text(v) if element == STRING else struct.pack("<" + PACK[element], v) for v in values)
    return struct.pack("<IQ", element, len(values) if count is None else count) + body


def encoded(kind, value):
    if isinstance(value, bytes) and kind != STRING:
        return value
    return text(value) if kind == STRING else struct.pack("<" + PACK[kind], value)


class Gguf:
    """keys: name -> (type, value); tensors: name -> [dims, type id, data]. An entry of `offsets` moves a tensor's data."""

    def __init__(self, keys, tensors):
        self.keys, self.tensors, self.offsets = dict(keys), {n: list(t) for n, t in tensors.items()}, {}
        self.more_keys, self.more_tensors, self.counts, self.places = [], [], [None, None], {}

    def key(self, name, kind, value):
        self.keys[name] = (kind, value)
        return self

    def bytes(self, align=32):
        keys = list(self.keys.items()) + self.more_keys
        tensors = list(self.tensors.items()) + self.more_tensors
        counts = [c if c is not None else n for c, n in zip(self.counts, (len(tensors), len(keys)))]
        out = bytearray(b"GGUF" + struct.pack("<IQQ", 3, *counts))
        for name, (kind, value) in keys:
            self.places["name " + str(name)] = len(out)
            out += text(name) + struct.pack("<I", kind)
            self.places[name] = len(out)
            out += encoded(kind, value)
        data = b""
        for name, (dims, kind, content) in tensors:
            data += bytes(-len(data) % align)
            self.places["tensor " + str(name)] = len(out)
            out += text(name) + struct.pack(f"<I{len(dims)}QI", len(dims), *dims, kind)
            out += struct.pack("<Q", self.offsets.get(name, len(data)))
            data += content
        out += bytes(-len(out) % align)
        self.places["data"] = len(out)
        return bytes(out + data)


def floats(count, seed):
    rng = random.Random(seed)
    return struct.pack(f"<{count}f", *(rng.uniform(-0.3, 0.3) for _ in range(count)))


WORDS = ["<unk>", "<s>", "</s>", "a", "b", "\u2581a", "\u2581b", "ab", "\u2581", "c", "d", "e"]


def llama(hidden=16, inner=24, layers=1, arch="llama"):
    """A whole model of llama's architecture with a vocabulary of 12."""
    n = len(WORDS)
    keys = {"general.architecture": (STRING, arch), arch + ".block_count": (U32, layers), arch + ".embedding_length": (U32, hidden),
            arch + ".feed_forward_length": (U32, inner), arch + ".attention.head_count": (U32, 2),
            arch + ".attention.head_count_kv": (U32, 1), arch + ".context_length": (U32, 64),
            arch + ".attention.layer_norm_rms_epsilon": (F32, 1e-5),
            "tokenizer.ggml.model": (STRING, "llama"), "tokenizer.ggml.tokens": (ARRAY, array(STRING, WORDS)),
            "tokenizer.ggml.scores": (ARRAY, array(F32, [-float(i) for i in range(n)])),
            "tokenizer.ggml.token_type": (ARRAY, array(I32, [2, 3, 3] + [1] * (n - 3))),
            "tokenizer.ggml.bos_token_id": (U32, 1), "tokenizer.ggml.eos_token_id": (U32, 2)}
    shapes = {"token_embd.weight": (hidden, n), "output_norm.weight": (hidden,)}
    for i in range(layers):
        for name, shape in (("attn_norm", (hidden,)), ("attn_q", (hidden, hidden)), ("attn_k", (hidden, hidden // 2)),
                            ("attn_v", (hidden, hidden // 2)), ("attn_output", (hidden, hidden)), ("ffn_norm", (hidden,)),
                            ("ffn_gate", (hidden, inner)), ("ffn_up", (hidden, inner)), ("ffn_down", (inner, hidden))):
            shapes[f"blk.{i}.{name}.weight"] = shape
    tensors = {}
    for seed, (name, shape) in enumerate(shapes.items()):
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        tensors[name] = [list(shape), 0, floats(count, seed)]
    return Gguf(keys, tensors)
