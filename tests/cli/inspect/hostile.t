#!/bin/bash
# hostile.t - phi3sat inspect on files that nobody vouches for: escaped, bounded, never a crash.
. "$(dirname "$0")/../../tap/tap.sh"
need_command python3
python3 "$source_dir/tests/cli/inspect/odd_models.py" || bail "odd_models.py failed"

run phi3sat inspect --tensors evil.gguf
expect_status 0 "names full of control characters are shown"
ok "no control character comes out" test "$(LC_ALL=C tr -d '\n\040-\176' <"$stdout" | wc -c)" = 0
expect_stdout_match '^  name +\\x1b\]0;owned\\x07\\x1b\[2J\\r\\n"\\\\\\xff\\u\{202e\}\\u\{9b\}31m\\x00end$' "each is escaped"
expect_stdout_match '^  blk\.\\x1b\[2J\\xff"\\\\\.weight +\[' "a tensor's name too"
run phi3sat inspect --json --tensors evil.gguf
ok "JSON holds them as they are, malformed bytes as U+FFFD" python3 - "$stdout" <<'PY'
import json, sys
m = json.load(open(sys.argv[1], encoding="utf-8"))
assert m["model"]["name"] == "\x1b]0;owned\x07\x1b[2J\r\n\"\\\ufffd\u202e\u009b31m\x00end", repr(m["model"]["name"])
assert "blk.\x1b[2J\ufffd\"\\.weight" in [t["name"] for t in m["tensors"]]
PY
file=$'bad\e[2J\n\xff.gguf'
cp good.gguf "$file"
run phi3sat inspect "$file"
expect_stdout_match '^bad\\x1b\[2J\\n\\xff\.gguf$' "a file's own name is escaped"
run phi3sat inspect --json "$file"
ok "in JSON too" python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["file"] == "bad\x1b[2J\n\ufffd.gguf"' "$stdout"

run phi3sat inspect longname.gguf
expect_status 0 "a name of a million bytes"
ok "is cut in the text" test "$(wc -c <"$stdout")" -lt 10000
run phi3sat inspect --json longname.gguf
ok "and whole in JSON" test "$(wc -c <"$stdout")" -gt 1000000
PHI3SAT_TEST_SECONDS=20 run phi3sat inspect --tensors many.gguf
expect_status 0 "a hundred thousand tensors, in seconds"
is "$(grep -c '^  t[0-9]' "$stdout")" 100000 "one line each"

# Cut anywhere, changed anywhere: status 0 or 3, one line of error at most, JSON that is JSON.
cat >look.py <<'PY'
import json, random, subprocess
random.seed(3)
whole = {name: open(name, "rb").read() for name in ("good.gguf", "vocabulary.gguf", "evil.gguf")}
runs = refused = 0
def check(data, what):
    global runs, refused
    open("changed", "wb").write(data)
    p = subprocess.run(["phi3sat", "inspect", "--json", "--tensors", "changed"], capture_output=True, timeout=60)
    runs += 1
    assert p.returncode in (0, 3), (what, p.returncode, p.stderr)
    if p.returncode == 3:
        refused += 1
        lines = p.stderr.decode("utf-8", "replace").splitlines()
        assert len(lines) == 1 and lines[0].startswith("phi3sat: changed: "), (what, lines)
        assert not p.stdout, what
    else:
        assert not p.stderr, what
        json.loads(p.stdout)
for name, data in whole.items():
    head = min(len(data), 3000)
    for at in list(range(0, 64)) + random.sample(range(64, head), 60):
        check(data[:at], (name, "cut", at))
    for _ in range(120):
        at, changed = random.randrange(4, head), bytearray(data)
        width = random.choice((1, 4, 8))
        changed[at:at + width] = random.choice((b"\xff" * width, bytes(width), random.randbytes(width)))
        check(bytes(changed[:len(data)]), (name, "changed", at, width))
print(runs, "runs,", refused, "refused")
PY
run python3 look.py
expect_status 0 "files cut and changed at random: refused in one line, or shown"
diag "$(cat "$stdout")"
((status == 0)) || diag "$(tail -n 5 "$stderr")"
done_testing
