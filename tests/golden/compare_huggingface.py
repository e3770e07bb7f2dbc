#!/usr/bin/env python3
"""compare_huggingface.py - the ids of `phi3sat tokenize` against Hugging Face's tokenizers.

  compare_huggingface.py PHI3SAT VOCABULARY.gguf [--tokenizer tokenizer.json] [--rule NAME] [--count N] [--seed S]
                         [--chat tokenizer_config.json|FORM|own]
  compare_huggingface.py --golden FOLDER     writes huggingface.txt and tokenizer-untied.gguf beside tokenizer-bpe.gguf

Strings are those of make_tokenizer.py's seeded generator, over all Unicode planes. The reference is
a tokenizer.json if one is named, else the vocabulary of the GGUF file put into Hugging Face's
terms: SentencePiece as BPE with byte fallback, byte level with the expressions below. With --chat
conversations of make_chat.py's generator are rendered by Jinja, tokenised by the reference, and
compared with `phi3sat tokenize --chat`. Prints each kind of difference; exit status 1 when there is one.

    python3 -m venv V && V/bin/pip install tokenizers jinja2
    V/bin/python tests/golden/compare_huggingface.py build/phi3sat VOCABULARY.gguf
"""
import argparse
import base64
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import unicodedata

from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers

import make_chat
import make_tokenizer

CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
CL100K = (CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,%d}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
CJK = "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"


def cased(tail, digits):
    """The words of GPT-4o's rule: capitals and then small letters, marks with either."""
    head = r"[^\r\n\p{L}\p{N}]?"
    return (f"{head}{UPPER}*{LOWER}+{tail}|{head}{UPPER}+{LOWER}*{tail}" + r"|\p{N}{1,%d}" % digits +
            r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")


def split(expression):
    return pre_tokenizers.Split(Regex(expression), "isolated")


def bytes_only():
    return [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]


def gpt2_words():
    return [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)]


# Each rule's pre-tokenisers as the tokenizer.json of its models lists them.
RULES = {
    "gpt-2": gpt2_words,
    "smollm": lambda: [pre_tokenizers.Digits(individual_digits=True)] + gpt2_words(),
    "starcoder": lambda: [pre_tokenizers.Digits(individual_digits=True)] + gpt2_words(),
    "falcon": lambda: [pre_tokenizers.Punctuation("contiguous")] + gpt2_words() +
                      [pre_tokenizers.Digits(individual_digits=False), split("[0-9][0-9][0-9]")],
    "llama-bpe": lambda: [split(CL100K % 3)] + bytes_only(),
    "dbrx": lambda: [split(CL100K % 3)] + bytes_only(),
    "qwen2": lambda: [split(CL100K % 1)] + bytes_only(),
    "gpt-4o": lambda: [split(cased(CONTRACTIONS + "?", 3))] + bytes_only(),
    "tekken": lambda: [split(cased("", 1))] + bytes_only(),
    "deepseek-coder": lambda: [split(e) for e in (r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", CJK)] +
                              [pre_tokenizers.Digits(individual_digits=True)] + bytes_only(),
}
def deepseek_words():
    """DeepSeek's list of letters is long: it is read from where phi3sat has it."""
    with open(os.path.join(os.path.dirname(__file__), "../../src/text/pretokenize.c")) as f:
        block = re.search(r"#define DEEPSEEK_LETTERS(.*?)\n\n", f.read(), re.S).group(1)
    letters = "".join(re.findall('"(.*?)"', block)).replace("\\\\", "\\")
    marks = "!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002"
    return ([split(e) for e in (r"[\r\n]", rf"\s?[{letters}]+", rf"\s?[{marks}]+", r"\s+$", CJK)] +
            [pre_tokenizers.Digits(individual_digits=True)] + bytes_only())


RULES["deepseek-llm"] = deepseek_words
BLANK = " \t\n\r\v\f"  # nothing else: a blank record, which phi3sat skips
WHOLE_WORDS = ("llama-bpe", "tekken")


class Vocabulary:
    """The keys of a GGUF file."""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.data = f.read()
        self.at, self.keys = 24, []
        for _ in range(struct.unpack_from("<Q", self.data, 16)[0]):
            name = self.take(8).decode()
            kind = self.take(4)
            self.keys.append((name, kind, self.take(kind)))

    def take(self, kind):
        if kind == 8:
            size = self.take(10)
            self.at += size
            return self.data[self.at - size:self.at]
        if kind == 9:
            inner, count = self.take(4), self.take(10)
            return inner, [self.take(inner) for _ in range(count)]
        code = "BbHhIifB??QqdQQ"[kind] if kind < 7 else {7: "?", 10: "Q", 11: "q", 12: "d"}[kind]
        value, = struct.unpack_from("<" + code, self.data, self.at)
        self.at += struct.calcsize(code)
        return value

    def get(self, name, otherwise=None):
        for key, kind, value in self.keys:
            if key == "tokenizer.ggml." + name:
                return value.decode() if kind == 8 else value[1] if kind == 9 else value
        return otherwise

    def texts(self):
        return [t.decode() for t in self.get("tokens")]


def sentencepiece_merges(tokens, scores):
    """Every way to make a token of two others, best score first: what HF's converter writes."""
    ids, merges = {t: i for i, t in enumerate(tokens)}, []
    for token, score in zip(tokens, scores):
        ways = [(token[:i], token[i:]) for i in range(1, len(token)) if token[:i] in ids and token[i:] in ids]
        merges += [(w, score) for w in sorted(ways, key=lambda w: (ids[w[0]], ids[w[1]]))]
    return [w for w, _ in sorted(merges, key=lambda m: -m[1])]


def reference_of(vocabulary, rule):
    """A Hugging Face tokenizer of a GGUF file's vocabulary."""
    tokens, kinds = vocabulary.texts(), vocabulary.get("token_type")
    ids = {t: i for i, t in enumerate(tokens)}
    if vocabulary.get("model") == "llama":
        plain = [(t, s) if k in (1, 6) else ("", 0.0) for t, k, s in zip(tokens, kinds, vocabulary.get("scores"))]
        pieces = [t if k == 1 else "" for t, k in zip(tokens, kinds)]
        merges = [w for w in sentencepiece_merges(pieces, [s for _, s in plain]) if w[0] and w[1]]
        reference = Tokenizer(models.BPE(ids, merges, unk_token=tokens[vocabulary.get("unknown_token_id", 0)],
                                         fuse_unk=True, byte_fallback=True))
        reference.normalizer = normalizers.Sequence([normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")])
    else:
        merges = [tuple(m.decode().split(" ", 1)) for m in vocabulary.get("merges")]
        reference = Tokenizer(models.BPE(ids, merges, ignore_merges=rule in WHOLE_WORDS))
        reference.pre_tokenizer = pre_tokenizers.Sequence(RULES[rule]())
    name = next((v.decode() for k, _, v in vocabulary.keys if k == "general.name"), "").lower()
    eats = vocabulary.get("model") == "llama" and ("phi-3" in name or "phi3" in name)
    reference.add_special_tokens([
        AddedToken(t, normalized=False, special=True, rstrip=eats and t not in ("<unk>", "<s>", "<|endoftext|>"))
        for t, k in zip(tokens, kinds) if k in (2, 3, 4) and t])
    return reference


def make_strings(count, seed):
    r, strings = random.Random(seed), []
    while len(strings) < count:
        text = make_tokenizer.make_string(r, False).decode()
        if text.strip(BLANK):
            strings.append(text)
    return strings


def ask(phi3sat, vocabulary, records, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "strings.jsonl")
        with open(path, "w") as f:
            f.writelines(json.dumps(r) + "\n" for r in records)
        out = subprocess.run([phi3sat, "tokenize", "--model", vocabulary, *options, path], check=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
    return [[int(i) for i in line.split()] for line in out.split("\n")[:-1]]


def neutral(text, rule, tokens):
    """The text without what is known to be read differently; docs/tokenizers.md lists it."""
    present = set(tokens)
    letter = make_tokenizer.letters()
    if rule is None:  # white space behind Phi-3's special tokens: HF eats all of it, llama.cpp what is ASCII
        return re.sub(r"(<\|[a-z0-9]+\|>|</s>|<tool>)\s+", r"\1", text)
    keep = []
    for c in text:
        category = unicodedata.category(c)
        if category == "Cn" or (rule in ("gpt-4o", "tekken") and category[0] == "M"):
            continue  # newer than this Python's Unicode (14 in 3.11, as in PCRE2 10.42); marks
        if all(letter[b] in present for b in c.encode()):  # a byte without a token
            keep.append(" " if rule == "deepseek-llm" and c == "\u3000" else c)
    return "".join(keep)


def conversations(seed, count):
    r, texts = random.Random(seed), make_strings(500, seed)
    for case in range(count):
        roles = (["system"] if case % 2 else []) + [("user", "assistant")[i % 2] for i in range(r.randint(1, 5))]
        yield [{"role": role, "content": r.choice(texts)} for role in roles]


def template_of(o, vocabulary):
    """What --chat names: a tokenizer_config.json, a form of make_chat.py, or the GGUF file's own."""
    if os.path.exists(o.chat):
        with open(o.chat) as f:
            return json.load(f)["chat_template"]
    if o.chat == "own":
        return next(v.decode() for k, _, v in vocabulary.keys if k == "tokenizer.chat_template")
    return next(form[1] for form in make_chat.FORMS if form[0] == o.chat)


class Side:
    """What is asked of both: a file, its reference, and the template or None."""

    def __init__(self, o, folder):
        self.phi3sat, self.path, self.vocabulary = o.phi3sat, o.vocabulary, Vocabulary(o.vocabulary)
        self.tokens, bpe = self.vocabulary.texts(), self.vocabulary.get("model") != "llama"
        self.rule = (o.rule or self.vocabulary.get("pre")) if bpe else None
        self.reference = Tokenizer.from_file(o.tokenizer) if o.tokenizer else reference_of(self.vocabulary, self.rule)
        self.chat = None
        if o.rule:
            self.path = make_tokenizer.patched(self.path, "tokenizer.ggml.pre", self.rule, "patched.gguf", folder)
        if o.chat:
            template = template_of(o, self.vocabulary)
            if o.chat != "own":
                self.path = make_tokenizer.with_template(self.path, os.path.join(folder, "chat.gguf"), template)
            self.chat = make_chat.environment().from_string(template)

    def render(self, messages):
        bos, eos = (self.tokens[self.vocabulary.get(key, 0)] for key in ("bos_token_id", "eos_token_id"))
        return self.chat.render(messages=messages, bos_token=bos, eos_token=eos, tools=None,
                                add_generation_prompt=messages[-1]["role"] != "assistant")

    def accepts(self, record):
        """Whether there is text in it, and the template takes all of it: some leave system messages out,
        which phi3sat puts in front of the user's."""
        if self.chat is None:
            return bool(record["text"].strip(BLANK))
        try:
            marked = self.render([dict(m, content=m["role"] + " spoke") for m in record["messages"]])
        except make_chat.jinja2.TemplateError:
            return False
        return (any(m["content"].strip(BLANK) for m in record["messages"]) and
                all(m["role"] + " spoke" in marked for m in record["messages"]))

    def both(self, records):
        """(texts, our ids, the reference's) of records."""
        texts = [self.render(r["messages"]) if self.chat else r["text"] for r in records]
        ours = ask(self.phi3sat, self.path, records, "--no-bos", *(["--chat"] if self.chat else [])) if records else []
        theirs = [e.ids for e in self.reference.encode_batch(texts, add_special_tokens=False)]
        assert len(ours) == len(theirs), f"{len(ours)} lines of ids for {len(theirs)} strings"
        if self.chat:  # phi3sat writes BOS once; Jinja where the template has it
            bos = self.vocabulary.get("bos_token_id")
            ours, theirs = ([i[1:] if i[:1] == [bos] else i for i in ids] for ids in (ours, theirs))
        return texts, ours, theirs

    def neutral(self, record):
        """The record without what is known to be read differently. Llama's templates trim, as Python
        does; phi3sat and llama.cpp trim what is ASCII."""
        if self.chat is None:
            return {"text": neutral(record["text"], self.rule, self.tokens)}
        return {"messages": [{"role": m["role"], "content": neutral(m["content"], self.rule, self.tokens).strip()}
                             for m in record["messages"]]}


def tell(side, records):
    """Prints three of the differences; returns the records that differ and how many ids there were."""
    texts, ours, theirs = side.both(records)
    cases = [c for c in zip(records, texts, ours, theirs) if c[2] != c[3]]
    for _, text, a, b in sorted(cases, key=lambda c: len(c[1]))[:3]:
        print(f"    {text!r}\n      phi3sat {[side.tokens[i] for i in a]}\n      HF      {[side.tokens[i] for i in b]}")
    return [c[0] for c in cases], sum(map(len, theirs))


def compare(o, folder):
    side = Side(o, folder)
    if o.chat:
        records = [r for r in ({"messages": m} for m in conversations(o.seed, o.count)) if side.accepts(r)]
    else:
        records = [{"text": t} for t in make_strings(o.count, o.seed)]
    differing, ids = tell(side, records)
    # Without the known peculiarities nothing may differ.
    again = list(filter(side.accepts, map(side.neutral, differing)))
    unexplained, _ = tell(side, again)
    print(f"{os.path.basename(o.vocabulary)} {side.rule or 'sentencepiece'}{' chat' if o.chat else ''}: {len(records)} strings, "
          f"{ids} ids, {len(differing)} differ, {len(unexplained)} of them unexplained")
    return 1 if unexplained else 0


# Those of our rules in which nothing but the peculiarities in neutral() differs. Not deepseek-llm: its numbers
# are cut into digits by Hugging Face and by its own vocabulary, but not by ours, which has longer ones.
GOLDEN_RULES = ["gpt-2", "smollm", "starcoder", "llama-bpe", "dbrx", "qwen2", "deepseek-coder"]


def golden(folder):
    """Writes huggingface.txt: strings in their neutral form and the reference's ids, special tokens parsed."""
    untied, bpe = (os.path.join(folder, f"tokenizer-{name}.gguf") for name in ("untied", "bpe"))
    make_tokenizer.make_spm(untied, ties=False)
    spm, columns = Vocabulary(untied), []
    columns.append(("spm-untied", None, reference_of(spm, None), spm.texts()))
    for rule in GOLDEN_RULES:
        columns.append((rule, rule, reference_of(Vocabulary(bpe), rule), Vocabulary(bpe).texts()))
    with open(os.path.join(folder, "huggingface.txt"), "w") as f:
        for text in make_strings(48, 20261203):
            for _, rule, _, tokens in columns:
                text = neutral(text, rule, tokens)
            f.write("text " + base64.b64encode(text.encode()).decode() + "\n")
            for name, _, reference, _ in columns:
                f.write(f"{name} 2 " + " ".join(map(str, reference.encode(text, add_special_tokens=False).ids)) + "\n")
    return 0


def main():
    if sys.argv[1:2] == ["--golden"]:
        return golden(sys.argv[2])
    p = argparse.ArgumentParser()
    p.add_argument("phi3sat")
    p.add_argument("vocabulary")
    p.add_argument("--tokenizer")
    p.add_argument("--rule")
    p.add_argument("--chat")
    p.add_argument("--count", type=int, default=20000)
    p.add_argument("--seed", type=int, default=1)
    with tempfile.TemporaryDirectory() as folder:
        return compare(p.parse_args(), folder)


if __name__ == "__main__":
    sys.exit(main())
