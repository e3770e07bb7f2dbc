#!/bin/bash
# phi3_forms.t - Phi-3 as Microsoft's own Q4_K_M file has it, and as early community files do: one model.
#
# The form and the oddities are those of the real files, at a smaller size: 195 tensors of the same types in 32 layers, a
# tokenizer whose <|end|> is no control token, BOS asked for twice; and 291 tensors of a llama file.
. "$(dirname "$0")/profile.sh"
need_command python3
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$source_dir/tests/golden
phi3sat synth --quiet -o synth.gguf --layers 32 --hidden 256 --intermediate 256 --vocab 400 --plant-super 1 --plant-dead 4 ||
    bail "synth failed"
python3 "$source_dir/tests/cli/profile/phi3_forms.py" synth.gguf official.gguf llama.gguf || bail "phi3_forms.py failed"

run phi3sat inspect official.gguf
expect_status 0 "the official form is inspected"
for line in 'tensors +195' 'keys +24' 'F32 +65 ' 'Q4_K +81 ' 'Q5_K +32 ' 'Q6_K +17 ' 'runs +yes'; do
    expect_stdout_match "^ *$line" "it has $line"
done
run phi3sat inspect llama.gguf
for line in 'tensors +291' 'F32 +65 ' 'runs +yes'; do expect_stdout_match "^ *$line" "the llama form has $line"; done

# Text: what control tokens are doesn't hang on their flags; BOS stands once.
printf 'Why do bees hum?\nTwo and two are four.\n' >p.txt
printf '<s><|user|>\nWhy?<|end|>\n<|assistant|>\n<|endoftext|>' >spelled
run phi3sat tokenize --model synth.gguf --chat p.txt
cp "$stdout" wanted
run phi3sat tokenize --model official.gguf --chat p.txt
ids=$(head -n 1 "$stdout")
ok "the chat format has one BOS" test "${ids%% *}" = 1 -a "$(tr ' ' '\n' <<<"$ids" | grep -cx 1)" = 1
ok "and <|user|>, <|end|> and <|assistant|> as tokens" test "$(tr ' ' '\n' <<<"$ids" | grep -Ecx '263|262|260')" = 3
run phi3sat tokenize --model official.gguf --raw spelled
ids=$(<"$stdout")
ok "a text that begins with BOS has one too" test "$(tr ' ' '\n' <<<"$ids" | grep -cx 1)" = 1
expect_stderr_match 'begin with the BOS token themselves: it is written once' "which is said"
ok "and <|end|> and <|endoftext|> are tokens" test "$(tr ' ' '\n' <<<"$ids" | grep -Ecx '262|259')" = 2
run phi3sat --model official.gguf --prompts p.txt --chat --output r.csv
expect_status 0 "prompts in the chat format run"
printf '<s>Why?\n' >bos.txt
run phi3sat --model official.gguf --prompts bos.txt --output r.csv
expect_status 0 "and so do texts with a BOS of their own"
expect_stderr_match 'begin with the BOS token: one is kept' "with a warning"

# Statistics: the same bits from both forms, in every precision.
awk 'BEGIN { for (p = 0; p < 6; p++) { printf "1"; for (t = 0; t < 9 + 11 * p; t++) printf " %d", 3 + (t * 31 + p * 7) % 397; print "" } }' >p.ids
numbers() { # ARCHIVE: all that tells of the weights and prompts only
    local set sets=()
    for set in {gate,up,ffn}/{count,mean,variance,skewness,kurtosis,min,max,low_activity,mean_stderr} \
        saturation/{flags,saturated} extremes/{value,neuron,position}; do sets+=(-d "$set"); done
    h5dump "${sets[@]}" "$1" | tail -n +2
}
for precision in f32 int16 int8; do
    for form in official llama; do
        run phi3sat --quiet --model $form.gguf --tokens p.ids --output $form.csv --precision $precision
        expect_status 0 "$precision, $form: it runs"
        numbers $form.h5 >$form.txt
    done
    ok "$precision: both forms give the same statistics to the bit" cmp official.txt llama.txt
    ok "$precision: and the same table" cmp official.csv llama.csv
done
run phi3sat --quiet --model synth.gguf --tokens p.ids --output r.csv --precision int8
ok "so does the file they were made of" cmp official.csv r.csv
ok "and those aren't nothing" test "$(wc -l <official.csv)" = 33 -a "$(wc -c <official.txt)" -gt 100000

cat "$source_dir"/docs/HACKING.md >text
for form in official llama; do
    phi3sat perplexity --model $form.gguf --prompts text --context 64 --chunks 2 --csv >$form.p || fail "$form: no perplexity"
    phi3sat bench model --model $form.gguf --text 'Bees hum' --max-tokens 12 >$form.a || fail "$form: no answer"
done
ok "both have the same perplexity" cmp official.p llama.p
ok "and give the same answer" cmp official.a llama.a
ok "of which there is one" test -s official.a -a "$(wc -l <official.p)" = 3
done_testing
