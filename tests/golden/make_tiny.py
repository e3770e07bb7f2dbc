#!/usr/bin/env python3
"""Writes a tiny random model as GGUF v3 (F32 weights): any shape, phi3 or llama.

For tests of the forward pass, of tokenizing and of reports. Needs nothing but
Python's standard library; the same options give the same bytes everywhere.

One seed is one network, whatever --arch writes it as: the matrices q, k, v, gate
and up are drawn apart and in rotary "halves" order. phi3 stores them fused
(attn_qkv, ffn_up with the gate first); llama stores them apart, the rows of q and
k of each head interleaved: row 2i+s of a head is row s*rope/2 + i of the halves
order. So both must give the same activations, up to the order of sums in q.k.

Planted neurons (LAYER:NEURON, repeatable):
  --plant-zero   gate and up rows are 0: the neuron never does anything
  --plant-nan    one weight of the up row is NaN: up and ffn are NaN for all tokens
                 (and, by the down projection, all later layers: take the last layer)
  --plant-super  quiet (about 1e-3) for all tokens but --super-token, huge (above
                 1e4) there. The last hidden channel marks that token: its embedding
                 alone has it, and no projection writes it.

  make_tiny.py --arch llama --layers 4 --with-vocab --vocab 400 -o tiny.gguf
"""
import argparse
import array
import math
import random
import struct
import sys

ALIGNMENT = 32
U32, F32, BOOL, STRING, ARRAY, I32 = 4, 6, 7, 8, 9, 5
NORMAL, UNKNOWN, CONTROL, UNUSED, BYTE = 1, 2, 3, 5, 6
WORDS = ("the of and to in is that it was for on are as with his they at be this from have or by one had "
         "not but what all were when we there can an your which their said if do will each about how up out "
         "them then she many some so these would other into has more her two like him see time could no make "
         "than first been its who now people my made over did down only way find use may water long little "
         "very after words called just where most know model neuron layer").split()


def place(text):
    """LAYER:NEURON."""
    layer, neuron = text.split(":")
    return int(layer), int(neuron)


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("-o", "--output", required=True)
    p.add_argument("--arch", choices=("phi3", "llama"), default="phi3")
    p.add_argument("--name", default="tiny", help="general.name (one with 'phi3' changes white-space rules)")
    for name, default in (("layers", 2), ("hidden", 64), ("intermediate", 96), ("heads", 4), ("kv-heads", 0),
                          ("vocab", 64), ("context", 128), ("seed", 1), ("window", 0), ("rope-dim", 0),
                          ("longrope-orig", 0), ("super-token", 5)):
        p.add_argument("--" + name, type=int, default=default, help=f"[{default}]")
    p.add_argument("--head-dim", type=int, default=0, help="[hidden / heads]")
    p.add_argument("--rope-base", type=float, default=10000.0)
    p.add_argument("--epsilon", type=float, default=1e-5)
    p.add_argument("--scale", type=float, default=1.0, help="weights have deviation SCALE / sqrt(inputs)")
    p.add_argument("--tied", action="store_true", help="no output.weight: the embedding serves")
    p.add_argument("--no-output", dest="tied", action="store_true", help="the same")
    p.add_argument("--rope-freqs", action="store_true", help="a rope_freqs.weight, as Llama 3.1 has")
    p.add_argument("--separate", action="store_true", help="phi3 with separate q, k, v")
    p.add_argument("--with-vocab", action="store_true", help="a SentencePiece-like vocabulary")
    p.add_argument("--chat-template", default="", help="tokenizer.chat_template of the vocabulary; \\n is a newline")
    p.add_argument("--no-vocab", dest="with_vocab", action="store_false")
    for kind in ("super", "nan", "zero"):
        p.add_argument("--plant-" + kind, type=place, action="append", default=[], metavar="LAYER:NEURON")
    o = p.parse_args()
    o.kv_heads = o.kv_heads or o.heads
    o.head_dim = o.head_dim or o.hidden // o.heads
    o.rope_dim = o.rope_dim or o.head_dim
    if o.heads % o.kv_heads or o.rope_dim % 2 or o.rope_dim > o.head_dim:
        p.error("heads must be a multiple of kv-heads, rope-dim even and at most the head's size")
    for layer, neuron in o.plant_super + o.plant_nan + o.plant_zero:
        if not (0 <= layer < o.layers and 0 <= neuron < o.intermediate):
            p.error(f"no neuron {layer}:{neuron}")
    if not 0 <= o.super_token < o.vocab:
        p.error(f"--super-token {o.super_token} is not in the vocabulary")
    return o


class Random:
    """Normal numbers as float32; a stream a tensor, so that one option changes no other tensor."""

    def __init__(self, seed, name):
        self.gauss = random.Random(f"phi3sat {seed} {name}").gauss

    def matrix(self, rows, columns, deviation):
        return [array.array("f", (self.gauss(0, deviation) for _ in range(columns))) for _ in range(rows)]


def interleave(rows, head_dim, rope):
    """Rows of q or k from halves order to pairs order, head by head."""
    pairs = [s * (rope // 2) + i for i in range(rope // 2) for s in (0, 1)] + list(range(rope, head_dim))
    return [rows[start + r] for start in range(0, len(rows), head_dim) for r in pairs]


def plant(o, layer, gate, up, down):
    mark = o.hidden - 1
    if o.plant_super:
        for row in gate + up:
            row[mark] = 0
        for row in down:
            row_scale(row, [n for l, n in o.plant_super if l == layer], 1e-3)
        down[mark] = array.array("f", bytes(4 * o.intermediate))
    for neuron in [n for l, n in o.plant_super if l == layer]:
        for row in gate[neuron], up[neuron]:
            row_scale(row, range(o.hidden), 1e-3)
            row[mark] = 40
    for neuron in [n for l, n in o.plant_zero if l == layer]:
        gate[neuron] = array.array("f", bytes(4 * o.hidden))
        up[neuron] = array.array("f", bytes(4 * o.hidden))
    for neuron in [n for l, n in o.plant_nan if l == layer]:
        up[neuron][0] = math.nan


def row_scale(row, columns, factor):
    for column in columns:
        row[column] *= factor


def norm(o, name):
    return [array.array("f", (1 + v for v in Random(o.seed, name).matrix(1, o.hidden, 0.05)[0]))]


def block(o, layer):
    """Yields (name, rows) of one layer."""
    def draw(name, rows, columns):
        return Random(o.seed, f"{layer} {name}").matrix(rows, columns, o.scale / math.sqrt(columns))
    q = draw("q", o.heads * o.head_dim, o.hidden)
    k = draw("k", o.kv_heads * o.head_dim, o.hidden)
    v = draw("v", o.kv_heads * o.head_dim, o.hidden)
    output = draw("o", o.hidden, o.heads * o.head_dim)
    gate, up = draw("gate", o.intermediate, o.hidden), draw("up", o.intermediate, o.hidden)
    down = draw("down", o.hidden, o.intermediate)
    plant(o, layer, gate, up, down)
    if o.plant_super:
        output[o.hidden - 1] = array.array("f", bytes(4 * o.heads * o.head_dim))
    b = f"blk.{layer}."
    yield b + "attn_norm.weight", norm(o, f"{layer} attn_norm")
    if o.arch == "llama":
        q, k = (interleave(rows, o.head_dim, o.rope_dim) for rows in (q, k))
    if o.arch == "llama" or o.separate:
        yield b + "attn_q.weight", q
        yield b + "attn_k.weight", k
        yield b + "attn_v.weight", v
    else:
        yield b + "attn_qkv.weight", q + k + v
    yield b + "attn_output.weight", output
    yield b + "ffn_norm.weight", norm(o, f"{layer} ffn_norm")
    if o.arch == "llama":
        yield b + "ffn_gate.weight", gate
        yield b + "ffn_up.weight", up
    else:
        yield b + "ffn_up.weight", gate + up
    yield b + "ffn_down.weight", down


def tensors(o):
    embedding = Random(o.seed, "embedding").matrix(o.vocab, o.hidden, 1.0)
    if o.plant_super:
        for token, row in enumerate(embedding):
            row[-1] = 40 if token == o.super_token else 0
    yield "token_embd.weight", embedding
    half = o.rope_dim // 2
    if o.longrope_orig:
        yield "rope_factors_short.weight", [array.array("f", (1 + 0.02 * i for i in range(half)))]
        yield "rope_factors_long.weight", [array.array("f", (1 + 0.5 * i for i in range(half)))]
    if o.rope_freqs:
        yield "rope_freqs.weight", [array.array("f", (1 if i < half // 2 else 8 for i in range(half)))]
    for layer in range(o.layers):
        yield from block(o, layer)
    yield "output_norm.weight", norm(o, "output_norm")
    if not o.tied:
        yield "output.weight", Random(o.seed, "output").matrix(o.vocab, o.hidden, o.scale / math.sqrt(o.hidden))


def vocabulary(o):
    """(text, score, type): every word is reachable by merges of its prefixes."""
    table = [("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), ("</s>", 0.0, CONTROL)]
    table += [(f"<0x{byte:02X}>", 0.0, BYTE) for byte in range(256)]
    table += [(text, 0.0, CONTROL) for text in ("<|user|>", "<|assistant|>", "<|end|>")]
    pieces = {"\u2581": None}
    for letter in "etaoinshrdlcumwfgypbvkjxqz":
        pieces[letter] = None
    for text in (".", ",", "!", "?", "'", "\u2581\u2581", "\u00e9", "\u4e2d") + tuple("0123456789ETAIS"):
        pieces[text] = None
    for word in WORDS:
        for end in range(1, len(word) + 1):
            pieces["\u2581" + word[:end]] = None
    for word in WORDS[:40]:
        for end in range(2, len(word) + 1):
            pieces[word[:end]] = None
    table += [(text, -1.0 - i, NORMAL) for i, text in enumerate(pieces)]
    if len(table) > o.vocab:
        table = table[:o.vocab] if o.vocab >= 262 + 27 else sys.exit("--with-vocab needs --vocab 289 or more")
    return table + [(f"[PAD{i}]", -10000.0, UNUSED) for i in range(len(table), o.vocab)]


def string(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def key(name, kind, value):
    forms = {U32: "<I", F32: "<f", BOOL: "<?"}
    return string(name) + struct.pack("<I", kind) + (string(value) if kind == STRING else struct.pack(forms[kind], value))


def array_key(name, kind, values):
    forms = {F32: "f", I32: "i"}
    data = b"".join(map(string, values)) if kind == STRING else struct.pack(f"<{len(values)}{forms[kind]}", *values)
    return string(name) + struct.pack("<IIQ", ARRAY, kind, len(values)) + data


def keys(o):
    a = o.arch + "."
    yield key("general.architecture", STRING, o.arch)
    yield key("general.name", STRING, o.name)
    for name, value in (("vocab_size", o.vocab), ("context_length", o.context), ("embedding_length", o.hidden),
                        ("block_count", o.layers), ("feed_forward_length", o.intermediate),
                        ("attention.head_count", o.heads), ("attention.head_count_kv", o.kv_heads),
                        ("rope.dimension_count", o.rope_dim)):
        yield key(a + name, U32, value)
    if o.head_dim * o.heads != o.hidden:
        yield key(a + "attention.key_length", U32, o.head_dim)
        yield key(a + "attention.value_length", U32, o.head_dim)
    yield key(a + "rope.freq_base", F32, o.rope_base)
    yield key(a + "attention.layer_norm_rms_epsilon", F32, o.epsilon)
    if o.window:
        yield key(a + "attention.sliding_window", U32, o.window)
    if o.longrope_orig:
        yield key(a + "rope.scaling.type", STRING, "longrope")
        yield key(a + "rope.scaling.original_context_length", U32, o.longrope_orig)
        ratio = max(1.0, o.context / o.longrope_orig)
        factor = math.sqrt(1 + math.log(ratio) / math.log(o.longrope_orig)) if o.longrope_orig > 1 else 1.0
        yield key(a + "rope.scaling.attn_factor", F32, factor)
    if not o.with_vocab:
        return
    table = vocabulary(o)
    yield key("tokenizer.ggml.model", STRING, "llama")
    yield key("tokenizer.ggml.pre", STRING, "default")
    yield array_key("tokenizer.ggml.tokens", STRING, [text for text, _, _ in table])
    yield array_key("tokenizer.ggml.scores", F32, [score for _, score, _ in table])
    yield array_key("tokenizer.ggml.token_type", I32, [kind for _, _, kind in table])
    for name, value in (("bos", 1), ("eos", 2), ("unknown", 0)):
        yield key(f"tokenizer.ggml.{name}_token_id", U32, value)
    yield key("tokenizer.ggml.add_bos_token", BOOL, True)
    yield key("tokenizer.ggml.add_eos_token", BOOL, False)
    if o.chat_template:
        yield key("tokenizer.chat_template", STRING, o.chat_template.replace("\\n", "\n"))


def padded(data):
    return data + bytes(-len(data) % ALIGNMENT)


def main():
    o = options()
    header_keys, infos, blobs, offset = list(keys(o)), [], [], 0
    for name, rows in tensors(o):
        dims = (len(rows[0]), len(rows)) if len(rows) > 1 else (len(rows[0]),)
        infos.append(string(name) + struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims, 0, offset))
        if sys.byteorder == "big":
            for row in rows:
                row.byteswap()
        blobs.append(padded(b"".join(row.tobytes() for row in rows)))
        offset += len(blobs[-1])
    header = b"GGUF" + struct.pack("<IQQ", 3, len(infos), len(header_keys)) + b"".join(header_keys + infos)
    with open(o.output, "wb") as f:
        f.write(padded(header))
        f.writelines(blobs)


if __name__ == "__main__":
    main()
