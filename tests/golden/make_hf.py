#!/usr/bin/env python3
"""Writes a GGUF model as the Hugging Face folder of the same model: config.json, safetensors, tokenizer.

For tests that compare the two. Needs nothing but Python's standard library. llama's q and k rows, which GGUF has
as rotary pairs (2i, 2i+1), go back to halves; all else is renamed and copied. Weights are F32, F16 or
BF16 tensors as they are in the GGUF; with --dtype F32 ones are rounded to that type (towards 0),
and with --widen written as F32 after it.

  make_hf.py m.gguf folder [--shards N] [--tokenizer json|model|none] [--as mistral] [--set KEY=JSON]... [--dtype TYPE [--widen]]
"""
import argparse
import array
import bisect
import json
import os
import struct

NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9
PLAIN = {0: ("F32", 4), 1: ("F16", 2), 30: ("BF16", 2)}
NORMAL, UNKNOWN, CONTROL, USER, UNUSED, BYTE = 1, 2, 3, 4, 5, 6
SPACE = "\u2581"


class Gguf:
    """Keys, and tensors as name -> (type, dims, bytes)."""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.data = f.read()
        self.at = 8
        tensors, keys = self.number("Q"), self.number("Q")
        self.keys = {}
        for _ in range(keys):
            name = self.text().decode()
            self.keys[name] = self.value(self.number("I"))
        infos = []
        for _ in range(tensors):
            name = self.text().decode()
            dims = [self.number("Q") for _ in range(self.number("I"))]
            infos.append((name, dims, self.number("I"), self.number("Q")))
        start = -(-self.at // 32) * 32
        self.tensors = {}
        for name, dims, kind, offset in infos:
            size = PLAIN[kind][1]
            for d in dims:
                size *= d
            self.tensors[name] = (PLAIN[kind][0], dims, self.data[start + offset:start + offset + size])

    def number(self, code):
        value, = struct.unpack_from("<" + code, self.data, self.at)
        self.at += struct.calcsize("<" + code)
        return value

    def text(self):
        length = self.number("Q")
        self.at += length
        return self.data[self.at - length:self.at]

    def value(self, kind):
        if kind == STRING:
            return self.text()
        if kind == ARRAY:
            element, count = self.number("I"), self.number("Q")
            return [self.value(element) for _ in range(count)]
        return self.number(NUMBERS[kind])


LAYER = {"attn_norm.weight": "input_layernorm.weight", "ffn_norm.weight": "post_attention_layernorm.weight",
         "attn_qkv.weight": "self_attn.qkv_proj.weight", "attn_output.weight": "self_attn.o_proj.weight",
         "attn_q_norm.weight": "self_attn.q_norm.weight", "attn_k_norm.weight": "self_attn.k_norm.weight",
         "ffn_gate.weight": "mlp.gate_proj.weight", "ffn_up.weight": "mlp.up_proj.weight", "ffn_down.weight": "mlp.down_proj.weight",
         **{f"attn_{x}.{part}": f"self_attn.{x}_proj.{part}" for x in "qkv" for part in ("weight", "bias")}}
WHOLE = {"token_embd.weight": "model.embed_tokens.weight", "output_norm.weight": "model.norm.weight", "output.weight": "lm_head.weight"}


def unpaired(data, rows, head, rotary):
    """Rows of q or k in the order of halves."""
    size, half, out = len(data) // rows, rotary // 2, []
    for r in range(rows):
        d = r % head
        source = r - d + 2 * (d % half) + d // half if d < rotary else r
        out.append(data[source * size:(source + 1) * size])
    return b"".join(out)


def eighths(kind):
    """Of each upper half of a float32, the byte of that type that is as near to 0 and nearest; and each byte's float32."""
    values = []
    for b in range(127):
        if kind == "F8_E5M2":
            value, = struct.unpack("<e", bytes([0, b]))
        else:
            value = (8 + b % 8) * 2.0 ** (b // 8 - 10) if b >= 8 else b * 2.0 ** -9
        if value < float("inf"):
            values.append(value)
    sizes = [struct.unpack("<f", struct.pack("<HH", 0, h))[0] for h in range(1 << 15)]
    near = [bisect.bisect_right(values, x) - 1 if x == x else 0 for x in sizes]
    return near + [b | 128 for b in near], [struct.pack("<f", v) for v in values], [struct.pack("<f", -v) for v in values]


def rounded(kind, data, dtype, widen, tables={}):
    """Type and bytes of a tensor: as they are, or F32 in a narrower type."""
    if dtype is None or kind == dtype:
        return kind, data
    assert kind == "F32", "only F32 is rounded"
    upper = array.array("H", data)[1::2]
    if dtype == "BF16":
        return ("F32", b"".join(struct.pack("<HH", 0, h) for h in upper)) if widen else ("BF16", upper.tobytes())
    if dtype not in tables:
        tables[dtype] = eighths(dtype)
    near, above, below = tables[dtype]
    narrow = bytes(near[h] for h in upper)
    return ("F32", b"".join(below[b & 127] if b & 128 else above[b] for b in narrow)) if widen else (dtype, narrow)


def tensors(g, o):
    arch = g.keys["general.architecture"].decode()
    head = g.keys[arch + ".embedding_length"] // g.keys[arch + ".attention.head_count"]
    head = g.keys.get(arch + ".attention.key_length", head)
    rotary = g.keys.get(arch + ".rope.dimension_count", head)
    result = {}
    for name, (kind, dims, data) in g.tensors.items():
        if name.startswith("rope_"):
            continue
        if name in WHOLE:
            new = WHOLE[name]
        else:
            _, number, part = name.split(".", 2)
            part = "ffn_gate_up" if part == "ffn_up.weight" and f"blk.{number}.ffn_gate.weight" not in g.tensors else part
            new = f"model.layers.{number}." + ("mlp.gate_up_proj.weight" if part == "ffn_gate_up" else LAYER[part])
            if arch == "llama" and part.split(".")[0] in ("attn_q", "attn_k"):
                data = unpaired(data, dims[-1], head, rotary)
        dtype = o.dtype[len(result) % len(o.dtype)] if o.dtype else None
        result[new] = (*rounded(kind, data, dtype, o.widen), dims[::-1])
    return result


def write_safetensors(path, chosen):
    header, at = {"__metadata__": {"format": "pt"}}, 0
    for name, (kind, data, shape) in chosen.items():
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for _, data, _ in chosen.values():
            f.write(data)


def write_weights(folder, all_tensors, shards):
    if shards == 1:
        write_safetensors(f"{folder}/model.safetensors", all_tensors)
        return
    names = list(all_tensors)
    places = {}
    for s in range(shards):
        file = f"model-{s + 1:05d}-of-{shards:05d}.safetensors"
        mine = names[s * len(names) // shards:(s + 1) * len(names) // shards]
        places.update({name: file for name in mine})
        write_safetensors(f"{folder}/{file}", {name: all_tensors[name] for name in mine})
    with open(f"{folder}/model.safetensors.index.json", "w") as f:
        json.dump({"metadata": {"total_size": sum(len(t[1]) for t in all_tensors.values())}, "weight_map": places}, f, indent=2)


def floats(tensor):
    return list(struct.unpack(f"<{len(tensor[2]) // 4}f", tensor[2]))


def config(g, o):
    arch = g.keys["general.architecture"].decode()

    def key(name, preset=None):
        return g.keys.get(f"{arch}.{name}", preset)

    c = {"model_type": o.kind or arch, "hidden_act": "silu", "hidden_size": key("embedding_length"),
         "intermediate_size": key("feed_forward_length"), "num_hidden_layers": key("block_count"),
         "num_attention_heads": key("attention.head_count"), "num_key_value_heads": key("attention.head_count_kv"),
         "max_position_embeddings": key("context_length"), "rms_norm_eps": key("attention.layer_norm_rms_epsilon", 1e-5),
         "rope_theta": key("rope.freq_base", 10000.0), "sliding_window": key("attention.sliding_window") or None,
         "vocab_size": g.tensors["token_embd.weight"][1][1] if g.tensors else len(g.keys["tokenizer.ggml.tokens"]),
         "rope_scaling": None, "tie_word_embeddings": bool(g.tensors) and "output.weight" not in g.tensors, "use_cache": True}
    head = key("attention.key_length")
    if head:
        c["head_dim"] = head
    head = head or c["hidden_size"] // c["num_attention_heads"]
    if key("rope.dimension_count", head) != head:
        c["partial_rotary_factor"] = key("rope.dimension_count") / head
    if "rope_factors_long.weight" in g.tensors:
        c["original_max_position_embeddings"] = key("rope.scaling.original_context_length")
        c["rope_scaling"] = {"type": "longrope", **{f"{x}_factor": floats(g.tensors[f"rope_factors_{x}.weight"]) for x in ("short", "long")}}
        if key("rope.scaling.attn_factor"):
            c["rope_scaling"]["attention_factor"] = key("rope.scaling.attn_factor")
    for setting in o.set:
        name, value = setting.split("=", 1)
        c[name] = json.loads(value)
    return c


def special(g):
    """Tokens that stand in no text but as themselves."""
    kinds = g.keys.get("tokenizer.ggml.token_type", [])
    strips = b"phi-3" in g.keys.get("general.name", b"").lower() or b"phi3" in g.keys.get("general.name", b"").lower()
    found = []
    for i, kind in enumerate(kinds):
        text = g.keys["tokenizer.ggml.tokens"][i].decode()
        if kind in (UNKNOWN, CONTROL, USER):
            found.append({"id": i, "content": text, "single_word": False, "lstrip": False,
                          "rstrip": strips and text not in ("<unk>", "<s>", "<|endoftext|>"), "normalized": False, "special": kind != USER})
    return found


def bpe_of_scores(g):
    """The merges that SentencePiece's scores stand for: every way to put a token together, the best token first."""
    tokens = [t.decode() for t in g.keys["tokenizer.ggml.tokens"]]
    scores, kinds = g.keys["tokenizer.ggml.scores"], g.keys["tokenizer.ggml.token_type"]
    ids = {t: i for i, t in enumerate(tokens)}
    merges = []
    for i, token in enumerate(tokens):
        if kinds[i] != NORMAL:
            continue
        ways = [(ids[token[:n]], ids[token[n:]]) for n in range(1, len(token)) if token[:n] in ids and token[n:] in ids]
        merges += [(-scores[i], i, a, b) for a, b in ways if kinds[a] == kinds[b] == NORMAL]
    merges.sort()
    return {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None, "end_of_word_suffix": None,
            "fuse_unk": True, "byte_fallback": True, "ignore_merges": False, "vocab": ids,
            "merges": [[tokens[a], tokens[b]] for _, _, a, b in merges]}


def tokenizer_json(g):
    bos = g.keys["tokenizer.ggml.tokens"][g.keys["tokenizer.ggml.bos_token_id"]].decode()
    adds = g.keys.get("tokenizer.ggml.add_bos_token", True)
    sequence = {"Sequence": {"id": "A", "type_id": 0}}
    first = [{"SpecialToken": {"id": bos, "type_id": 0}}] if adds else []
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": special(g),
            "normalizer": {"type": "Sequence", "normalizers": [
                {"type": "Prepend", "prepend": SPACE}, {"type": "Replace", "pattern": {"String": " "}, "content": SPACE}]},
            "pre_tokenizer": None,
            "post_processor": {"type": "TemplateProcessing", "single": first + [sequence],
                               "pair": first + [sequence, {"Sequence": {"id": "B", "type_id": 1}}],
                               "special_tokens": {bos: {"id": bos, "ids": [g.keys["tokenizer.ggml.bos_token_id"]], "tokens": [bos]}}},
            "decoder": None, "model": bpe_of_scores(g)}


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def sentencepiece_model(g):
    """The protobuf that SentencePiece writes: pieces, the trainer's and the normaliser's settings."""
    pieces = b""
    for i, token in enumerate(g.keys["tokenizer.ggml.tokens"]):
        kind = g.keys["tokenizer.ggml.token_type"][i]
        piece = field(1, token) + b"\x15" + struct.pack("<f", g.keys["tokenizer.ggml.scores"][i])
        pieces += field(1, piece + (b"" if kind == NORMAL else b"\x18" + varint(kind)))
    trainer = b"\x18\x02" + varint(35 << 3) + b"\x01" + varint(40 << 3) + b"\x00" + varint(41 << 3) + b"\x01" + varint(42 << 3) + b"\x02"
    normaliser = field(1, b"identity") + b"\x18\x01\x20\x00\x28\x01"
    return pieces + field(2, trainer) + field(3, normaliser)


def tokenizer_config(g):
    tokens = g.keys["tokenizer.ggml.tokens"]
    c = {"tokenizer_class": "LlamaTokenizer", "add_bos_token": g.keys.get("tokenizer.ggml.add_bos_token", True), "add_eos_token": False,
         "added_tokens_decoder": {str(t["id"]): {k: v for k, v in t.items() if k != "id"} for t in special(g)}}
    for name in ("bos", "eos", "unknown"):
        if f"tokenizer.ggml.{name}_token_id" in g.keys:
            c[("unk" if name == "unknown" else name) + "_token"] = tokens[g.keys[f"tokenizer.ggml.{name}_token_id"]].decode()
    if "tokenizer.chat_template" in g.keys:
        c["chat_template"] = g.keys["tokenizer.chat_template"].decode()
    return c


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("gguf")
    p.add_argument("folder")
    p.add_argument("--shards", type=int, default=1)
    p.add_argument("--tokenizer", choices=("json", "model", "none"), default="json")
    p.add_argument("--as", dest="kind", help="model_type [the architecture]")
    p.add_argument("--set", action="append", default=[], metavar="KEY=JSON", help="a field of config.json")
    p.add_argument("--dtype", type=lambda text: text.split(","), help="BF16, F8_E4M3, F8_E5M2, or some of them in turn")
    p.add_argument("--widen", action="store_true")
    o = p.parse_args()
    g = Gguf(o.gguf)
    os.makedirs(o.folder, exist_ok=True)
    with open(f"{o.folder}/config.json", "w") as f:
        json.dump(config(g, o), f, indent=2)
    if g.tensors:
        write_weights(o.folder, tensors(g, o), o.shards)
    if o.tokenizer == "none" or "tokenizer.ggml.tokens" not in g.keys:
        return
    with open(f"{o.folder}/tokenizer_config.json", "w") as f:
        json.dump(tokenizer_config(g), f, indent=2)
    if o.tokenizer == "json":
        with open(f"{o.folder}/tokenizer.json", "w") as f:
            json.dump(tokenizer_json(g), f, ensure_ascii=False)
    else:
        with open(f"{o.folder}/tokenizer.model", "wb") as f:
            f.write(sentencepiece_model(g))


main()
