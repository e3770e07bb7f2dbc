#!/bin/bash
# tokenizer.t - tokenizer.json and tokenizer.model of folders: the ids of Hugging Face's tokenizers and of the same GGUF.
. "$(dirname "$0")/folder.sh"
need_command python3
golden=$source_dir/tests/golden/folder
config='{"model_type": "llama", "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
         "max_position_embeddings": 4096}'

# Trained by us in the combinations of steps that models have, with the ids that the tokenizers library gives (compare_folder.py).
for json in "$golden"/*.json; do
    kind=$(basename "$json" .json)
    mkdir "$kind"
    echo "$config" >"$kind/config.json"
    cp "$json" "$kind/tokenizer.json"
    cut -f 1 "$golden/$kind.ids" >texts.jsonl
    cut -f 2 "$golden/$kind.ids" >ids
    run phi3sat tokenize --model "$kind" texts.jsonl
    expect_status 0 "$kind: a folder of config.json and tokenizer.json tokenises"
    holds "$kind: the reference's ids" diff ids "$stdout"
done
# A test that can't fail shows nothing.
run phi3sat tokenize --model phi3 texts.jsonl
if cmp -s ids "$stdout"; then fail "another tokenizer gives other ids"; else pass "another tokenizer gives other ids"; fi

# The same vocabulary as GGUF, tokenizer.json and tokenizer.model: one archive from text, BOS, special tokens and all.
{ words 6 3 30; printf '<s> the  of and\n the\tof\n'; printf 'caf\xc3\xa9 \xff\xfe and \xe6\x97\xa5\n'; } >prompts
for name in tiny phi-3; do
    tiny $name.gguf --arch llama --with-vocab --vocab 300 --name $name
    run phi3sat --quiet --model $name.gguf --prompts prompts --output g.csv
    for form in json model; do
        python3 "$source_dir/tests/golden/make_hf.py" $name.gguf $name-$form --tokenizer $form || bail "make_hf.py failed"
        run phi3sat --quiet --model $name-$form --prompts prompts --output r.csv
        expect_status 0 "$name: it runs with tokenizer.$form"
        same g.h5 r.h5 "$name: tokenizer.$form gives the archive of the GGUF"
        run phi3sat inspect $name-$form
        expect_stdout_match '^  kind +SentencePiece$' "$name: inspect knows the kind"
        expect_stdout_match '^  bos text +<s>$' "$name: and BOS"
    done
done
# No memory, wherever it is asked for: status 1 and one line.
python3 "$source_dir/tests/golden/make_hf.py" tiny.gguf shards --shards 2 || bail "make_hf.py failed"
failing=$build_dir/tests/torture/phi3sat_failing
for folder in shards tiny-model qwen2 unigram; do
    PHI3SAT_TEST_COUNT=$tap_io/count run "$failing" tokenize --model $folder prompts
    expect_status 0 "$folder: with memory it tokenises"
    total=$(sed -n 's/^alloc //p' "$tap_io/count.0") wrong=
    for ((number = 0; number < total; number += 1 + total / 40)); do
        PHI3SAT_TEST_FAIL=0:alloc:$number run "$failing" tokenize --model $folder prompts
        if ((status != 1)) || (($(grep -c '^phi3sat: .*memory' "$stderr") != 1)); then wrong+="$number: status $status; "; fi
    done
    is "$wrong" "" "$folder: no allocation fails but in one line"
done
relay python3 "$source_dir/tests/cli/folder/tokenizer.py" phi3 llama3 tiny-model
done_testing
