"""check_forms.py ARCHIVE FORM FILE [COMPARE] - is FILE what export should have made of ARCHIVE? Silent if so.

Readers of our own for each form, and the numbers from the archive by h5py: the exact sums by Python's integers.
"""
import csv
import struct
import sys

import h5py
import numpy

SERIES = ("gate", "up", "ffn")


def items(f):
    found = {}
    f.visititems(lambda name, item: found.update({name: item}) if isinstance(item, h5py.Dataset) else None)
    return found


def check_npz(f, path, state):
    made = numpy.load(path, allow_pickle=False)
    wanted = {n for n in items(f) if n not in ("rank", "limb", "word", "prompt") and (state or n[:6] != "state/")}
    names = set(made.files)
    assert names - {n for n in names if n.startswith(("attributes/", "run/"))} == wanted, names ^ wanted
    for name in sorted(wanted):
        ours, theirs = made[name], f[name][...]
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, name
        assert ours.tobytes() == theirs.tobytes(), name
    for key, value in f.attrs.items():
        if key == "Conventions":
            continue
        ours = made["attributes/" + key]
        assert ours.shape == () and ours == value, (key, ours, value)
        assert isinstance(value, str) or ours.dtype == value.dtype, (key, ours.dtype)
    for key, value in f["run"].attrs.items():
        if not key.replace("_", "").isalnum() or not key.isascii():
            assert not any("evil" in n for n in names), key
        elif isinstance(value, str):
            assert str(made["run/" + key]) == value, (key, made["run/" + key])


def check_long(f, path):
    metrics = ("mean variance skewness kurtosis min max low_activity inactive mean_stderr "
               "low_activity_stderr").split()
    criteria = ("low_variance", "zero_gradient", "low_activity")
    with open(path, newline="") as file:
        head = file.readline()
        assert head == ",".join(["layer,neuron,series,count,nonfinite"] + metrics
                                + ["is_" + c for c in criteria] + ["saturated,super"]) + "\n", head
        file.seek(0)
        rows = list(csv.DictReader(file))
    layers, neurons = f["ffn/mean"].shape
    assert len(rows) == 3 * layers * neurons
    flags, saturated = f["saturation/flags"][...], f["saturation/saturated"][...]
    arrays = {(s, m): f[s][m][...] for s in SERIES for m in metrics + ["count", "nonfinite"]}
    at = iter(rows)
    for layer in range(layers):
        for neuron in range(neurons):
            for k, series in enumerate(SERIES):
                row = next(at)
                assert (row["layer"], row["neuron"], row["series"]) == (str(layer), str(neuron), series), row
                for m in metrics:
                    value = arrays[series, m][layer, neuron]
                    assert row[m] == "nan" if numpy.isnan(value) else numpy.float32(row[m]) == value, (m, row)
                assert int(row["count"]) == arrays[series, "count"][layer]
                assert int(row["nonfinite"]) == arrays[series, "nonfinite"][layer, neuron]
                for c, name in enumerate(criteria):
                    assert int(row["is_" + name]) == flags[layer, neuron] >> (8 * k + c) & 1
                assert int(row["saturated"]) == saturated[layer, neuron]
                assert int(row["super"]) == flags[layer, neuron] >> 24


def mean_squares(f):
    """{layer: ([neurons] E[x^2] of ffn, samples)}: exact sums, divided once; missing ones are the others' mean."""
    sums, samples = f["state/ffn/sum2"][...], f["state/samples"][...]
    left_out = f["state/ffn/nonfinite"][...]
    found = {}
    for layer in range(sums.shape[0]):
        n = [int(samples[layer]) - int(x) for x in left_out[layer]]
        total = [int(a) | int(b) << 64 | int(c) << 128 for a, b, c in zip(*sums[layer])]
        known = [t / 2**112 / k for t, k in zip(total, n) if k]
        if known:
            mean = 0.0
            for x in known:
                mean += x
            mean /= len(known)
            found[layer] = [t / 2**112 / k if k else mean for t, k in zip(total, n)], int(samples[layer])
    return found


def read_imatrix(path):
    """({name: (calls, values)}, chunks, data): the older form of llama.cpp's importance matrix."""
    with open(path, "rb") as file:
        def number():
            return struct.unpack("<i", file.read(4))[0]

        entries = {}
        for _ in range(number()):
            name = file.read(number()).decode()
            calls, count = number(), number()
            entries[name] = calls, numpy.frombuffer(file.read(4 * count), "<f4")
        chunks = number()
        data = file.read(number()).decode()
        assert not file.read(1), "nothing follows"
    return entries, chunks, data


def check_imatrix(f, path):
    entries, chunks, data = read_imatrix(path)
    wanted = mean_squares(f)
    prompts = int(f.attrs["prompts"])
    assert chunks == prompts and data == f["run"].attrs.get("prompts_source", "phi3sat"), (chunks, data)
    assert list(entries) == [f"blk.{layer}.ffn_down.weight" for layer in wanted], list(entries)
    for layer, (values, _) in wanted.items():
        calls, ours = entries[f"blk.{layer}.ffn_down.weight"]
        assert calls == prompts and numpy.array_equal(ours, numpy.float32([v * calls for v in values])), layer
        known = ~numpy.isnan(f["ffn/variance"][layer])
        second = f["ffn/variance"][layer].astype(float) + f["ffn/mean"][layer].astype(float) ** 2
        assert numpy.allclose(ours[known] / calls, second[known], rtol=1e-5), "E[x^2] is variance + mean^2"


def read_gguf(path):
    """(keys, {tensor: (type, shape, bytes from its start on)}): as much of GGUF v3 as this takes."""
    raw = open(path, "rb").read()
    at = 0

    def number(form):
        nonlocal at
        value, = struct.unpack_from("<" + form, raw, at)
        at += struct.calcsize("<" + form)
        return value

    def text():
        nonlocal at
        length = number("Q")
        at += length
        return raw[at - length:at].decode()

    def value(kind):
        if kind == 9:
            kind, count = number("I"), number("Q")
            return [value(kind) for _ in range(count)]
        return text() if kind == 8 else number({4: "I", 5: "i", 6: "f", 7: "?", 10: "Q"}[kind])

    assert raw[:4] == b"GGUF"
    at = 4
    assert number("I") == 3
    tensors, keys = number("Q"), number("Q")
    keys = {text(): value(number("I")) for _ in range(keys)}
    table = []
    for _ in range(tensors):
        name = text()
        shape = [number("Q") for _ in range(number("I"))]
        table.append((name, number("I"), shape, number("Q")))
    base = -(-at // 32) * 32
    return keys, {name: (kind, shape, raw[base + offset:]) for name, kind, shape, offset in table}


def check_gguf(f, path):
    keys, tensors = read_gguf(path)
    wanted = mean_squares(f)
    prompts, most = int(f.attrs["prompts"]), max(n for _, n in wanted.values())
    assert keys == {"general.type": "imatrix",
                    "imatrix.datasets": [f["run"].attrs.get("prompts_source", "phi3sat")],
                    "imatrix.chunk_count": prompts, "imatrix.chunk_size": -(-most // prompts)}, keys
    names = [f"blk.{layer}.ffn_down.weight.{what}" for layer in wanted for what in ("counts", "in_sum2")]
    assert list(tensors) == names, list(tensors)
    for layer, (values, samples) in wanted.items():
        kind, shape, raw = tensors[f"blk.{layer}.ffn_down.weight.counts"]
        assert kind == 0 and shape == [1] and struct.unpack_from("<f", raw)[0] == numpy.float32(samples)
        kind, shape, raw = tensors[f"blk.{layer}.ffn_down.weight.in_sum2"]
        assert kind == 0 and shape == [len(values)]
        assert numpy.array_equal(numpy.frombuffer(raw[:4 * len(values)], "<f4"),
                                 numpy.float32([v * samples for v in values])), layer


def check_quantized(plain, path):
    """Of two quantised models: the down projections differ, and nothing else."""
    _, one = read_gguf(plain)
    _, other = read_gguf(path)
    assert list(one) == list(other)
    for name, (kind, shape, raw) in one.items():
        kind2, shape2, raw2 = other[name]
        # Up to the next tensor: only their common beginning is sure to be the tensor's own.
        bits = {0: 32, 1: 16, 8: 8.5, 12: 4.5, 13: 5.5, 14: 6.5625}[kind]
        size = int(numpy.prod(shape) * bits / 8)
        assert (kind, shape) == (kind2, shape2), name
        assert (raw[:size] != raw2[:size]) == ("ffn_down" in name), name


def main():
    archive, form, path = sys.argv[1:4]
    if form == "quantized":
        return check_quantized(archive, path)
    with h5py.File(archive, "r") as f:
        {"npz": lambda: check_npz(f, path, False), "state": lambda: check_npz(f, path, True),
         "long": lambda: check_long(f, path), "imatrix": lambda: check_imatrix(f, path),
         "gguf": lambda: check_gguf(f, path)}[form]()


main()
