#!/bin/bash
# basics.t - phi3sat tokenize: text in, ids out, and what is refused.
#
# The vocabularies are our own (tests/golden/make_tokenizer.py); the ids that are pinned here
# are those of its letters and special tokens, which stand at the front in a fixed order:
# <unk> <s> </s> <|user|> <|end|> <|endoftext|> <tool>, then the 256 bytes from 7 on.
. "$(dirname "$0")/../../tap/tap.sh"
spm=$source_dir/tests/golden/tokenizer-spm.gguf
bpe=$source_dir/tests/golden/tokenizer-bpe.gguf

printf '<|user|><|end|>\n\n<tool>\r\n \t\n<|user|>' >text
run phi3sat tokenize --model "$spm" text
expect_status 0 "a text file is tokenised"
expect_stdout "one prompt a line, blank lines skipped, BOS in front" <<<$'1 3 4\n1 6\n1 3'
expect_stderr_match '^2 blank lines skipped$' "the blank lines are counted"
run phi3sat tokenize --knot="$spm" --no-bos --num-prompts 2 text
expect_stdout "--no-bos leaves BOS out, --num-prompts takes the first" <<<$'3 4\n6'
run_with text phi3sat tokenize --model "$spm" -
expect_stdout "- is standard input" <<<$'1 3 4\n1 6\n1 3'
run_with text phi3sat tokenize --model "$spm" /dev/stdin
expect_stdout "and so is /dev/stdin" <<<$'1 3 4\n1 6\n1 3'
run bash -c "cat text | phi3sat tokenize --model '$spm' /dev/stdin"
expect_stdout "as a pipe too" <<<$'1 3 4\n1 6\n1 3'

printf '\xef\xbb\xbf<|end|>\r\n<|end|>' >bom
run phi3sat tokenize --model "$spm" bom
expect_stdout "a BOM and carriage returns are dropped" <<<$'1 4\n1 4'
printf '<|end|>\n<|end|>\x01\n' >lines
run phi3sat tokenize --model "$spm" --raw --no-bos lines
ok "--raw is one prompt" test "$(wc -l <"$stdout")" = 1
expect_stdout_match '^4 4 [0-9]+ 8 [0-9]+$' "with all of its bytes, the last newline too" # byte 01 is token 8
printf '<|user|>' >plain
run phi3sat tokenize --model "$spm" --no-parse-special --no-bos plain
expect_stdout_match '^[0-9]+( [0-9]+)+$' "--no-parse-special reads a control token as text"

printf '<s><|user|>\n\xff\n' >odd
run phi3sat tokenize --model "$spm" odd
expect_stdout_match '^1 3$' "BOS is written once"
expect_stdout_match ' 262$' "a malformed byte is its byte token"
expect_stderr_match '^warning: 1 malformed UTF-8 sequences' "malformed bytes are told"
expect_stderr_match '^warning: 1 prompts begin with the BOS token' "as is a BOS in the text"

printf '<tool><|user|>\xff' >byte
run phi3sat tokenize --model "$bpe" --raw byte
expect_stdout_match '^2 1( [0-9]+)+$' "byte-level files are read"
: >empty
run phi3sat tokenize --model "$bpe" --raw empty
expect_status 0 "an empty file is a raw prompt"
expect_stdout "without tokens, an empty line" <<<''
run phi3sat tokenize --model "$spm" empty
expect_status 3 "but no file of prompts"
expect_error_lines 1 "which is said in one line"
expect_stderr_match '^phi3sat: empty: the file holds no prompts' "by name"

refuse() { # STATUS REGEX CLAIM ARGUMENT...
    local code=$1 regex=$2 claim=$3
    shift 3
    run phi3sat tokenize "$@"
    expect_status "$code" "$claim: status $code"
    expect_error_lines 1 "$claim: one line"
    expect_stderr_match "$regex" "$claim: says why"
    expect_empty stdout "$claim: prints nothing"
}
refuse 2 'no model is given' "no model" text
refuse 2 'a file is missing' "no file" --model "$spm"
refuse 2 'unknown option' "an unknown option" --model "$spm" --nonsense text
refuse 2 'num-prompts' "no prompts wanted" --model "$spm" --num-prompts 0 text
refuse 3 'No such file' "a missing model" --model missing text
refuse 3 'No such file' "a missing text" --model "$spm" missing
refuse 3 'is a folder' "a folder for a raw text" --model "$spm" --raw .
refuse 3 '^phi3sat: text: ' "a model that is none" --model text text
head -c 5000 "$spm" >short.gguf
refuse 3 '^phi3sat: short.gguf: ' "a model cut short" --model short.gguf text
run bash -c "phi3sat tokenize --model '$spm' text >/dev/full"
expect_status 4 "a full disk is an output error"
expect_error_lines 1 "said in one line"
run phi3sat tokenize --help
expect_status 0 "--help is no error"
expect_stdout_match '--no-parse-special' "and lists the options"
done_testing
