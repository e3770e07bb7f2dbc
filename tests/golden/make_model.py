#!/usr/bin/env python3
"""make_model.py FILE [--layers N] [--seed N]: a small random phi3 model as GGUF.

For the demo where no trained model can be had, and for tests that need any model at all.
Only the standard library is used. Weights are normal numbers scaled by 1/sqrt(inputs), so
that activations stay near 1. The vocabulary is a SentencePiece-like one: three special
tokens, the 256 bytes, and pieces that merge step by step to a few hundred common words.
"""
import argparse
import array
import random
import struct
import sys

UINT32, FLOAT32, BOOL, STRING, ARRAY, INT32 = 4, 6, 7, 8, 9, 5
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6
ALIGNMENT = 32

WORDS = """the of and to in is was that it for on are as with his they at be this from have or by one had not but what
all were when we there can an your which their said if do will each about how up out them then she many some so these
would other into has more her two like him see time could no make than first been its who now people my made over did
down only way find use may water long little very after words called just where most know""".split()


def vocabulary():
    """Lists of tokens, scores and types. A piece scores the higher the earlier it is listed."""
    tokens = ["<unk>", "<s>", "</s>"] + ["<0x%02X>" % b for b in range(256)]
    types = [UNKNOWN, CONTROL, CONTROL] + [BYTE] * 256
    pieces = {}
    for c in "\u2581etaoinsrhldcumfpgwybvkxjqzETAOINSRHLDCUMFPGWYBVKXJQZ0123456789.,;:'\"!?()-":
        pieces[c] = True
    for word in WORDS:
        text = "\u2581" + word
        for end in range(2, len(text) + 1):
            pieces[text[:end]] = True
    scores = [0.0] * len(tokens)
    for rank, piece in enumerate(pieces):
        tokens.append(piece)
        types.append(NORMAL)
        scores.append(-1.0 - rank)
    return tokens, scores, types


def text(s):
    raw = s.encode()
    return struct.pack("<Q", len(raw)) + raw


def entry(key, kind, value):
    head = text(key) + struct.pack("<I", kind)
    if kind == STRING:
        return head + text(value)
    return head + struct.pack({UINT32: "<I", FLOAT32: "<f", BOOL: "<?"}[kind], value)


def entry_array(key, kind, values):
    head = text(key) + struct.pack("<IIQ", ARRAY, kind, len(values))
    if kind == STRING:
        return head + b"".join(text(v) for v in values)
    return head + struct.pack("<%d%s" % (len(values), {FLOAT32: "f", INT32: "i"}[kind]), *values)


def weights(rng, inputs, outputs):
    scale = inputs ** -0.5
    data = array.array("f", (rng.gauss(0.0, scale) for _ in range(inputs * outputs)))
    if sys.byteorder == "big":
        data.byteswap()
    return data.tobytes()


def tensors(rng, layers, hidden, intermediate, vocab):
    """(name, dimensions with the fastest first, bytes), in file order."""
    ones = struct.pack("<%df" % hidden, *[1.0] * hidden)
    yield "token_embd.weight", (hidden, vocab), weights(rng, hidden, vocab)
    for layer in range(layers):
        blk = "blk.%d." % layer
        yield blk + "attn_norm.weight", (hidden,), ones
        yield blk + "attn_qkv.weight", (hidden, 3 * hidden), weights(rng, hidden, 3 * hidden)
        yield blk + "attn_output.weight", (hidden, hidden), weights(rng, hidden, hidden)
        yield blk + "ffn_norm.weight", (hidden,), ones
        yield blk + "ffn_up.weight", (hidden, 2 * intermediate), weights(rng, hidden, 2 * intermediate)
        yield blk + "ffn_down.weight", (intermediate, hidden), weights(rng, intermediate, hidden)
    yield "output_norm.weight", (hidden,), ones
    yield "output.weight", (hidden, vocab), weights(rng, hidden, vocab)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    hidden, intermediate, heads = 64, 192, 4
    tokens, scores, types = vocabulary()

    keys = [
        entry("general.architecture", STRING, "phi3"),
        entry("general.name", STRING, "random phi3 made by make_model.py"),
        entry("phi3.context_length", UINT32, 4096),
        entry("phi3.embedding_length", UINT32, hidden),
        entry("phi3.block_count", UINT32, options.layers),
        entry("phi3.feed_forward_length", UINT32, intermediate),
        entry("phi3.attention.head_count", UINT32, heads),
        entry("phi3.attention.head_count_kv", UINT32, heads),
        entry("phi3.attention.layer_norm_rms_epsilon", FLOAT32, 1e-5),
        entry("phi3.rope.dimension_count", UINT32, hidden // heads),
        entry("phi3.rope.freq_base", FLOAT32, 10000.0),
        entry("tokenizer.ggml.model", STRING, "llama"),
        entry_array("tokenizer.ggml.tokens", STRING, tokens),
        entry_array("tokenizer.ggml.scores", FLOAT32, scores),
        entry_array("tokenizer.ggml.token_type", INT32, types),
        entry("tokenizer.ggml.bos_token_id", UINT32, 1),
        entry("tokenizer.ggml.eos_token_id", UINT32, 2),
        entry("tokenizer.ggml.unknown_token_id", UINT32, 0),
        entry("tokenizer.ggml.add_bos_token", BOOL, True),
    ]
    infos, blobs, offset = [], [], 0
    for name, shape, data in tensors(random.Random(options.seed), options.layers, hidden, intermediate, len(tokens)):
        infos.append(text(name) + struct.pack("<I%dQIQ" % len(shape), len(shape), *shape, 0, offset))
        blobs.append(data + bytes(-len(data) % ALIGNMENT))
        offset += len(blobs[-1])

    head = b"GGUF" + struct.pack("<IQQ", 3, len(infos), len(keys)) + b"".join(keys) + b"".join(infos)
    with open(options.file, "wb") as out:
        out.write(head + bytes(-len(head) % ALIGNMENT))
        out.writelines(blobs)


if __name__ == "__main__":
    main()
