#!/usr/bin/env python3
"""compare_folder.py - the ids of `phi3sat tokenize --model FOLDER` against Hugging Face's tokenizers.

  compare_folder.py PHI3SAT [--count N] [--seed S] [--vocabularies DIR]   compares; exit status 1 at a difference without a reason
  compare_folder.py --golden FOLDER                                       writes NAME.json and NAME.ids for tests/cli/folder/tokenizer.t

Tokenizers are trained here, on texts of ours, in the combinations of steps that models of our architectures have; with
--vocabularies, the GGUF vocabularies of that folder are put into Hugging Face's terms, too (compare_huggingface.py). Strings
are those of make_tokenizer.py's seeded generator, over all Unicode planes, with special tokens strewn in.

    python3 -m venv V && V/bin/pip install tokenizers jinja2
    V/bin/python tests/golden/compare_folder.py build/phi3sat
"""
import argparse
import glob
import json
import os
import random
import sys
import tempfile
import unicodedata

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

import compare_huggingface as hf

SPACE = "\u2581"
GPT4O = hf.cased(hf.CONTRACTIONS + "?", 3)
SPECIAL = ["<s>", "</s>", "<|user|>", "<|end|>", "<|eats|>", "<|both|>", "<|left|>", "<|plain|>"]


def split(expression, behavior="isolated", invert=False):
    return pre_tokenizers.Split(Regex(expression), behavior, invert)


def bytelevel(regex=False):
    return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=regex)


def words(*steps):
    return {"pre": pre_tokenizers.Sequence(list(steps)) if len(steps) > 1 else steps[0]}


def metaspace(scheme, cut):
    return {"pre": pre_tokenizers.Metaspace(replacement=SPACE, prepend_scheme=scheme, split=cut)}


def escaped(prefix=True):
    steps = ([normalizers.Prepend(SPACE)] if prefix else []) + [normalizers.Replace(" ", SPACE)]
    return {"normal": normalizers.Sequence(steps) if prefix else steps[0]}


# Each as the tokenizer.json of some model has it.
KINDS = {
    "gpt2": words(bytelevel(True)),
    "smollm": words(pre_tokenizers.Digits(individual_digits=True), bytelevel(True)),
    "llama3": {**words(split(hf.CL100K % 3), bytelevel()), "whole": True},
    "phi4": words(split(hf.CL100K % 3, "removed", True), bytelevel()),
    "qwen2": {**words(split(hf.CL100K.replace("{1,%d}", "")), bytelevel()), "normal": normalizers.NFC()},
    "phi4mini": words(split(GPT4O), bytelevel()),
    "tekken": {**words(split(hf.cased("", 1).replace("{1,1}", "")), bytelevel()), "whole": True},
    "phi3": escaped(),
    "noprefix": escaped(False),
    "mistral": metaspace("first", False),
    "always": metaspace("always", False),
    "never": metaspace("never", False),
    "unigram": {**metaspace("always", True), "unigram": True},
    "unigram-whole": {**metaspace("first", False), "unigram": True, "fallback": True},
}


def corpus():
    """Our own texts: data/ of this repository, and lines of this generator's strings."""
    folder = os.path.join(os.path.dirname(__file__), "../../data")
    lines = []
    for name in ("facts.txt", "stories.txt"):
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            lines += f.read().splitlines()
    return lines + hf.make_strings(300, 99)


def train(kind, size):
    o = KINDS[kind]
    level = "pre" in o and "ByteLevel" in str(o["pre"].__getstate__())
    if o.get("unigram"):
        t = Tokenizer(models.Unigram())
        special = ["<unk>"] + SPECIAL + ([f"<0x{b:02X}>" for b in range(256)] if o.get("fallback") else [])
        trainer = trainers.UnigramTrainer(vocab_size=size + 264 * bool(o.get("fallback")), special_tokens=special, unk_token="<unk>",
                                          show_progress=False)
    else:
        t = Tokenizer(models.BPE())
        special = SPECIAL if level else ["<unk>"] + SPECIAL + [f"<0x{b:02X}>" for b in range(256)]
        alphabet = pre_tokenizers.ByteLevel.alphabet() if level else []
        trainer = trainers.BpeTrainer(vocab_size=size + (0 if level else 264), special_tokens=special, initial_alphabet=alphabet,
                                      limit_alphabet=300, show_progress=False)
    if "normal" in o:
        t.normalizer = o["normal"]
    if "pre" in o:
        t.pre_tokenizer = o["pre"]
    elif not level:  # trained on words, so that merges are those of words
        t.pre_tokenizer = split(SPACE, "merged_with_next")
    texts = corpus()
    if o.get("unigram"):  # its trainer writes a token twice that is special and in the texts, and takes every character
        texts = [x for x in texts if "<" not in x and (size >= 1000 or x.isascii())]
    t.train_from_iterator(texts, trainer)
    if "pre" not in o:
        t.pre_tokenizer = None
    return settle(t, o, level)


def settle(t, o, level):
    """The trained tokenizer with what trainers don't set."""
    value = json.loads(t.to_str())
    if not level and not o.get("unigram"):
        value["model"].update(byte_fallback=True, unk_token="<unk>", fuse_unk=True)
    if o.get("fallback"):
        value["model"]["byte_fallback"] = True
    value["model"]["ignore_merges"] = bool(o.get("whole")) if not o.get("unigram") else None
    if o.get("unigram"):
        del value["model"]["ignore_merges"]
    value["added_tokens"] = [a for a in value["added_tokens"] if not a["content"].startswith("<0x")]
    for a in value["added_tokens"]:
        a["rstrip"] = a["content"] in ("<|eats|>", "<|both|>")
        a["lstrip"] = a["content"] in ("<|left|>", "<|both|>")
        a["special"] = a["content"] != "<|plain|>"
        a["normalized"] = False
    t = Tokenizer.from_str(json.dumps(value))
    bos = t.token_to_id("<s>")
    frame = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", bos)])
    t.post_processor = processors.Sequence([processors.ByteLevel(), frame]) if o.get("whole") else frame
    return t


def strings(count, seed):
    r, out = random.Random(seed), []
    for text in hf.make_strings(count, seed):
        for _ in range(r.choice((0, 0, 1, 2))):
            at = r.randrange(len(text) + 1)
            text = text[:at] + r.choice(("", " ", "\u3000", " \n")) + r.choice(SPECIAL[1:]) + r.choice(("", " ", "  ", "\u00a0")) + text[at:]
        out.append(text)
    return out


def write_folder(folder, text):
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/config.json", "w") as f:
        json.dump({"model_type": "llama", "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
                   "max_position_embeddings": 4096}, f)
    with open(f"{folder}/tokenizer.json", "w", encoding="utf-8") as f:
        f.write(text)


def explained(text):
    """Whether the text has what docs/tokenizers.md says is read otherwise."""
    return any(unicodedata.category(c) == "Cn" for c in text)  # newer than this Python's Unicode


def compare(phi3sat, kind, t, count, seed):
    texts = strings(count, seed)
    with tempfile.TemporaryDirectory() as folder:
        write_folder(folder, t.to_str())
        ours = hf.ask(phi3sat, folder, [{"text": x} for x in texts])
    theirs = [e.ids for e in t.encode_batch(texts)]
    bos = t.token_to_id("<s>")
    theirs = [i[1:] if i[:2] == [bos, bos] else i for i in theirs]
    assert len(ours) == len(theirs), (kind, len(ours), len(theirs))
    cases = [c for c in zip(texts, ours, theirs) if c[1] != c[2]]
    odd = [c for c in cases if not explained(c[0])]
    print(f"{kind}: {len(texts)} strings, {sum(map(len, theirs))} ids, {len(cases)} differ, {len(odd)} of them unexplained")
    for text, a, b in sorted(odd, key=lambda c: len(c[0]))[:3]:
        print(f"    {text!r}\n      phi3sat {[t.id_to_token(i) for i in a]}\n      HF      {[t.id_to_token(i) for i in b]}")
    return len(odd)


def golden(folder):
    for kind in KINDS:
        t = train(kind, 330)
        texts = [x for x in strings(40, 7) if not explained(x)]
        with open(f"{folder}/{kind}.json", "w", encoding="utf-8") as f:
            f.write(json.dumps(json.loads(t.to_str()), ensure_ascii=True, separators=(",", ":")) + "\n")
        with open(f"{folder}/{kind}.ids", "w") as f:
            for text in texts:
                f.write(json.dumps({"text": text}) + "\t" + " ".join(map(str, t.encode(text).ids)) + "\n")


def main():
    if sys.argv[1:2] == ["--golden"]:
        return golden(sys.argv[2])
    p = argparse.ArgumentParser()
    p.add_argument("phi3sat")
    p.add_argument("--count", type=int, default=20000)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--kind", action="append")
    p.add_argument("--vocabularies")
    o = p.parse_args()
    wrong = sum(compare(o.phi3sat, kind, train(kind, 1000), o.count, o.seed) for kind in o.kind or KINDS)
    for path in sorted(glob.glob(f"{o.vocabularies}/*.gguf")) if o.vocabularies else []:
        vocabulary = hf.Vocabulary(path)
        rule = vocabulary.get("pre") if vocabulary.get("model") != "llama" else None
        if rule is None or rule in ("gpt-2", "starcoder"):
            wrong += compare(o.phi3sat, os.path.basename(path), hf.reference_of(vocabulary, rule), o.count, o.seed)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
