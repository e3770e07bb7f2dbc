#!/usr/bin/env python3
"""phi3_shape.py FILE: a GGUF of Phi-3-mini's shape in Q4_K, all zeros, without a tokenizer.

The tensors are a hole in the file, so that it takes no room on the disk. Only the standard library is used.
"""
import struct
import sys

UINT32, FLOAT32, STRING = 4, 6, 8
F32, Q4_K = 0, 12
HIDDEN, FFN, LAYERS, HEADS, VOCABULARY, CONTEXT = 3072, 8192, 32, 32, 32064, 4096


def text(s):
    return struct.pack("<Q", len(s)) + s.encode()


def key(name, kind, value):
    form = {UINT32: "<I", FLOAT32: "<f"}.get(kind)
    return text(name) + struct.pack("<I", kind) + (struct.pack(form, value) if form else text(value))


def size(shape, kind):
    elements = 1
    for n in shape:
        elements *= n
    return elements // 256 * 144 if kind == Q4_K else 4 * elements


keys = [key("general.architecture", STRING, "phi3"), key("phi3.context_length", UINT32, CONTEXT),
        key("phi3.embedding_length", UINT32, HIDDEN), key("phi3.feed_forward_length", UINT32, FFN),
        key("phi3.block_count", UINT32, LAYERS), key("phi3.attention.head_count", UINT32, HEADS),
        key("phi3.attention.head_count_kv", UINT32, HEADS), key("phi3.vocab_size", UINT32, VOCABULARY),
        key("phi3.attention.layer_norm_rms_epsilon", FLOAT32, 1e-5)]
tensors = [("token_embd.weight", (HIDDEN, VOCABULARY), Q4_K), ("output_norm.weight", (HIDDEN,), F32)]
for layer in range(LAYERS):
    tensors += [("blk.%d.attn_norm.weight" % layer, (HIDDEN,), F32),
                ("blk.%d.attn_qkv.weight" % layer, (HIDDEN, 3 * HIDDEN), Q4_K),
                ("blk.%d.attn_output.weight" % layer, (HIDDEN, HIDDEN), Q4_K),
                ("blk.%d.ffn_norm.weight" % layer, (HIDDEN,), F32),
                ("blk.%d.ffn_up.weight" % layer, (HIDDEN, 2 * FFN), Q4_K),
                ("blk.%d.ffn_down.weight" % layer, (FFN, HIDDEN), Q4_K)]
infos, offset = [], 0
for name, shape, kind in tensors:
    infos.append(text(name) + struct.pack("<I%dQIQ" % len(shape), len(shape), *shape, kind, offset))
    offset += (size(shape, kind) + 31) // 32 * 32
head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys)) + b"".join(keys) + b"".join(infos)
head += bytes(-len(head) % 32)
with open(sys.argv[1], "wb") as file:
    file.write(head)
    file.truncate(len(head) + offset)
