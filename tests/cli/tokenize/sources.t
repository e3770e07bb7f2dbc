#!/bin/bash
# sources.t - where prompts come from: JSON, folders, pipes, gzip and Zstandard; what is skipped,
# dropped or refused, and that all of it is said.
. "$(dirname "$0")/../../tap/tap.sh"
need_command gzip python3
spm=$source_dir/tests/golden/tokenizer-spm.gguf
tokens() { phi3sat tokenize --model "$spm" "$@"; }

printf '<|user|>\n<|end|>\n\n<tool>\n' >text
tokens text >wanted 2>/dev/null

# same FILE CLAIM [STDERR-REGEX CLAIM]: the prompts of `text`, in another form.
same() {
    run phi3sat tokenize --model "$spm" "$1"
    expect_stdout "$2" <wanted
    (($# == 2)) || expect_stderr_match "$3" "$4"
}

gzip -nc text >one.gz
same one.gz "gzip is read as it is" 'text, gzip' "and said"
{
    head -c 9 text | gzip -nc
    tail -c +10 text | gzip -nc
} >two.gz
same two.gz "all members of a gzip file are read, a prompt across two of them too"
cp two.gz other-name
same other-name "whatever its name"
run bash -c "cat two.gz | phi3sat tokenize --model '$spm' -"
expect_stdout "from a pipe as well" <wanted
{ cat two.gz && head -c 512 /dev/zero; } >padded.gz
same padded.gz "padding with zeros is no fault"
ok "nor worth a word" test "$(grep -c warning "$stderr")" = 0
{ cat two.gz && printf 'junk!'; } >junk.gz
same junk.gz "what follows the last member is not used" '^warning: 5 bytes behind the compressed data' "but counted"
if command -v zstd >/dev/null; then
    { head -c 9 text | zstd -qc && printf '\x50\x2a\x4d\x18\x02\0\0\0xx' && tail -c +10 text | zstd -qc --check; } >two.zst
    same two.zst "all frames of a Zstandard file are read, skippable ones skipped" 'text, Zstandard' "and said"
    head -c -3 two.zst >cut.zst
else
    skip 2 "zstd is not installed"
fi

# refuse STATUS REGEX CLAIM ARGUMENT...
refuse() {
    local code=$1 regex=$2 claim=$3
    shift 3
    run phi3sat tokenize --model "$spm" "$@"
    expect_status "$code" "$claim: status $code"
    expect_error_lines 1 "$claim: one line"
    expect_stderr_match "$regex" "$claim: says why"
    expect_empty stdout "$claim: prints nothing"
}
size=$(stat -c %s two.gz) first=$(head -c 9 text | gzip -nc | wc -c)
refused=0
for ((cut = first + 2; cut < size; cut++)); do
    head -c "$cut" two.gz >cut.gz
    tokens cut.gz >out 2>err
    (($? == 3)) && grep -q '^phi3sat: cut.gz: gzip member 2 is cut short' err && [[ ! -s out ]] && ((++refused))
done
is "$refused" "$((size - first - 2))" "a second member cut at any of its bytes is refused"
[[ -e cut.zst ]] && refuse 3 'cut.zst: Zstandard frame . is cut short' "a frame cut short" cut.zst
python3 - <<'PY'
data = bytearray(open("one.gz", "rb").read())
data[-6] ^= 1
open("crc.gz", "wb").write(data)
PY
refuse 3 'crc.gz: gzip member 1 is damaged: its checksum is wrong' "a wrong checksum" crc.gz
yes "The same line again and again." | head -c 70000000 | gzip -nc >bomb.gz
refuse 3 'bomb.gz: unpacks to more than 250 times its size \(byte [0-9]+\); unpack it yourself' "70 MB in a file of 200 KB" bomb.gz
yes "The same line again and again." | head -c 310000 | gzip -nc >repeated.gz
tokens repeated.gz >out 2>err
is "$? $(wc -l <out)" "0 10000" "one line repeated 10,000 times are prompts"
gzip -nc one.gz >twice.gz
refuse 3 'is compressed twice' "gzip in gzip" twice.gz
printf '\xff\xfeh\0i\0\n\0' >utf16
refuse 3 'utf16: is UTF-16 text; .*iconv' "UTF-16" utf16
refuse 3 'is a model file' "a model for prompts" "$spm"

mkdir folder folder/sub
printf '<|user|>\r\n' >folder/a.txt
printf '{"text":"<|end|>"}\n[1]\n' >folder/b.jsonl
printf '["<tool>"]' | gzip -nc >folder/c.json.gz
: >folder/.hidden
: >folder/empty.txt
same folder "a folder's files are read by name, each as what it is" 'prompts are read as: 4 files' "and counted"
expect_stderr_match '^warning: 2 entries of the folder' "what is no file is said"
expect_stderr_match 'the first: folder/b.jsonl, line 2: it is neither' "faults are told with the file"
refuse 3 'folder/sub: the folder holds no files' "a folder without files" folder/sub

printf '\xef\xbb\xbf{"text":"<|user|>"}\r\n\r\n{"text":\n{"prompt":"<|end|>"}\r\n{"id":7}\r\n{"content":"<tool>"}' >lines
same lines "a BOM, carriage returns and blank lines are dropped from JSON Lines" '2 records were skipped: 1 are no JSON, 1 have no field' \
    "records that are no prompts are counted by kind"
expect_stderr_match 'line 3: it is no JSON: it ends too early' "and the first is told"
expect_stderr_match '^1 blank records' "blank lines are counted"
expect_stderr_match '^4 carriage returns' "carriage returns too"
run phi3sat tokenize --model "$spm" --input-format text lines
is "$(wc -l <"$stdout")" 5 "--input-format text takes them as text"
printf '"<|user|>"\n"<|end|>"\n"<tool>"\n' >quoted
run phi3sat tokenize --model "$spm" --input-format json quoted
expect_stdout "--input-format json takes lines of strings" <wanted
{ cat lines && yes '{' | head -n 99; } >broken
refuse 3 'broken: more than 100 records are no prompts.*line 104' "the 101st record that is no prompt" broken
printf '{"messages":[{"role":"user","content":"<|user|>"},{"role":"assistant","content":"<tool>"}]}' >messages
run phi3sat tokenize --model "$spm" messages
expect_stderr_match '^1 prompts are conversations: without --chat' "messages without --chat are told"
ok "messages without --chat are joined by a newline" test "$(cut -d' ' -f1-2 <"$stdout")" = "1 3"

printf 'nul \0 byte\n<|user|>\n' >nul
run phi3sat tokenize --model "$spm" nul
is "$(wc -l <"$stdout")" 2 "a NUL byte ends nothing"
expect_stderr_match '^warning: 1 prompts hold NUL bytes' "and is said"
printf 'caf\xe9 cr\xe8me\nd\xe9j\xe0 vu\n' >latin
run phi3sat tokenize --model "$spm" latin
expect_status 0 "Latin-1 is run"
expect_stderr_match "^warning: the text looks like Latin-1, not UTF-8.*iconv" "as the bytes it is, and recognised"
mkdir full
printf x >full/x
run env TMPDIR=text/none phi3sat tokenize --model "$spm" full
expect_status 0 "little text needs no temporary file"
head -c 9000000 /dev/zero | tr '\0' 'a' | fold -w 999 >big
run bash -c "cat big | TMPDIR=text/none phi3sat tokenize --model '$spm' -"
expect_status 1 "much text does"
expect_stderr_match 'text/none: a temporary file for the prompts.*TMPDIR' "and TMPDIR is named"
run bash -c "cat big | phi3sat tokenize --model '$spm' - | cksum"
cp "$stdout" piped
run bash -c "phi3sat tokenize --model '$spm' big | cksum"
ok "a pipe gives what the file gives" cmp -s piped "$stdout"
run ls -A "${TMPDIR:-/tmp}"
ok "no temporary file is left" test "$(grep -c phi3sat-prompts "$stdout")" = 0
done_testing
