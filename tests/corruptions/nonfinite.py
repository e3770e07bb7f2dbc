"""nonfinite.py - NaN and infinity in weights and scales, in each type that a model file may have: the run ends, says where the first
came from, and its exit status tells.

Nothing is refused: such a file is whole. Blocks of zeros get one scale that is no number, in the row of one neuron of the last layer,
so that nothing else is touched. NVFP4 isn't here: its scales have no such value (e4m3 without sign; 7F counts as 0). Under `make
check-long` every type is run with each precision.
"""
import os

from gguf_bytes import llama
from table import case, run

HIDDEN, INNER, NEURON = 256, 32, 17
HALF_NAN, HALF_INF = b"\x00\x7e", b"\x00\x7c"
NAN, INFINITY = b"\x00\x00\xc0\x7f", b"\x00\x00\x80\x7f"
# name: type id, weights of a block, its bytes, and what makes it NaN: {offset: bytes}
TYPES = {
    "F32": (0, 1, 4, {0: NAN}), "F16": (1, 1, 2, {0: HALF_NAN}), "BF16": (30, 1, 2, {0: b"\xc0\x7f"}),
    "Q4_0": (2, 32, 18, {0: HALF_NAN}), "Q4_1": (3, 32, 20, {0: HALF_NAN}), "Q4_1's minimum": (3, 32, 20, {2: HALF_NAN}),
    "Q5_0": (6, 32, 22, {0: HALF_NAN}), "Q5_1": (7, 32, 24, {0: HALF_NAN}), "Q8_0": (8, 32, 34, {0: HALF_NAN}),
    "Q2_K": (10, 256, 84, {80: HALF_NAN}), "Q2_K's minimum": (10, 256, 84, {82: HALF_NAN}), "Q3_K": (11, 256, 110, {108: HALF_NAN}),
    "Q4_K": (12, 256, 144, {0: HALF_NAN}), "Q4_K's minimum": (12, 256, 144, {2: HALF_NAN}), "Q5_K": (13, 256, 176, {0: HALF_NAN}),
    "Q6_K": (14, 256, 210, {208: HALF_NAN}), "Q8_K": (15, 256, 292, {0: NAN}), "IQ2_XXS": (16, 256, 66, {0: HALF_NAN}),
    "IQ2_XS": (17, 256, 74, {0: HALF_NAN}), "IQ3_XXS": (18, 256, 98, {0: HALF_NAN}), "IQ1_S": (19, 256, 50, {0: HALF_NAN}),
    "IQ4_NL": (20, 32, 18, {0: HALF_NAN}), "IQ3_S": (21, 256, 110, {0: HALF_NAN}), "IQ2_S": (22, 256, 82, {0: HALF_NAN}),
    "IQ4_XS": (23, 256, 136, {0: HALF_NAN}), "IQ1_M": (29, 256, 56, {51: b"\xe0", 53: b"\xe0", 55: b"\x70"}),
    "TQ1_0": (34, 256, 54, {52: HALF_NAN}), "TQ2_0": (35, 256, 66, {64: HALF_NAN}), "MXFP4": (39, 32, 17, {0: b"\xff\x77"}),
    "an infinite F32": (0, 1, 4, {0: INFINITY}), "an infinite F16": (1, 1, 2, {0: HALF_INF}), "an infinite Q4_0": (2, 32, 18, {0: HALF_INF}),
    "an infinite Q8_0": (8, 32, 34, {0: HALF_INF}), "an infinite Q4_K": (12, 256, 144, {0: HALF_INF}),
    "an infinite Q6_K": (14, 256, 210, {208: HALF_INF}), "an infinite IQ4_XS": (23, 256, 136, {0: HALF_INF}),
}
RUN = "--threads 1 --model m.gguf --tokens ids --output x.csv --precision {}"
SHORT = ("F32", "F16", "Q4_0", "Q4_K", "Q6_K", "Q8_0", "IQ4_XS", "MXFP4", "an infinite Q4_K")
IDS = "1 3 4\n5 6\n"
LONG = os.environ.get("PHI3SAT_LONG") == "1"


def model(kind, block, size, spots):
    m = llama(HIDDEN, INNER)
    row = bytes(size) * (HIDDEN // block)
    bad = bytearray(row)
    for at, what in spots.items():
        bad[at:at + len(what)] = what
    m.tensors["blk.0.ffn_up.weight"] = [[HIDDEN, INNER], kind, row * NEURON + bytes(bad) + row * (INNER - NEURON - 1)]
    return m.bytes()


rows = []
for name, known in TYPES.items():
    for precision in ("f32", "int16", "int8"):
        if LONG or (name in SHORT and (precision == "f32" or name in ("Q4_K", "Q8_0"))):
            files = {"m.gguf": model(*known), "ids": IDS}
            rows.append(case("NaN or infinity", f"{name}, {precision}", files, RUN.format(precision)))
run("nonfinite", rows, ({"m.gguf": llama(HIDDEN, INNER).bytes(), "ids": IDS}, RUN.format("f32").split()), LONG,
    ("phi3sat:", "warning: m.gguf: "))
