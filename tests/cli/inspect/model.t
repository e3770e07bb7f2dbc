#!/bin/bash
# model.t - phi3sat inspect: what is said of model files, as text and as JSON, runnable or not.
. "$(dirname "$0")/../../tap/tap.sh"
need_command python3
python3 "$source_dir/tests/cli/inspect/odd_models.py" || bail "odd_models.py failed"
tiny() { python3 "$source_dir/tests/golden/make_tiny.py" -o "$@" || bail "make_tiny.py failed"; }

# shellcheck disable=SC2016 # Jinja, not the shell's
tiny phi3.gguf --layers 4 --with-vocab --vocab 300 --window 20 --longrope-orig 64 \
    --chat-template '{{ bos_token }}{% for m in messages %}{{"<|user|>" + "\n" + m.content + "<|end|>" + "\n" + "<|assistant|>"}}'
run phi3sat inspect phi3.gguf
expect_status 0 "a model is inspected"
expect_empty stderr "without a word on standard error"
for line in '^phi3.gguf$' '^  what +model$' '^  format +GGUF v3$' "^  file size .*\\($(wc -c <phi3.gguf) bytes\\)$" \
    '^  architecture +phi3$' '^  name +tiny$' '^  layers +4$' '^  hidden size +64$' '^  intermediate size +96$' \
    '^  heads +4$' '^  kv heads +4$' '^  head size +16$' '^  vocabulary +300$' '^  context +128$' '^  tensors +29$' \
    '^  bits per weight +32$' '^  F32 +29 +178256 +696 KiB$' '^  kind +SentencePiece$' '^  tokens +300$' '^  bos +1$' \
    '^  bos text +<s>$' '^  bos is added +yes$' '^  chat format +Phi-3' '^  runs +yes$' '^  attention tensors +fused' \
    '^  ffn tensors +fused' '^  window +20$' '^  window from +phi3\.attention\.sliding_window$' \
    '^  rotary +longrope \(64\)$' '^  long factors from +65$' '^  short factors most +1\.14$' '^  long factors most +4\.5$' \
    '^Memory of a rank' '^ +1 +4 +[0-9]' '^ +2 +2 +[0-9]' '^ +4 +1 +[0-9]'; do
    expect_stdout_match "$line" "a line: $line"
done
ok "no line is longer than 80 columns" test "$(awk '{ if (length > most) most = length } END { print most }' "$stdout")" -le 80
ok "and without --tensors none is a tensor's" test "$(grep -c 'blk\.' "$stdout")" = 0
run phi3sat inspect --tensors phi3.gguf
expect_stdout_match '^  token_embd\.weight +\[64, 300\] +F32 +76800 +[0-9]+$' "--tensors: name, shape, type, bytes, offset"
is "$(grep -c '^  .*\.weight ' "$stdout")" 29 "one line a tensor"

# What inspect says is what a run does.
printf 'the of and to\n' >prompts
run phi3sat synth --quiet -o synth.gguf --arch llama --kv-heads 2 --intermediate 512
for model in synth phi3; do
    run phi3sat --quiet --model $model.gguf --prompts prompts --output p.csv
    run phi3sat inspect --json $model.gguf p.h5
    ok "window, rotary, sizes and types are those that a run's archive holds: $model" python3 -c '
import json, sys
m, a = json.load(open(sys.argv[1]))
p, w, s = m["profile"], a["measured"], m["model"]
assert (p["window"], p["rotary"], p["rotary_dimensions"]) == (w["window"], w["rotary"], w["rotary_dimension"])
assert (s["layers"], s["hidden_size"], s["intermediate_size"], s["heads"], s["kv_heads"], s["head_size"], s["vocabulary"],
        s["context"]) == tuple(w[k] for k in ("layers", "hidden_size", "intermediate_size", "heads", "kv_heads",
                                              "head_dimension", "vocabulary", "context"))
assert ", ".join("%s %d" % (t["type"], t["tensors"]) for t in m["weights"]["types"]) == a["run"]["weight_types"]
' "$stdout"
done

run phi3sat inspect --json --tensors phi3.gguf
ok "JSON has the file's numbers" python3 - "$stdout" <<'PY'
import json, os, sys
m = json.load(open(sys.argv[1]))
assert m["file"] == "phi3.gguf" and m["what"] == "model" and m["file_size"] == os.path.getsize("phi3.gguf")
t = {x["name"]: x for x in m["tensors"]}
assert len(t) == 29 == m["weights"]["tensors"]
assert t["blk.0.attn_qkv.weight"]["shape"] == [64, 192] and t["blk.0.attn_qkv.weight"]["bytes"] == 64 * 192 * 4
assert sum(x["bytes"] for x in t.values()) == m["weights"]["bytes"]
last = max(t.values(), key=lambda x: x["offset"])
assert 0 <= m["file_size"] - last["offset"] - last["bytes"] < 32
assert m["profile"]["runs"] is True and m["tokenizer"]["bos_is_added"] is True and m["tokenizer"]["bos_text"] == "<s>"
for row in m["memory"]["stages"]:
    assert row["total"] == row["weights"] + row["state"] + row["working_context"]
rows = m["memory"]["stages"]
assert [r["stages"] for r in rows] == [1, 2, 4] and [r["layers"] for r in rows] == [4, 2, 1]
assert rows[0]["state"] == 5 * (2 * 3 * 64 * 192 + 544)     # 4 layers, 1 written: blocks of 64 neurons, 192 bytes each; facts
layer = sum(x["bytes"] for n, x in t.items() if n.startswith("blk.3."))
assert rows[0]["weights"] == 4 * layer + t["token_embd.weight"]["bytes"]
assert rows[2]["weights"] == layer   # a stage in the middle: it has a batch that comes in and one that goes out
PY

# Others: what is unusual about them is said, the rest is shown; status 0.
shows() { # FILE REGEX...
    local file=$1 regex
    shift
    run phi3sat inspect "$file"
    expect_status 0 "$file can be inspected"
    expect_empty stderr "$file: nothing on standard error"
    tr -s ' \n' ' ' <"$stdout" >folded
    for regex in "$@"; do
        if grep -Eq -- "$regex" folded; then pass "$file: $regex"; else
            fail "$file: $regex"
            tap_show
        fi
    done
    run phi3sat inspect --json --tensors "$file"
    ok "$file: JSON is JSON" python3 -c 'import json, sys; json.load(open(sys.argv[1], encoding="utf-8"))' "$stdout"
}
shows good.gguf 'runs yes' 'attention tensors separate \(attn_q, attn_k, attn_v\)' 'ffn tensors separate' \
    'window none: attention sees the whole prompt' 'kv heads 1' 'token ids only \(--tokens, or made\): there is no tokenizer' \
    'problem the file has no tokenizer' 'rotary plain'
shows good2.gguf 'format GGUF v2' 'runs yes'
shows missing.gguf 'runs no' 'refusal a tensor is missing \(tensor blk\.0\.ffn_down\.weight\); ' 'Memory of a rank'
shows undecodable.gguf 'runs no' "refusal a tensor of weights has type I16: integers" 'I16 1 1536 3.0 KiB' 'Memory of a rank'
shows biased.gguf 'runs no' 'a tensor is missing \(tensor blk\.0\.attn_k\.bias\)'
shows gemma2.gguf 'architecture gemma2' 'layers 1' 'hidden size 32' 'heads 2' 'kv heads 1' 'head size 16' 'vocabulary 20' \
    'context 256' 'runs no' \
    "refusal is a model of architecture 'gemma2': its FFN's gate is a GELU, not silu; phi3sat profiles phi3, llama, qwen2" \
    'attention tensors separate'
shows experts.gguf 'runs no' 'mixture of 8 experts' 'layers 1'
shows dynamic.gguf 'runs no' "rotary scaling 'dynamic'"
shows yarn.gguf 'runs yes' 'rotary yarn \(4 of 64\)' 'rotary divisor 4' 'attention factor 1\.138'
shows linear.gguf 'runs yes' 'rotary linear \(4\)' 'rotary divisor 4'
shows long.gguf 'runs yes' 'work, 16777216'
shows deep.gguf 'layers 9223372036854775813' 'context 18446744073709551615' 'runs no'
shows nothing.gguf 'architecture unknown' 'layers unknown' 'tensors 0' 'runs no' 'holds a vocabulary only'
shows vocabulary.gguf 'vocabulary 5' 'tokens 5' 'bos text <s>' 'runs no' \
    'refusal the file has no tensors: it holds a vocabulary only; give the file with the weights'
shows foreign-tokenizer.gguf 'runs yes' 'model rwkv\\x1b\[5m' "token ids only \(--tokens\): phi3sat can't use the tokenizer" \
    'chat format ChatML'
shows layers.gguf 'runs no' 'layers 4096' '4096 +1 ' # stages up to 4096
shows "$source_dir/tests/golden/tokenizer-bpe.gguf" 'kind byte-level BPE' 'merges [0-9]+' 'pre tokenizer '
tiny odd-chat.gguf --layers 1 --with-vocab --vocab 300 --chat-template '{{ "<start_of_turn>" }}'
shows odd-chat.gguf 'chat format unknown' "chat problem the model's chat template is Gemma's.*leave --chat out"

# Refused.
refuse() { # STATUS REGEX CLAIM ARGUMENT...
    local code=$1 regex=$2 claim=$3
    shift 3
    run phi3sat inspect "$@"
    expect_status "$code" "$claim: status $code"
    expect_error_lines 1 "$claim: one line"
    is "$(wc -l <"$stderr")" 1 "$claim: and nothing else"
    expect_stderr_match "$regex" "$claim: says why"
    expect_empty stdout "$claim: prints nothing"
}
refuse 2 'files? (is|are) missing' "no file"
refuse 2 'unknown option' "an unknown option" --nonsense phi3.gguf
refuse 3 '^phi3sat: nosuch: .*No such file' "a missing file" nosuch
refuse 3 '^phi3sat: \.: is a folder' "a folder" .
refuse 3 '^phi3sat: prompts: is not a GGUF file' "a text" prompts
refuse 3 '^phi3sat: prompts: is not a GGUF file' "a text, as JSON" --json prompts
head -c 20000 phi3.gguf >cut.gguf
refuse 3 '^phi3sat: cut.gguf: ' "a model cut short" cut.gguf

# Several files.
run phi3sat inspect phi3.gguf nosuch good.gguf prompts
expect_status 3 "of several files, one that can't be read gives the status"
expect_error_lines 2 "each is said in one line"
is "$(grep -c '^  what ' "$stdout")" 2 "the others are shown"
run phi3sat inspect --json phi3.gguf nosuch p.h5
ok "in JSON all have their place" python3 -c '
import json, sys
a, b, c = json.load(open(sys.argv[1]))
assert a["what"] == "model" and c["what"] == "archive" and b["file"] == "nosuch" and "No such file" in b["error"]' "$stdout"
run bash -c "phi3sat inspect phi3.gguf >/dev/full"
expect_status 4 "a full disk is an output error"
expect_error_lines 1 "said in one line"
run phi3sat inspect --help
expect_status 0 "--help is no error"
expect_stdout_match '--tensors' "and lists the options"
run phi3sat --help
expect_stdout_match '^  inspect +print what a model' "the program's help has the command"
done_testing
