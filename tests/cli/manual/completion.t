#!/bin/bash
# completion.t - what bash offers: commands, options, words of a list, files, where a user presses the tab key.
. "$(dirname "$0")/../../tap/tap.sh"

run phi3sat --completion bash
expect_status 0 "the script is printed"
script=$tap_home/phi3sat.bash
cp "$stdout" "$script"
ok "it is the one of the build" cmp "$script" "$build_dir/man/phi3sat.bash"
# shellcheck source=/dev/null
ok "bash takes it" . "$script"
run phi3sat --completion fish
expect_status 2 "another shell is refused"
expect_error_lines 1 "in one line"

: >model.gguf
: >'two words.gguf'
mkdir folder
# offers WORD...: what is offered for the last of these words, sorted, separated by |.
offers() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    # shellcheck disable=SC2034 # bash has these for a completion
    COMP_LINE="$*" COMP_POINT=$(printf %s "$*" | wc -c)
    _phi3sat
    ((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort | paste -sd'|'
}

commands=$(phi3sat --help | sed -n '/^Commands/,/^Options/s/^  \([a-z]*\) .*/\1/p' | LC_ALL=C sort | paste -sd'|')
is "$(offers phi3sat '')" "$commands" "all commands"
is "$(offers phi3sat pro)" "profile|prompts" "commands that begin so"
is "$(offers phi3sat bench '')" "ffn|kernels|matvec|model|roof" "what bench can do"
is "$(offers phi3sat bench m)" "matvec|model" "of that what begins so"
is "$(offers phi3sat --var)" "--variance-threshold" "an option of profile, where no command is given"
is "$(offers phi3sat --ver)" "--verbose|--version" "and of the program"
is "$(offers phi3sat report --co)" "--combine" "an option of a command"
is "$(offers phi3sat report --chat)" "" "not of another one"
is "$(offers phi3sat bench kernels --ty)" "--types" "an option of a benchmark"
is "$(offers phi3sat bench --shar)" "--shares" "bench alone is bench ffn"

for command in '' profile report compare synth plan tokenize 'bench model' merge; do
    # shellcheck disable=SC2086 # two words, or none
    is "$(offers phi3sat $command --)" \
        "$({ phi3sat $command --help; [[ $command ]] || phi3sat profile --help; } |
            sed -nE 's/^  (-[a-z], )?(--[a-z0-9-]+).*/\2/p' | LC_ALL=C sort -u | paste -sd'|')" \
        "${command:-no command}: all its options, and no others"
done

is "$(offers phi3sat --precision '')" "f32|int16|int8" "words of a list"
is "$(offers phi3sat report r.h5 --combine f)" "ffn" "one of them"
is "$(offers phi3sat report --combine = '')" "all|any|ffn" "behind an = that bash cut off"
is "$(offers phi3sat report --combine =)" "all|any|ffn" "right behind it"
is "$(offers phi3sat report --combine=a)" "--combine=all|--combine=any" "behind an = that it left"
is "$(offers phi3sat bench kernels --precision f32,in)" "f32,int16|f32,int8" "further words of a list with commas"
is "$(offers phi3sat --grid a)" "auto" "a word that stands beside free forms"
is "$(offers phi3sat --model '')" "folder|model.gguf|two words.gguf" "files"
is "$(offers phi3sat --model t)" "two words.gguf" "names with blanks"
is "$(offers phi3sat --resume '')" "auto|folder|model.gguf|two words.gguf" "files, or a word"
is "$(offers phi3sat report --svg '')" "folder" "folders where a folder is wanted"
is "$(offers phi3sat synth -o m)" "model.gguf" "a letter's value"
is "$(offers phi3sat inspect '')" "folder|model.gguf|two words.gguf" "operands"
is "$(offers phi3sat --seed '')" "" "nothing where a number is wanted"
is "$(offers phi3sat synth '')" "" "nor where there are no operands"
is "$(offers phi3sat --manual re)" "report" "pages of the manual"

# What is offered is taken.
refused=''
for type in $(offers phi3sat synth --type '' | tr '|' ' '); do
    phi3sat synth -o made.gguf --layers 1 --quiet --type "$type" 2>/dev/null || refused+=" $type"
done
is "$refused" "" "each type that is offered for synth is one"
run phi3sat bench kernels --types "$(offers phi3sat bench kernels --types '' | tr '|' ',')" --rows 1 --shape 32x256 \
    --threads 1 --iterations 1 --seconds 0.001
expect_status 0 "each type that is offered for bench kernels is one"
done_testing
