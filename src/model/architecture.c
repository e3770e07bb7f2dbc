/* architecture.c - see architecture.h.
 *
 * All that is run here is one graph: RMSNorm, causal attention with a rotary embedding, RMSNorm, and an FFN of gate and up
 * with silu between them. A model that is nearly that would run and give wrong numbers, so what isn't in the first table is
 * refused, and so are keys that change the graph of one that is.
 */
#include "architecture.h"

#include <stdio.h>
#include <string.h>

static const struct architecture architectures[] = {
    {.name = "phi3"},
    {.name = "llama", .rotary_pairs = true},
    {.name = "qwen2", .biases = true},
    {.name = "qwen3", .head_norms = true},
};

#define KNOWN "phi3sat profiles phi3, llama, qwen2 and qwen3 models"

#define MIXTURE "a mixture of experts, whose tokens meet different neurons"
#define GELU "its FFN's gate is a GELU, not silu"
#define NO_GATE "its FFN has no gate"
#define LAYER_NORM "it has LayerNorm where phi3 has RMSNorm"
#define SCALES "it scales embeddings, residuals or logits"
#define NO_ATTENTION "its layers aren't all attention"
#define PICTURES "its positions have several parts, for pictures"
#define ENCODER "it is an encoder, whose tokens see what follows them"

/* Those that people have, by the first thing that keeps them out. */
static const struct other {
    const char *name, *why;
} others[] = {
    {"phi2", "LayerNorm, attention beside the FFN, and an FFN without a gate"},
    {"phi3small", "clipped GeGLU, LayerNorm and block-sparse attention (Phi-3-small)"},
    {"phimoe", MIXTURE}, {"llama4", MIXTURE}, {"qwen2moe", MIXTURE}, {"qwen3moe", MIXTURE}, {"deepseek", MIXTURE},
    {"deepseek2", MIXTURE}, {"dbrx", MIXTURE}, {"grok", MIXTURE}, {"olmoe", MIXTURE}, {"arctic", MIXTURE},
    {"granitemoe", MIXTURE}, {"gpt-oss", MIXTURE}, {"glm4moe", MIXTURE}, {"ernie4_5-moe", MIXTURE}, {"jamba", MIXTURE},
    {"qwen3vlmoe", MIXTURE}, {"qwen3next", MIXTURE}, {"bailingmoe", MIXTURE}, {"hunyuan-moe", MIXTURE},
    {"gemma", GELU}, {"gemma2", GELU}, {"gemma3", GELU}, {"gemma3n", GELU}, {"gemma4", GELU},
    {"gpt2", NO_GATE}, {"gptj", NO_GATE}, {"gptneox", NO_GATE}, {"falcon", NO_GATE}, {"bloom", NO_GATE},
    {"mpt", NO_GATE}, {"starcoder", NO_GATE}, {"starcoder2", NO_GATE}, {"persimmon", NO_GATE}, {"nemotron", NO_GATE},
    {"stablelm", LAYER_NORM}, {"olmo", LAYER_NORM}, {"command-r", LAYER_NORM}, {"cohere2", LAYER_NORM},
    {"olmo2", "its norms stand behind attention and FFN"}, {"exaone4", "its norms stand behind attention and FFN"},
    {"granite", SCALES}, {"minicpm", SCALES}, {"minicpm3", SCALES},
    {"smollm3", "some of its layers have no rotary embedding"},
    {"qwen", "the first Qwen, whose tensors and keys are laid out otherwise"},
    {"qwen2vl", PICTURES}, {"qwen3vl", PICTURES},
    {"mamba", NO_ATTENTION}, {"mamba2", NO_ATTENTION}, {"rwkv6", NO_ATTENTION}, {"rwkv7", NO_ATTENTION},
    {"lfm2", NO_ATTENTION}, {"falcon-h1", NO_ATTENTION}, {"qwen35", NO_ATTENTION},
    {"bert", ENCODER}, {"nomic-bert", ENCODER}, {"modern-bert", ENCODER}, {"t5", ENCODER}, {"t5encoder", ENCODER},
    {"clip", "the part of a model that reads pictures (mmproj); give the file with the language model"},
};

static enum status refuse(struct model_file_text name, const struct model_file *f, struct error *e)
{
    const int length = (int)(name.length < 64 ? name.length : 64);
    const char *why = NULL;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (name.length == strlen(others[i].name) && memcmp(name.bytes, others[i].name, name.length) == 0)
            why = others[i].why;
    error_set(e, STATUS_INPUT, "is a model of architecture '%.*s'%s%s", length, name.bytes, why ? ": " : "", why ? why : "");
    error_advice(e, KNOWN);
    return error_file(e, model_file_path(f));
}

/* Keys of a model's own section that change the graph unless they have one of these values. */
static const struct graph_key {
    const char *name;
    double neutral[2];
    const char *what;
} graph_keys[] = {
    {"logit_scale", {0.0, 1.0}, "logits are scaled"},
    {"embedding_scale", {0.0, 1.0}, "embeddings are scaled"},
    {"residual_scale", {0.0, 1.0}, "what layers add is scaled"},
    {"attention.scale", {0.0, 0.0}, "attention has a scale of its own"},
    {"attention.temperature_length", {0.0, 0.0}, "attention's scale grows with the position"},
    {"attention.clamp_kqv", {0.0, 0.0}, "queries, keys and values are clamped"},
    {"attn_logit_softcapping", {0.0, 0.0}, "attention's scores are capped"},
    {"final_logit_softcapping", {0.0, 0.0}, "logits are capped"},
};

static enum status another_graph(const char *key, const char *what, const struct model_file *f, struct error *e)
{
    error_set(e, STATUS_INPUT, "is a variant that phi3sat doesn't run: %s", what);
    error_where(e, "key %s", key);
    error_advice(e, "use the model without it, if there is one");
    return error_file(e, model_file_path(f));
}

static enum status check_flags(const char *own, const struct model_file *f, struct error *e)
{
    char key[128];
    bool causal = true, found;
    snprintf(key, sizeof key, "%s.attention.causal", own);
    enum status s = model_file_get_bool(f, key, &causal, &found, e);
    if (s == STATUS_OK && !causal)
        return another_graph(key, "tokens see what follows them", f, e);
    snprintf(key, sizeof key, "%s.attention.sliding_window_pattern", own);
    if (s == STATUS_OK && model_file_has_key(f, key))
        return another_graph(key, "only some layers have a sliding window", f, e);
    return s;
}

static enum status check_experts(const char *own, const struct model_file *f, struct error *e)
{
    char key[128];
    uint64_t experts = 0;
    bool found;
    snprintf(key, sizeof key, "%s.expert_count", own);
    enum status s = model_file_get_uint(f, key, &experts, &found, e);
    if (s != STATUS_OK || experts == 0)
        return s;
    error_set(e, STATUS_INPUT, "is a mixture of %llu experts", (unsigned long long)experts);
    error_advice(e, "phi3sat profiles dense models, whose every token meets the same neurons");
    return error_file(e, model_file_path(f));
}

static enum status check_graph(const char *own, const struct model_file *f, struct error *e)
{
    enum status s = check_experts(own, f, e);
    if (s == STATUS_OK)
        s = check_flags(own, f, e);
    for (size_t i = 0; i < sizeof graph_keys / sizeof *graph_keys && s == STATUS_OK; i++) {
        const struct graph_key *k = &graph_keys[i];
        char key[128];
        double value = 0.0;
        bool found;
        snprintf(key, sizeof key, "%s.%s", own, k->name);
        s = model_file_get_float(f, key, &value, &found, e);
        if (s == STATUS_OK && found && value != k->neutral[0] && value != k->neutral[1])
            return another_graph(key, k->what, f, e);
    }
    return s;
}

enum status architecture_find(const struct architecture **found, const struct model_file *f, struct error *e)
{
    struct model_file_text name;
    *found = NULL;
    enum status s = model_file_get_word(f, "general.architecture", &name, NULL, e);
    if (s != STATUS_OK)
        return s;
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++)
        if (name.length == strlen(architectures[i].name) && memcmp(name.bytes, architectures[i].name, name.length) == 0)
            *found = &architectures[i];
    return *found ? check_graph((*found)->name, f, e) : refuse(name, f, e);
}
