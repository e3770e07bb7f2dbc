"""archives.py - named corruptions of archives and checkpoints: what a valid HDF5 file can hold that is no archive of ours.

Damage below HDF5's own structures is another test's; so is a checkpoint of another run (tests/mpi/checkpoint_refused.t). The files are
made with h5py in a process of its own (`archives.py --make`), whose memory would else count as phi3sat's.
"""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from table import case, run  # noqa: E402

REPORT, MERGE = "report a.h5", "merge good.h5 a.h5 -o m.h5"
RESUME = "--quiet --threads 1 --model ../m.gguf --tokens ../ids --batch-tokens 4 --output r.csv --checkpoint c.ckpt --resume a.h5"
METRICS = ("inactive", "kurtosis", "low_activity", "low_activity_stderr", "max", "mean", "mean_stderr", "min", "nonfinite", "skewness",
           "variance")
bends = []


def bend(kind, name, code, command=REPORT, base="x.h5"):
    """`code`: Python that changes `f`, the file; `h` is h5py, `n` NumPy."""
    bends.append((kind, name, code, command, base))


def attributes():
    for attribute in ("format", "format_version", "layers", "intermediate_size", "prompts", "tokens", "combine", "variance_threshold",
                      "model_fingerprint", "architecture"):
        bend("shape", f"no attribute {attribute}", f"del f.attrs['{attribute}']")
    for attribute, value in (("format", "7"), ("format_version", "'1'"), ("format_version", "n.float64(1)"), ("format_version", "n.int32(1)"),
                             ("layers", "'2'"), ("layers", "n.float32(2)"), ("layers", "n.array([2, 2])"), ("combine", "7"),
                             ("variance_threshold", "'x'"), ("variance_threshold", "n.float64(0.1)"), ("tokens", "n.int64(-1)"),
                             ("architecture", "n.array([b'phi3', b'phi3'])"), ("model_fingerprint", "7"), ("prompts", "h.Empty('u8')")):
        bend("wrong type", f"attribute {attribute}: {value}", f"f.attrs['{attribute}'] = {value}")
    for attribute, value in (("layers", "n.uint64(0)"), ("layers", "n.uint64(2**63)"), ("intermediate_size", "n.uint64(0)"),
                             ("intermediate_size", "n.uint64(2**40)"), ("format_version", "n.uint64(2**40)"),
                             ("combine", "'most'"), ("activity", "'loud'"), ("model_fingerprint", "'xyz'")):
        bend("number", f"attribute {attribute}: {value}", f"f.attrs['{attribute}'] = {value}")
    for attribute, value in (("variance_threshold", "nan"), ("variance_threshold", "inf"), ("activity_threshold", "nan"), ("super_ratio", "nan")):
        bend("NaN or infinity", f"{attribute} {value}", f"f.attrs['{attribute}'] = n.float32('{value}')")
    bend("embedded zero", "a text with a zero", "f.attrs.create('combine', n.bytes_(b'all\\0any'), dtype='S7')")
    bend("length past the end", "a text of 2 MB", "f.attrs['architecture'] = 'x' * (2 << 20)")


def types_and_shapes():
    for path in ["ffn/" + m for m in METRICS] + ["extremes/neuron", "extremes/prompt_hash", "saturation/flags", "saturation/saturated",
                                                 "summary/saturated", "gate/count", "model/layer_fingerprint", "layer", "neuron", "prompt"]:
        bend("shape", f"no {path}", f"del f['{path}']")
    for group in ("gate", "extremes", "saturation", "state", "run", "summary", "model"):
        bend("shape", f"no group {group}", f"del f['{group}']")
    for name, value in (("float64", "f['up/mean'][:].astype('f8')"), ("int32", "f['up/mean'][:].astype('i4')"),
                        ("big-endian", "f['up/mean'][:].astype('>f4')"), ("text", "n.full((2, 64), b'x')"),
                        ("complex", "f['up/mean'][:].astype('c8')")):
        bend("wrong type", f"up/mean as {name}", f"d = {value}; del f['up/mean']; f['up/mean'] = d")
    bend("wrong type", "a group for a data set", "del f['up/mean']; f.create_group('up/mean')")
    bend("wrong type", "a data set for a group", "del f['up']; f['up'] = 1")
    bend("wrong type", "a reference for a number", "del f['up/mean']; f.create_dataset('up/mean', (2, 64), dtype=h.ref_dtype)")
    bend("wrong type", "texts of any length for numbers", "del f['up/mean']; f.create_dataset('up/mean', (2, 64), dtype=h.string_dtype())")
    for name, shape in (("a neuron too few", "[:, :-1]"), ("a layer too few", "[:1]"), ("no dimensions", "[0, 0]"), ("three dimensions", "[:, :, None]"),
                        ("turned", ".T")):
        bend("shape", f"up/mean: {name}", f"d = f['up/mean'][:]{shape}; del f['up/mean']; f['up/mean'] = d")
    for name, size in (("2^40 neurons", "(2, 2**40)"), ("2^40 layers", "(2**40, 64)")):
        bend("dimension", f"up/mean of {name}, none of them stored",
             f"del f['up/mean']; f.create_dataset('up/mean', {size}, 'f4', chunks=(1, 64))")
    for scale, size in (("neuron", "2**40"), ("layer", "2**30"), ("prompt", "2**50"), ("neuron", "0"), ("layer", "0")):
        bend("dimension", f"dimension {scale} of {size}", f"del f['{scale}']; f.create_dataset('{scale}', ({size},), 'i4', chunks=(1 << 16,))"
             if size != "0" else f"del f['{scale}']; f.create_dataset('{scale}', (0,), 'i4')")
    bend("dimension", "everything of 2^22 neurons, none of them stored",
         "f.attrs['intermediate_size'] = n.uint64(2**22); del f['neuron']; f.create_dataset('neuron', (2**22,), 'i4', chunks=(1 << 16,))")
    bend("bomb", "a chunk of 64 MB of zeros", "d = f['up/mean'][:]; del f['up/mean']; f.create_dataset('up/mean', data=d, "
         "chunks=(2, 1 << 23), maxshape=(2, 1 << 23), compression='gzip')")


def links():
    bend("set of files", "a soft link", "del f['up/mean']; f['up/mean'] = h.SoftLink('/gate/mean')")
    bend("set of files", "a link to another file", "del f['up/mean']; f['up/mean'] = h.ExternalLink('good.h5', '/up/mean')")
    bend("set of files", "a group of another file", "del f['up']; f['up'] = h.ExternalLink('good.h5', '/up')")
    bend("set of files", "bytes of another file", "del f['up/mean']; f.create_dataset('up/mean', (2, 64), 'f4', external=[('/etc/passwd', 0, 512)])")
    bend("set of files", "a virtual data set", "v = h.VirtualLayout((2, 64), 'f4'); v[:] = h.VirtualSource('good.h5', 'up/mean', (2, 64)); "
         "del f['up/mean']; f.create_virtual_dataset('up/mean', v)")
    bend("nesting", "a group within itself", "del f['up']; f['up'] = f['/']")


def values():
    bend("number", "an extreme of a neuron that isn't there", "f['extremes/neuron'][0, 0] = 64")
    bend("number", "an extreme of neuron -2", "f['extremes/neuron'][0, 0] = -2")
    bend("number", "an extreme at position -2", "f['extremes/position'][0, 0] = -2")
    bend("number", "a saturated of 2", "f['saturation/saturated'][0, 0] = 2")
    for value in ("nan", "inf"):
        bend("NaN or infinity", f"an extreme of {value}", f"f['extremes/value'][0, 0] = n.float32('{value}')")
    bend("duplicate", "a prompt twice", "f['state/prompt_hash'][1] = f['state/prompt_hash'][0]", MERGE)
    bend("number", "prompts out of order", "f['state/prompt_hash'][:] = f['state/prompt_hash'][:][::-1]", MERGE)
    bend("number", "a prompt that is there 0 times", "f['state/prompt_multiplicity'][0] = 0", MERGE)
    bend("product that wraps", "prompts that are there 2^64 times", "f['state/prompt_multiplicity'][0:2] = 2**64 - 1", MERGE)
    bend("number", "more prompts than the file says", "f['state/prompt_multiplicity'][0] = 9", MERGE)
    bend("number", "2^64 - 1 prompts", "f.attrs['prompts'] = n.uint64(2**64 - 2)", MERGE)
    bend("product that wraps", "tokens beyond 2^64", "f.attrs['tokens'] = n.uint64(2**64 - 1)", MERGE)


def checkpoints():
    for path in ("state/prompt_layers", "state/prompt_hash", "extremes/neuron"):
        bend("shape", f"a checkpoint without {path}", f"del f['{path}']", RESUME, "c.ckpt")
    bend("number", "a prompt with more layers than the model", "f['state/prompt_layers'][0] = 77", RESUME, "c.ckpt")
    bend("number", "a prompt with no layers", "f['state/prompt_layers'][0] = 0", RESUME, "c.ckpt")
    bend("duplicate", "a checkpoint with a prompt twice", "f['state/prompt_hash'][:] = f['state/prompt_hash'][0]", RESUME, "c.ckpt")
    bend("wrong type", "an archive for a checkpoint", "pass", RESUME)
    bend("wrong type", "a checkpoint for an archive", "pass", REPORT, "c.ckpt")
    bend("number", "a checkpoint of version 2", "f.attrs['format_version'] = n.uint64(2)", RESUME, "c.ckpt")
    bend("NaN or infinity", "a checkpoint's threshold", "f.attrs['variance_threshold'] = n.float32('nan')", RESUME, "c.ckpt")


def expressions():
    for kind, name, text in (
            ("nesting", "parentheses 10000 deep", "(" * 10000 + "1" + ")" * 10000 + " < 2"), ("nesting", "signs 10000 deep", "-" * 10000 + "1 < 2"),
            ("nesting", "functions 10000 deep", "abs(" * 10000), ("length past the end", "of nothing", ""), ("length past the end", "blanks", "  "),
            ("length past the end", "an open parenthesis", "(ffn.mean < 1"), ("length past the end", "an operator at the end", "ffn.mean <"),
            ("length past the end", "a dot at the end", "ffn."), ("length past the end", "100000 terms", "1 < 2" + " and 1 < 2" * 12000),
            ("number", "out of range", "ffn.mean < 1e999"), ("number", "two dots", "ffn.mean < 1.2.3"), ("number", "an exponent without digits", "1e < 2"),
            ("number", "a hexadecimal", "ffn.mean < 0x1p3"), ("NaN or infinity", "nan", "ffn.mean < nan"), ("NaN or infinity", "inf", "ffn.mean < inf"),
            ("wrong type", "a number for a rule", "ffn.mean + 1"), ("wrong type", "rules added", "(1 < 2) + 1 < 3"), ("wrong type", "another series", "foo.mean < 1"),
            ("wrong type", "another statistic", "ffn.median < 1"), ("wrong type", "another function", "system(1) < 2"), ("shape", "too few arguments", "max(1) < 2"),
            ("shape", "too many arguments", "abs(1, 2) < 3"), ("UTF-8", "malformed", b"ffn.mean < \xff\x1b[2J"), ("UTF-8", "another script", "ffn.mean \u2264 1"),
            ("number", "an odd character", "ffn.mean < 1; x"), ("number", "a comparison of comparisons", "1 < 2 < 3")):
        bend(kind, f"criterion: {name}", "pass", ["report", "a.h5", "--criterion", text])


for part in (expressions, attributes, types_and_shapes, links, values, checkpoints):
    part()
if sys.argv[1:] == ["--make"]:
    import h5py
    import numpy
    for i, (_, name, code, _, base) in enumerate(bends):
        shutil.copy(base, f"made/{i}")
        with h5py.File(f"made/{i}", "a") as file:
            try:
                exec(code, {"f": file, "h": h5py, "n": numpy})  # pylint: disable=exec-used
            except Exception as e:
                raise RuntimeError(name) from e
    sys.exit()


def profile(*options, wanted=0, **environment):
    p = subprocess.run(["phi3sat", "--quiet", "--threads", "1", "--model", "m.gguf", "--tokens", "ids", "--batch-tokens", "4", *options],
                       env={**os.environ, **environment}, check=False, capture_output=True)
    assert p.returncode == wanted, (p.returncode, p.stderr)


subprocess.run("phi3sat synth --quiet -o m.gguf --layers 2 --hidden 64 --intermediate 64 --vocab 400 --context 64 --type f32".split(), check=True)
with open("ids", "w", encoding="ascii") as f:
    f.write("1 2 3 4 5\n7 8 9\n3 4\n9 9 9 9 9 9 9\n1 5 6\n")
with open("ids2", "w", encoding="ascii") as f:
    f.write("8 8 8\n")
profile("--output", "x.csv")
profile("--tokens", "ids2", "--output", "good.csv")
profile("--output", "r.csv", "--checkpoint", "c.ckpt", wanted=75, PHI3SAT_TEST_SIGNAL="0:10:30")
os.makedirs("made")
subprocess.run([sys.executable, os.path.abspath(__file__), "--make"], check=True)


def files(i):
    return {"a.h5": lambda path: shutil.copy(f"../made/{i}", path), "good.h5": lambda path: shutil.copy("../good.h5", path)}


rows = [case(kind, name, files(i), command) for i, (kind, name, _, command, _) in enumerate(bends)]
good = {"a.h5": lambda path: shutil.copy("../x.h5", path), "good.h5": lambda path: shutil.copy("../good.h5", path)}
run("archives", rows, (good, MERGE.split()))
