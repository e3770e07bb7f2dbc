#!/bin/bash
# basics.t - phi3sat synth: files, manifest, the same bytes for the same seed, and what is refused.
. "$(dirname "$0")/../../tap/tap.sh"
prompts=$source_dir/data/demo-prompts.txt

run phi3sat synth -o m.gguf --plant-dead 3 --plant-duplicate 2 --plant-super 1 --manifest 'my "manifest".json'
expect_status 0 "a model is made with the defaults"
expect_empty stdout "nothing on standard output"
expect_stderr_match '^m\.gguf: [0-9.]+ MB in [0-9.]+ s$' "its size is told"
ok "the manifest lies beside it" test -s 'my "manifest".json'
if command -v python3 >/dev/null; then
    run python3 -c '
import collections, json, sys
m = json.load(open("my \"manifest\".json"))
print(m["model"], m["architecture"], m["type"], m["layers"], m["hidden"], m["intermediate"], m["seed"])
counts = collections.Counter((p["class"], p["layer"]) for p in m["planted"])
print(*(f"{c} {n}" for (c, layer), n in sorted(counts.items()) if layer in (0, 3)), len(counts))
print(all(("partner" in p) == (p["class"] == "duplicate") and 0 <= p["neuron"] < 768 for p in m["planted"]))
'
    expect_stdout "the manifest is JSON and lists all of them" <<'END'
m.gguf phi3 q4_k_m 4 256 768 1
dead 3 dead 3 duplicate 2 duplicate 2 super 1 super 1 12
True
END
else
    skip 1 "python3 is not installed"
fi

run phi3sat synth --quiet -o again.gguf --threads 3 --plant-dead 3 --plant-duplicate 2 --plant-super 1
expect_status 0 "another run"
expect_empty stderr "--quiet says nothing"
ok "one seed gives the same bytes, whatever the threads" cmp -s m.gguf again.gguf
run phi3sat synth --quiet -o other.gguf --seed 2 --plant-dead 3 --plant-duplicate 2 --plant-super 1
ok "another seed gives others" test "$(cmp -l m.gguf other.gguf | wc -l)" -gt 1000000
run bash -c 'phi3sat synth --quiet -o /dev/stdout --plant-dead 3 --plant-duplicate 2 --plant-super 1 | cmp - m.gguf'
expect_status 0 "it can go through a pipe"

run phi3sat tokenize --model m.gguf "$prompts"
expect_status 0 "its vocabulary reads prompts"
ok "at 2 bytes a token and more" test "$(($(wc -w <"$stdout") * 2))" -lt "$(wc -c <"$prompts")"

# One seed is one network.
for arch in phi3 llama qwen2 qwen3; do
    phi3sat synth --quiet -o $arch.gguf --arch $arch --type F32 --layers 1 --hidden 64 --intermediate 96 --kv-heads 2
    head -n 3 "$prompts" >few.txt
    run phi3sat --quiet --model $arch.gguf --prompts few.txt --output $arch.csv
done
ok "phi3 and llama of one seed give the same activations" cmp -s phi3.csv llama.csv
ok "qwen2's biases give others" test -s qwen2.csv -a "$(cmp -s phi3.csv qwen2.csv; echo $?)" = 1
ok "and so do qwen3's norms of heads" test -s qwen3.csv -a "$(cmp -s phi3.csv qwen3.csv; echo $?)" = 1
for arch in phi3 llama qwen2 qwen3; do
    phi3sat synth --quiet -o own.gguf --arch $arch --layers 1 --hidden 64 --intermediate 96 --heads 3 --head-dim 16 --kv-heads 1
    run phi3sat --quiet --model own.gguf --prompts few.txt --output own.csv
    expect_status 0 "$arch: heads may have their own size"
done

refuse() { # STATUS REGEX CLAIM ARGUMENT...
    local code=$1 regex=$2 claim=$3
    shift 3
    run phi3sat synth "$@"
    expect_status "$code" "$claim: status $code"
    expect_error_lines 1 "$claim: one line"
    expect_stderr_match "^phi3sat: .*$regex" "$claim: says why"
    is "$(wc -l <"$stderr")" 1 "$claim: and nothing else"
}
mkdir empty
cd empty || bail "no folder"
refuse 2 'no output: give -o FILE' "no output"
refuse 2 '-o.*needs a value|--output needs a value' "no name" -o
refuse 2 'unexpected word' "a word too many" -o x.gguf y.gguf
refuse 2 '--hidden 250 and --heads 4' "heads that don't share" -o x.gguf --hidden 250
refuse 2 '--hidden 36 and --heads 12' "heads of odd size" -o x.gguf --hidden 36 --heads 12
refuse 2 '--head-dim 15 is odd' "heads of odd size of their own" -o x.gguf --head-dim 15
refuse 2 '--heads 4 and --kv-heads 3' "key heads" -o x.gguf --kv-heads 3
refuse 2 '--vocab .* from 320 ' "a vocabulary too small" -o x.gguf --vocab 319
refuse 2 "--type 'Q9_K' is unknown" "an unknown type" -o x.gguf --type Q9_K
refuse 2 "--type 'IQ4_XS' is unknown" "a type without an encoder" -o x.gguf --type IQ4_XS
refuse 2 '385 neurons of a layer.s 768' "too many planted" -o x.gguf --plant-dead 1 --plant-duplicate 192
refuse 2 '--arch' "an unknown architecture" -o x.gguf --arch bert
refuse 2 'name the same file' "two outputs of one name" -o x.gguf --manifest x.gguf
refuse 4 'No such file' "no such folder" -o no/x.gguf
refuse 4 'No such file' "no folder for the manifest" -o x.gguf --manifest no/x.json
refuse 4 'No space left' "a full disk" -o /dev/full
is "$(ls -A)" "" "what was refused left nothing behind"
run phi3sat synth --help
expect_status 0 "--help is no error"
expect_stdout_match '^  -o, --output FILE' "and lists the options"
done_testing
