# shellcheck shell=bash disable=SC2154
# seeds_texts.sh - seeds of the targets that read prompts, token ids, criteria and command lines; see make_seeds.sh.

seeds_prompts() {
    head -n 12 "$source_dir/data/demo-prompts.txt" >demo.txt
    printf '\xef\xbb\xbfOne line.\r\n\r\n  \nCaf\xe9 and caf\xc3\xa9\nthe last one' >odd.txt
    printf '1 2 3\n42\n7\t8 999\n' >ids.txt
    printf '%s\n' '{"prompt": "Say hello.", "id": 7}' '' '{"text": "\u00e9\ud83d\ude00\ud800 \u0000 end"}' \
        '{"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "image"}]}]}' \
        '{"conversations": [{"from": "human", "value": "One?"}, {"from": "gpt", "value": "Two."}]}' \
        '{"instruction": "Add", "input": "1 and 2", "output": "3"}' '"only a text"' '{"other": 1}' 'no JSON' >records.jsonl
    printf '[ {"text": "a"},\n {"prompt": [{"role": "user", "content": "b"}]} , {"content": "c"}]\n' >array.json
    printf '{\n  "text": "a",\n  "n": [1, 2.5e3, null, true]\n}\n{ "text": "b" }\n' >values.json
    python3 - <<'END'
import json
deep = "x"
for i in range(40):
    deep = [deep, {"k": deep}] if i < 3 else [deep]
with open("deep.jsonl", "w") as f:
    f.write(json.dumps({"text": "a", "more": deep}) + "\n")
with open("utf16.txt", "wb") as f:
    f.write("two bytes each\n".encode("utf-16"))
END
}

seeds_packed() {
    python3 - <<'END'
import gzip
text = "".join(f"Prompt {i} of a file.\n" for i in range(60)).encode()
packed = gzip.compress(text, mtime=0)
open("one.gz", "wb").write(packed)
open("two.gz", "wb").write(packed + gzip.compress(b'{"text": "behind"}\n', mtime=0))
open("padded.gz", "wb").write(packed + bytes(512))
open("garbage.gz", "wb").write(packed + b"something else")
open("records.gz", "wb").write(gzip.compress(b'{"text": "a"}\n{"text": "b"}\n', mtime=0))
open("empty.gz", "wb").write(gzip.compress(b"", mtime=0) + packed)
END
    # Zstandard's frames need its program.
    command -v zstd >/dev/null || return 0
    head -n 30 "$source_dir/data/demo-prompts.txt" >p
    zstd -q -c p >one.zst
    zstd -q -c --no-check p >unchecked.zst
    { zstd -q -c p && printf '\x50\x2a\x4d\x18\x04\x00\x00\x00skip' && zstd -q -c --single-thread p; } >frames.zst
    zstd -q -c --ultra -22 <p >window.zst
    rm p
}

seeds_tokens() {
    printf '1 2 3\n' >few.txt
    printf '\xef\xbb\xbf1\t2  3 \r\n\n   \n32063 0\n' >spaces.txt
    seq -s ' ' 100 400 >long.txt
    seq 1 200 >lines.txt
}

seeds_expression() {
    local i=0 text
    for text in 'ffn.variance < 0.1 * median(ffn.variance)' 'gate.variance < 1e-4 and up.variance < 1e-4 or ffn.inactive >= 0.8' \
        'not (abs(ffn.mean) > 3 * ffn.mean_stderr) and ffn.kurtosis != 0' 'sqrt(up.variance) / average(up.variance) <= -ffn.min + 2 - ffn.max' \
        '(((ffn.skewness == 0)))' 'gate.low_activity - gate.low_activity_stderr > 0.5'; do
        i=$((i + 1))
        printf '%s' "$text" >"$i.txt"
    done
}

seeds_options() {
    printf '%s\n' --model m.gguf --prompts p.txt --output r.csv --num-prompts=10 --threads 4 --variance-threshold 0.01 --grid 4x2 >profile.txt
    printf '%s\n' --model m.gguf --tokens t.txt --append r.h5 --checkpoint c.ckpt --checkpoint-every 5 --shard 0/4 --window off --quiet >append.txt
    printf '%s\n' a.h5 b.h5 -o c.h5 --output c.csv >merge.txt
    printf '%s\n' r.h5 --criterion 'ffn.variance < 0.1' --combine any --html r.html >report.txt
    printf '%s\n' -o m.gguf --arch llama --layers 2 --hidden 256 --seed 7 >synth.txt
    printf '%s\n' --help >help.txt
    printf '%s\n' --shape 8192x3072 --batch 1,16,64 --type Q4_K,Q6_K -- operand >bench.txt
}
