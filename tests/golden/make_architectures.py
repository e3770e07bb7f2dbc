#!/usr/bin/env python3
"""Small models of every architecture that phi3sat runs, and what Hugging Face transformers computes with them.

Weights are drawn by a formula (see draw), so the golden holds results only, and --write needs nothing but Python's
standard library. transformers runs the same weights in float64: wherever its modules ask for float32, they get float64
(see Reference), so that its rounding hides nothing.

  make_architectures.py --list                     prints a line a model: name, the forms of its file, runs
  make_architectures.py --write DIR NAME           writes NAME-FORM.gguf, NAME.txt (a text), and NAME.RUN.txt (token ids)
  make_architectures.py --results GOLDEN NAME RUN  prints a run of the golden as CSV, as archive_values.c reads it
  make_architectures.py --golden GOLDEN            writes the golden (needs the PyPI packages torch and transformers)

A case has the model's sizes; `scaling` is (kind, numbers); `runs` are {name: (lengths, positions skipped)}.
"""
import array
import math
import struct
import sys

from make_tiny import BOOL, F32, I32, STRING, U32, array_key, interleave, key, padded, string

VOCABULARY, TEXT_TOKENS = 3 + 256, 64
TEXT = "Measure_what_the_model_does,_not_what_one_hopes:_every_neuron_counts_once."
SHORT = {"short": ((1, 2, 17, 40, 70), 0)}


def case(arch, **more):
    usual = dict(arch=arch, hidden=32, inner=16, layers=2, heads=4, kv=4, dim=0, rotary=1.0, base=1e4, context=256, window=0,
                 epsilon=1e-5, tied=False, scaling=None, forms=("own",), runs=SHORT)
    return {**usual, **more}


CASES = {
    # One window, on both sides of it; only the last positions count, for they alone see the difference.
    "phi3-mini-4k": case("phi3", window=2047, context=4096, forms=("own", "llama"),
                         runs={str(n): ((n,), n - 4) for n in (2046, 2047, 2048, 2049)}),
    "phi3-mini-128k": case("phi3", context=131072, window=262144, scaling=("longrope", 4096),
                           runs={str(n): ((n,), 0) for n in (4095, 4096, 4097)}),
    "phi3-medium": case("phi3", heads=8, kv=2, window=8, forms=("own", "llama")),
    "phi4": case("phi3", kv=1, base=250000.0, forms=("own", "separate", "llama")),
    "phi4-mini": case("phi3", heads=6, kv=2, hidden=48, dim=8, rotary=0.75, tied=True, context=1024, scaling=("longrope", 32),
                      runs={"short": ((1, 31, 32), 0), "long": ((33, 70), 0)}),
    "llama2": case("llama"),
    "llama3": case("llama", kv=2, base=500000.0),
    "llama3.2": case("llama", kv=2, base=500000.0, tied=True, scaling=("llama3", 32.0, 1.0, 4.0, 64)),
    "llama-linear": case("llama", scaling=("linear", 4.0)),
    "llama-yarn": case("llama", scaling=("yarn", 4.0, 32, 32.0, 1.0)),
    "mistral": case("mistral", kv=2, dim=12, window=8, base=1e6),
    "smollm2": case("llama", heads=3, kv=1, hidden=48, base=100000.0, tied=True),
    "qwen2": case("qwen2", kv=2, base=1e6, epsilon=1e-6, tied=True),
    "qwen2-yarn": case("qwen2", kv=1, base=1e6, epsilon=1e-6, scaling=("yarn", 4.0, 64, 32.0, 1.0)),
    "qwen3": case("qwen3", kv=2, dim=12, base=1e6, epsilon=1e-6),
    "qwen3-yarn": case("qwen3", dim=16, kv=1, base=1e4, epsilon=1e-6, tied=True, scaling=("yarn", 8.0, 64, 16.0, 2.0)),
}
for settings in CASES.values():
    settings["dim"] = settings["dim"] or settings["hidden"] // settings["heads"]
    settings["rotary"] = int(settings["dim"] * settings["rotary"])


def hashes(text):
    """An endless stream of 64-bit numbers: splitmix64 from the FNV-1a hash of the text."""
    mask, state = (1 << 64) - 1, 0xCBF29CE484222325
    for byte in text.encode():
        state = (state ^ byte) * 0x100000001B3 & mask
    while True:
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        yield z ^ z >> 31


def draw(name, rows, columns, scale, middle=0.0):
    """Uniform in middle +- scale, exact in float32 (24 bits times a power of two, for these scales)."""
    stream = hashes(name)
    return [array.array("f", (middle + scale * ((next(stream) >> 40) - 2**23) * 2.0**-23 for _ in range(columns)))
            for _ in range(rows)]


def factors(c, kind):
    half = c["rotary"] // 2
    if kind == "llama3":  # as the conversion of Llama 3.1 has them
        _, factor, low, high, original = c["scaling"]
        values = []
        for i in range(half):
            length = 2 * math.pi * c["base"] ** (2 * i / c["rotary"])
            smooth = (original / length - low) / (high - low)
            values.append(1 if length < original / high else factor if length > original / low
                          else 1 / ((1 - smooth) / factor + smooth))
        return array.array("f", values)
    return draw(kind, 1, half, 0.25 if kind == "short" else 1.0, 1.25 if kind == "short" else 3.0)[0]


def parts(c, name):
    """The network in the order of Hugging Face: {name: rows}."""
    h, inner, q, kv = c["hidden"], c["inner"], c["heads"] * c["dim"], c["kv"] * c["dim"]
    found = {"token_embd.weight": draw(name + " embedding", VOCABULARY, h, 1.0),
             "output_norm.weight": draw(name + " output_norm", 1, h, 0.25, 1.0)}
    if not c["tied"]:
        found["output.weight"] = draw(name + " output", VOCABULARY, h, 0.5)
    for layer in range(c["layers"]):
        shapes = {"attn_q": (q, h, 0.5), "attn_k": (kv, h, 0.5), "attn_v": (kv, h, 0.5), "attn_output": (h, q, 0.25),
                  "ffn_gate": (inner, h, 0.5), "ffn_up": (inner, h, 0.5), "ffn_down": (h, inner, 0.25)}
        for part, (rows, columns, scale) in shapes.items():
            found[f"blk.{layer}.{part}.weight"] = draw(f"{name} {layer} {part}", rows, columns, scale)
        norms = {"attn_norm": h, "ffn_norm": h}
        if c["arch"] == "qwen3":
            norms |= {"attn_q_norm": c["dim"], "attn_k_norm": c["dim"]}
        for part, length in norms.items():
            found[f"blk.{layer}.{part}.weight"] = draw(f"{name} {layer} {part}", 1, length, 0.25, 1.0)
        for part, length in {"attn_q": q, "attn_k": kv, "attn_v": kv}.items() if c["arch"] == "qwen2" else ():
            found[f"blk.{layer}.{part}.bias"] = draw(f"{name} {layer} {part} bias", 1, length, 0.5)
    return found


# A file

def own_arch(c, form):
    return "llama" if form == "llama" or c["arch"] == "mistral" else c["arch"]


def tensors(c, name, form):
    """The network as a file of that form has it."""
    found, arch = parts(c, name), own_arch(c, form)
    if (c["scaling"] or [""])[0] == "longrope":
        found |= {f"rope_factors_{kind}.weight": [factors(c, kind)] for kind in ("short", "long")}
    if (c["scaling"] or [""])[0] == "llama3":
        found["rope_freqs.weight"] = [factors(c, "llama3")]
    for layer in range(c["layers"]):
        b = f"blk.{layer}."
        if arch == "llama":
            for part in "attn_q.weight", "attn_k.weight":
                found[b + part] = interleave(found[b + part], c["dim"], c["rotary"])
        elif arch == "phi3" and form == "own":
            found[b + "attn_qkv.weight"] = [row for part in "qkv" for row in found.pop(f"{b}attn_{part}.weight")]
            found[b + "ffn_up.weight"] = found.pop(b + "ffn_gate.weight") + found[b + "ffn_up.weight"]
    return found


def scaling_keys(c, a):
    kind, *numbers = c["scaling"] or ["none"]
    if kind == "linear":
        yield key(a + "rope.scaling.type", STRING, "linear")
        yield key(a + "rope.scaling.factor", F32, numbers[0])
    elif kind == "yarn":
        yield key(a + "rope.scaling.type", STRING, "yarn")
        yield key(a + "rope.scaling.factor", F32, numbers[0])
        yield key(a + "rope.scaling.original_context_length", U32, numbers[1])
        if numbers[2:] != [32.0, 1.0]:
            yield key(a + "rope.scaling.yarn_beta_fast", F32, numbers[2])
            yield key(a + "rope.scaling.yarn_beta_slow", F32, numbers[3])
    elif kind == "longrope":
        yield key(a + "rope.scaling.original_context_length", U32, numbers[0])
        yield key(a + "rope.scaling.attn_factor", F32,
                  math.sqrt(1 + math.log(c["context"] / numbers[0]) / math.log(numbers[0])))


def keys(c, name, arch):
    a = arch + "."
    yield key("general.architecture", STRING, arch)
    yield key("general.name", STRING, "test of " + name.replace("phi3", "phi"))
    sizes = {"context_length": c["context"], "embedding_length": c["hidden"], "block_count": c["layers"],
             "feed_forward_length": c["inner"], "attention.head_count": c["heads"], "attention.head_count_kv": c["kv"],
             "rope.dimension_count": c["rotary"], "attention.sliding_window": c["window"]}
    if c["dim"] * c["heads"] != c["hidden"]:
        sizes |= {"attention.key_length": c["dim"], "attention.value_length": c["dim"]}
    for size, value in sizes.items():
        if value or size != "attention.sliding_window":
            yield key(a + size, U32, value)
    yield key(a + "rope.freq_base", F32, c["base"])
    yield key(a + "attention.layer_norm_rms_epsilon", F32, c["epsilon"])
    yield from scaling_keys(c, a)
    yield key("tokenizer.ggml.model", STRING, "llama")
    tokens = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    yield array_key("tokenizer.ggml.tokens", STRING, tokens)
    yield array_key("tokenizer.ggml.scores", F32, [0.0] * VOCABULARY)
    yield array_key("tokenizer.ggml.token_type", I32, [2, 3, 3] + [6] * 256)
    for token, value in (("unknown", 0), ("bos", 1), ("eos", 2)):
        yield key(f"tokenizer.ggml.{token}_token_id", U32, value)
    yield key("tokenizer.ggml.add_bos_token", BOOL, True)
    yield key("tokenizer.ggml.add_space_prefix", BOOL, False)


def write(c, name, form, path):
    header, infos, blobs, offset = list(keys(c, name, own_arch(c, form))), [], [], 0
    for tensor, rows in tensors(c, name, form).items():
        dims = (len(rows[0]), len(rows)) if len(rows) > 1 else (len(rows[0]),)
        infos.append(string(tensor) + struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims, 0, offset))
        blobs.append(padded(b"".join(struct.pack(f"<{len(row)}f", *row) for row in rows)))
        offset += len(blobs[-1])
    with open(path, "wb") as f:
        f.write(padded(b"GGUF" + struct.pack("<IQQ", 3, len(infos), len(header)) + b"".join(header + infos)))
        f.writelines(blobs)


def prompts(name, run, lengths):
    stream = hashes(f"{name} {run} prompts")
    return [[next(stream) % VOCABULARY for _ in range(length)] for length in lengths]


def text_tokens():
    return [1] + [3 + byte for byte in TEXT.encode()]


# Hugging Face

class Reference:
    """A case as transformers runs it, in float64."""

    def __init__(self, c, name):
        import torch
        import transformers
        for asked in "float", "float32":  # what its modules ask for, by these names
            setattr(torch, asked, torch.float64)
        torch.Tensor.float = torch.Tensor.double
        torch.set_default_dtype(torch.float64)
        kind = {"phi3": "Phi3", "llama": "Llama", "mistral": "Mistral", "qwen2": "Qwen2", "qwen3": "Qwen3"}[c["arch"]]
        config = getattr(transformers, kind + "Config")(**self.config(c))
        config._attn_implementation = "eager"
        self.torch, self.c, self.layers = torch, c, c["layers"]
        self.model = getattr(transformers, kind + "ForCausalLM")(config).eval()
        self.load(parts(c, name))
        rotary = self.model.model.rotary_emb
        assert rotary.inv_freq.dtype == torch.float64 and next(self.model.parameters()).dtype == torch.float64
        self.seen = {}
        for i, layer in enumerate(self.model.model.layers):
            self.watch(i, layer.mlp)

    @staticmethod
    def config(c):
        rope = {"rope_type": "default", "rope_theta": c["base"]}
        kind, *numbers = c["scaling"] or ["default"]
        if kind == "linear":
            rope |= {"rope_type": kind, "factor": numbers[0]}
        elif kind == "yarn":
            rope |= {"rope_type": kind, "factor": numbers[0], "original_max_position_embeddings": numbers[1],
                     "beta_fast": numbers[2], "beta_slow": numbers[3]}
        elif kind == "llama3":
            rope |= {"rope_type": kind, "factor": numbers[0], "low_freq_factor": numbers[1], "high_freq_factor": numbers[2],
                     "original_max_position_embeddings": numbers[3]}
        elif kind == "longrope":
            rope |= {"rope_type": kind, "short_factor": list(factors(c, "short")), "long_factor": list(factors(c, "long")),
                     "original_max_position_embeddings": numbers[0]}
        found = {"vocab_size": VOCABULARY, "hidden_size": c["hidden"], "intermediate_size": c["inner"],
                 "num_hidden_layers": c["layers"], "num_attention_heads": c["heads"], "num_key_value_heads": c["kv"],
                 "max_position_embeddings": c["context"], "rms_norm_eps": c["epsilon"], "tie_word_embeddings": c["tied"],
                 "rope_parameters": rope, "pad_token_id": None, "bos_token_id": 1, "eos_token_id": 2}
        if c["dim"] * c["heads"] != c["hidden"] or c["arch"] == "qwen3":
            found["head_dim"] = c["dim"]
        if c["arch"] == "phi3":
            found["partial_rotary_factor"] = c["rotary"] / c["dim"]
            rope["partial_rotary_factor"] = c["rotary"] / c["dim"]
            found["original_max_position_embeddings"] = rope.get("original_max_position_embeddings", c["context"])
        if c["arch"] in ("phi3", "mistral"):
            found["sliding_window"] = c["window"] or None
        return found

    def load(self, network):
        fields = {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm", "attn_output": "self_attn.o_proj",
                  "ffn_down": "mlp.down_proj", "attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm",
                  "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
                  "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj"}
        tops = {"token_embd.weight": "model.embed_tokens.weight", "output_norm.weight": "model.norm.weight",
                "output.weight": "lm_head.weight"}
        if self.c["arch"] == "phi3":
            for layer in range(self.layers):
                b = f"blk.{layer}."
                network[b + "qkv"] = [row for part in "qkv" for row in network.pop(f"{b}attn_{part}.weight")]
                network[b + "gate_up"] = network.pop(b + "ffn_gate.weight") + network.pop(b + "ffn_up.weight")
        state = {}
        for name, rows in network.items():
            values = self.torch.tensor([list(row) for row in rows], dtype=self.torch.float64)
            if name in tops:
                state[tops[name]] = values if name != "output_norm.weight" else values[0]
                continue
            _, layer, part, *kind = name.split(".")
            field = {"qkv": "self_attn.qkv_proj", "gate_up": "mlp.gate_up_proj"}.get(part) or fields[part]
            vector = len(rows) == 1
            state[f"model.layers.{layer}.{field}.{(kind or ['weight'])[0]}"] = values[0] if vector else values
        missing, unexpected = self.model.load_state_dict(state, strict=False)
        assert not unexpected and set(missing) <= ({"lm_head.weight"} if self.c["tied"] else set()), (missing, unexpected)

    def watch(self, i, mlp):
        def keep(series):
            def hook(_module, _inputs, output):
                if series == "both":
                    self.seen[i, "gate"], self.seen[i, "up"] = (part[0] for part in output.chunk(2, dim=-1))
                else:
                    self.seen[i, series] = output[0]
            return hook
        if self.c["arch"] == "phi3":
            mlp.gate_up_proj.register_forward_hook(keep("both"))
        else:
            mlp.gate_proj.register_forward_hook(keep("gate"))
            mlp.up_proj.register_forward_hook(keep("up"))
        mlp.down_proj.register_forward_pre_hook(lambda _module, inputs: self.seen.__setitem__((i, "ffn"), inputs[0][0]))

    def logits(self, ids):
        with self.torch.no_grad():
            return self.model(self.torch.tensor([ids]), use_cache=False).logits[0]

    def statistics(self, sequences, skip):
        values = {}
        for ids in sequences:
            self.logits(ids)
            for place, x in self.seen.items():
                values.setdefault(place, []).append(x[skip:].clone())
        threshold = struct.unpack("f", struct.pack("f", 0.1))[0]
        for layer in range(self.layers):
            for series in "gate", "up", "ffn":
                x = self.torch.cat(values[layer, series])
                for neuron in range(x.shape[1]):
                    v = x[:, neuron]
                    yield layer, series, neuron, len(v), v.mean(), v.var(unbiased=False), v.min(), v.max(), \
                        (v.abs() < threshold).double().mean()

    def perplexity(self, ids):
        scores = self.torch.log_softmax(self.logits(ids), -1)
        first = len(ids) // 2
        return math.exp(-sum(float(scores[t, ids[t + 1]]) for t in range(first, len(ids) - 1)) / (len(ids) - 1 - first))


def golden(path):
    with open(path, "w", encoding="ascii") as f:
        for name, c in CASES.items():
            reference = Reference(c, name)
            print(f"= {name} perplexity {reference.perplexity(text_tokens()[:TEXT_TOKENS]):.9g}", file=f)
            for run, (lengths, skip) in c["runs"].items():
                print(f"= {name} {run}", file=f)
                for row in reference.statistics(prompts(name, run, lengths), skip):
                    print(*row[:4], *(f"{float(value):.7g}" for value in row[4:]), sep=",", file=f)
            print(name, file=sys.stderr)


def results(path, name, run):
    print("layer,kind,neuron,count,mean,var_pop,min,max,share")
    inside = False
    with open(path, encoding="ascii") as f:
        for line in f:
            if line.startswith("= "):
                words = line.split()
                inside = words[1:3] == [name, run]
                if inside and run == "perplexity":
                    print(words[3])
            elif inside:
                print(line, end="")


def main():
    command, *words = sys.argv[1:] or ["--help"]
    if command == "--list":
        for name, c in CASES.items():
            print(name, ",".join(c["forms"]), *(f"{run}:{skip}" for run, (_, skip) in c["runs"].items()))
    elif command == "--write" and len(words) == 2:
        folder, name = words
        c = CASES[name]
        for form in c["forms"]:
            write(c, name, form, f"{folder}/{name}-{form}.gguf")
        with open(f"{folder}/{name}.txt", "w", encoding="ascii") as f:
            f.write(TEXT + TEXT + "\n")  # two chunks is the least
        for run, (lengths, _) in c["runs"].items():
            with open(f"{folder}/{name}.{run}.txt", "w", encoding="ascii") as f:
                for ids in prompts(name, run, lengths):
                    print(*ids, file=f)
    elif command == "--results" and len(words) == 3:
        results(*words)
    elif command == "--golden" and len(words) == 1:
        golden(words[0])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
