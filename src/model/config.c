/* config.c - from GGUF keys to a checked configuration; see config.h.
 *
 * Key names: the GGUF specification and NOTES section 9. Limits below are far
 * beyond any model and keep every later product within 64 bits.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "architecture.h"
#include "elementary.h"

#define LIMIT_LAYERS 4096
#define LIMIT_WIDTH (1u << 20)
#define LIMIT_CONTEXT (1u << 24)
#define LEAST_DIVISOR 0.0625 /* with LIMIT_CONTEXT and weights.c's factors: angles stay below 2^36 */

/* A key of the model's own section: "phi3.block_count". */
struct key {
    char text[128];
};

static struct key own_key(const struct config *c, const char *name)
{
    struct key k;
    snprintf(k.text, sizeof k.text, "%s.%s", c->architecture, name);
    return k;
}

/* Where the user finds `key`, for an error that has been set. */
static enum status blame_key(const struct model_file *f, const char *key, struct error *e)
{
    const char *field = model_file_key_field(f, key);
    if (field)
        error_where(e, "config.json, field \"%s\"", field);
    error_position(e, model_file_key_position(f, key));
    error_advice(e, "convert or download it again; if it stays so, phi3sat doesn't know this kind of model");
    return error_file(e, model_file_path(f));
}

static enum status read_size(const struct config *c, const struct model_file *f, const char *name, size_t max,
                             size_t *value, bool required, struct error *e)
{
    struct key k = own_key(c, name);
    uint64_t number = *value;
    bool found = true;
    enum status status = model_file_get_uint(f, k.text, &number, required ? NULL : &found, e);
    if (status != STATUS_OK || !found)
        return status;
    if (number > max || (required && number == 0)) {
        error_set(e, STATUS_INPUT, "key %s is %llu, expected 1 to %zu", k.text, (unsigned long long)number, max);
        return blame_key(f, k.text, e);
    }
    *value = (size_t)number;
    return STATUS_OK;
}

/* Rounded to float32, as GGUF has it: another kind of file must not give another model. */
static enum status read_real(const struct config *c, const struct model_file *f, const char *name, double min,
                             double *value, struct error *e)
{
    struct key k = own_key(c, name);
    bool found;
    enum status status = model_file_get_float(f, k.text, value, &found, e);
    if (status != STATUS_OK || !found)
        return status;
    if (!(isfinite((float)*value) && *value >= min)) {
        error_set(e, STATUS_INPUT, "key %s is %g, expected a number from %g to 3.4e38", k.text, *value, min);
        return blame_key(f, k.text, e);
    }
    *value = (double)(float)*value;
    return STATUS_OK;
}

static bool is(struct model_file_text text, const char *word)
{
    return text.length == strlen(word) && memcmp(text.bytes, word, text.length) == 0;
}

static enum status read_architecture(struct config *c, const struct model_file *f, struct error *e)
{
    const struct architecture *a;
    enum status s = architecture_find(&a, f, e);
    if (s != STATUS_OK)
        return s;
    snprintf(c->architecture, sizeof c->architecture, "%s", a->name);
    bool halves = false, found;
    s = model_file_get_bool(f, "phi3sat.rotary_halves", &halves, &found, e);
    c->rotary_pairs = a->rotary_pairs && !halves;
    c->head_norms = a->head_norms;
    /* Where an architecture may have biases, all layers have what the first has. */
    c->biases = a->biases || model_file_find_tensor(f, "blk.0.attn_q.bias") || model_file_find_tensor(f, "blk.0.attn_qkv.bias");
    return s;
}

static enum status inconsistent(const struct model_file *f, struct error *e, const char *what, size_t a, size_t b)
{
    error_set(e, STATUS_INPUT, "%s, and are %zu and %zu", what, a, b);
    error_advice(e, "convert or download it again; if it stays so, phi3sat doesn't know this kind of model");
    return error_file(e, model_file_path(f));
}

static enum status read_sizes(struct config *c, const struct model_file *f, struct error *e)
{
    enum status s = read_size(c, f, "block_count", LIMIT_LAYERS, &c->layers, true, e);
    if (s == STATUS_OK)
        s = read_size(c, f, "embedding_length", LIMIT_WIDTH, &c->hidden, true, e);
    if (s == STATUS_OK)
        s = read_size(c, f, "feed_forward_length", LIMIT_WIDTH, &c->intermediate, true, e);
    if (s == STATUS_OK)
        s = read_size(c, f, "attention.head_count", 65536, &c->heads, true, e);
    c->kv_heads = c->heads;
    if (s == STATUS_OK)
        s = read_size(c, f, "attention.head_count_kv", 65536, &c->kv_heads, false, e);
    if (s == STATUS_OK)
        s = read_size(c, f, "context_length", LIMIT_CONTEXT, &c->context, true, e);
    if (s != STATUS_OK)
        return s;
    if (c->kv_heads == 0 || c->heads % c->kv_heads)
        return inconsistent(f, e, "attention heads must be a multiple of key/value heads", c->heads, c->kv_heads);
    if (!model_file_has_key(f, own_key(c, "attention.key_length").text) && c->hidden % c->heads)
        return inconsistent(f, e, "hidden size and attention heads must divide without a rest", c->hidden, c->heads);
    c->head_dim = c->hidden / c->heads;
    s = read_size(c, f, "attention.key_length", LIMIT_WIDTH, &c->head_dim, false, e);
    size_t value_length = c->head_dim;
    if (s == STATUS_OK)
        s = read_size(c, f, "attention.value_length", LIMIT_WIDTH, &value_length, false, e);
    if (s != STATUS_OK)
        return s;
    if (value_length != c->head_dim || c->head_dim == 0)
        return inconsistent(f, e, "key and value length of a head must be the same and above 0", c->head_dim, value_length);
    return STATUS_OK;
}

/* Linear scaling is what a factor without a type means; rope.scale_linear is its old name. */
static enum status read_divisor(struct config *c, const struct model_file *f, struct error *e)
{
    enum status s = read_real(c, f, "rope.scale_linear", LEAST_DIVISOR, &c->rope_divisor, e);
    return s == STATUS_OK ? read_real(c, f, "rope.scaling.factor", LEAST_DIVISOR, &c->rope_divisor, e) : s;
}

static enum status unknown_scaling(const struct config *c, const struct model_file *f, struct model_file_text type,
                                   struct error *e)
{
    error_set(e, STATUS_INPUT, "uses the rotary scaling '%.*s'", (int)(type.length < 32 ? type.length : 32), type.bytes);
    error_advice(e, "phi3sat knows none, linear, yarn and longrope");
    error_where(e, "key %s", own_key(c, "rope.scaling.type").text);
    return error_file(e, model_file_path(f));
}

static enum status yarn_and_factors(const struct config *c, const struct model_file *f, struct error *e)
{
    error_set(e, STATUS_INPUT, "uses the rotary scaling 'yarn' and has the factors of 'longrope' too: which of them holds?");
    error_advice(e, "a Phi-3 has 'longrope': convert it again with that as the rope_type of its config.json");
    error_where(e, "key %s", own_key(c, "rope.scaling.type").text);
    return error_file(e, model_file_path(f));
}

/* A number that only one value of is understood: what another means depends on the program that reads it. */
static enum status read_usual(const struct config *c, const struct model_file *f, const char *name, double usual,
                              struct error *e)
{
    double value = usual;
    enum status s = read_real(c, f, name, 0.0, &value, e);
    if (s != STATUS_OK || fabs(value - usual) <= 1e-4)
        return s;
    error_set(e, STATUS_INPUT, "uses YaRN with a number of its own: %g, where %g is usual", value, usual);
    error_where(e, "key %s", own_key(c, name).text);
    error_advice(e, "programs differ in what it does; if the model was made without it, remove the key");
    return error_file(e, model_file_path(f));
}

/* Peng et al. 2023, as the transformers library and llama.cpp have it: rotary.c blends the frequencies, and cos and sin are
 * multiplied by 1 + ln(factor) / 10. */
static enum status read_yarn(struct config *c, const struct model_file *f, struct error *e)
{
    c->yarn_fast = 32.0;
    c->yarn_slow = 1.0;
    if (!(c->rope_base > 1.0)) {
        error_set(e, STATUS_INPUT, "key %s is 1, where YaRN needs more", own_key(c, "rope.freq_base").text);
        error_advice(e, "convert or download it again; if it stays so, phi3sat doesn't know this kind of model");
        return error_file(e, model_file_path(f));
    }
    enum status s = read_real(c, f, "rope.scaling.factor", 1.0, &c->rope_divisor, e);
    if (s == STATUS_OK)
        s = read_real(c, f, "rope.scaling.yarn_beta_fast", 1e-3, &c->yarn_fast, e);
    if (s == STATUS_OK)
        s = read_real(c, f, "rope.scaling.yarn_beta_slow", 1e-3, &c->yarn_slow, e);
    c->yarn = true;
    c->attention_factor = (double)(float)(1.0 + 0.1 * elementary_log(c->rope_divisor));
    if (s == STATUS_OK)
        s = read_usual(c, f, "rope.scaling.yarn_attn_factor", c->attention_factor, e);
    if (s == STATUS_OK)
        s = read_usual(c, f, "rope.scaling.yarn_ext_factor", 1.0, e);
    if (s == STATUS_OK)
        s = read_usual(c, f, "rope.scaling.yarn_log_multiplier", 0.0, e);
    return s == STATUS_OK ? read_usual(c, f, "rope.scaling.attn_factor", 1.0, e) : s;
}

static enum status read_scaling(struct config *c, const struct model_file *f, bool longrope, struct error *e)
{
    struct model_file_text type;
    bool found;
    enum status s = model_file_get_word(f, own_key(c, "rope.scaling.type").text, &type, &found, e);
    if (s != STATUS_OK)
        return s;
    if (found ? is(type, "linear") : !longrope)
        return read_divisor(c, f, e);
    if (!found || is(type, "none") || is(type, "longrope") || is(type, "su"))
        return STATUS_OK;
    if (!is(type, "yarn"))
        return unknown_scaling(c, f, type, e);
    return longrope ? yarn_and_factors(c, f, e) : read_yarn(c, f, e);
}

/* LongRoPE's factor on cos and sin when the file has none (Ding et al. 2024; NOTES section 1):
 * sqrt(1 + ln(s) / ln(original)), s = context / original. */
static double longrope_attention_factor(const struct config *c)
{
    double scale = (double)c->context / (double)c->original_context;
    if (scale <= 1.0 || c->original_context < 2)
        return 1.0;
    return (float)sqrt(1.0 + elementary_log(scale) / elementary_log((double)c->original_context));
}

static enum status read_rotary(struct config *c, const struct model_file *f, struct error *e)
{
    c->rotary = c->head_dim;
    enum status s = read_size(c, f, "rope.dimension_count", LIMIT_WIDTH, &c->rotary, false, e);
    if (s == STATUS_OK && (c->rotary % 2 || c->rotary > c->head_dim))
        return inconsistent(f, e, "rotary dimensions must be even and no more than those of a head", c->rotary, c->head_dim);
    c->rope_base = 10000.0;
    c->rope_divisor = 1.0;
    c->attention_factor = 1.0;
    bool longrope = model_file_find_tensor(f, "rope_factors_long.weight") != NULL;
    if (s == STATUS_OK)
        s = read_real(c, f, "rope.freq_base", 1.0, &c->rope_base, e);
    if (s == STATUS_OK)
        s = read_scaling(c, f, longrope, e);
    c->original_context = c->context;
    if (s == STATUS_OK)
        s = read_size(c, f, "rope.scaling.original_context_length", LIMIT_CONTEXT, &c->original_context, false, e);
    if (s != STATUS_OK)
        return s;
    if (longrope)
        c->attention_factor = longrope_attention_factor(c);
    return longrope ? read_real(c, f, "rope.scaling.attn_factor", 0.01, &c->attention_factor, e) : STATUS_OK;
}

enum status config_read(struct config *c, const struct model_file *f, struct error *e)
{
    memset(c, 0, sizeof *c);
    enum status s = read_architecture(c, f, e);
    if (s == STATUS_OK)
        s = read_sizes(c, f, e);
    if (s == STATUS_OK)
        s = read_rotary(c, f, e);
    if (s == STATUS_OK)
        s = read_size(c, f, "attention.sliding_window", LIMIT_CONTEXT, &c->window, false, e);
    c->epsilon = 1e-5f;
    if (s == STATUS_OK)
        s = read_real(c, f, "attention.layer_norm_rms_epsilon", 0.0, &c->epsilon, e);
    if (s != STATUS_OK)
        return s;
    const struct model_file_tensor *embedding = model_file_find_tensor(f, "token_embd.weight");
    if (!embedding || embedding->dimensions != 2) {
        const bool folder = model_file_is_folder(f);
        error_set(e, STATUS_INPUT, "has no matrix %s", folder ? "model.embed_tokens.weight" : "token_embd.weight");
        error_advice(e, model_file_tensor_count(f) ? "the file is no whole model"
                        : folder ? "it holds no weights; download its safetensors files"
                                 : "it holds a vocabulary only; give the file with the weights");
        return error_file(e, model_file_path(f));
    }
    c->vocabulary = (size_t)embedding->dims[1];
    return STATUS_OK;
}
