/* hf_config.c - see hf_config.h.
 *
 * Field names and the values that stand for missing fields are those of the transformers library's configuration
 * classes; key names are GGUF's. What is no field of a GGUF either (activations, quantisation) is checked here, because
 * nobody behind this room could know of it.
 */
#include "hf_config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/memory.h"
#include "hf_json.h"

#define KNOWN "phi3sat reads folders of phi3, llama, mistral, qwen2 and qwen3 models"
#define MOST_FACTORS (1u << 13) /* heads are some hundred wide; what one key claims must not take megabytes */
#define TURN 6.283185307179586

/* A model_type, the architecture that a GGUF calls it, and what its class takes for granted. */
static const struct kind {
    const char *type, *architecture;
    double epsilon;
    bool window;        /* "sliding_window" counts in all layers, unless it is null       */
    bool window_switch; /* ... only if "use_sliding_window", and from layer "max_window_layers" on */
} kinds[] = {
    {"phi3", "phi3", 1e-5, true, false},
    {"llama", "llama", 1e-6, false, false},
    {"mistral", "llama", 1e-6, true, false},
    {"qwen2", "qwen2", 1e-6, false, true},
    {"qwen3", "qwen3", 1e-6, false, true},
};

/* Names that differ between the two worlds, for refusals that say what a model is. */
static const char *const renamed[][2] = {
    {"phi", "phi2"}, {"qwen2_moe", "qwen2moe"}, {"qwen3_moe", "qwen3moe"}, {"gpt_neox", "gptneox"}, {"gpt_oss", "gpt-oss"},
    {"deepseek_v2", "deepseek2"}, {"deepseek_v3", "deepseek2"}, {"cohere", "command-r"}, {"gemma3_text", "gemma3"},
    {"qwen2_vl", "qwen2vl"}, {"qwen2_5_vl", "qwen2vl"}, {"qwen3_vl", "qwen3vl"},
};

/* While one file is read. */
struct reading {
    const struct mapping *map;
    struct json_value root;
    const struct kind *kind;
    struct made_keys *keys;
    struct error *e;
    uint64_t heads, head_dim, context;
    double base;
};

static enum status wrong(const struct reading *r, struct json_value at, const char *field, const char *what)
{
    char where[128];
    snprintf(where, sizeof where, "field \"%.80s\"", field);
    hf_json_refuse(r->map, at, where, what, r->e);
    return error_advice(r->e, "convert or download it again; if it stays so, phi3sat doesn't know this kind of model");
}

static void key_name(const struct reading *r, const char *name, char key[128])
{
    snprintf(key, 128, "%s.%s", r->kind->architecture, name);
}

/* The field, if it is there and not null. */
static bool field(struct json_value object, const char *name, struct json_value *value)
{
    return json_find(object, name, value) && json_kind(*value) != JSON_NULL;
}

/* A size of the model; `preset` stands for a missing one, 0: there must be one. */
static enum status read_size(const struct reading *r, const char *name, uint64_t preset, uint64_t *size)
{
    struct json_value value;
    *size = preset;
    if (!field(r->root, name, &value))
        return preset ? STATUS_OK : wrong(r, r->root, name, "a field is missing");
    if (!hf_json_uint(value, size) || *size == 0 || *size > INT32_MAX)
        return wrong(r, value, name, "a size is no whole number from 1 to 2147483647");
    return STATUS_OK;
}

static enum status read_real(const struct reading *r, struct json_value object, const char *name, double preset, double *number)
{
    struct json_value value;
    *number = preset;
    if (field(object, name, &value) && !hf_json_real(value, number))
        return wrong(r, value, name, "a field is no number");
    return STATUS_OK;
}

static void put_size(const struct reading *r, const char *name, uint64_t size)
{
    char key[128];
    key_name(r, name, key);
    made_keys_uint(r->keys, key, size);
}

static void put_real(const struct reading *r, const char *name, double number)
{
    char key[128];
    key_name(r, name, key);
    made_keys_real(r->keys, key, number);
}

static void put_text(const struct reading *r, const char *name, const char *text)
{
    char key[128];
    key_name(r, name, key);
    made_keys_text(r->keys, key, text, strlen(text));
}

const char *hf_config_field(const char *key)
{
    static const char *const fields[][2] = {{"block_count", "num_hidden_layers"},
                                            {"embedding_length", "hidden_size"},
                                            {"feed_forward_length", "intermediate_size"},
                                            {"attention.head_count", "num_attention_heads"},
                                            {"attention.head_count_kv", "num_key_value_heads"},
                                            {"attention.key_length", "head_dim"},
                                            {"attention.value_length", "head_dim"},
                                            {"attention.layer_norm_rms_epsilon", "rms_norm_eps"},
                                            {"attention.sliding_window", "sliding_window"},
                                            {"context_length", "max_position_embeddings"},
                                            {"rope.freq_base", "rope_theta"}};
    const char *name = strchr(key, '.');
    if (strcmp(key, "general.architecture") == 0)
        return "model_type";
    for (size_t i = 0; name && i < sizeof fields / sizeof *fields; i++)
        if (strcmp(name + 1, fields[i][0]) == 0)
            return fields[i][1];
    return NULL;
}

static enum status read_sizes(struct reading *r)
{
    static const char *const sizes[][2] = {{"num_hidden_layers", "block_count"},
                                           {"hidden_size", "embedding_length"},
                                           {"intermediate_size", "feed_forward_length"},
                                           {"num_attention_heads", "attention.head_count"},
                                           {"max_position_embeddings", "context_length"}};
    enum { HIDDEN = 1, HEADS = 3, CONTEXT = 4, SIZES = 5 };
    uint64_t size[SIZES] = {0}, kv_heads = 0;
    double epsilon;
    struct json_value value;
    enum status s = STATUS_OK;
    for (size_t i = 0; i < SIZES && s == STATUS_OK; i++) {
        s = read_size(r, sizes[i][0], 0, &size[i]);
        put_size(r, sizes[i][1], size[i]);
    }
    if (s == STATUS_OK)
        s = read_size(r, "num_key_value_heads", size[HEADS], &kv_heads);
    put_size(r, "attention.head_count_kv", kv_heads);
    r->heads = size[HEADS];
    r->context = size[CONTEXT];
    r->head_dim = r->heads ? size[HIDDEN] / r->heads : 0;
    if (s == STATUS_OK && field(r->root, "head_dim", &value)) {
        s = read_size(r, "head_dim", 0, &r->head_dim);
        put_size(r, "attention.key_length", r->head_dim);
        put_size(r, "attention.value_length", r->head_dim);
    } else if (strcmp(r->kind->type, "qwen3") == 0) { /* its class's preset, whatever the heads */
        r->head_dim = 128;
        put_size(r, "attention.key_length", r->head_dim);
        put_size(r, "attention.value_length", r->head_dim);
    }
    if (s == STATUS_OK)
        s = read_real(r, r->root, "rms_norm_eps", r->kind->epsilon, &epsilon);
    if (s == STATUS_OK)
        put_real(r, "attention.layer_norm_rms_epsilon", epsilon);
    return s;
}

/* "layer_types" of newer files, one word a layer. Some, but not all of them sliding: a key that says so. */
static void read_layer_types(const struct reading *r, bool *none, bool *listed)
{
    struct json_value types, type;
    size_t sliding = 0, count = 0;
    *listed = hf_json_member(r->root, "layer_types", JSON_ARRAY, &types);
    if (!*listed)
        return;
    struct json_walk walk = json_begin(types);
    for (; json_next(&walk, NULL, &type); count++)
        sliding += json_kind(type) == JSON_STRING && json_is(type, "sliding_attention");
    *none = sliding == 0;
    if (sliding && sliding < count)
        put_size(r, "attention.sliding_window_pattern", sliding);
}

static enum status read_window(const struct reading *r)
{
    struct json_value value;
    uint64_t window = 0, layers = 0, from = 0;
    bool on = r->kind->window, none = false, listed;
    if (!(r->kind->window || r->kind->window_switch) || !field(r->root, "sliding_window", &value))
        return STATUS_OK;
    if (r->kind->window_switch && (!field(r->root, "use_sliding_window", &value) || !hf_json_bool(value, &on) || !on))
        return STATUS_OK;
    enum status s = read_size(r, "sliding_window", 0, &window);
    read_layer_types(r, &none, &listed);
    if (s == STATUS_OK && r->kind->window_switch && !listed) {
        s = read_size(r, "num_hidden_layers", 0, &layers);
        from = 28; /* the classes' preset */
        if (s == STATUS_OK && field(r->root, "max_window_layers", &value) && !hf_json_uint(value, &from))
            return wrong(r, value, "max_window_layers", "a field is no whole number");
        none = from >= layers;
        if (from && !none)
            put_size(r, "attention.sliding_window_pattern", layers - from);
    }
    if (s == STATUS_OK && !none)
        put_size(r, "attention.sliding_window", window);
    return s;
}

/* ---- rotary embedding ---- */

static enum status read_factors(const struct reading *r, struct json_value scaling, const char *name, size_t count,
                                float **factors)
{
    struct json_value list, value;
    if (!hf_json_member(scaling, name, JSON_ARRAY, &list))
        return wrong(r, scaling, name, "a list is missing");
    const size_t there = hf_json_count(list);
    if (there != count) {
        char sentence[96];
        snprintf(sentence, sizeof sentence, "a list has %zu rotary factors, expected %zu", there, count);
        return wrong(r, list, name, sentence);
    }
    enum status s = memory_array(factors, count, sizeof **factors, "rotary factors", r->e);
    struct json_walk walk = json_begin(list);
    for (size_t i = 0; s == STATUS_OK && json_next(&walk, NULL, &value); i++) {
        double number;
        if (!hf_json_real(value, &number))
            s = wrong(r, value, name, "a rotary factor is no number");
        else
            (*factors)[i] = (float)number;
    }
    return s;
}

/* "original_max_position_embeddings", which some files have outside the scaling's object. */
static enum status read_original(const struct reading *r, struct json_value scaling, bool required, uint64_t *context)
{
    static const char name[] = "original_max_position_embeddings";
    struct json_value value;
    *context = r->context;
    if (!field(scaling, name, &value) && !field(r->root, name, &value))
        return required ? wrong(r, scaling, name, "a field is missing") : STATUS_OK;
    if (!hf_json_uint(value, context) || *context == 0 || *context > INT32_MAX)
        return wrong(r, value, name, "a size is no whole number from 1 to 2147483647");
    put_size(r, "rope.scaling.original_context_length", *context);
    return STATUS_OK;
}

static enum status read_longrope(const struct reading *r, struct json_value scaling, struct hf_config *c)
{
    uint64_t original;
    double factor = 0.0;
    struct json_value value;
    enum status s = read_original(r, scaling, true, &original);
    if (s == STATUS_OK)
        s = read_factors(r, scaling, "short_factor", c->factors, &c->factors_short);
    if (s == STATUS_OK)
        s = read_factors(r, scaling, "long_factor", c->factors, &c->factors_long);
    if (s == STATUS_OK && (field(scaling, "short_mscale", &value) || field(scaling, "long_mscale", &value)))
        return wrong(r, value, "short_mscale", "LongRoPE has factors of its own on short and long prompts, which phi3sat doesn't run");
    if (s == STATUS_OK)
        s = read_real(r, scaling, "attention_factor", 0.0, &factor);
    put_text(r, "rope.scaling.type", "longrope");
    if (factor > 0.0)
        put_real(r, "rope.scaling.attn_factor", factor);
    return s;
}

static enum status read_yarn(const struct reading *r, struct json_value scaling)
{
    static const char *const reals[][2] = {{"beta_fast", "rope.scaling.yarn_beta_fast"},
                                           {"beta_slow", "rope.scaling.yarn_beta_slow"},
                                           {"attention_factor", "rope.scaling.yarn_attn_factor"}};
    uint64_t original;
    double number = 1.0;
    struct json_value value;
    bool truncate = true;
    enum status s = read_original(r, scaling, false, &original);
    if (s == STATUS_OK)
        s = read_real(r, scaling, "factor", 1.0, &number);
    put_text(r, "rope.scaling.type", "yarn");
    put_real(r, "rope.scaling.factor", number);
    for (size_t i = 0; i < 3 && s == STATUS_OK; i++) {
        s = read_real(r, scaling, reals[i][0], 0.0, &number);
        if (s == STATUS_OK && number != 0.0)
            put_real(r, reals[i][1], number);
    }
    if (s == STATUS_OK && field(scaling, "truncate", &value) && hf_json_bool(value, &truncate) && !truncate)
        return wrong(r, value, "truncate", "YaRN without rounded corners is a variant that phi3sat doesn't run");
    if (s == STATUS_OK && (field(scaling, "mscale", &value) || field(scaling, "mscale_all_dim", &value)))
        return wrong(r, value, "mscale", "YaRN with factors of its own is a variant that phi3sat doesn't run");
    return s;
}

/* What Llama 3.1 divides its frequencies by: nothing where a turn takes few tokens, `factor` where it takes many, and
 * something between in between (Meta's apply_scaling; GGUF has the numbers in rope_freqs.weight). */
static enum status read_llama3(const struct reading *r, struct json_value scaling, struct hf_config *c)
{
    double factor, low, high;
    uint64_t original;
    struct json_value value;
    enum status s = read_real(r, scaling, "factor", 8.0, &factor);
    if (s == STATUS_OK)
        s = read_real(r, scaling, "low_freq_factor", 1.0, &low);
    if (s == STATUS_OK)
        s = read_real(r, scaling, "high_freq_factor", 4.0, &high);
    if (s != STATUS_OK)
        return s;
    if (!field(scaling, "original_max_position_embeddings", &value) || !hf_json_uint(value, &original) || original == 0)
        return wrong(r, scaling, "original_max_position_embeddings", "a field is missing or no whole number");
    if (!(factor >= 1.0 && low > 0.0 && high > low))
        return wrong(r, scaling, "rope_scaling", "the factors are none that make sense");
    s = memory_array(&c->frequency_factors, c->factors, sizeof *c->frequency_factors, "rotary factors", r->e);
    for (size_t i = 0; i < c->factors && s == STATUS_OK; i++) {
        const double length = TURN * pow(r->base, (double)i / (double)c->factors), turns = (double)original / length;
        const double smooth = (turns - low) / (high - low);
        double by = factor;
        if (turns > high)
            by = 1.0;
        else if (turns >= low)
            by = 1.0 / ((1.0 - smooth) / factor + smooth);
        c->frequency_factors[i] = (float)by;
    }
    return s;
}

static enum status read_linear(const struct reading *r, struct json_value scaling)
{
    double factor;
    enum status s = read_real(r, scaling, "factor", 1.0, &factor);
    put_text(r, "rope.scaling.type", "linear");
    put_real(r, "rope.scaling.factor", factor);
    return s;
}

static enum status read_scaling(const struct reading *r, struct json_value scaling, struct hf_config *c)
{
    struct json_value type;
    if (!hf_json_member(scaling, "rope_type", JSON_STRING, &type) && !hf_json_member(scaling, "type", JSON_STRING, &type))
        return wrong(r, scaling, "rope_type", "a field is missing");
    if (json_is(type, "default") || json_is(type, "none"))
        return STATUS_OK;
    if (json_is(type, "linear"))
        return read_linear(r, scaling);
    if (json_is(type, "longrope") || json_is(type, "su"))
        return read_longrope(r, scaling, c);
    if (json_is(type, "yarn"))
        return read_yarn(r, scaling);
    if (json_is(type, "llama3"))
        return read_llama3(r, scaling, c);
    char sentence[96];
    snprintf(sentence, sizeof sentence, "uses the rotary scaling %.*s", (int)(type.length < 32 ? type.length : 32), type.bytes);
    wrong(r, type, "rope_scaling", sentence);
    return error_advice(r->e, "phi3sat knows none, linear, llama3, yarn and longrope");
}

/* Base and scaling: fields of their own, or, in newer files, members of "rope_parameters". */
static enum status read_rotary(struct reading *r, struct hf_config *c)
{
    struct json_value scaling = {0}, value;
    double partial;
    const bool newer = field(r->root, "rope_parameters", &scaling);
    const bool scaled = newer || field(r->root, "rope_scaling", &scaling);
    if (scaled && json_kind(scaling) != JSON_OBJECT)
        return wrong(r, scaling, newer ? "rope_parameters" : "rope_scaling", "a field is no object");
    enum status s = read_real(r, r->root, "rope_theta", 10000.0, &r->base);
    if (s == STATUS_OK && newer)
        s = read_real(r, scaling, "rope_theta", r->base, &r->base);
    if (s == STATUS_OK)
        s = read_real(r, r->root, "partial_rotary_factor", 1.0, &partial);
    if (s == STATUS_OK && newer)
        s = read_real(r, scaling, "partial_rotary_factor", partial, &partial);
    if (s != STATUS_OK)
        return s;
    if (!(r->base >= 1.0))
        return wrong(r, r->root, "rope_theta", "the rotary base is below 1");
    if (!(partial > 0.0 && partial <= 1.0))
        return wrong(r, r->root, "partial_rotary_factor", "is not above 0 and at most 1");
    const uint64_t rotary = (uint64_t)((double)r->head_dim * partial);
    if (rotary < 2) /* factors would be a tensor without elements */
        return wrong(r, r->root, "partial_rotary_factor", "no two dimensions of a head are left to rotate");
    if (rotary / 2 > MOST_FACTORS)
        return wrong(r, r->root, "head_dim", "more dimensions of a head rotate than any model has");
    c->factors = (size_t)(rotary / 2);
    put_real(r, "rope.freq_base", r->base);
    put_size(r, "rope.dimension_count", rotary);
    if (scaled && !field(scaling, "rope_type", &value) && !field(scaling, "type", &value) && newer)
        return STATUS_OK;
    return scaled ? read_scaling(r, scaling, c) : STATUS_OK;
}

/* ---- what is no key of a GGUF ---- */

static enum status check_activation(const struct reading *r)
{
    struct json_value value;
    if (!field(r->root, "hidden_act", &value) || (json_kind(value) == JSON_STRING && json_is(value, "silu")))
        return STATUS_OK;
    wrong(r, value, "hidden_act", "the FFN's activation is not silu");
    return error_advice(r->e, "phi3sat measures gate, up and silu(gate) * up");
}

static enum status check_quantisation(const struct reading *r)
{
    struct json_value config, method = {"\"?\"", 3};
    char sentence[128];
    if (!field(r->root, "quantization_config", &config))
        return STATUS_OK;
    if (json_kind(config) == JSON_OBJECT)
        (void)hf_json_member(config, "quant_method", JSON_STRING, &method);
    snprintf(sentence, sizeof sentence, "the weights are quantised by %.*s, with scales of its own, which phi3sat doesn't apply",
             (int)(method.length < 40 ? method.length : 40), method.bytes);
    wrong(r, config, "quantization_config", sentence);
    return error_advice(r->e, "give the model's unquantised weights, or a GGUF, whose quantised types are read");
}

/* GGUF's name of an architecture that is not ours: the model room knows more of it. */
static void name_stranger(const struct reading *r, struct json_value type)
{
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (json_is(type, renamed[i][0])) {
            made_keys_text(r->keys, "general.architecture", renamed[i][1], strlen(renamed[i][1]));
            return;
        }
    made_keys_json(r->keys, "general.architecture", type);
}

static void read_experts(const struct reading *r)
{
    static const char *const names[] = {"num_local_experts", "num_experts", "n_routed_experts"};
    struct json_value value;
    uint64_t count;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (field(r->root, names[i], &value) && hf_json_uint(value, &count) && count > 1) {
            put_size(r, "expert_count", count);
            return;
        }
}

enum status hf_config_read(struct hf_config *c, const struct mapping *map, struct json_value root, struct made_keys *k,
                           struct error *e)
{
    struct reading r = {.map = map, .root = root, .keys = k, .e = e};
    struct json_value type, value;
    memset(c, 0, sizeof *c);
    if (!hf_json_member(root, "model_type", JSON_STRING, &type)) {
        wrong(&r, root, "model_type", "is not a model's config.json: a field is missing");
        return error_advice(e, KNOWN);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (json_is(type, kinds[i].type))
            r.kind = &kinds[i];
    if (!r.kind) {
        name_stranger(&r, type);
        return STATUS_OK;
    }
    made_keys_text(k, "general.architecture", r.kind->architecture, strlen(r.kind->architecture));
    /* q and k rows are in the order of halves, whatever a GGUF of that architecture does. */
    made_keys_bool(k, "phi3sat.rotary_halves", true);
    c->tied = field(root, "tie_word_embeddings", &value) && hf_json_bool(value, &c->tied) && c->tied;
    read_experts(&r);
    enum status s = check_activation(&r);
    if (s == STATUS_OK)
        s = check_quantisation(&r);
    if (s == STATUS_OK)
        s = read_sizes(&r);
    if (s == STATUS_OK)
        s = read_rotary(&r, c);
    return s == STATUS_OK ? read_window(&r) : s;
}

void hf_config_free(struct hf_config *c)
{
    memory_free(c->factors_short);
    memory_free(c->factors_long);
    memory_free(c->frequency_factors);
    memset(c, 0, sizeof *c);
}
