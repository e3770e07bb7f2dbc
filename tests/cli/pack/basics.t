#!/bin/bash
# basics.t - phi3sat pack: every kind of model as .knot, the same results from both, another program's reading, and refusals.
. "$(dirname "$0")/../profile/profile.sh"
need_command python3
export PYTHONDONTWRITEBYTECODE=1
printf 'the of and to\nin is it that the\nof the\n' >p.txt

for arch in phi3 llama qwen2 qwen3; do
    phi3sat synth --quiet --arch $arch -o $arch.gguf --layers 3 --hidden 256 --intermediate 256 --heads 4 --kv-heads 2 \
        --vocab 400 --context 256 --plant-dead 3 || bail "synth failed"
    run phi3sat pack $arch.gguf -o $arch.knot
    expect_status 0 "$arch: a model is packed"
    expect_empty stdout "nothing on standard output"
    expect_stderr_match "^$arch\\.knot: [0-9.]+ MB in [0-9.]+ s\$" "its size is told"
    run python3 "$source_dir/tests/cli/pack/read_knot.py" $arch.knot $arch.gguf
    expect_status 0 "docs/knot.md is enough to read it, and rows are the source's"
    diag "$(cat "$stdout" "$stderr")"
    run phi3sat --quiet --model $arch.gguf --prompts p.txt --output a.csv
    cp "$stdout" a.out
    run phi3sat --quiet --knot $arch.knot --prompts p.txt --output b.csv
    expect_status 0 "it runs"
    same a.h5 b.h5 "and gives the archive that the source gives"
    ok "the table too, and the summary" cmp a.csv b.csv && cmp -s a.out "$stdout"
    for file in $arch.gguf $arch.knot; do
        phi3sat perplexity --model "$file" --prompts "$source_dir/docs/methods.md" --context 64 --chunks 2 --csv >"$file.p"
        phi3sat tokenize --model "$file" p.txt >"$file.ids"
    done
    ok "perplexity and token ids are the same" test -s $arch.knot.p -a -s $arch.knot.ids
    ok "the former" cmp $arch.gguf.p $arch.knot.p
    ok "the latter" cmp $arch.gguf.ids $arch.knot.ids
done

tiny odd.gguf --with-vocab --vocab 300 --layers 4 --longrope-orig 64 --window 20 --arch phi3
run phi3sat pack odd.gguf -o odd.knot
expect_status 0 "long rotary factors and a window"
run phi3sat --quiet --model odd.gguf --prompts p.txt --output a.csv
run phi3sat --quiet --model odd.knot --prompts p.txt --output b.csv
same a.h5 b.h5 "go along"
ok "a model in F32 is read by the page too" python3 "$source_dir/tests/cli/pack/read_knot.py" odd.knot odd.gguf
run phi3sat pack --quiet llama.knot -o again.knot
expect_status 0 "a .knot is packed"
expect_empty stderr "--quiet says nothing"
ok "and comes out as it was" cmp llama.knot again.knot
for type in F16 BF16 Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q2_K Q3_K Q5_K Q6_K; do
    phi3sat synth --quiet -o type.gguf --type $type --layers 1 --hidden 256 --intermediate 256 --vocab 400
    phi3sat pack --quiet type.gguf -o type.knot && phi3sat inspect --verify --json type.gguf type.knot >types.json
    ok "$type keeps its type" python3 -c '
import json
a, b = json.load(open("types.json"))
names = lambda m: sorted(t["type"] for t in m["weights"]["types"])
assert names(a) == names(b) and a["weights"]["parameters"] == b["weights"]["parameters"]'
done

refuse() { # STATUS REGEX CLAIM ARGUMENT...
    local code=$1 regex=$2 claim=$3
    shift 3
    run phi3sat pack "$@"
    expect_status "$code" "$claim"
    expect_error_lines 1 "in one line"
    expect_stderr_match "$regex" "that says so"
}
refuse 2 'no output: give -o FILE' "no output" llama.gguf
refuse 2 'llama\.gguf: the output is a file of the model itself; give another name' "the model as output" llama.gguf -o ./llama.gguf
refuse 2 'a file is missing' "no model" -o x.knot
refuse 3 'none\.gguf: can.t be opened' "a model that isn't there" none.gguf -o x.knot
refuse 4 'x\.knot: can.t be written' "a folder that isn't there" llama.gguf -o no/x.knot
refuse 4 '/dev/null: is a device or a pipe, which can.t hold a \.knot file; give the name of a file' "a device" llama.gguf -o /dev/null
refuse 3 'p\.txt: is not ' "a text" p.txt -o x.knot
printf 'GIF89a and so on, called a .knot file' >fake.knot
refuse 3 'fake\.knot: is not .*\(it begins with the bytes 47 49 46 38' "a picture called .knot" fake.knot -o x.knot
cp p.txt fake.knot
run phi3sat --model fake.knot --prompts p.txt --output x.csv
expect_status 3 "profile names it too"
ok "nothing is left of what was refused" test ! -e x.knot
done_testing
