#!/bin/bash
# verify.t - damage to a .knot file is found and named: by inspect --verify all of it, when it is opened what tells what it is.
. "$(dirname "$0")/../../tap/tap.sh"
need_command python3
phi3sat synth --quiet -o m.gguf --layers 3 --hidden 256 --intermediate 256 --vocab 400 --context 256 || bail "synth failed"
phi3sat pack --quiet m.gguf -o m.knot || bail "pack failed"

run phi3sat inspect m.knot
expect_stdout_match "^  format +knot v1$" "inspect says what it is"
expect_stdout_match "^  checksums +the head's was checked; --verify checks all$" "and what was checked"
run phi3sat inspect --verify m.knot
expect_status 0 "a good file is good"
expect_stdout_match "^  checksums +every byte is what it was when the file was packed$" "it says"
run phi3sat inspect --verify m.gguf
expect_status 0 "a GGUF is shown"
expect_stdout_match "^  checksums +none: files of this kind have no checksums$" "with what can't be said of it"

cat >damage.py <<'PY'
import random, struct, subprocess
random.seed(8)
good = open("m.knot", "rb").read()
head, sections = struct.unpack_from("<Q", good, 40)[0], struct.unpack_from("<I", good, 52)[0]
places = [struct.unpack_from("<QQ", good, 96 + 48 * i) for i in range(sections)]
def look(data, *options):
    open("bad.knot", "wb").write(data)
    p = subprocess.run(["phi3sat", "inspect", *options, "bad.knot"], capture_output=True, timeout=60)
    lines = p.stderr.decode("utf-8", "replace").splitlines()
    assert (p.returncode, len(lines)) in ((0, 0), (3, 1)), (p.returncode, lines)
    assert p.returncode == 0 or (not p.stdout and lines[0].startswith("phi3sat: bad.knot: ")), lines
    return lines[0] if lines else ""
def flipped(at):
    data = bytearray(good)
    data[at] ^= 1 << random.randrange(8)
    return bytes(data)
for at in [0, 6, 8, 16, 31, 40, 96, 130, head - 1] + random.sample(range(head), 30):
    assert look(flipped(at)), at
for i, (start, size) in enumerate(places):
    for at in [start, start + size - 1] + random.sample(range(start, start + size), 4):
        assert not look(flipped(at)), at
        line = look(flipped(at), "--verify")
        name = "layer %d" % (i - 1) if i else "embedding and output"
        assert "not those that their checksum was made of (%s, byte %d)" % (name, start) in line, line
for at in [8, 40, 96, head, head + 1, len(good) - 1] + [p[0] for p in places]:
    assert look(good[:at]), at
assert "1 more than it says" in look(good + b"\0")
print("all found")
PY
run python3 damage.py
expect_status 0 "no changed, missing or further byte goes unseen"
expect_stdout "each was named" <<<"all found"
diag "$(cat "$stderr")"

# Who writes a file can write its sums: what they can't tell, fingerprints do.
cat >forge.py <<'PY'
import ctypes, struct
class Sum(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]
xxh3 = ctypes.CDLL("libxxhash.so.0").XXH3_128bits
xxh3.restype, xxh3.argtypes = Sum, [ctypes.c_char_p, ctypes.c_size_t]
data = bytearray(open("m.knot", "rb").read())
start, size = struct.unpack_from("<QQ", data, 96 + 48 * 2)
data[start + 5000] ^= 1
def put(at, part):
    sum = xxh3(bytes(part), len(part))
    struct.pack_into("<QQ", data, at, sum.low, sum.high)
put(96 + 48 * 2 + 16, data[start : start + size])
head = struct.unpack_from("<Q", data, 40)[0]
data[16:32] = bytes(16)
put(16, data[:head])
open("forged.knot", "wb").write(data)
PY
if python3 -c 'import ctypes; ctypes.CDLL("libxxhash.so.0")' 2>/dev/null; then
    python3 forge.py || bail "forge.py failed"
    run phi3sat inspect --verify forged.knot
    expect_status 3 "other weights under new checksums are found"
    expect_stderr_match 'forged\.knot: the weights are not those that the stored fingerprint was made of \(layer 1, byte [0-9]+\); pack' \
        "by the fingerprint"
else
    skip 2 "Python finds no libxxhash.so.0"
fi
run phi3sat pack bad.knot -o out.knot
expect_status 3 "what is damaged is not packed"
done_testing
