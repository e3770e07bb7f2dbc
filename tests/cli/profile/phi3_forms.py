#!/usr/bin/env python3
"""Phi-3 as it is found on disks, made of a synthetic phi3 file, with the same bytes of weights.

  phi3_forms.py SYNTH.gguf OFFICIAL.gguf LLAMA.gguf

OFFICIAL has the 24 keys of Microsoft's own file: no window, no base of the rotary embedding, scores of 0 for special
tokens, <|end|> and <|endoftext|> that aren't control tokens, a BOS both in the chat template and by add_bos_token.
LLAMA is the form of early community files: architecture llama, q, k, v, gate and up apart, rows of q and k as pairs.
"""
import struct
import sys

from make_tiny import U32, interleave, key, padded, string

SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
BLOCKS = {0: (1, 4), 12: (256, 144), 13: (256, 176), 14: (256, 210)}  # F32, Q4_K, Q5_K, Q6_K
INT32, TEXT, ARRAY = 5, 8, 9
NORMAL = 1


class Reader:
    def __init__(self, path):
        with open(path, "rb") as f:
            self.bytes = f.read()
        self.at = 8
        tensors, keys = self.take("QQ")
        self.keys = {}  # name: (bytes of type and value)
        for _ in range(keys):
            name = self.text()
            start = self.at
            self.skip(*self.take("I"))
            self.keys[name] = self.bytes[start:self.at]
        infos = []
        for _ in range(tensors):
            name = self.text()
            dims = self.take(f"{self.take('I')[0]}Q")
            infos.append((name, dims, *self.take("IQ")))
        self.at = (self.at + 31) // 32 * 32
        self.tensors = {}  # name: (type, columns, rows as bytes)
        for name, dims, kind, offset in infos:
            count, size = BLOCKS[kind]
            width, rows = dims[0] // count * size, dims[1] if len(dims) > 1 else 1
            start = self.at + offset
            self.tensors[name] = (kind, dims, [self.bytes[start + r * width:start + (r + 1) * width] for r in range(rows)])

    def take(self, form):
        values = struct.unpack_from("<" + form, self.bytes, self.at)
        self.at += struct.calcsize("<" + form)
        return values

    def text(self):
        length, = self.take("Q")
        self.at += length
        return self.bytes[self.at - length:self.at].decode()

    def skip(self, kind):
        if kind == TEXT:
            self.text()
        elif kind == ARRAY:
            element, count = self.take("IQ")
            if element == TEXT:
                for _ in range(count):
                    self.text()
            else:
                self.at += SIZES[element] * count
        else:
            self.at += SIZES[kind]

    def number(self, name):
        return struct.unpack_from("<I", self.keys[name], 4)[0]


def write(path, keys, tensors):
    infos, blobs, offset = [], [], 0
    for name, (kind, dims, rows) in tensors.items():
        infos.append(string(name) + struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims, kind, offset))
        blobs.append(padded(b"".join(rows)))
        offset += len(blobs[-1])
    header = b"".join([string(name) + value for name, value in keys.items()] + infos)
    with open(path, "wb") as f:
        f.write(padded(b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys)) + header))
        f.writelines(blobs)


def value(kind, number):
    return key("", kind, number)[len(string("")):]


def official(model):
    keys = {name: bytes_ for name, bytes_ in model.keys.items()
            if name not in ("phi3.rope.freq_base", "phi3.vocab_size", "tokenizer.ggml.add_space_prefix")}
    keys |= {"general.name": struct.pack("<I", TEXT) + string("Phi3"), "general.file_type": value(U32, 15),
             "tokenizer.ggml.padding_token_id": value(U32, 259)}
    types = bytearray(keys["tokenizer.ggml.token_type"])
    for token in 259, 262:  # <|endoftext|>, <|end|>
        struct.pack_into("<i", types, 16 + 4 * token, NORMAL)
    keys["tokenizer.ggml.token_type"] = bytes(types)
    return keys


def as_llama(model, keys):
    names = {name.replace("phi3.", "llama.", 1): bytes_ for name, bytes_ in keys.items()}
    names["general.architecture"] = struct.pack("<I", TEXT) + string("llama")
    heads, kv = (model.number("phi3.attention.head_count" + end) for end in ("", "_kv"))
    hidden, inner = model.number("phi3.embedding_length"), model.number("phi3.feed_forward_length")
    dim = hidden // heads
    tensors = {}
    for name, (kind, dims, rows) in model.tensors.items():
        cuts = {}
        if name.endswith("attn_qkv.weight"):
            cuts = {"attn_q": (0, heads * dim), "attn_k": (heads * dim, kv * dim), "attn_v": ((heads + kv) * dim, kv * dim)}
        elif name.endswith("ffn_up.weight"):
            cuts = {"ffn_gate": (0, inner), "ffn_up": (inner, inner)}
        for part, (first, count) in cuts.items():
            own = rows[first:first + count]
            own = interleave(own, dim, dim) if part in ("attn_q", "attn_k") else own
            tensors[f"{name.rsplit('.', 2)[0]}.{part}.weight"] = (kind, (dims[0], count), own)
        if not cuts:
            tensors[name] = (kind, dims, rows)
    return names, tensors


def main():
    source, plain, llama = sys.argv[1:]
    model = Reader(source)
    keys = official(model)
    write(plain, keys, model.tensors)
    write(llama, *as_llama(model, keys))


if __name__ == "__main__":
    main()
