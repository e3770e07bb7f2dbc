#!/usr/bin/env python3
"""tokenizer.py - spoils tokenizers of folders, and compares the line that phi3sat says.

  tokenizer.py PIECES BYTES MODEL    folders with a tokenizer.json of each kind, and one with a tokenizer.model
"""
import json
import os
import random
import shutil
import subprocess
import sys

pieces, level, model = sys.argv[1:]
IDS = "; give token ids with --tokens FILE, one sequence a line"
DAMAGED = "; the file is damaged; download it again"
with open("one.txt", "w") as f:
    f.write("the of and\n")


def claim(holds, text, *notes):
    print("ok" if holds else "not ok", "-", text)
    for note in notes if not holds else ():
        print("#", note)


def said():
    p = subprocess.run(["phi3sat", "tokenize", "--model", "bad", "one.txt"], capture_output=True, timeout=60)
    return p.returncode, p.stderr.decode("utf-8", "replace").splitlines()


def fresh(source):
    shutil.rmtree("bad", ignore_errors=True)
    shutil.copytree(source, "bad")


def refused(text, line):
    status, lines = said()
    claim(status == 3 and lines == ["phi3sat: " + line], text, f"status {status}", *lines, "expected: phi3sat: " + line)


def changed(source, text, change, line, at=None):
    fresh(source)
    with open("bad/tokenizer.json", encoding="utf-8") as f:
        value = json.load(f)
    new = change(value)
    written = json.dumps(value) if new is None else new
    with open("bad/tokenizer.json", "w") as f:
        f.write(written)
    refused(text, line.replace("{at}", str(written.index(at))) if at else line)


def put(part, value):
    def change(tokenizer):
        *path, last = part.split(".")
        inner = tokenizer
        for name in path:
            inner = inner[int(name) if name.isdigit() else name]
        inner[int(last) if last.isdigit() else last] = value
    return change


def refusals():
    none = " of tokenizer.json is none that phi3sat knows" + IDS
    changed(level, "another normaliser", put("normalizer", {"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Lowercase"}]}),
            "bad: the normaliser NFKC, Lowercase" + none)
    changed(pieces, "a normaliser with a table", put("normalizer", {"type": "Precompiled", "precompiled_charsmap": ""}),
            "bad: the normaliser Precompiled" + none)
    changed(level, "another pre-tokeniser", put("pre_tokenizer", {"type": "BertPreTokenizer"}), "bad: the pre-tokeniser BertPreTokenizer" + none)
    changed(level, "another expression", put("pre_tokenizer.pretokenizers.0.pattern.Regex", "(a+)+b"), "bad: the pre-tokeniser Split, ByteLevel" + none)
    changed(level, "a space in front of bytes", put("pre_tokenizer.pretokenizers.1.add_prefix_space", True),
            "bad: the pre-tokeniser Split, ByteLevel" + none)
    changed(level, "more steps than we look at", put("pre_tokenizer.pretokenizers", [{"type": "ByteLevel"}] * 9),
            "bad: the pre-tokeniser " + ", ".join(["ByteLevel"] * 8) + none)
    changed(level, "another frame", put("post_processor", {"type": "RobertaProcessing"}), "bad: the post-processor RobertaProcessing" + none)
    changed(level, "another model", put("model.type", "WordPiece"), 'bad: tokenizer.json has a model of the kind "WordPiece", which phi3sat '
            "doesn't know (BPE and Unigram are)" + IDS)
    changed(level, "dropout", put("model.dropout", 0.1), "bad: the model of tokenizer.json has a dropout, which phi3sat doesn't know" + IDS)
    changed(level, "prefixes of subwords", put("model.continuing_subword_prefix", "##"),
            "bad: the model of tokenizer.json has a continuing_subword_prefix, which phi3sat doesn't know" + IDS)
    changed(level, "single words", put("added_tokens.0.single_word", True), "bad: a token of tokenizer.json counts between word boundaries only "
            "(single_word), which phi3sat doesn't do" + IDS)
    file = "bad/tokenizer.json: "
    changed(level, "no model", lambda t: t.pop("model") and None, file + "is no tokenizer.json: a field is missing (model, byte 0)" + DAMAGED)
    changed(level, "a vocabulary that is a list", put("model.vocab", []), file + "there is no vocabulary (vocab, byte {at})" + DAMAGED, '{"type": "BPE"')
    changed(level, "an id that is text", put("model.vocab.!", "x1"), file + "the id of a token is no whole number (vocab, byte {at})" + DAMAGED, '"x1"')
    changed(level, "an id twice", put("model.vocab.!!!!", 5), file + "two tokens have one id (vocab, byte {at})" + DAMAGED,
            '5}, "merges"')
    changed(level, "an id of 2^40", put("model.vocab.!!!!", 1 << 40), file + "the id of a token is far beyond the number of tokens (tokens, byte {at})" +
            DAMAGED, "1099511627776")
    changed(level, "an id that leaves out 20000", put("model.vocab.!!!!", 20500),
            file + "the id of a token is far beyond the number of tokens (tokens, byte {at})" + DAMAGED, "20500")
    changed(level, "an added token without a text", put("added_tokens.0", {"id": 0}), file + "an added token has no text (added tokens, byte {at})" +
            DAMAGED, '{"id": 0}')
    changed(level, "an added token without an id", put("added_tokens.0", {"content": "x"}), file + "an added token has no id (added_tokens, byte {at})" +
            DAMAGED, '{"content": "x"}')
    changed(level, "an added token in another's place", put("added_tokens.0", {"id": 20, "content": "x9"}), file +
            "an added token has the id of another token (added tokens, byte {at})" + DAMAGED, '{"id": 20, "content": "x9"}')
    changed(level, "no merges", lambda t: t["model"].pop("merges") and None, file + "there are no merges (merges, byte {at})" + DAMAGED, '{"type": "BPE"')
    changed(level, "a merge of one", put("model.merges", [["a"]]), file + "a merge is not two texts (merges, byte {at})" + DAMAGED, '["a"]')
    changed(level, "a merge without a space", put("model.merges", ["ab"]), "bad: merge 0 is not two parts with a space between (the "
            "folder's tokenizer, merges); download the tokenizer again, or give token ids with --tokens FILE")
    changed(level, "nesting", lambda t: '{"a":' + "[" * 600 + "]" * 600 + "}", file + "is no JSON that can be read: it is nested too deeply (byte 516); "
            "download the file again")


def many_added():
    """Models of speech and pictures add tens of thousands of tokens behind their vocabulary."""
    def behind(first):
        return [{"id": first + i, "content": f"<|sound_{i}|>", "special": True} for i in range(12000)]
    for source, name in ((level, "tokenizer.json"), (model, "tokenizer_config.json")):
        fresh(source)
        with open(f"bad/{name}", encoding="utf-8") as f:
            value = json.load(f)
        if "model" in value:
            known = {*value["model"]["vocab"].values(), *(t["id"] for t in value["added_tokens"])}
            value["added_tokens"] += behind(max(known) + 1)
        else:
            known = subprocess.run(["phi3sat", "inspect", "--json", "bad"], capture_output=True, timeout=60).stdout
            more = behind(json.loads(known)["tokenizer"]["tokens"])
            value["added_tokens_decoder"].update({str(t.pop("id")): t for t in more})
        with open(f"bad/{name}", "w") as f:
            json.dump(value, f)
        status, lines = said()
        claim(status == 0 and not lines, f"12000 added tokens in {name}", f"status {status}", *lines)


def wire(number, data):
    return bytes([number << 3 | 2, len(data)]) + data


def models():
    def written(text, data, line):
        fresh(model)
        with open("bad/tokenizer.model", "wb") as f:
            f.write(data)
        refused(text, line)
    piece = wire(1, wire(1, b"a") + b"\x15\0\0\0\0")
    plain = wire(3, b"\x20\x00")
    file = "bad/tokenizer.model: "
    written("an empty tokenizer.model", b"", file + "is no SentencePiece model that can be read (byte 0)" + DAMAGED)
    written("a length beyond the file", b"\x0a\x7fabc", file + "the file ends inside a field: 127 x 1 bytes wanted, 3 left (byte 2); the file is "
            "truncated or damaged; copy it again")
    written("a number without an end", b"\x0a" + b"\xff" * 12, file + "is no SentencePiece model that can be read (byte 11)" + DAMAGED)
    written("a group", piece + b"\x0b", file + "is no SentencePiece model that can be read (byte 11)" + DAMAGED)
    written("a git LFS pointer", b"version https://git-lfs.github.com/spec/v1\n", file + "is no SentencePiece model that can be read (byte 1)" + DAMAGED)
    written("words", piece + wire(2, b"\x18\x03") + plain, "bad: tokenizer.model is of a kind that phi3sat doesn't know (BPE and Unigram are)" + IDS)
    written("a table of characters", piece + wire(2, b"\x18\x02") + wire(3, wire(2, b"xyz") + b"\x20\x00"),
            "bad: tokenizer.model maps characters before it cuts (its normaliser has a table), which phi3sat doesn't do" + IDS)
    written("spaces removed", piece + wire(2, b"\x18\x02"), "bad: tokenizer.model removes extra spaces before it cuts, which phi3sat doesn't do" + IDS)
    written("spaces kept", piece + wire(2, b"\x18\x02") + wire(3, b"\x20\x00\x28\x00"),
            "bad: tokenizer.model keeps spaces as they are, which phi3sat doesn't do" + IDS)


def sweep():
    """Cut or changed anywhere: status 0 or 3, at most one line besides notes."""
    rng = random.Random(11)
    for source, name in ((pieces, "tokenizer.json"), (level, "tokenizer.json"), (model, "tokenizer.model"), (model, "tokenizer_config.json")):
        with open(f"{source}/{name}", "rb") as f:
            data = f.read()
        wrong = []
        fresh(source)
        for i in range(80):
            new = bytearray(data)
            if i % 4 == 0:
                del new[rng.randrange(len(new)):]
            else:
                for _ in range(1 + i % 3):
                    new[rng.randrange(len(new))] = rng.randrange(256) if i % 2 else rng.choice(b'{}[]",:019eE')
            with open(f"bad/{name}", "wb") as f:
                f.write(new)
            status, lines = said()
            faults = [x for x in lines if x.startswith("phi3sat: ")]
            if status not in (0, 3) or len(faults) != (status == 3):
                wrong.append((i, status, lines))
        claim(not wrong, f"{source}'s {name} changed in 80 ways: read or refused in one line", *wrong[:3])


refusals()
many_added()
models()
sweep()
