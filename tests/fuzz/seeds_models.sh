# shellcheck shell=bash disable=SC2154
# seeds_models.sh - seeds of the targets that read model files; see make_seeds.sh.

tiny() { quietly python3 "$golden/make_tiny.py" "$@"; }
forms() { quietly /usr/bin/python3 "$golden/gguf_forms.py" "$@"; }

# Both architectures, tied and not, LongRoPE, a window, two kinds of tokenizers. Made once for all targets.
small_models() {
    local made=$kept/small
    if [[ ! -d $made ]]; then
        mkdir "$made"
        tiny -o "$made/phi3.gguf" --layers 1 --hidden 32 --intermediate 32 --vocab 40
        tiny -o "$made/llama.gguf" --arch llama --layers 2 --hidden 32 --intermediate 48 --kv-heads 2 --vocab 40 --tied --rope-freqs
        tiny -o "$made/longrope.gguf" --layers 1 --hidden 32 --intermediate 32 --vocab 40 --longrope-orig 4 --window 3 --separate
    fi
    cp "$made"/*.gguf .
}

seeds_gguf() {
    small_models
    tiny -o vocabulary.gguf --arch llama --layers 1 --hidden 16 --intermediate 16 --heads 2 --vocab 300 --with-vocab --chat-template '<|user|>\n<|end|>\n<|assistant|>\n'
    cp "$golden/tokenizer-bpe.gguf" "$golden/tokenizer-spm.gguf" .
    # Other forms need NumPy.
    /usr/bin/python3 -c "import numpy" 2>/dev/null || return 0
    forms phi3.gguf big.gguf --big
    forms phi3.gguf align.gguf --align 64
    mkdir set
    forms phi3.gguf set/m.gguf --split 3
    quietly python3 "$source_dir/tests/fuzz/join_parts.py" parts set/*.gguf
    rm -r set
}

seeds_knot() {
    small_models
    local model
    for model in *.gguf; do
        quietly phi3sat pack "$model" -o "${model%.gguf}.knot"
        rm "$model"
    done
}

# Types whose rows have to be 256 wide make larger files; of those, the ones with products of their own.
seeds_forward() {
    small_models
    tiny -o nan.gguf --layers 1 --hidden 32 --intermediate 32 --vocab 40 --plant-nan 0:3 --plant-super 0:5
    local type
    for type in Q4_0 Q8_0 Q4_K Q6_K BF16; do
        quietly phi3sat synth -o "$type.gguf" --arch qwen2 --layers 1 --hidden 256 --intermediate 256 --heads 2 --kv-heads 1 --head-dim 32 \
            --vocab 320 --tied --type "$type"
    done
}

# A folder with tokenizer.json, and tokenizer.model beside it. Made once for all targets.
folder_file() {
    local made_folder=$kept/folder
    if [[ ! -d $made_folder ]]; then
        tiny -o "$made_folder.gguf" --arch llama --layers 1 --hidden 32 --intermediate 32 --heads 4 --kv-heads 2 --vocab 300 --with-vocab
        quietly python3 "$golden/make_hf.py" "$made_folder.gguf" "$made_folder"
        quietly python3 "$golden/make_hf.py" "$made_folder.gguf" "$made_folder" --tokenizer model
    fi
    cp "$made_folder/$1" .
}

seeds_config() {
    folder_file config.json
    # What the fields around rotary embeddings and windows may be.
    python3 - <<'END'
import json
with open("config.json") as f:
    base = json.load(f)
more = {
    "linear": {"rope_scaling": {"type": "linear", "factor": 2.0}},
    "yarn": {"rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32, "beta_fast": 32, "beta_slow": 1}},
    "llama3": {"rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                                "original_max_position_embeddings": 32}},
    "longrope": {"model_type": "phi3", "original_max_position_embeddings": 32, "sliding_window": 16, "max_position_embeddings": 64,
                 "rope_scaling": {"type": "longrope", "short_factor": [1.0] * 4, "long_factor": [2.0, 3, 4, 5]}},
    "qwen2": {"model_type": "qwen2", "use_sliding_window": False, "sliding_window": 16, "max_window_layers": 1,
              "layer_types": ["full_attention"], "tie_word_embeddings": True},
    "qwen3": {"model_type": "qwen3", "head_dim": 8, "attention_bias": False, "bos_token_id": [1, 2], "eos_token_id": [2]},
    "parameters": {"rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}, "quantization_config": {"quant_method": "fp8"}},
}
for name, fields in more.items():
    with open(name + ".json", "w") as f:
        json.dump({**base, **fields}, f)
END
}

seeds_safetensors() { folder_file model.safetensors; }

seeds_tokenizer_json() {
    folder_file tokenizer.json
    # Those of the goldens: byte-level, Metaspace, Unigram.
    cp "$golden"/folder/{gpt2,llama3,mistral,phi3,phi4,qwen2,tekken,unigram,unigram-whole,noprefix}.json .
}

seeds_tokenizer_model() { folder_file tokenizer.model; }

# The smaller files of a folder, each behind a line that names it: fuzz_folder.c.
seeds_folder() {
    local i
    {
        printf 'index\n{"metadata": {"total_size": 45728}, "weight_map": {'
        for i in model.embed_tokens model.layers.0.{input_layernorm,self_attn.{q,k,v,o}_proj}; do
            printf '"%s.weight": "model-00001-of-00002.safetensors", ' "$i"
        done
        for i in model.layers.0.{post_attention_layernorm,mlp.{gate,up,down}_proj} model.norm; do
            printf '"%s.weight": "model-00002-of-00002.safetensors", ' "$i"
        done
        printf '"lm_head.weight": "model-00002-of-00002.safetensors"}}\n'
    } >index
    folder_file tokenizer_config.json
    { echo tokenizer_config && cat tokenizer_config.json; } >tokenizer_config
    rm tokenizer_config.json
    cat >template <<'END'
template
{{ bos_token }}{% for message in messages %}<|{{ message['role'] }}|>
{{ message['content'] }}<|end|>
{% endfor %}<|assistant|>
END
    cat >template_list <<'END'
tokenizer_config
{"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": {"content": "<s>"}, "eos_token": "</s>", "add_bos_token": true,
 "chat_template": [{"name": "tool_use", "template": "x"}, {"name": "default", "template": "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"}]}
END
}
