"""prompts.py - named corruptions of prompts: text and JSON, gzip and Zstandard; and of files of token ids.

Single records that are no prompts are skipped and counted (tests/cli/tokenize/sources.t); here are the files that are refused.
"""
import gzip
import json
import struct
import zlib

from gguf_bytes import llama
from table import case, run

MODEL = llama().bytes()
TOKENIZE = "tokenize --model m.gguf p"
MPI = 8 << 20  # what starting it takes
JSON = "tokenize --input-format json --model m.gguf p"
rows = []


def row(kind, name, prompts, command=TOKENIZE, most=0):
    rows.append(case(kind, name, {"m.gguf": MODEL, "p": prompts}, command, most))


def frame(blocks, window=None, size=None):
    """A Zstandard frame (RFC 8878) of blocks (type, size or bytes); written here, since Python has no such library."""
    out = b"\x28\xb5\x2f\xfd"
    if size is not None:
        out += b"\xe0" + struct.pack("<Q", size)  # single segment, 8 bytes of content size
    else:
        out += b"\x00" + bytes([window if window is not None else 0x50])
    for i, (kind, count, data) in enumerate(blocks):
        last = i == len(blocks) - 1
        out += struct.pack("<I", count << 3 | kind << 1 | last)[:3] + data
    return out


RAW, RLE, RESERVED = 0, 1, 3


def zstandard():
    whole = frame([(RAW, 4, b"a b\n")])
    row("length past the end", "a Zstandard block past the end", frame([(RAW, 400, b"a b\n")]))
    row("length past the end", "a Zstandard frame of 6 bytes", whole[:6])
    row("count before allocation", "a Zstandard frame of 2^60 bytes", frame([(RAW, 4, b"a b\n")], size=1 << 60))
    row("count before allocation", "a Zstandard window of 2^41 bytes", frame([(RAW, 4, b"a b\n")], window=0xff))
    row("number", "a Zstandard block of a kind that there isn't", frame([(RESERVED, 4, b"a b\n")]))
    row("number", "a Zstandard block larger than any", frame([(RLE, 1 << 20, b"a")]))
    bomb = frame([(RLE, 1 << 17, b"a")] * 4000)
    row("bomb", "Zstandard that becomes 500 MB of one letter", bomb)
    lines = frame([(RLE, 1 << 17, b"\n")] * 4000)
    row("bomb", "Zstandard that becomes 500 MB of empty lines", lines)
    row("bomb", "a bomb behind good text", whole + bomb)


def gzips():
    whole = gzip.compress(b"a b\n", mtime=0)
    for size in (2, 9, len(whole) - 1, len(whole) - 8):
        row("length past the end", f"{size} bytes of gzip", whole[:size])
    row("number", "gzip of a method that there isn't", whole[:2] + b"\x07" + whole[3:])
    row("number", "gzip with flags that are reserved", whole[:3] + b"\xe0" + whole[4:])
    row("number", "a deflate block of a kind that there isn't", whole[:10] + b"\x07" + whole[11:])
    row("number", "a gzip checksum of other text", whole[:-8] + bytes([whole[-8] ^ 1]) + whole[-7:])
    row("number", "a gzip length of other text", whole[:-4] + struct.pack("<I", 5))
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join(pack.compress(b"a" * (1 << 20)) for _ in range(100)) + pack.flush()
    row("bomb", "gzip that becomes 100 MB of one letter", bomb)
    row("bomb", "gzip of a bomb in gzip", gzip.compress(bomb, mtime=0))


def hole(path, head):
    with open(path, "wb") as f:
        f.write(head)
        f.truncate(64 << 30)


def texts():
    row("nesting", "an array 100000 deep", "[" * 100000, JSON)
    row("nesting", "objects 100000 deep, 101 times", ('{"text":' * 1000 + "\n") * 101)
    row("length past the end", "a JSON array that isn't closed", '["a", "b"')
    row("length past the end", "a string that isn't closed", '["a", "b')
    row("number", "something behind the array", '["a"] ["b"]')
    row("embedded zero", "NUL in JSON, 101 times", b'{"te\0xt":"a"}\n' * 101)
    row("wrong type", "texts that are numbers", '{"text":7}\n' * 101)
    row("wrong type", "messages that are a number", '{"messages":7}\n' * 101)
    row("wrong type", "a role that is a number", '{"messages":[{"role":1,"content":"a"}]}\n' * 101)
    row("number", "numbers out of range", '{"text":1e999}\n' * 101)
    row("wrong type", "another kind of file", b"\x7fELF" + bytes(60))
    row("wrong type", "UTF-16", "a b c d e".encode("utf-16-le"))
    row("length past the end", "an empty file", b"")
    row("length past the end", "blank lines alone", b"\n \n\r\n")
    row("embedded zero", "a hole of 4 KiB", bytes(4096))
    row("bomb", "a hole of 64 GiB", lambda path: hole(path, b""))
    # a prompt is read whole: up to 256 MiB of it, in a buffer that doubles
    row("bomb", "JSON that is followed by a hole of 64 GiB", lambda path: hole(path, b'["'), JSON, 272 << 20)


def ids():
    tokens = "--quiet --threads 1 --model m.gguf --tokens p --output x.csv"
    for value in ("12", "2147483648", "4294967297", "18446744073709551616", "1" + "0" * 5000):
        row("token id", f"token {value}" if len(value) < 99 else "a token of 5001 digits", f"1 2 3\n4 {value} 5\n", tokens, MPI)
    for value in ("-1", "1.5", "0x3", "a", "1e1", "+1", "1,2", "\xe9"):
        row("token id", f"token {value!r}", f"1 2 3\n\n4 {value}\n", tokens, MPI)
    row("embedded zero", "a NUL between ids", "1 2\0 3\n", tokens, MPI)
    row("UTF-8", "ids in digits of another script", "1 \u0663\n", tokens, MPI)
    row("length past the end", "a file of ids that is empty", "", tokens, MPI)
    row("wrong type", "JSON for ids", "[1, 2]\n", tokens, MPI)
    row("wrong type", "a model for ids", MODEL, tokens, MPI)


for part in (zstandard, gzips, texts, ids):
    part()
run("prompts", rows, ({"m.gguf": MODEL, "p": "a b\n"}, TOKENIZE.split()))
