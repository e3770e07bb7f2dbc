#!/usr/bin/env python3
"""odd_models.py: writes GGUF files that inspect has to cope with into the current folder.

Only the standard library is used. Each file is valid GGUF; what is odd about it says its name.
"""
import struct

U32, F32, BOOL, STRING, ARRAY, I32, U64 = 4, 6, 7, 8, 9, 5, 10


def text(s):
    s = s if isinstance(s, bytes) else s.encode()
    return struct.pack("<Q", len(s)) + s


def value(v):
    if isinstance(v, bool):
        return struct.pack("<I?", BOOL, v)
    if isinstance(v, int):
        return struct.pack("<II", U32, v) if v < 1 << 32 else struct.pack("<IQ", U64, v)
    if isinstance(v, float):
        return struct.pack("<If", F32, v)
    if isinstance(v, list):
        if v and isinstance(v[0], (str, bytes)):
            return struct.pack("<IIQ", ARRAY, STRING, len(v)) + b"".join(map(text, v))
        kind, code = (F32, "f") if v and isinstance(v[0], float) else (I32, "i")
        return struct.pack("<IIQ", ARRAY, kind, len(v)) + struct.pack("<%d%s" % (len(v), code), *v)
    return struct.pack("<I", STRING) + text(v)


def write(path, keys, tensors, version=3):
    """tensors: (name, dims, type, bytes)."""
    head = [b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(keys))]
    head += [text(k) + value(v) for k, v in keys.items()]
    offset = 0
    for name, dims, kind, size in tensors:
        head.append(text(name) + struct.pack("<I%dQIQ" % len(dims), len(dims), *dims, kind, offset))
        offset += (size + 31) // 32 * 32
    head = b"".join(head)
    with open(path, "wb") as f:
        f.write(head + bytes(-len(head) % 32) + bytes(offset))


def llama(hidden=32, inner=48, layers=1, arch="llama", **more):
    keys = {"general.architecture": arch, "general.name": "odd", arch + ".block_count": layers,
            arch + ".embedding_length": hidden, arch + ".feed_forward_length": inner,
            arch + ".attention.head_count": 2, arch + ".attention.head_count_kv": 1, arch + ".context_length": 256}
    keys.update(more)
    head = hidden // 2
    tensors = [("token_embd.weight", [hidden, 20], 0, hidden * 80)]
    for i in range(layers):
        for name, rows, columns in (("attn_q", hidden, hidden), ("attn_k", head, hidden), ("attn_v", head, hidden),
                                    ("attn_output", hidden, hidden), ("ffn_gate", inner, hidden),
                                    ("ffn_up", inner, hidden), ("ffn_down", hidden, inner)):
            tensors.append(("blk.%d.%s.weight" % (i, name), [columns, rows], 0, rows * columns * 4))
        for name in ("attn_norm", "ffn_norm"):
            tensors.append(("blk.%d.%s.weight" % (i, name), [hidden], 0, hidden * 4))
    return keys, tensors


keys, tensors = llama()
write("good.gguf", keys, tensors)
write("good2.gguf", keys, tensors, version=2)
write("missing.gguf", keys, [t for t in tensors if "ffn_down" not in t[0]])
write("undecodable.gguf", *[keys, [(n, d, 25, 2 * d[0] * d[1]) if n.endswith("ffn_gate.weight") else (n, d, t, s)
                                  for n, d, t, s in tensors]])
write("biased.gguf", keys, tensors + [("blk.0.attn_q.bias", [32], 0, 128)])
write("gemma2.gguf", *llama(arch="gemma2"))
write("experts.gguf", *llama(**{"llama.expert_count": 8}))
write("dynamic.gguf", *llama(**{"llama.rope.scaling.type": "dynamic"}))
write("yarn.gguf", *llama(**{"llama.rope.scaling.type": "yarn", "llama.rope.scaling.factor": 4.0,
                             "llama.rope.scaling.original_context_length": 64}))
write("linear.gguf", *llama(**{"llama.rope.scaling.type": "linear", "llama.rope.scaling.factor": 4.0}))
write("long.gguf", *llama(**{"llama.context_length": 1 << 24}))
write("deep.gguf", *llama(arch="mamba", **{"mamba.block_count": (1 << 63) + 5, "mamba.context_length": (1 << 64) - 1}))
write("nothing.gguf", {}, [])
write("vocabulary.gguf", {"general.architecture": "llama", "tokenizer.ggml.model": "llama",
                          "tokenizer.ggml.tokens": ["<unk>", "<s>", "</s>", "a", "b"],
                          "tokenizer.ggml.scores": [0.0] * 5, "tokenizer.ggml.token_type": [2, 3, 3, 1, 1],
                          "tokenizer.ggml.bos_token_id": 1}, [])
write("foreign-tokenizer.gguf", *llama(**{"tokenizer.ggml.model": "rwkv\x1b[5m", "tokenizer.ggml.tokens": ["a"],
                                          "tokenizer.chat_template": "{{ \x1b[2J<|im_start|> }}"}))
evil = b"\x1b]0;owned\x07\x1b[2J\r\n\"\\\xff\xe2\x80\xae\xc2\x9b31m\x00end"
k, t = llama(arch="ev\x1b[31mil")
k["general.name"] = evil
k["tokenizer.chat_template"] = evil
k["tokenizer.ggml.model"] = evil
t[3] = (b"blk.\x1b[2J\xff\"\\.weight", t[3][1], 0, t[3][3])
write("evil.gguf", k, t)
k = dict(keys)
k["general.name"] = "n" * 1000000
write("longname.gguf", k, tensors)
write("many.gguf", {"general.architecture": "x"}, [("t%d" % i, [1], 24, 1) for i in range(100000)])
write("layers.gguf", {**keys, "llama.block_count": 4096},
      tensors + [("blk.%d.x.weight" % (10 ** 18 + i), [1], 0, 4) for i in range(3)])
