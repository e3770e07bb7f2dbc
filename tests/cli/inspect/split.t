#!/bin/bash
# split.t - models in several GGUF files: any part opens them, and sets that don't fit together are named.
. "$(dirname "$0")/../../tap/tap.sh"
need_command /usr/bin/python3
/usr/bin/python3 -c 'import numpy' 2>/dev/null || skip_all "/usr/bin/python3 has no numpy"
forms() { /usr/bin/python3 "$source_dir/tests/golden/gguf_forms.py" "$@" || bail "gguf_forms.py failed"; }

run phi3sat synth --quiet -o whole.gguf --layers 2 --hidden 64 --intermediate 96 --vocab 400 --type f32
expect_status 0 "a model is made"
forms whole.gguf m --split 3
run phi3sat inspect --json --tensors whole.gguf
cp "$stdout" whole.json
for part in 1 2 3; do
    run phi3sat inspect --json --tensors m-0000$part-of-00003.gguf
    expect_status 0 "part $part opens the model"
    ok "and shows all of it" /usr/bin/python3 - whole.json "$stdout" <<'PY'
import json, os, sys
w, m = (json.load(open(f)) for f in sys.argv[1:])
files = ["m-0000%d-of-00003.gguf" % (i + 1) for i in range(3)]
assert [p["file"] for p in m["parts"]] == files and m["files"] == 3
assert [p["bytes"] for p in m["parts"]] == [os.path.getsize(f) for f in files]
assert m["file_size"] == sum(os.path.getsize(f) for f in files)
assert m["model"] == w["model"] and m["weights"] == w["weights"] and m["tokenizer"] == w["tokenizer"]
assert m["profile"] == w["profile"] and m["profile"]["runs"] is True
assert [(t["name"], t["shape"], t["type"]) for t in m["tensors"]] == [(t["name"], t["shape"], t["type"]) for t in w["tensors"]]
assert sorted(set(t["part"] for t in m["tensors"])) == [1, 2, 3] and "part" not in w["tensors"][0]
for t, s in zip(m["tensors"], w["tensors"]):  # each where it is said to be
    with open(files[t["part"] - 1], "rb") as f, open("whole.gguf", "rb") as g:
        f.seek(t["offset"]), g.seek(s["offset"])
        assert f.read(t["bytes"]) == g.read(s["bytes"])
PY
done
run phi3sat inspect m-00002-of-00003.gguf
expect_stdout_match '^  files +3$' "the number of files is shown"
expect_stdout_match '^  m-00003-of-00003\.gguf +[0-9]' "and each of them"
run phi3sat tokenize --model m-00003-of-00003.gguf "$source_dir/README.md"
cp "$stdout" ids
run phi3sat tokenize --model whole.gguf "$source_dir/README.md"
ok "the tokenizer is that of the first part" cmp ids "$stdout"
forms whole.gguf e --split 3 --empty-first
run phi3sat inspect --json e-00002-of-00003.gguf
expect_stdout_match '"runs": true' "a first part without tensors will do"

# refused CLAIM LINE FILE...: inspect's one line.
refused() {
    local claim=$1 line=$2
    shift 2
    run phi3sat inspect "$@"
    expect_status 3 "$claim"
    expect_error_lines 1 "$claim: in one line"
    expect_stderr_match "^phi3sat: $line" "$claim: $line"
}
mkdir hole && cp m-0000[13]-of-00003.gguf hole
for part in 1 3; do
    refused "a missing part, from part $part" \
        "hole/m-00002-of-00003\.gguf: part 2 of the 3 of this model isn't there; fetch it, and keep all parts in one folder$" \
        hole/m-0000$part-of-00003.gguf
done
rm hole/m-00003-of-00003.gguf
refused "the last part is missing" "hole/m-00003-of-00003\.gguf: part 3 of the 3 of this model isn't there" hole/m-00001-of-00003.gguf

cat m-*.gguf >joined.gguf
refused "parts joined by cat" \
    "joined\.gguf: holds parts of a model split into 3 files, joined .* at byte $(wc -c <m-00001-of-00003.gguf) .*llama-gguf-split --merge$" \
    joined.gguf
cp m-00002-of-00003.gguf renamed.gguf
refused "a part under another name" "renamed\.gguf: is part 2 of a model split into 3 files, but its name doesn't end in -00002-of-00003\.gguf" \
    renamed.gguf

mkdir odd
set_of() { # PART FILE: the good set, but for one part
    cp m-*.gguf odd
    cp "$2" "odd/m-0000$1-of-00003.gguf"
}
set_of 2 m-00003-of-00003.gguf
refused "a part under another part's name" \
    "odd/m-00002-of-00003\.gguf: has the name of part 2, but says that it is part 3 .key \"split.no\"" odd/m-00001-of-00003.gguf
forms whole.gguf four --split 4
set_of 2 four-00002-of-00004.gguf
refused "a part of a set of four" \
    "odd/m-00002-of-00003\.gguf: is part of a model split into 4 files, not of one split into 3: a part of another set" odd/m-00001-of-00003.gguf
set_of 3 whole.gguf
refused "a whole model in a part's place" "odd/m-00003-of-00003\.gguf: has the name of part 3 of a model, but is a model of its own" \
    odd/m-00001-of-00003.gguf
set_of 3 "$source_dir/README.md"
refused "something else in a part's place" "odd/m-00003-of-00003\.gguf: has the name of part 3 of a model, but is no GGUF file" \
    odd/m-00002-of-00003.gguf
run phi3sat synth --quiet -o other.gguf --layers 3 --hidden 64 --intermediate 96 --vocab 400 --type f32
forms other.gguf other --split 3
set_of 2 other-00002-of-00003.gguf
refused "a part of a larger model" "odd/m-00002-of-00003\.gguf: is part of a model with 21 tensors, the part that was named of one with 15" \
    odd/m-00001-of-00003.gguf
forms whole.gguf twice --split 3 --set 0:split.no=u16:1
set_of 2 twice-00001-of-00003.gguf
refused "a tensor in two parts" "odd/m-00002-of-00003\.gguf: a tensor stands in an earlier part too .tensor \"[a-z0-9_.]*\", byte [0-9]*.; parts of different" \
    odd/m-00003-of-00003.gguf
forms other.gguf like --split 3 --set 0:split.tensors.count=i32:15 --set 1:split.tensors.count=i32:15 --set 2:split.tensors.count=i32:15
set_of 2 like-00002-of-00003.gguf
refused "more tensors than announced" "odd/m-00001-of-00003\.gguf: the 3 parts hold 17 tensors, not the 15 that they announce" odd/m-00003-of-00003.gguf
forms whole.gguf few --split 2 --set 0:split.tensors.count=i32:16 --set 1:split.tensors.count=i32:16
refused "fewer tensors than announced" "few-00001-of-00002\.gguf: the 2 parts hold 15 tensors, not the 16 that they announce" \
    few-00002-of-00002.gguf
head -c 20000 m-00003-of-00003.gguf >short
set_of 3 short
refused "a part that is cut off" "odd/m-00003-of-00003\.gguf: is truncated: a tensor's data ends at byte" odd/m-00001-of-00003.gguf
forms whole.gguf big --split 3 --big
set_of 2 big-00002-of-00003.gguf
run phi3sat inspect --json odd/m-00001-of-00003.gguf
expect_stdout_match '"runs": true' "a part of the other byte order is read as it is"

# What a claim of very many parts costs.
forms whole.gguf many --split 2 --set 0:split.count=u16:65535
mv many-00001-of-00002.gguf many-00001-of-65535.gguf
refused "65535 parts" "many-65535-of-65535\.gguf: part 65535 of the 65535 of this model isn't there" many-00001-of-65535.gguf

# An output that is a part.
printf 'a b\n' >p.txt
for part in 1 2 3; do
    run phi3sat --model m-00002-of-00003.gguf --prompts p.txt --output m-0000$part-of-00003.gguf
    expect_status 2 "part $part as an output is refused"
    expect_stderr_match "^phi3sat: m-0000$part-of-00003\.gguf: is an input and can't be an output too" "and named"
done
done_testing
