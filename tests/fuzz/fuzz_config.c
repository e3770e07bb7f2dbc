/* fuzz_config.c - a folder's config.json, with the weights of the models that the seeds describe. */
#define _GNU_SOURCE 1 /* memmem */

#include <string.h>

#include "fuzz.h"
#include "hf_tiny.h"
#include "model/weights.h"
#include "model_oracle.h"
#include "mutate.h"

static const char *const words[] = {
    "model_type", "llama", "phi3", "mistral", "qwen2", "qwen3", "phi", "gemma2", "mixtral", "architectures", "LlamaForCausalLM",
    "Phi3ForCausalLM", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads",
    "head_dim", "vocab_size", "max_position_embeddings", "original_max_position_embeddings", "rms_norm_eps", "rope_theta", "rope_scaling",
    "rope_parameters", "rope_type", "type", "factor", "linear", "dynamic", "yarn", "longrope", "su", "llama3", "default", "long_factor", "short_factor",
    "low_freq_factor", "high_freq_factor", "beta_fast", "beta_slow", "mscale", "attention_factor", "partial_rotary_factor", "sliding_window",
    "use_sliding_window", "max_window_layers", "layer_types", "full_attention", "sliding_attention", "hidden_act", "silu", "gelu",
    "attention_bias", "mlp_bias", "tie_word_embeddings", "bos_token_id", "eos_token_id", "quantization_config", "quant_method", "fp8",
    "num_local_experts", "torch_dtype", "text_config"};

/* The weights beside it are those of the kind that it seems to be. */
static void put_weights(const uint8_t *data, size_t size)
{
    static const char *const names[HF_TINY_KINDS] = {"\"llama\"", "\"qwen2\"", "\"qwen3\"", "\"phi3\""};
    static enum hf_tiny_kind last = HF_TINY_KINDS;
    enum hf_tiny_kind kind = HF_TINY_LLAMA;
    for (int i = 1; i < HF_TINY_KINDS; i++)
        if (memmem(data, size, names[i], strlen(names[i])))
            kind = (enum hf_tiny_kind)i;
    if (kind != last)
        hf_tiny_put_weights(kind);
    last = kind;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model_file *file = NULL;
    struct config config;
    struct weights weights;
    struct error e;
    fuzz_begin(data, size);
    put_weights(data, size);
    fuzz_memory_bound(64, 256 << 10); /* the weights beside it are 45 KB */
    (void)fuzz_put("config.json", data, size);
    error_clear(&e);
    if (model_file_open(&file, fuzz_folder(), &e) != STATUS_OK) {
        fuzz_refused(&e);
        return fuzz_end();
    }
    model_oracle(file);
    enum status s = config_read(&config, file, &e);
    if (s == STATUS_OK)
        s = weights_open(&weights, &config, file, &e);
    if (s == STATUS_OK)
        weights_free(&weights);
    if (s == STATUS_OK)
        fuzz_accepted();
    else
        fuzz_refused(&e);
    model_oracle_inspect(fuzz_folder());
    model_file_close(file);
    return fuzz_end();
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct mutate_random r = mutate_random(seed);
    if (mutate_one_in(&r, 10))
        return LLVMFuzzerMutate(data, size, max);
    return mutate_json(data, size, max, words, sizeof words / sizeof *words, &r);
}
