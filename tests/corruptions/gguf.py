"""gguf.py - named corruptions of GGUF files: of their bytes, their keys, their vocabulary and their shapes.

tests/unit/test_gguf.c has the header's faults one by one; here a user sees them, with the memory that a refusal takes, and what only
the program as a whole can see: keys of a wrong type or value, tokens, shapes. It writes its rows' files with gguf_bytes.py.
"""
import math
import struct

from gguf_bytes import ARRAY, BOOL, F32, F64, I32, I64, STRING, U8, U16, U32, U64, WORDS, array, llama, text
from table import case, run

INSPECT, TOKENIZE = "inspect m.gguf", "tokenize --model m.gguf p.txt"
RUN = "perplexity --threads 1 --context 8 --prompts p.txt --model m.gguf"
PROMPT = "a b ab c d e " * 9
NAN, INFINITE = struct.pack("<f", math.nan), struct.pack("<f", math.inf)
rows = []


def row(kind, name, model, command, size=None):
    """`model`: a Gguf or bytes. `size`: the file is cut, or grown by a hole."""
    data = model if isinstance(model, bytes) else model.bytes()

    def write(path):
        with open(path, "wb") as f:
            f.write(data)
            if size is not None:
                f.truncate(size)
    rows.append(case(kind, name, {"m.gguf": write, "p.txt": PROMPT}, command))


def keyed(kind, name, key, value, command):
    """`value`: (type, value), or None: the key goes."""
    m = llama()
    m.keys.pop(key, None)
    if value:
        m.keys[key] = value
    row(kind, name, m, command)


def counts():
    for count in (1 << 60, (1 << 64) - 1, (1 << 63) // 33):
        for place, noun in ((0, "tensors"), (1, "keys")):
            m = llama()
            m.counts[place] = count
            row("count before allocation", f"{count} {noun}", m, INSPECT)
    # A hole of a terabyte makes room for any count that somebody likes; what is taken must follow what is read.
    header = struct.pack("<4sIQQ", b"GGUF", 3, 1 << 34, 0)
    row("count before allocation", "2^34 tensors in a terabyte of nothing", header, INSPECT, 1 << 40)
    header = struct.pack("<4sIQQ", b"GGUF", 3, 0, 1 << 34)
    row("count before allocation", "2^34 keys in a terabyte of nothing", header, INSPECT, 1 << 40)
    for kind, noun in ((STRING, "strings"), (ARRAY, "arrays")):
        header = struct.pack("<4sIQQ", b"GGUF", 3, 0, 1) + text("k") + struct.pack("<IIQ", ARRAY, kind, 1 << 33)
        row("count before allocation", f"2^33 {noun} in a terabyte of nothing", header, INSPECT, 1 << 40)
    m = llama()
    m.keys["tokenizer.ggml.tokens"] = m.keys.pop("tokenizer.ggml.tokens")  # the last key
    m.tensors = {}
    head = m.bytes()[:m.places["tokenizer.ggml.tokens"]] + array(STRING, WORDS[:-1], len(WORDS)) + struct.pack("<Q", 60 << 30)
    row("bomb", "a token of 60 GiB of nothing", head, TOKENIZE, len(head) + (60 << 30))
    for element, noun in ((STRING, "strings"), (ARRAY, "arrays"), (U8, "bytes")):
        row("count before allocation", f"an array of 2^60 {noun}", llama().key("k", ARRAY, array(element, [], 1 << 60)), INSPECT)


def products():
    for name, dims, kind in (("2^32 x 2^32", (1 << 32, 1 << 32), 0), ("2^16 four times", (1 << 16,) * 4, 0),
                             ("2^62 numbers, 2^64 bytes", (1 << 31, 1 << 31), 0), ("2^62 bytes of blocks", (1 << 36, 1 << 26), 24),
                             ("2^61 numbers of 8 bytes", (1 << 61,), 28)):
        m = llama()
        m.tensors["output_norm.weight"][:2] = [list(dims), kind]
        row("product that wraps", name, m, INSPECT)
    for element, count in ((U64, (1 << 61) + 1), (U32, (1 << 62) + 2), (U16, (1 << 63) + 1)):
        m = llama().key("k", ARRAY, array(element, [1, 2], count))
        row("product that wraps", f"an array of {count} elements", m, INSPECT)
    m = llama()
    m.offsets["output_norm.weight"] = (1 << 64) - 32
    row("product that wraps", "an offset that wraps", m, INSPECT)


def lengths():
    for length in ((1 << 64) - 1, 1 << 63, 1 << 31, 1 << 40):
        m = llama()
        data = m.bytes()
        row("length past the end", f"a key's name of {length} bytes", data[:24] + struct.pack("<Q", length) + data[32:], INSPECT)
        m = llama()
        data = m.bytes()
        at = m.places["general.architecture"]
        row("length past the end", f"a string of {length} bytes", data[:at] + struct.pack("<Q", length) + data[at + 8:], INSPECT)
    m = llama()
    data = m.bytes()
    at = m.places["tokenizer.ggml.tokens"] + 12 + 13
    row("length past the end", "a token of 2^62 bytes", data[:at] + struct.pack("<Q", 1 << 62) + data[at + 8:], INSPECT)
    at = m.places["tensor output_norm.weight"]
    row("length past the end", "a tensor's name of 2^62 bytes", data[:at] + struct.pack("<Q", 1 << 62) + data[at + 8:], INSPECT)
    row("length past the end", "the last byte missing", data, INSPECT, len(data) - 1)
    row("length past the end", "half the file", data, INSPECT, len(data) // 2)
    for size in (0, 3, 4, 8, 23):
        row("length past the end", f"{size} bytes", data, INSPECT, size)


def places():
    for name, offset in (("past the end", 1 << 20), ("far past the end", 1 << 62), ("off the alignment", 33), ("-32", (1 << 64) - 64)):
        m = llama()
        m.offsets["output_norm.weight"] = offset
        row("offset", f"a tensor's data {name}", m, INSPECT)
    for name, offset in (("whole", 0), ("in part", 32)):
        m = llama()
        m.offsets["blk.0.ffn_down.weight"] = offset
        row("overlap", f"two tensors that share bytes, {name}", m, INSPECT)
    m = llama()
    m.offsets.update({n: 0 for n in list(m.tensors)[2:4]})
    row("overlap", "three tensors at one place", m, INSPECT)


def dimensions():
    for name, dims, kind in (("0", [0], 0), ("0 x 2^40", [1 << 40, 0], 0), ("2^63", [1 << 63], 0), ("-1", [(1 << 64) - 1], 0),
                             ("of no block", [100], 12), ("five", [1] * 5, 0), ("none", [], 0), ("2^31", [1] * 9, 0)):
        m = llama()
        m.tensors["output_norm.weight"][:2] = [dims, kind]
        if name == "2^31":
            data = m.bytes()
            at = m.places["tensor output_norm.weight"] + 8 + len("output_norm.weight")
            row("dimension", "2^31 dimensions", data[:at] + struct.pack("<I", 1 << 31) + data[at + 4:], INSPECT)
        else:
            row("dimension", f"a dimension: {name}", m, INSPECT)
    for kind in (4, 31, 1000, 0x7fffffff, 0xffffffff):
        m = llama()
        m.tensors["output_norm.weight"][1] = kind
        row("number", f"type {kind} of a tensor", m, INSPECT)


def alignments():
    for value in (0, 3, 48, 1 << 21, 1 << 31):
        m = llama().key("general.alignment", U32, value)
        row("alignment", f"{value}", m, INSPECT)
    for name, kind, value in (("u64", U64, 32), ("i32", I32, -32), ("text", STRING, "32"), ("f32", F32, 32.0)):
        m = llama().key("general.alignment", kind, value)
        row("alignment", f"as {name}", m, INSPECT)


def repeated():
    m = llama()
    m.more_keys = [("general.architecture", (STRING, "phi3"))]
    row("duplicate", "a key twice", m, INSPECT)
    m = llama()
    m.more_tensors = [("output_norm.weight", [[16], 0, bytes(64)])]
    row("duplicate", "a tensor twice", m, INSPECT)
    m = llama().key("tokenizer.ggml.tokens", ARRAY, array(STRING, WORDS[:-1] + ["a"]))
    row("duplicate", "a token twice", m, TOKENIZE)


def names():
    for name in (b"general.architecture\0", b"\0", b"a\0b"):
        m = llama()
        m.keys[name] = (U32, 1)
        row("embedded zero", f"a key {name!r}", m, INSPECT)
        m = llama()
        m.tensors[name] = [[1], 0, bytes(4)]
        row("embedded zero", f"a tensor {name!r}", m, INSPECT)
    keyed("embedded zero", "the architecture", "general.architecture", (STRING, b"llama\0x"), RUN)
    keyed("embedded zero", "the tokenizer's kind", "tokenizer.ggml.model", (STRING, b"llama\0"), TOKENIZE)
    keyed("embedded zero", "the rotary scaling", "llama.rope.scaling.type", (STRING, b"yarn\0"), RUN)
    keyed("UTF-8", "an architecture that is none", "general.architecture", (STRING, b"\xff\xfe\x1b[2J"), RUN)
    keyed("UTF-8", "a tokenizer's kind", "tokenizer.ggml.model", (STRING, b"\xc3(\x1b[31m"), TOKENIZE)
    m = llama()
    m.tensors[b"blk.0.\xff\x1b[2J"] = [[1], 0, bytes(4)]
    row("UTF-8", "a tensor's name", m, RUN)


def nesting():
    for depth in (9, 1000, 100000):
        value = b"".join(struct.pack("<IQ", ARRAY, 1) for _ in range(depth)) + struct.pack("<IQ", U8, 0)
        row("nesting", f"arrays {depth} deep", llama().key("k", ARRAY, value), INSPECT)


def wrong_types():
    number, word = (U32, 7), (STRING, "word")
    for key, value, command in (
            ("general.architecture", number, RUN), ("llama.block_count", word, RUN), ("llama.embedding_length", (F32, 16.0), RUN),
            ("llama.feed_forward_length", (ARRAY, array(U32, [24])), RUN), ("llama.attention.head_count", (BOOL, 1), RUN),
            ("llama.attention.head_count_kv", (STRING, "1"), RUN), ("llama.context_length", (I32, -1), RUN),
            ("llama.attention.layer_norm_rms_epsilon", word, RUN), ("llama.rope.freq_base", (STRING, "1e4"), RUN),
            ("llama.rope.scaling.type", number, RUN), ("llama.rope.scaling.factor", word, RUN), ("llama.rope.dimension_count", word, RUN),
            ("llama.attention.sliding_window", (F32, 4.0), RUN), ("llama.attention.key_length", (I64, -8), RUN),
            ("llama.expert_count", word, RUN), ("tokenizer.ggml.model", number, TOKENIZE), ("tokenizer.ggml.tokens", word, TOKENIZE),
            ("tokenizer.ggml.tokens", (ARRAY, array(U32, [1, 2])), TOKENIZE), ("tokenizer.ggml.scores", word, TOKENIZE),
            ("tokenizer.ggml.scores", (ARRAY, array(STRING, WORDS)), TOKENIZE),
            ("tokenizer.ggml.token_type", (ARRAY, array(STRING, WORDS)), TOKENIZE),
            ("tokenizer.ggml.token_type", (ARRAY, array(F32, [1.0] * 12)), TOKENIZE),
            ("tokenizer.ggml.bos_token_id", word, TOKENIZE), ("tokenizer.ggml.bos_token_id", (I32, -1), TOKENIZE),
            ("tokenizer.ggml.eos_token_id", (F32, 2.0), TOKENIZE), ("tokenizer.ggml.add_bos_token", word, TOKENIZE),
            ("tokenizer.ggml.add_bos_token", (U32, 1), TOKENIZE), ("tokenizer.ggml.add_space_prefix", word, TOKENIZE),
            ("general.name", number, TOKENIZE), ("tokenizer.chat_template", number, "tokenize --chat --model m.gguf p.txt"),
            ("split.count", (STRING, "2"), INSPECT)):
        kind = {STRING: "text", ARRAY: "an array", F32: "a real", BOOL: "a bool", U32: "a number", I32: "an int", I64: "a long"}[value[0]]
        keyed("wrong type", f"{key} as {kind}" + (f" of {value[1][:1].hex()}" if value[0] == ARRAY else ""), key, value, command)


def config_numbers():
    for key, values in (
            ("llama.block_count", (None, (U32, 0), (U32, (1 << 32) - 1), (U64, 1 << 63), (U32, 1 << 20))),
            ("llama.embedding_length", (None, (U32, 0), (U64, 1 << 40), (U32, 17))),
            ("llama.feed_forward_length", (None, (U32, 0), (U64, (1 << 64) - 1))),
            ("llama.attention.head_count", (None, (U32, 0), (U32, 3), (U32, 1 << 31))),
            ("llama.attention.head_count_kv", ((U32, 0), (U32, 3), (U64, 1 << 62))),
            ("llama.context_length", (None, (U32, 0), (U64, 1 << 60))),
            ("llama.attention.key_length", ((U32, 0), (U32, 7), (U64, 1 << 61))),
            ("llama.rope.dimension_count", ((U32, 3), (U32, 18), (U64, 1 << 33))),
            ("llama.attention.sliding_window", ((U64, 1 << 63),)),
            ("llama.rope.scaling.original_context_length", ((U64, 1 << 60),)),
            ("llama.expert_count", ((U32, (1 << 32) - 1),)), ("general.architecture", (None, (STRING, ""), (STRING, "gpt2")))):
        for value in values:
            keyed("number" if value else "wrong type", f"{key} {'missing' if value is None else value[1]}", key, value, RUN)
    for key, values in (("llama.attention.layer_norm_rms_epsilon", (math.nan, math.inf, -1e-5)),
                        ("llama.rope.freq_base", (math.nan, math.inf, -math.inf, 0.0, -1e4)),
                        ("llama.rope.scaling.factor", (math.nan, math.inf, 0.0, -2.0))):
        for value in values:
            keyed("NaN or infinity" if not math.isfinite(value) else "number", f"{key} {value}", key, (F32, value), RUN)
    keyed("NaN or infinity", "an epsilon past float32's range", "llama.attention.layer_norm_rms_epsilon", (F64, 1e300), RUN)


def tokens():
    tokens, n = "tokenizer.ggml.tokens", len(WORDS)
    keyed("token id", "no tokens", tokens, (ARRAY, array(STRING, [])), TOKENIZE)
    keyed("token id", "a token too few in the vocabulary", tokens, (ARRAY, array(STRING, WORDS[:-1])), RUN)
    keyed("token id", "more tokens than embeddings", tokens, (ARRAY, array(STRING, WORDS + ["f", "g"])), RUN)
    keyed("token id", "scores for other tokens", "tokenizer.ggml.scores", (ARRAY, array(F32, [0.0] * (n - 1))), TOKENIZE)
    keyed("token id", "types for other tokens", "tokenizer.ggml.token_type", (ARRAY, array(I32, [1] * (n + 1))), TOKENIZE)
    for key in ("bos_token_id", "eos_token_id", "unknown_token_id"):
        for value in ((U32, n), (U32, 1 << 31), (U64, 1 << 40)):
            keyed("token id", f"{key} {value[1]}", "tokenizer.ggml." + key, value, TOKENIZE)
    keyed("NaN or infinity", "a score", "tokenizer.ggml.scores", (ARRAY, array(F32, [0.0] * (n - 1) + [math.nan])), TOKENIZE)
    for name, merges in (("of one part", ["ab"]), ("of nothing", [""]), ("of two spaces", ["  "])):
        m = llama().key("tokenizer.ggml.model", STRING, "gpt2").key("tokenizer.ggml.merges", ARRAY, array(STRING, merges))
        row("token id", f"a merge {name}", m, TOKENIZE)
    m = llama().key("tokenizer.ggml.model", STRING, "gpt2").key("tokenizer.ggml.merges", ARRAY, array(U32, [1]))
    row("wrong type", "merges as numbers", m, TOKENIZE)
    m = llama().key("tokenizer.ggml.model", STRING, "gpt2").key("tokenizer.ggml.pre", STRING, "(a+)+$")
    row("token id", "a pre-tokeniser of its own", m, TOKENIZE)


def shapes():
    for name, dims in (("token_embd.weight", [16]), ("token_embd.weight", [8, 12]), ("token_embd.weight", [16, 1]),
                       ("output_norm.weight", [15]), ("output_norm.weight", [16, 2]), ("blk.0.attn_q.weight", [16, 8]),
                       ("blk.0.attn_k.weight", [16, 16]), ("blk.0.attn_v.weight", [8, 8]), ("blk.0.attn_output.weight", [16, 8]),
                       ("blk.0.attn_norm.weight", [8]), ("blk.0.ffn_norm.weight", [17]), ("blk.0.ffn_gate.weight", [24, 16]),
                       ("blk.0.ffn_up.weight", [16, 23]), ("blk.0.ffn_down.weight", [16, 24]), ("blk.0.ffn_down.weight", [24, 16, 2])):
        m = llama()
        m.tensors[name] = [dims, 0, bytes(4 * math.prod(dims))]
        row("shape", f"{name} {dims}", m, RUN)
    for name in ("token_embd.weight", "output_norm.weight", "blk.0.attn_q.weight", "blk.0.ffn_gate.weight", "blk.0.ffn_down.weight"):
        m = llama()
        del m.tensors[name]
        row("shape", f"no {name}", m, RUN)
    for name, dims, kind, size in (("blk.1.ffn_up.weight", [4], 0, 16), ("blk.0.attn_q.bias", [15], 0, 60), ("blk.0.ffn_up.bias", [24], 0, 96),
                                   ("blk.0.ffn_up.weight.scale", [1], 0, 4), ("blk.99999999999999999999.x", [1], 0, 4),
                                   ("output.weight", [16, 11], 0, 704), ("rope_freqs.weight", [7], 0, 28),
                                   ("rope_factors_long.weight", [4], 0, 16)):
        m = llama()
        m.tensors[name] = [dims, kind, bytes(size)]
        row("shape", f"{name} {dims} too", m, RUN)
    m = llama()
    m.tensors["blk.0.ffn_up.weight"] = [[16, 24], 26, bytes(4 * 16 * 24)]
    row("wrong type", "weights that are integers", m, RUN)
    for name, bits in (("NaN", NAN), ("infinity", INFINITE), ("0", bytes(4)), ("-1", struct.pack("<f", -1.0))):
        m = llama()
        m.tensors["rope_freqs.weight"] = [[4], 0, bits * 4]
        row("NaN or infinity" if name[0] in "Ni" else "number", f"a rotary factor of {name}", m, RUN)


for part in (counts, products, lengths, places, dimensions, alignments, repeated, names, nesting, wrong_types, config_numbers, tokens, shapes):
    part()
run("gguf", rows, ({"m.gguf": llama().bytes(), "p.txt": PROMPT}, RUN.split()))
