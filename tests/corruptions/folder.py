"""folder.py - named corruptions of Hugging Face folders: config.json, safetensors and their index, tokenizer.json, tokenizer.model.

Most faults of such folders have their lines in tests/cli/folder/refused.py and tokenizer.py; here is what is missing there: holes,
nesting, numbers out of range, NaN, duplicates, zeros, and the memory that a refusal takes.
"""
import json
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from gguf_bytes import llama  # noqa: E402
from table import case, run  # noqa: E402

PROMPT = "a b ab c d e " * 9
RUN = "perplexity --threads 1 --context 8 --prompts p.txt --model f"
TOKENIZE = "tokenize --model f p.txt"
rows = []

with open("m.gguf", "wb") as source:
    source.write(llama().bytes())
MAKE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../golden/make_hf.py")
for kind in ("json", "model"):
    subprocess.run([sys.executable, MAKE, "m.gguf", "good-" + kind, "--tokenizer", kind], check=True)


def read(name, kind="json"):
    with open(f"good-{kind}/{name}", "rb") as f:
        return f.read()


GOOD = {"f/" + name: read(name) for name in os.listdir("good-json")}
CONFIG, TOKENIZER = json.loads(GOOD["f/config.json"]), json.loads(GOOD["f/tokenizer.json"])
WHOLE = GOOD["f/model.safetensors"]
SIZE, = struct.unpack("<Q", WHOLE[:8])
HEADER, DATA = json.loads(WHOLE[8:8 + SIZE]), WHOLE[8 + SIZE:]


def row(fault, name, file, content, command=RUN, most=0):
    files = {**GOOD, "f/" + file: content, "p.txt": PROMPT}
    if file == "tokenizer.model":
        files = {n: c for n, c in files.items() if "tokenizer" not in n or n == "f/tokenizer.model"}
    rows.append(case(fault, f"{file}: {name}", files, command, most))


def hole(head, size=64 << 30):
    def write(path):
        with open(path, "wb") as f:
            f.write(head)
            f.truncate(size)
    return write


def config():
    def put(fault, name, **values):
        row(fault, name, "config.json", json.dumps({**CONFIG, **values}))

    def raw(fault, name, field, text):
        row(fault, name, "config.json", json.dumps({**CONFIG, field: "@"}).replace('"@"', text))
    for field, values in (("num_hidden_layers", (0, -1, 1.5, 1 << 64, 4097, True, [1])), ("hidden_size", (0, 17, 1 << 40)),
                          ("num_attention_heads", (0, 3, 1 << 31)), ("num_key_value_heads", (0, 3)), ("intermediate_size", (0, 1e3, None)),
                          ("max_position_embeddings", (0, 1 << 60)), ("head_dim", (0, 7, 1 << 33))):
        for value in values:
            put("number", f"{field} {value}", **{field: value})
    for field in ("rms_norm_eps", "rope_theta"):
        for text in ("1e999", "-1e999", "NaN", "-1", "1e", '"1"'):
            raw("NaN or infinity" if "9" in text or "N" in text else "number", f"{field} {text}", field, text)
    raw("nesting", "100000 deep", "x", "[" * 100000)
    raw("duplicate", "a field twice, of which the second is wrong", "hidden_size", '16, "hidden_size": 99999999')
    raw("embedded zero", "the architecture", "model_type", '"llama\\u0000x"')
    raw("UTF-8", "the architecture", "model_type", '"\\ud800\\u202e\\u001b[2J"')
    row("UTF-8", "malformed", "config.json", json.dumps(CONFIG).encode().replace(b'"llama"', b'"lla\xff\xfema"'))
    row("length past the end", "empty", "config.json", b"")
    row("bomb", "a hole of 64 GiB", "config.json", hole(b""))
    row("bomb", "a hole of 64 GiB behind it", "config.json", hole(GOOD["f/config.json"]))


def safetensors():
    def header(fault, name, change, data=DATA):
        new = json.loads(json.dumps(HEADER))
        text = change(new)
        text = (json.dumps(new) if text is None else text).encode()
        row(fault, name, "model.safetensors", struct.pack("<Q", len(text)) + text + data)
    first = next(n for n in HEADER if n != "__metadata__")
    for length in (0, 1, 100000001, 1 << 62, (1 << 64) - 8, (1 << 64) - 1):
        row("length past the end", f"a header of {length} bytes", "model.safetensors", struct.pack("<Q", length) + WHOLE[8:])
    row("length past the end", "a byte too few", "model.safetensors", WHOLE[:-1])
    row("length past the end", "a byte too many", "model.safetensors", WHOLE + b"\0")
    row("bomb", "a header of a hole", "model.safetensors", hole(struct.pack("<Q", 90000000) + b"{", 1 << 40))
    row("bomb", "a header of 10 MB of blanks", "model.safetensors", struct.pack("<Q", 10000002) + b"{" + b" " * 10000000 + b"}")
    empty = b"{" + b",".join(b'"%d":{}' % i for i in range(200000)) + b"}"
    row("count before allocation", "200000 tensors of nothing", "model.safetensors", struct.pack("<Q", len(empty)) + empty)
    for name, shape, dtype in (("2^32 x 2^32", [1 << 32, 1 << 32], "F32"), ("2^31 x 2^31 of 4 bytes", [1 << 31, 1 << 31], "F32"), ("2^63", [1 << 63], "F16")):
        header("product that wraps", f"a shape of {name}", lambda h, s=shape, d=dtype: h[first].update(shape=s, dtype=d))
    header("offset", "past the end", lambda h: h[first].update(data_offsets=[1 << 40, (1 << 40) + 64]))
    header("offset", "an end that wraps", lambda h: h[first].update(data_offsets=[0, (1 << 64) - 1]))
    header("offset", "falling", lambda h: h[first].update(data_offsets=[64, 0]))
    header("embedded zero", "a tensor's name", lambda h: h.update({"a\0b": h.pop(first)}))
    header("duplicate", "one name in two spellings", lambda h: json.dumps(h)[:-1] + ', "\\u006c' + 'm_head.weight": ' + json.dumps(h[first]) + ', "lm_head.weight": ' +
           json.dumps(h[first]) + "}")
    header("nesting", "metadata 100000 deep", lambda h: '{"__metadata__": ' + "[" * 100000)
    header("wrong type", "a list for an object", lambda h: "[]")
    header("wrong type", "a shape that is an object", lambda h: h[first].update(shape={}))
    header("shape", "a tensor less", lambda h: h.pop(first) and None)


def varint(n):
    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)


def long_piece(size):
    """The head of a piece whose text has so many bytes, which a hole supplies."""
    text = b"\x0a" + varint(size)
    return b"\x0a" + varint(len(text) + size) + text


def tokenizer():
    def put(fault, name, change):
        new = json.loads(json.dumps(TOKENIZER))
        text = change(new)
        row(fault, name, "tokenizer.json", json.dumps(new) if text is None else text, TOKENIZE)
    vocabulary = TOKENIZER["model"]["vocab"]
    put("token id", "of -1", lambda t: t["model"]["vocab"].update(a=-1))
    put("token id", "of 1.5", lambda t: t["model"]["vocab"].update(a=1.5))
    put("token id", "of 2^63", lambda t: t["model"]["vocab"].update(a=1 << 63))
    put("token id", "of an added token, 2^31", lambda t: t["added_tokens"][0].update(id=1 << 31))
    put("token id", "of BOS, that isn't there", lambda t: t["post_processor"]["special_tokens"]["<s>"].update(ids=[len(vocabulary) + 5]))
    put("duplicate", "a token in two spellings", lambda t: json.dumps(t).replace('"ab": 7', '"\\u0061": 7'))
    put("wrong type", "the model", lambda t: t.update(model=7))
    put("wrong type", "merges as an object", lambda t: t["model"].update(merges={}))
    put("nesting", "normalisers 600 deep", lambda t: t.update(normalizer=None) or json.dumps(t).replace(
        '"normalizer": null', '"normalizer": ' + '{"type":"Sequence","normalizers":[' * 600 + "]}" * 600))
    put("nesting", "100000 deep", lambda t: "[" * 100000)
    row("bomb", "a hole of 64 GiB", "tokenizer.json", hole(b""), TOKENIZE)
    row("bomb", "a hole of 64 GiB", "tokenizer_config.json", hole(b""), TOKENIZE)
    row("bomb", "a hole of 64 GiB", "tokenizer.model", hole(b""), TOKENIZE)
    # a piece that is one token of 60 GiB, all of it a hole
    row("bomb", "a token of 60 GiB of nothing", "tokenizer.model",
        hole(long_piece(60 << 30), (60 << 30) + len(long_piece(60 << 30))), TOKENIZE)
    whole = read("tokenizer.model", "model")
    for name, data in (("a length of 2^63", b"\x0a" + b"\x80" * 8 + b"\x80\x01"), ("a length that wraps", b"\x0a" + b"\xff" * 9 + b"\x01"),
                       ("cut in the middle", whole[:len(whole) // 2]), ("a piece past its field", b"\x0a\x03\x0a\x7fab")):
        row("length past the end", name, "tokenizer.model", data, TOKENIZE)
    for name, bits in (("NaN", b"\x00\x00\xc0\x7f"), ("infinity", b"\x00\x00\x80\x7f")):
        at = whole.index(b"\x15", whole.index("\u2581b".encode()))
        row("NaN or infinity", f"a score of {name}", "tokenizer.model", whole[:at + 1] + bits + whole[at + 5:], TOKENIZE)
    row("duplicate", "a piece twice", "tokenizer.model", whole.replace(b"\x0a\x02ab", b"\x0a\x02\xe2\x96", 1).replace(b"\x0a\x02\xe2\x96", b"\x0a\x02ab") +
        b"\x0a\x09\x0a\x02ab\x15\0\0\0\0", TOKENIZE)


for part in (config, safetensors, tokenizer):
    part()
run("folder", rows, ({**GOOD, "p.txt": PROMPT}, RUN.split()))
