#!/usr/bin/env python3
"""refused.py - spoils a Hugging Face folder in every way we know, and compares the line that phi3sat says.

  refused.py GOOD    a folder with three shards, made by make_hf.py; works in the current directory
"""
import copy
import json
import os
import random
import shutil
import struct
import subprocess
import sys

good = sys.argv[1]
FIRST, SECOND, INDEX = "model-00001-of-00003.safetensors", "model-00002-of-00003.safetensors", "model.safetensors.index.json"
DAMAGED = "; the file is damaged; download it again"
INCOMPLETE = "; the copy or download is incomplete; fetch the file again"
OTHERS = "; the files are not of one model; download the folder again"
SHARD = f"shard 1 of 3 in {INDEX}, byte "
KIND = "; convert or download it again; if it stays so, phi3sat doesn't know this kind of model"


def claim(holds, text, *notes):
    print("ok" if holds else "not ok", "-", text)
    for note in notes if not holds else ():
        print("#", note)


def fresh():
    shutil.rmtree("bad", ignore_errors=True)
    shutil.copytree(good, "bad")


def said(path="bad", command="inspect"):
    p = subprocess.run(["phi3sat", command, path], capture_output=True, timeout=60)
    return p.returncode, p.stderr.decode("utf-8", "replace").splitlines(), p.stdout


def refused(text, line, path="bad"):
    status, lines, out = said(path)
    claim(status == 3 and lines == ["phi3sat: " + line] and not out, text, f"status {status}", *lines, "expected: phi3sat: " + line)


def load(name):
    with open(f"bad/{name}", encoding="utf-8") as f:
        return json.load(f)


def save(name, value):
    with open(f"bad/{name}", "w", encoding="utf-8") as f:
        f.write(value if isinstance(value, str) else json.dumps(value))


def split(name=FIRST):
    with open(f"bad/{name}", "rb") as f:
        data = f.read()
    size, = struct.unpack("<Q", data[:8])
    return json.loads(data[8:8 + size]), data[8 + size:]


def join(header, data, name=FIRST, size=None):
    text = header if isinstance(header, bytes) else json.dumps(header, separators=(",", ":")).encode()
    with open(f"bad/{name}", "wb") as f:
        f.write(struct.pack("<Q", len(text) if size is None else size) + text + data)
    return text


def header_case(text, change, line, field=None):
    """Changes the first shard's header and expects `line`, in which {at} is where `field` then stands."""
    fresh()
    header, data = split()
    name = sorted((n for n in header if n != "__metadata__"), key=lambda n: header[n]["data_offsets"])[1]
    new = change(header, name)
    written = join(header if new is None else new, data)
    at = 8 + written.index(field.encode(), written.index(name.encode())) if field else None
    refused(text, f"bad/{FIRST}: " + line.format(name=name, at=at))


def entry(**values):
    def change(header, name):
        header[name].update(values)
    return change


def without(field):
    def change(header, name):
        del header[name][field]
    return change


def headers():
    spot = ' (tensor "{name}", byte {at})'
    header_case("a type that isn't read", entry(dtype="U8"), 'a tensor has the type "U8", which phi3sat does not read' + spot +
                "; F32, F16, BF16, F8_E4M3 and F8_E5M2 are read; use the model's unquantised weights or a GGUF", '"U8"')
    header_case("no type", without("dtype"), 'a tensor has no "dtype"' + spot + DAMAGED, "{")
    header_case("no shape", without("shape"), 'a tensor has no "shape"' + spot + DAMAGED, "{")
    header_case("no place", without("data_offsets"), 'a tensor has no "data_offsets"' + spot + DAMAGED, "{")
    header_case("a size below 0", entry(shape=[-1, 3]), "a dimension is no whole number" + spot + DAMAGED, "-1")
    header_case("a size with a fraction", entry(shape=[1.5]), "a dimension is no whole number" + spot + DAMAGED, "1.5")
    header_case("a size beyond 64 bits", entry(shape=[1 << 64]), "a dimension is no whole number" + spot + DAMAGED, str(1 << 64))
    header_case("sizes whose product wraps", entry(shape=[1 << 32, 1 << 32]), "a tensor has more than 2^63 elements" + spot + DAMAGED,
                "4294967296]")
    header_case("a size of 0", entry(shape=[0, 4]), "a tensor has a dimension of 0" + spot + DAMAGED, "0,4")
    header_case("five dimensions", entry(shape=[1, 1, 1, 1, 64]), "a tensor has more than 4 dimensions" + spot + DAMAGED, "[1,1")
    header_case("a place of one number", entry(data_offsets=[4]), '"data_offsets" are not two rising whole numbers' + spot + DAMAGED, "[4]")
    header_case("a place that ends before it begins", entry(data_offsets=[8, 4]), '"data_offsets" are not two rising whole numbers' +
                spot + DAMAGED, "[8,4]")
    header_case("a size that isn't its place's", entry(shape=[3], dtype="F32", data_offsets=[0, 16]),
                "a tensor's data has 16 bytes, its type and shape make 12" + spot + DAMAGED, "[0,16]")
    header_case("a place near 2^64", entry(shape=[3], dtype="F32", data_offsets=[(1 << 64) - 13, (1 << 64) - 1]),
                "is truncated: a tensor's data ends at byte 18446744073709551615 of the data, the file has " + str(len(split()[1])) +
                " of them" + spot + INCOMPLETE, "[1844")
    header_case("a tensor that is a list", lambda h, n: h.update({n: []}), "what describes a tensor is no object" + spot + DAMAGED, "[]")
    header_case("an empty name", lambda h, n: json.dumps(h).replace(f'"{n}"', '""').encode() if False else
                json.dumps({"": h[n], **h}).encode(), 'a name is empty (tensor "", byte 9)' + DAMAGED)
    header_case("a NUL byte in a name", lambda h, n: json.dumps({"a\0": h[n], **h}).encode(),
                'a name holds a NUL byte (tensor "a", byte 9)' + DAMAGED)
    header_case("a name twice", lambda h, n: json.dumps(h).encode()[:-1] + b"," + json.dumps({n: h[n]}).encode()[1:],
                'a tensor is there twice (tensor "{name}")' + DAMAGED)
    header_case("JSON cut short", lambda h, n: json.dumps(h).encode()[:-1], "is no JSON that can be read: it ends too early (" + SHARD +
                str(8 + len(json.dumps(split()[0])) - 1) + "); download the file again")
    deep = b'{"a":' + b"[" * 600 + b"]" * 600 + b"}"
    header_case("nesting", lambda h, n: deep, "is no JSON that can be read: it is nested too deeply (" + SHARD + "524); download the file again")
    header_case("a list", lambda h, n: b"[]", "is JSON, but no object (" + SHARD + "8); download the file again")


def places():
    fresh()
    header, data = split()
    names = sorted((n for n in header if n != "__metadata__"), key=lambda n: header[n]["data_offsets"])
    start = header[names[1]]["data_offsets"][0]
    base = copy.deepcopy(header)
    for n in names[1:]:
        base[n]["data_offsets"] = [x + 4 for x in base[n]["data_offsets"]]
    text = join(base, data[:start] + b"hide" + data[start:])
    refused("a gap", f"bad/{FIRST}: a tensor's data begins at byte {start + 4} of the data, where the one before it ends at {start} "
            f'(tensor "{names[1]}", byte {8 + len(text) + start + 4}); there is a gap: the file is damaged; download it again')
    base = copy.deepcopy(header)
    for n in names[1:]:
        base[n]["data_offsets"] = [x - 4 for x in base[n]["data_offsets"]]
    text = join(base, data[:-4])
    refused("an overlap", f"bad/{FIRST}: a tensor's data begins at byte {start - 4} of the data, where the one before it ends at {start} "
            f'(tensor "{names[1]}", byte {8 + len(text) + start - 4}); tensors overlap: the file is damaged; download it again')
    text = join(header, data + b"more")
    refused("bytes behind the data", f"bad/{FIRST}: 4 bytes behind the data belong to no tensor ({SHARD}{8 + len(text) + len(data)})" + DAMAGED)
    join(header, data[:-1])
    end = max(header[n]["data_offsets"][1] for n in names)
    last = next(n for n in names if header[n]["data_offsets"][1] == end)
    at = 8 + text.index(b"[", text.index(b"data_offsets", text.index(last.encode())))
    refused("a file cut short", f"bad/{FIRST}: is truncated: a tensor's data ends at byte {end} of the data, the file has {end - 1} of them "
            f'(tensor "{last}", byte {at})' + INCOMPLETE)
    size = len(join(header, data, size=1 << 40)) + len(data)
    refused("a header longer than the format's bound", f"bad/{FIRST}: is no safetensors file: its header would have 1099511627776 bytes, more "
            "than the format's 100000000 (header, byte 0)" + DAMAGED)
    join(header, data, size=99999999)
    refused("a header longer than the file", f"bad/{FIRST}: is truncated: its header has 99999999 bytes, the file {size} behind its length "
            "(header, byte 0)" + INCOMPLETE)
    with open(f"bad/{FIRST}", "wb") as f:
        f.write(b"1234567")
    refused("seven bytes", f"bad/{FIRST}: is no safetensors file: it has 7 bytes (header, byte 0)" + INCOMPLETE)


def index():
    def changed(text, change, line):
        fresh()
        value = load(INDEX)
        names = list(value["weight_map"])
        new = change(value, names)
        save(INDEX, value if new is None else new)
        refused(text, line.format(name=names[0]))
    place = f"bad/{INDEX}: "
    changed("an index without a list", lambda v, n: v.pop("weight_map") and None, place + "the index has no list of tensors (weight_map, byte 0)" + DAMAGED)
    changed("a shard's name that is a number", lambda v, n: json.dumps({"weight_map": {"a": 1}}), place +
            "a shard's name is no text (weight_map, byte 21)" + DAMAGED)
    for name in ("../good/x", "/etc/passwd", ".", "", "a\0b"):
        changed(f"a shard named {name!r}", lambda v, n: json.dumps({"weight_map": {"a": name}}), place +
                "a shard's name is not that of a file in this folder (weight_map, byte 21)" + DAMAGED)
    changed("a tensor that no shard has", lambda v, n: v["weight_map"].update(x=FIRST), place +
            'the index names a tensor that its shard lacks (tensor "x")' + OTHERS)
    changed("a tensor that the index lacks", lambda v, n: v["weight_map"].pop(n[0]) and None,
            f"bad/{FIRST}: the shard has a tensor that its index lacks (tensor \"{{name}}\")" + OTHERS)
    changed("a tensor in another shard", lambda v, n: v["weight_map"].update({n[0]: SECOND}),
            f"bad/{FIRST}: the shard has a tensor that its index places in another (tensor \"{{name}}\")" + OTHERS)
    fresh()
    os.remove(f"bad/{SECOND}")
    refused("a shard that is missing", f"bad/{SECOND}: can't be opened: No such file or directory (shard 2 of 3 in {INDEX}); check the path")
    fresh()
    save(INDEX, '{"weight_map": }')
    refused("an index that is no JSON", place + "is no JSON that can be read: a value is missing (byte 15); download the file again")


def configs():
    def changed(text, values, line, remove=()):
        fresh()
        c = load("config.json")
        c.update(values)
        for name in remove:
            del c[name]
        text_of = json.dumps(c)
        save("config.json", text_of)
        for name, value in values.items():
            line = line.replace("{at}", str(text_of.index(json.dumps(value), text_of.index(f'"{name}"'))))
        refused(text, "bad/config.json: " + line)
    changed("no layers", {}, 'a field is missing (field "num_hidden_layers", byte 0)' + KIND, ["num_hidden_layers"])
    changed("a size that is text", {"hidden_size": "64"},
            'a size is no whole number from 1 to 2147483647 (field "hidden_size", byte {at})' + KIND)
    changed("a size of 2^31", {"intermediate_size": 1 << 31},
            'a size is no whole number from 1 to 2147483647 (field "intermediate_size", byte {at})' + KIND)
    changed("another activation", {"hidden_act": "gelu"}, 'the FFN\'s activation is not silu (field "hidden_act", byte {at}); phi3sat '
            "measures gate, up and silu(gate) * up")
    changed("quantised weights", {"quantization_config": {"quant_method": "fp8"}},
            'the weights are quantised by "fp8", with scales of its own, which phi3sat doesn\'t apply (field "quantization_config", byte {at}); '
            "give the model's unquantised weights, or a GGUF, whose quantised types are read")
    changed("rotary scaling of another kind", {"rope_scaling": {"type": "dynamic", "factor": 2.0}},
            'uses the rotary scaling "dynamic" (field "rope_scaling", byte %d); phi3sat knows none, linear, llama3, yarn and longrope' %
            (json.dumps({**load("config.json"), "rope_scaling": {"type": "dynamic"}}).index('"dynamic"')))
    changed("LongRoPE with too few factors", {"rope_scaling": {"type": "longrope", "short_factor": [1.0], "long_factor": [1.0],
                                                               "original_max_position_embeddings": 64}},
            'a list has 1 rotary factors, expected 8 (field "short_factor", byte %d)' % json.dumps(
                {**load("config.json"), "rope_scaling": {"type": "longrope", "short_factor": [1.0]}}).index("[1.0]") + KIND)
    changed("a partial rotation of 2", {"partial_rotary_factor": 2}, 'is not above 0 and at most 1 (field "partial_rotary_factor", byte 0)' + KIND)
    changed("no dimension that rotates", {"partial_rotary_factor": 0.01, "rope_scaling": {
        "rope_type": "llama3", "original_max_position_embeddings": 64}},
            'no two dimensions of a head are left to rotate (field "partial_rotary_factor", byte 0)' + KIND)
    changed("heads of 2^20 dimensions", {"head_dim": 1 << 20},
            'more dimensions of a head rotate than any model has (field "head_dim", byte 0)' + KIND)
    changed("no model_type", {}, 'is not a model\'s config.json: a field is missing (field "model_type", byte 0); phi3sat reads folders of phi3, '
            "llama, mistral, qwen2 and qwen3 models", ["model_type"])
    fresh()
    os.remove("bad/config.json")
    refused("no config.json", "bad: is a folder without a config.json; give the folder of a Hugging Face model, whole, or a model in GGUF form")
    refused("a shard alone", f"bad/{FIRST}: is a safetensors file, and has no config.json beside it; give the folder of a Hugging Face model, "
            "whole, or a model in GGUF form", f"bad/{FIRST}")
    fresh()
    for name in os.listdir("bad"):
        if name.startswith("model"):
            os.remove("bad/" + name)
    save("pytorch_model.bin", "x")
    refused("weights as pickles", "bad: the folder has its weights as pytorch_model.bin, and no model.safetensors; download the safetensors "
            "files, or save the model again with safe_serialization=True")


def sweep():
    """Cut or changed anywhere: status 0 or 3, at most one line."""
    rng = random.Random(7)
    for name in sorted(os.listdir(good)):
        with open(f"{good}/{name}", "rb") as f:
            data = f.read()
        head = min(len(data), 4000)
        wrong = []
        for i in range(50):
            fresh()
            changed = bytearray(data)
            if i % 3 == 0:
                del changed[rng.randrange(head):]
            else:
                for _ in range(1 + i % 4):
                    changed[rng.randrange(head)] = rng.randrange(256)
            with open(f"bad/{name}", "wb") as f:
                f.write(changed)
            status, lines, _ = said(command="inspect")
            if status not in (0, 3) or (status == 3 and (len(lines) != 1 or not lines[0].startswith("phi3sat: bad"))):
                wrong.append((i, status, lines))
        claim(not wrong, f"{name} changed in 50 ways: read or refused in one line", *wrong[:3])


fresh()
headers()
places()
index()
configs()
sweep()
