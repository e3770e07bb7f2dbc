#!/usr/bin/env python3
"""Compares llama.cpp's logits with a float64 evaluation of a GGUF model in NumPy.

Needs the PyPI packages gguf, numpy and llama-cpp-python (a throw-away environment). Runs phi3, llama, qwen2 and qwen3 models
without window or scaling: those of phi3sat synth. The evaluation shares no code with phi3sat.

  logits.py MODEL TEXT...     prints a line a text: positions, largest difference relative to the logits'
                              deviation, correlation, share of positions whose best 1 and best 10 are the same
  logits.py --dump MODEL TEXT prints the token ids of the text as llama.cpp has them
"""
import sys

import numpy as np
from gguf import GGUFReader
from gguf.quants import dequantize
from llama_cpp import Llama


def field(reader, name):
    f = reader.fields[name]
    return f.parts[f.data[0]][0]


class Model:
    def __init__(self, path):
        r = GGUFReader(path)
        self.tensors = {t.name: t for t in r.tensors}
        arch = bytes(r.fields["general.architecture"].parts[-1]).decode()
        self.llama = arch == "llama"
        self.fused = arch == "phi3"
        self.layers = int(field(r, arch + ".block_count"))
        self.heads = int(field(r, arch + ".attention.head_count"))
        self.kv = int(field(r, arch + ".attention.head_count_kv"))
        self.epsilon = float(field(r, arch + ".attention.layer_norm_rms_epsilon"))
        length = r.fields.get(arch + ".attention.key_length")
        self.dim = int(length.parts[length.data[0]][0]) if length else int(field(r, arch + ".embedding_length")) // self.heads
        self.base = float(field(r, arch + ".rope.freq_base"))

    def weight(self, name):
        t = self.tensors[name if name.endswith(".bias") else name + ".weight"]
        return dequantize(t.data, t.tensor_type).astype(np.float64)

    def product(self, x, name):
        y = x @ self.weight(name).T
        return y + self.weight(name + ".bias") if name + ".bias" in self.tensors else y

    def heads_norm(self, x, name):
        return self.norm(x, name) if name + ".weight" in self.tensors else x

    def norm(self, x, name):
        return x / np.sqrt(np.mean(x * x, -1, keepdims=True) + self.epsilon) * self.weight(name)

    def rotate(self, x):
        n, _, d = x.shape
        angle = np.arange(n)[:, None] * self.base ** (-2.0 * np.arange(d // 2) / d)
        c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
        out = np.empty_like(x)
        a, b = (x[..., 0::2], x[..., 1::2]) if self.llama else (x[..., :d // 2], x[..., d // 2:])
        if self.llama:
            out[..., 0::2], out[..., 1::2] = a * c - b * s, a * s + b * c
        else:
            out[..., :d // 2], out[..., d // 2:] = a * c - b * s, a * s + b * c
        return out

    def attention(self, x, b):
        n, d = len(x), self.dim
        if self.fused:
            q, k, v = np.split(self.product(x, b + "attn_qkv"), [self.heads * d, (self.heads + self.kv) * d], axis=1)
        else:
            q, k, v = (self.product(x, b + "attn_" + c) for c in "qkv")
        q = self.rotate(self.heads_norm(q.reshape(n, self.heads, d), b + "attn_q_norm"))
        k = self.heads_norm(k.reshape(n, self.kv, d), b + "attn_k_norm")
        k = np.repeat(self.rotate(k), self.heads // self.kv, 1)
        v = np.repeat(v.reshape(n, self.kv, d), self.heads // self.kv, 1)
        s = np.einsum("ihd,jhd->hij", q, k) / np.sqrt(d)
        s[:, np.triu(np.ones((n, n), bool), 1)] = -np.inf
        s = np.exp(s - s.max(-1, keepdims=True))
        s /= s.sum(-1, keepdims=True)
        return np.einsum("hij,jhd->ihd", s, v).reshape(n, self.heads * d) @ self.weight(b + "attn_output").T

    def ffn(self, x, b):
        if self.fused:
            gate, up = np.split(x @ self.weight(b + "ffn_up").T, 2, axis=1)
        else:
            gate, up = x @ self.weight(b + "ffn_gate").T, x @ self.weight(b + "ffn_up").T
        return (gate / (1 + np.exp(-gate)) * up) @ self.weight(b + "ffn_down").T

    def logits(self, tokens):
        x = self.weight("token_embd")[tokens]
        for layer in range(self.layers):
            b = f"blk.{layer}."
            x = x + self.attention(self.norm(x, b + "attn_norm"), b)
            x = x + self.ffn(self.norm(x, b + "ffn_norm"), b)
        x = self.norm(x, "output_norm")
        return x @ self.weight("output" if "output.weight" in self.tensors else "token_embd").T


def main():
    dump = sys.argv[1] == "--dump"
    path, texts = sys.argv[1 + dump], sys.argv[2 + dump:]
    lc = Llama(path, n_ctx=512, logits_all=True, verbose=False, n_threads=2, type_k=0, type_v=0)  # keys and values F32
    model = None if dump else Model(path)
    for text in texts:
        tokens = lc.tokenize(text.encode(), add_bos=True, special=True)
        if dump:
            print(*tokens)
            continue
        lc.reset()
        lc.eval(tokens)
        theirs = np.array(lc.scores[:len(tokens)], np.float64)
        ours = model.logits(tokens)
        best = [np.argsort(-m, 1)[:, :10] for m in (ours, theirs)]
        print(f"positions {len(tokens)} difference {np.abs(theirs - ours).max() / ours.std():.2e} "
              f"correlation {np.corrcoef(ours.ravel(), theirs.ravel())[0, 1]:.8f} "
              f"best {np.mean(best[0][:, 0] == best[1][:, 0]):.4f} ten {np.mean((best[0] == best[1]).all(1)):.4f}")


if __name__ == "__main__":
    main()
