#!/usr/bin/env python3
"""make_tokenizer.py - small vocabularies of our own, and the ids llama.cpp gives for strings.

Writes into the folder given:
  tokenizer-spm.gguf, tokenizer-bpe.gguf   vocabularies without tensors, trained here on the text below
  tokenizer.txt                            strings of a seeded generator, and their ids

Training is plain byte-pair encoding over the whole text, without cutting it into words, so that
tokens cross the places where pre-tokenisers cut: a cut that is missing or too many changes ids.

    python3 -m venv V && V/bin/pip install llama-cpp-python
    V/bin/python tests/golden/make_tokenizer.py tests/golden
"""
import base64
import collections
import ctypes
import os
import random
import struct
import sys

SEED = 20261202

TEXT = """The tide comes in twice a day, and twice a day it goes. It's not that the sea doesn't tire; we'll say
it has no one to tell. I've counted 12 boats, 123 gulls and 1234 waves; they're gone by 10:45.
In 1905, 1,024 lamps were lit along the quay. "Who'd pay for that?" asked Mr. Smith (he'd know). Nobody'll say!

    def area(width, height):
        return width * height  # in cm^2

    if (x != y) { printf("%d\\n", x->next[0]); }

Ça coûte 3,50 € à l'été. Größe und Maß: übermäßig groß. Señor, ¿dónde está el niño? Привет, мир! Как дела?
你好，世界！今天是2026年12月2日。 日本語のテキストです。 안녕하세요 세계. नमस्ते दुनिया, हिन्दी में पाठ। สวัสดีชาวโลก ภาษาไทย
Καλημέρα κόσμε. שלום עולם. مرحبا بالعالم.   Tabs\tand\t\ttabs.\r\n\r\nEND OF TEXT... THE END!!! --- === ***
HELLO World HTTPServer myVar's camelCaseWord snake_case_word I'M YOU'RE it'S. 🙂🙂 👍🏽 🇫🇷 e\u0301 n\u0303 ①②③ ½ ٣٤٥
"""

RULES = ["default", "gpt-2", "smollm", "starcoder", "llama-bpe", "dbrx", "qwen2", "gpt-4o", "tekken", "deepseek-llm",
         "deepseek-coder", "falcon"]


def letters():
    """The letter that stands for each byte in byte-level vocabularies."""
    shown = [b for b in range(256) if 0x21 <= b <= 0x7E or 0xA1 <= b <= 0xAC or b >= 0xAE]
    hidden = [b for b in range(256) if b not in shown]
    return {**{b: chr(b) for b in shown}, **{b: chr(256 + i) for i, b in enumerate(hidden)}}


def train(symbols):
    """Byte-pair encoding: the most frequent pair first, ties by text. Returns the pairs joined,
    down to those that occur twice."""
    merges = []
    while True:
        pairs = collections.Counter(zip(symbols, symbols[1:]))
        best = min(pairs, key=lambda p: (-pairs[p], p))
        if pairs[best] < 2:
            return merges
        merges.append(best)
        joined, i = [], 0
        while i < len(symbols):
            pair = tuple(symbols[i:i + 2]) == best
            joined.append("".join(best) if pair else symbols[i])
            i += 2 if pair else 1
        symbols = joined


def string(text):
    raw = text.encode() if isinstance(text, str) else text
    return struct.pack("<Q", len(raw)) + raw


def gguf(path, keys):
    """A GGUF v3 without tensors. A key's value: str, bool, int (uint32), or (type, list)."""
    out = b"GGUF" + struct.pack("<IQQ", 3, 0, len(keys))
    for name, value in keys:
        out += string(name)
        if isinstance(value, str):
            out += struct.pack("<I", 8) + string(value)
        elif isinstance(value, bool):
            out += struct.pack("<IB", 7, value)
        elif isinstance(value, int):
            out += struct.pack("<II", 4, value)
        else:
            kind, items = value
            out += struct.pack("<IIQ", 9, kind, len(items))
            out += b"".join(string(x) if kind == 8 else struct.pack("<f" if kind == 6 else "<i", x) for x in items)
    with open(path, "wb") as f:
        f.write(out)


def make_spm(path, ties=True):
    """Without `ties` no two tokens have the same score: Hugging Face's merges break ties otherwise."""
    special = [("<unk>", 2), ("<s>", 3), ("</s>", 4), ("<|user|>", 3), ("<|end|>", 4), ("<|endoftext|>", 3), ("<tool>", 4)]
    tokens = special + [(f"<0x{b:02X}>", 6) for b in range(256)]
    scores = [0.0] * len(tokens)
    text = TEXT.replace(" ", "\u2581")
    merges = train(list(text))
    single = sorted(set(text) - set("\u0e27\u0e31"))  # two letters left to the byte tokens
    seen = {t for t, _ in tokens}
    for rank, word in enumerate(["".join(m) for m in merges] + single):
        if word not in seen:
            seen.add(word)
            tokens.append((word, 1))
            scores.append(float(-(rank // 2 if ties else rank)))  # pairs of equal scores
    gguf(path, [("general.architecture", "llama"), ("general.name", "Tiny Phi-3 vocabulary"),
                ("tokenizer.ggml.model", "llama"), ("tokenizer.ggml.tokens", (8, [t for t, _ in tokens])),
                ("tokenizer.ggml.scores", (6, scores)), ("tokenizer.ggml.token_type", (5, [k for _, k in tokens])),
                ("tokenizer.ggml.bos_token_id", 1), ("tokenizer.ggml.eos_token_id", 2),
                ("tokenizer.ggml.unknown_token_id", 0)])


def make_bpe(path):
    letter = letters()
    # One byte has no token, as in SmolLM's vocabulary.
    tokens = [("<|endoftext|>", 3), ("<|user|>", 3), ("<tool>", 4), ("   ", 4)]
    tokens += [(letter[b], 1) for b in range(256) if b != 0xF1]
    merges = train([letter[b] for b in TEXT.encode()])
    seen = {t for t, _ in tokens}
    for word in ("".join(m) for m in merges):
        if word not in seen:
            seen.add(word)
            tokens.append((word, 1))
    gguf(path, [("general.architecture", "llama"), ("general.name", "Tiny byte-level vocabulary"),
                ("tokenizer.ggml.model", "gpt2"), ("tokenizer.ggml.pre", "gpt-2"),
                ("tokenizer.ggml.tokens", (8, [t for t, _ in tokens])),
                ("tokenizer.ggml.token_type", (5, [k for _, k in tokens])),
                ("tokenizer.ggml.merges", (8, [" ".join(m) for m in merges])),
                ("tokenizer.ggml.bos_token_id", 0), ("tokenizer.ggml.eos_token_id", 0)])


WORDS = TEXT.split() + ["'s", "'T", "'re", "'LL", "'", "x", "É", "ß", "Σ", "e\u0301", "\u0301", "q\u0323\u0307"]
SPACES = [" ", "  ", "   ", "\t", "\n", "\n\n", "\r\n", "\u00a0", "\u3000", "\u2003", "\u2028", "\u0085", "\u180e", " " * 9]
SPECIAL = ["<|user|>", "<|end|>", "<s>", "</s>", "<tool>", "<|endoftext|>", "<unk>", "<0x0A>", "<|user|", "\u2581", "\0"]
BROKEN = [b"\xff", b"\x80", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x99", b"\xc0\x80", b"\xed\xa0\x80", b"\xe0\x80\x80"]


def any_character(r):
    while True:
        code = r.randrange(r.choice([0x80, 0x800, 0x3000, 0x10000, 0x20000, 0x110000]))
        if not 0xD800 <= code <= 0xDFFF:
            return chr(code)


def make_string(r, broken):
    out = b""
    for _ in range(r.randrange(1, 12)):
        kind = r.random()
        if kind < 0.5:
            item = r.choice(WORDS)
        elif kind < 0.75:
            item = r.choice(SPACES)
        elif kind < 0.85:
            item = r.choice(SPECIAL)
        elif kind < 0.9:
            item = str(r.randrange(10 ** r.randrange(1, 9)))
        else:
            item = "".join(any_character(r) for _ in range(r.randrange(1, 4)))
        out += item.encode() + (b" " if r.random() < 0.3 else b"")
        if broken and r.random() < 0.4:
            out += r.choice(BROKEN)
    return out


class Reference:
    """llama.cpp's tokenizer of one file. Where it writes BOS twice we write it once."""

    def __init__(self, path):
        import llama_cpp
        self.lib = llama_cpp
        self.quiet = llama_cpp.llama_log_callback(lambda *_: None)
        llama_cpp.llama_log_set(self.quiet, ctypes.c_void_p(0))
        parameters = llama_cpp.llama_model_default_params()
        parameters.vocab_only = True
        self.model = llama_cpp.llama_model_load_from_file(path.encode(), parameters)
        self.vocabulary = llama_cpp.llama_model_get_vocab(self.model)

    def ids(self, text, flags):
        room = len(text) + 16
        out = (self.lib.llama_token * room)()
        n = self.lib.llama_tokenize(self.vocabulary, text, len(text), out, room, bool(flags & 1), bool(flags & 2))
        ids, bos = list(out[:n]), self.lib.llama_vocab_bos(self.vocabulary)
        twice = flags & 1 and self.lib.llama_vocab_get_add_bos(self.vocabulary) and ids[:2] == [bos, bos]
        return ids[1:] if twice else ids


def patched(path, key, value, name, folder=None):
    """A copy of a file with another value of a string key, beside it or in `folder`."""
    with open(path, "rb") as f:
        data = f.read()
    at = data.index(string(key)) + len(string(key)) + 4
    size, = struct.unpack_from("<Q", data, at)
    copy = os.path.join(folder or os.path.dirname(path), name)
    with open(copy, "wb") as f:
        f.write(data[:at] + string(value) + data[at + 8 + size:])
    return copy


def with_template(path, copy, template):
    """Writes a copy of a file without tensors that has a chat template in front of its other keys."""
    with open(path, "rb") as f:
        data = f.read()
    key = string("tokenizer.chat_template")
    count, = struct.unpack_from("<Q", data, 16)
    if key in data:
        # An older template goes under a name that nobody reads.
        data = data.replace(key, string("tokenizer.chat_template"[:-1] + "_"))
    with open(copy, "wb") as f:
        f.write(data[:16] + struct.pack("<Q", count + 1) + key + struct.pack("<I", 8) + string(template) + data[24:])
    return copy


def main():
    folder = sys.argv[1]
    spm, bpe = os.path.join(folder, "tokenizer-spm.gguf"), os.path.join(folder, "tokenizer-bpe.gguf")
    make_spm(spm)
    make_bpe(bpe)
    copies = [patched(spm, "general.name", "plain", "plain.tmp")]
    columns = [("spm", Reference(spm), (0, 1, 2, 3)), ("spm-plain", Reference(copies[0]), (2,))]
    for rule in RULES:
        copies.append(patched(bpe, "tokenizer.ggml.pre", rule, rule + ".tmp"))
        columns.append((rule, Reference(copies[-1]), (0, 1, 2, 3) if rule in ("gpt-2", "llama-bpe") else (0,)))
    for copy in copies:
        os.remove(copy)
    r = random.Random(SEED)
    with open(os.path.join(folder, "tokenizer.txt"), "w") as f:
        for i in range(60):
            text = make_string(r, i % 4 == 3)
            f.write("text " + base64.b64encode(text).decode() + "\n")
            for name, reference, modes in columns:
                for flags in modes:
                    # Later versions of llama.cpp than our goldens' make </s> a control token.
                    if name.startswith("spm") and not flags & 2 and b"</s>" in text:
                        continue
                    f.write(f"{name} {flags} " + " ".join(map(str, reference.ids(text, flags))) + "\n")


if __name__ == "__main__":
    main()
