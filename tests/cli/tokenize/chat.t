#!/bin/bash
# chat.t - --chat: texts and messages in the form that the model file's template names.
. "$(dirname "$0")/../../tap/tap.sh"
need_command python3
model() { # FILE TEMPLATE
    python3 "$source_dir/tests/golden/make_tiny.py" --layers 1 --with-vocab --vocab 300 --name phi3 --chat-template "$2" \
        -o "$1" || bail "make_tiny.py failed"
}
# shellcheck disable=SC2016 # Jinja, not the shell's
early='{{ bos_token }}{% for m in messages %}{{"<|user|>" + "\n" + m.content + "<|end|>" + "\n" + "<|assistant|>"}}'
model phi3.gguf "$early"
model none.gguf ''
model odd.gguf '{{ "<start_of_turn>" }}'

printf 'the of\n' >text
printf '<|user|>\nthe of<|end|>\n<|assistant|>\n' >spelled
run phi3sat tokenize --model phi3.gguf --raw spelled
cp "$stdout" wanted
run phi3sat tokenize --model phi3.gguf --chat text
expect_stdout "a text becomes the user's message, the head of the answer behind it" <wanted
expect_stderr_match '^chat format: Phi-3' "the form is said"
expect_stdout_match '^1 [^1]' "one BOS stands in front"
printf '{"messages":[{"role":"system","content":"the"},{"role":"user","content":"of"}]}' >messages
printf '<|user|>\nthe\nof<|end|>\n<|assistant|>\n' >spelled
run phi3sat tokenize --model phi3.gguf --raw spelled
cp "$stdout" wanted
run phi3sat tokenize --model phi3.gguf --chat messages
expect_stdout "messages are put into it" <wanted
printf 'the\nof' >raw
run phi3sat tokenize --model phi3.gguf --chat --raw raw
expect_stdout "a raw file is one message" <wanted
run phi3sat tokenize --model phi3.gguf --chat --no-bos raw --raw
ok "--no-bos leaves BOS out" test "1 $(cat "$stdout")" = "$(cat wanted)"
run phi3sat tokenize --model none.gguf --chat text
expect_status 3 "a file without a template is refused"
expect_stderr_match '^phi3sat: none.gguf: the model file has no chat template; .*leave --chat out' "with what to do"
run phi3sat tokenize --model odd.gguf --chat text
expect_status 3 "an unknown template is refused"
expect_stderr_match "^phi3sat: odd.gguf: the model's chat template is Gemma's" "by name"
expect_error_lines 1 "in one line"
run phi3sat tokenize --model phi3.gguf --raw --input-format json text
expect_status 2 "--raw has no format"
done_testing
