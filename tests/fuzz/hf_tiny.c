/* hf_tiny.c - see hf_tiny.h. */
#include "hf_tiny.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"

#define HIDDEN 32
#define HEAD 8
#define KV 16 /* 2 heads */
#define VOCABULARY 300

static const char config[] =
    "{\"architectures\": [\"LlamaForCausalLM\"], \"model_type\": \"llama\", \"hidden_size\": 32, \"intermediate_size\": 32,"
    " \"num_hidden_layers\": 1, \"num_attention_heads\": 4, \"num_key_value_heads\": 2, \"vocab_size\": 300,"
    " \"max_position_embeddings\": 128, \"rms_norm_eps\": 1e-05, \"rope_theta\": 10000.0, \"hidden_act\": \"silu\","
    " \"bos_token_id\": 1, \"eos_token_id\": 2, \"tie_word_embeddings\": false}";

/* What has a tensor. */
enum { LLAMA = 1 << HF_TINY_LLAMA, QWEN2 = 1 << HF_TINY_QWEN2, QWEN3 = 1 << HF_TINY_QWEN3, PHI3 = 1 << HF_TINY_PHI3, APART = LLAMA | QWEN2 | QWEN3,
       ALL = APART | PHI3 };

static const struct {
    const char *name;
    size_t rows, columns; /* 0 rows: a vector */
    unsigned kinds;
} tensors[] = {
    {"model.embed_tokens.weight", VOCABULARY, HIDDEN, ALL},
    {"model.layers.0.input_layernorm.weight", 0, HIDDEN, ALL},
    {"model.layers.0.self_attn.q_proj.weight", HIDDEN, HIDDEN, APART},
    {"model.layers.0.self_attn.k_proj.weight", KV, HIDDEN, APART},
    {"model.layers.0.self_attn.v_proj.weight", KV, HIDDEN, APART},
    {"model.layers.0.self_attn.q_proj.bias", 0, HIDDEN, QWEN2},
    {"model.layers.0.self_attn.k_proj.bias", 0, KV, QWEN2},
    {"model.layers.0.self_attn.v_proj.bias", 0, KV, QWEN2},
    {"model.layers.0.self_attn.q_norm.weight", 0, HEAD, QWEN3},
    {"model.layers.0.self_attn.k_norm.weight", 0, HEAD, QWEN3},
    {"model.layers.0.self_attn.qkv_proj.weight", HIDDEN + 2 * KV, HIDDEN, PHI3},
    {"model.layers.0.self_attn.o_proj.weight", HIDDEN, HIDDEN, ALL},
    {"model.layers.0.post_attention_layernorm.weight", 0, HIDDEN, ALL},
    {"model.layers.0.mlp.gate_proj.weight", HIDDEN, HIDDEN, APART},
    {"model.layers.0.mlp.up_proj.weight", HIDDEN, HIDDEN, APART},
    {"model.layers.0.mlp.gate_up_proj.weight", 2 * HIDDEN, HIDDEN, PHI3},
    {"model.layers.0.mlp.down_proj.weight", HIDDEN, HIDDEN, ALL},
    {"model.norm.weight", 0, HIDDEN, ALL},
    {"lm_head.weight", VOCABULARY, HIDDEN, ALL},
};
#define TENSORS (sizeof tensors / sizeof *tensors)
#define BEFORE_FFN 12 /* those of the first shard */

void hf_tiny_put_config(void)
{
    (void)fuzz_put("config.json", config, sizeof config - 1);
}

/* Those of tensors [first, end) that a model of that kind has, as the file `name`. */
static void put_file(const char *name, size_t first, size_t end, enum hf_tiny_kind kind)
{
    static uint8_t file[1 << 17];
    char *const header = (char *)file + 8;
    size_t at = (size_t)snprintf(header, 4096, "{"), data = 0;
    for (size_t i = first; i < end; i++) {
        const size_t bytes = 2 * (tensors[i].rows ? tensors[i].rows : 1) * tensors[i].columns;
        char rows[24] = "";
        if (!(tensors[i].kinds >> kind & 1))
            continue;
        if (tensors[i].rows)
            snprintf(rows, sizeof rows, "%zu, ", tensors[i].rows);
        at += (size_t)snprintf(header + at, 4096 - at, "%s\"%s\": {\"dtype\": \"BF16\", \"shape\": [%s%zu], \"data_offsets\": [%zu, %zu]}",
                               data ? ", " : "", tensors[i].name, rows, tensors[i].columns, data, data + bytes);
        data += bytes;
    }
    at += (size_t)snprintf(header + at, 4096 - at, "}");
    for (size_t i = 0; i < 8; i++)
        file[i] = (uint8_t)((uint64_t)at >> 8 * i);
    for (size_t i = 0; i < data; i += 2) { /* around 0.1: 3D80 and the bits below */
        file[8 + at + i] = (uint8_t)(i * 37 % 251);
        file[8 + at + i + 1] = i % 6 ? 0x3d : 0xbd;
    }
    (void)fuzz_put(name, file, 8 + at + data);
}

void hf_tiny_put_weights(enum hf_tiny_kind kind)
{
    put_file("model.safetensors", 0, TENSORS, kind);
}

void hf_tiny_put_shards(void)
{
    static const char *const names[] = HF_TINY_SHARDS;
    put_file(names[0], 0, BEFORE_FFN, HF_TINY_LLAMA);
    put_file(names[1], BEFORE_FFN, TENSORS, HF_TINY_LLAMA);
}
