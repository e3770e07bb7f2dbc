/* test_config.c - what keys make of a configuration, and which are refused in which words. */
#include "model/config.h"
#include "network.h"

static struct network small(void)
{
    return (struct network){.layers = 2, .hidden = 32, .intermediate = 40, .heads = 4, .kv_heads = 2, .head_dim = 8,
                            .rotary = 8, .vocabulary = 20, .context = 128, .window = 0, .base = 10000.0};
}

static enum status read_as(const struct network *n, enum network_form form, const struct network_twist *twist,
                           struct config *c, struct error *e)
{
    struct model_file *file = NULL;
    error_clear(e);
    enum status s = model_file_open(&file, network_write(n, form, twist, "model.gguf"), e);
    if (s == STATUS_OK)
        s = config_read(c, file, e);
    model_file_close(file);
    return s;
}

static void good_models(void)
{
    struct network n = small();
    struct config c;
    struct error e;
    network_make(&n);
    is_int(read_as(&n, NETWORK_FUSED, NULL, &c, &e), STATUS_OK, "a phi3 model is read");
    is_string(c.architecture, "phi3", "its architecture");
    ok(c.layers == 2 && c.hidden == 32 && c.intermediate == 40 && c.heads == 4 && c.kv_heads == 2 && c.head_dim == 8 &&
           c.vocabulary == 20 && c.context == 128 && c.window == 0, "its sizes");
    ok(c.rotary == 8 && !c.rotary_pairs && c.rope_base == 10000.0 && c.rope_divisor == 1.0 && c.attention_factor == 1.0,
       "its rotary embedding");
    ok(c.epsilon == (double)1e-5f, "epsilon is 1e-5 as float32 where no key says otherwise");
    is_int(read_as(&n, NETWORK_LLAMA, NULL, &c, &e), STATUS_OK, "a llama model is read");
    ok(strcmp(c.architecture, "llama") == 0 && c.rotary_pairs, "its rotary dimensions come in pairs");
    struct network_twist short_file = {.leave_out = "attention.head_count_kv"};
    ok(read_as(&n, NETWORK_FUSED, &short_file, &c, &e) == STATUS_OK && c.kv_heads == 4,
       "without head_count_kv all heads have their own keys");
    short_file.leave_out = "rope.dimension_count";
    ok(read_as(&n, NETWORK_FUSED, &short_file, &c, &e) == STATUS_OK && c.rotary == 8, "without dimension_count all rotates");
    short_file.leave_out = "attention.sliding_window";
    ok(read_as(&n, NETWORK_FUSED, &short_file, &c, &e) == STATUS_OK && c.window == 0, "without sliding_window there is none");
    struct network_twist window = {.number = "attention.sliding_window", .value = 2047};
    ok(read_as(&n, NETWORK_FUSED, &window, &c, &e) == STATUS_OK && c.window == 2047, "a window is read");
    network_free(&n);
}

static void odd_heads(void)
{
    struct network n = small();
    struct config c;
    struct error e;
    n.head_dim = 11;
    n.rotary = 6;
    network_make(&n);
    ok(read_as(&n, NETWORK_FUSED, NULL, &c, &e) == STATUS_OK && c.head_dim == 11 && c.rotary == 6,
       "key_length may be any; fewer dimensions may rotate");
    struct network_twist twist = {.number = "attention.value_length", .value = 12};
    is_int(read_as(&n, NETWORK_FUSED, &twist, &c, &e), STATUS_INPUT, "keys and values of unlike length are refused");
    network_free(&n);
}

static void longrope(void)
{
    struct network n = small();
    struct config c;
    struct error e;
    n.original = 16;
    network_make(&n);
    is_int(read_as(&n, NETWORK_FUSED, NULL, &c, &e), STATUS_OK, "a LongRoPE model is read");
    is_uint(c.original_context, 16, "with its original context");
    is_double(c.attention_factor, (float)sqrt(1.0 + log(8.0) / log(16.0)), 0.0, "its attention factor is the paper's, as float32");
    n.original = 1;
    ok(read_as(&n, NETWORK_FUSED, NULL, &c, &e) == STATUS_OK && c.attention_factor == 1.0, "an original context of 1 divides by no 0");
    n.original = 500;
    ok(read_as(&n, NETWORK_FUSED, NULL, &c, &e) == STATUS_OK && c.attention_factor == 1.0, "nor does one above the context");
    network_free(&n);
}

/* Further keys that a file may have. */
static const char *scaling_type;
static const char *real_key;
static float real_value;

static void put_scaling(void)
{
    if (scaling_type)
        put_text_key("phi3.rope.scaling.type", scaling_type);
    else
        put_u32_key("test.nothing", 0);
    put_key(real_key, G_F32);
    put_bytes(&real_value, sizeof real_value);
}

static enum status read_scaled(const struct network *n, const char *type, const char *key, float value, struct config *c,
                               struct error *e)
{
    struct network_twist twist = {.more_keys = put_scaling, .more = 2};
    scaling_type = type;
    real_key = key;
    real_value = value;
    return read_as(n, NETWORK_FUSED, &twist, c, e);
}

static void scaling(void)
{
    const char *factor = "phi3.rope.scaling.factor", *epsilon = "phi3.attention.layer_norm_rms_epsilon";
    struct network n = small();
    struct config c;
    struct error e;
    network_make(&n);
    ok(read_scaled(&n, "linear", factor, 4.0f, &c, &e) == STATUS_OK && c.rope_divisor == 4.0, "linear scaling divides positions");
    ok(read_scaled(&n, NULL, factor, 4.0f, &c, &e) == STATUS_OK && c.rope_divisor == 4.0, "a factor without a type is linear");
    ok(read_scaled(&n, NULL, "phi3.rope.scale_linear", 2.0f, &c, &e) == STATUS_OK && c.rope_divisor == 2.0,
       "so is the old key scale_linear");
    ok(read_scaled(&n, "none", factor, 4.0f, &c, &e) == STATUS_OK && c.rope_divisor == 1.0, "scaling 'none' is none");
    ok(read_scaled(&n, "longrope", factor, 4.0f, &c, &e) == STATUS_OK && c.rope_divisor == 1.0, "LongRoPE has factors instead");
    is_int(read_scaled(&n, "dynamic", factor, 4.0f, &c, &e), STATUS_INPUT, "another scaling is refused");
    ok(strstr(e.sentence, "'dynamic'") && strstr(e.where, "phi3.rope.scaling.type") && strstr(e.advice, "yarn"),
       "by its name and key, with those that are known");
    is_int(read_scaled(&n, "linear", factor, 0.0f, &c, &e), STATUS_INPUT, "a scaling factor of 0 is refused");
    is_int(read_scaled(&n, NULL, epsilon, NAN, &c, &e), STATUS_INPUT, "an epsilon that is no number is refused");
    ok(strstr(e.sentence, epsilon), "by its key");
    is_int(read_scaled(&n, NULL, epsilon, -1e-5f, &c, &e), STATUS_INPUT, "a negative epsilon is refused");
    ok(read_scaled(&n, NULL, epsilon, 1e-6f, &c, &e) == STATUS_OK && c.epsilon == (double)1e-6f, "an epsilon is read");
    n.base = 0.5;
    is_int(read_as(&n, NETWORK_FUSED, NULL, &c, &e), STATUS_INPUT, "a rotary base below 1 is refused");
    n.base = 1e300;
    is_int(read_as(&n, NETWORK_FUSED, NULL, &c, &e), STATUS_INPUT, "so is one beyond float32");
    n.base = 500000.1;
    ok(read_as(&n, NETWORK_FUSED, NULL, &c, &e) == STATUS_OK && c.rope_base == (double)500000.1f, "a base is rounded to float32");
    network_free(&n);
}

static void yarn(void)
{
    static const struct {
        const char *key;
        float good, bad;
    } usual[] = {{"phi3.rope.scaling.yarn_attn_factor", 1.1386294f, 1.0f}, {"phi3.rope.scaling.yarn_ext_factor", 1.0f, 0.0f},
                 {"phi3.rope.scaling.yarn_log_multiplier", 0.0f, 0.1f}, {"phi3.rope.scaling.attn_factor", 1.0f, 1.2f}};
    struct network n = small();
    struct config c;
    struct error e;
    network_make(&n);
    ok(read_scaled(&n, "yarn", "phi3.rope.scaling.factor", 4.0f, &c, &e) == STATUS_OK && c.yarn && c.rope_divisor == 4.0 &&
           c.yarn_fast == 32.0 && c.yarn_slow == 1.0 && c.original_context == 128, "YaRN is read, with the usual turns");
    is_double(c.attention_factor, (float)(1.0 + 0.1 * log(4.0)), 0.0, "and the paper's factor on cosines and sines");
    ok(read_scaled(&n, "yarn", "phi3.rope.scaling.yarn_beta_fast", 16.0f, &c, &e) == STATUS_OK && c.yarn_fast == 16.0,
       "with turns of its own");
    is_int(read_scaled(&n, "yarn", "phi3.rope.scaling.factor", 0.5f, &c, &e), STATUS_INPUT, "a factor below 1 is refused");
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        bool good = read_scaled(&n, "yarn", usual[i].key, usual[i].good, &c, &e) == STATUS_OK;
        ok(good || i == 0, "%s may be %g", usual[i].key, (double)usual[i].good); /* 4 isn't given there */
        is_int(read_scaled(&n, "yarn", usual[i].key, usual[i].bad, &c, &e), i == 0 ? STATUS_OK : STATUS_INPUT, "%s of %g is %s",
               usual[i].key, (double)usual[i].bad, i == 0 ? "what a factor of 1 has" : "refused");
    }
    n.original = 16;
    is_int(read_scaled(&n, "yarn", "phi3.rope.scaling.factor", 4.0f, &c, &e), STATUS_INPUT, "YaRN beside LongRoPE's factors is refused");
    ok(strstr(e.sentence, "'longrope' too") && strstr(e.where, "rope.scaling.type"), "with both names");
    n.original = 0;
    n.base = 1.0;
    is_int(read_scaled(&n, "yarn", "phi3.rope.scaling.factor", 4.0f, &c, &e), STATUS_INPUT, "YaRN on a base of 1 is refused");
    network_free(&n);
}

static void bad_numbers(void)
{
    static const struct {
        const char *key;
        uint64_t value;
        const char *says;
    } cases[] = {
        {"block_count", 0, "phi3.block_count is 0"},
        {"block_count", 4000000000u, "phi3.block_count is 4000000000"},
        {"embedding_length", 0, "phi3.embedding_length"},
        {"embedding_length", 1u << 30, "phi3.embedding_length"},
        {"embedding_length", 34, "hidden size and attention heads must divide without a rest, and are 34 and 4"},
        {"feed_forward_length", 0, "phi3.feed_forward_length"},
        {"attention.head_count", 0, "phi3.attention.head_count"},
        {"attention.head_count", 64, "hidden size and attention heads must divide"},
        {"attention.head_count_kv", 3, "a multiple of key/value heads, and are 4 and 3"},
        {"attention.head_count_kv", 0, "a multiple of key/value heads, and are 4 and 0"},
        {"context_length", 0, "phi3.context_length"},
        {"rope.dimension_count", 7, "must be even and no more than those of a head, and are 7 and 8"},
        {"rope.dimension_count", 10, "must be even and no more than those of a head, and are 10 and 8"},
        {"attention.sliding_window", 4000000000u, "phi3.attention.sliding_window"},
    };
    struct network n = small();
    struct config c;
    struct error e;
    network_make(&n);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct network_twist twist = {.number = cases[i].key, .value = cases[i].value};
        is_int(read_as(&n, NETWORK_FUSED, &twist, &c, &e), STATUS_INPUT, "%s of %llu is refused", cases[i].key,
               (unsigned long long)cases[i].value);
        ok(strstr(e.sentence, cases[i].says) && strstr(e.file, "model.gguf"), "in the words '%s'", e.sentence);
    }
    network_free(&n);
}

static void missing_keys(void)
{
    static const char *const needed[] = {"general.architecture", "block_count", "embedding_length", "feed_forward_length",
                                         "attention.head_count", "context_length"};
    struct network n = small();
    struct config c;
    struct error e;
    network_make(&n);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        struct network_twist twist = {.leave_out = needed[i]};
        is_int(read_as(&n, NETWORK_FUSED, &twist, &c, &e), STATUS_INPUT, "a file without %s is refused", needed[i]);
        ok(strstr(e.sentence, needed[i]) || strstr(e.where, needed[i]), "and the key named");
    }
    network_free(&n);
}

static void put_experts(void)
{
    put_u32_key("llama.expert_count", 8);
}

static void other_models(void)
{
    struct network n = small();
    struct config c;
    struct error e;
    network_make(&n);
    struct network_twist other = {.architecture = "gemma2"};
    is_int(read_as(&n, NETWORK_FUSED, &other, &c, &e), STATUS_INPUT, "another architecture is refused");
    ok(strstr(e.sentence, "'gemma2'") && strstr(e.advice, "phi3"), "by its name, with those that are known");
    other.architecture = "phi";
    is_int(read_as(&n, NETWORK_FUSED, &other, &c, &e), STATUS_INPUT, "half a name is another name");
    struct network_twist experts = {.more_keys = put_experts, .more = 1};
    is_int(read_as(&n, NETWORK_LLAMA, &experts, &c, &e), STATUS_INPUT, "a mixture of experts is refused");
    ok(strstr(e.sentence, "mixture of 8 experts"), "as what it is");
    struct network_twist headless = {.leave_out = "token_embd.weight"};
    is_int(read_as(&n, NETWORK_FUSED, &headless, &c, &e), STATUS_INPUT, "a model without an embedding is refused");
    ok(strstr(e.sentence, "token_embd.weight"), "and the tensor named");
    n.layers = 0;
    struct network_twist bare = {.leave_out = "token_embd.weight", .number = "block_count", .value = 2};
    is_int(read_as(&n, NETWORK_FUSED, &bare, &c, &e), STATUS_INPUT, "a vocabulary alone is refused");
    ok(strstr(e.advice, "vocabulary only"), "as what it is");
    n.layers = 2;
    network_free(&n);
}

/* A key that says another graph than the architecture's. */
static const char *graph_key;
static float graph_value;

static void put_graph(void)
{
    put_key(graph_key, G_F32);
    put_bytes(&graph_value, sizeof graph_value);
}

static void put_pattern(void)
{
    put_u32_key("llama.attention.sliding_window_pattern", 6);
}

static void put_not_causal(void)
{
    put_key("llama.attention.causal", G_BOOL);
    put_bytes("", 1);
}

static void variants(void)
{
    static const struct {
        const char *key;
        float neutral, other;
        const char *says;
    } cases[] = {{"llama.logit_scale", 1.0f, 0.0625f, "logits are scaled"},
                 {"llama.embedding_scale", 1.0f, 12.0f, "embeddings are scaled"},
                 {"llama.residual_scale", 1.0f, 0.22f, "what layers add is scaled"},
                 {"llama.attention.scale", 0.0f, 0.015625f, "attention has a scale of its own"},
                 {"llama.final_logit_softcapping", 0.0f, 30.0f, "logits are capped"}};
    struct network n = small();
    struct config c;
    struct error e;
    struct network_twist twist = {.more_keys = put_graph, .more = 1};
    network_make(&n);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        graph_key = cases[i].key;
        graph_value = cases[i].neutral;
        is_int(read_as(&n, NETWORK_LLAMA, &twist, &c, &e), STATUS_OK, "%s of %g changes nothing", graph_key, (double)graph_value);
        graph_value = cases[i].other;
        is_int(read_as(&n, NETWORK_LLAMA, &twist, &c, &e), STATUS_INPUT, "%s of %g is refused", graph_key, (double)graph_value);
        ok(strstr(e.sentence, cases[i].says) && strstr(e.where, graph_key) && e.advice[0], "'%s' (%s)", e.sentence, e.where);
    }
    twist.more_keys = put_pattern;
    is_int(read_as(&n, NETWORK_LLAMA, &twist, &c, &e), STATUS_INPUT, "windows in some layers only are refused");
    twist.more_keys = put_not_causal;
    is_int(read_as(&n, NETWORK_LLAMA, &twist, &c, &e), STATUS_INPUT, "so is attention that isn't causal");
    network_free(&n);
}

static void qwen(void)
{
    struct network n = small();
    struct config c;
    struct error e;
    network_make(&n);
    ok(read_as(&n, NETWORK_QWEN2, NULL, &c, &e) == STATUS_OK && c.biases && !c.head_norms && !c.rotary_pairs,
       "qwen2 has biases and rotary halves");
    ok(read_as(&n, NETWORK_QWEN3, NULL, &c, &e) == STATUS_OK && !c.biases && c.head_norms && !c.rotary_pairs,
       "qwen3 has norms of heads and rotary halves");
    ok(read_as(&n, NETWORK_LLAMA, NULL, &c, &e) == STATUS_OK && !c.biases && !c.head_norms, "llama has neither");
    network_free(&n);
    n.biases = true;
    network_make(&n);
    ok(read_as(&n, NETWORK_LLAMA, NULL, &c, &e) == STATUS_OK && c.biases, "but may have biases");
    network_free(&n);
}

/* What people try, each with its reason. */
static void other_architectures(void)
{
    static const struct {
        const char *name, *says;
    } cases[] = {{"phi2", "LayerNorm"}, {"phi3small", "block-sparse"}, {"phimoe", "mixture of experts"},
                 {"qwen3moe", "mixture of experts"}, {"gemma3", "GELU"}, {"falcon", "no gate"}, {"olmo2", "norms stand behind"},
                 {"clip", "mmproj"}, {"bert", "encoder"}, {"mamba", "attention"}};
    struct network n = small();
    struct config c;
    struct error e;
    network_make(&n);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct network_twist twist = {.architecture = cases[i].name};
        is_int(read_as(&n, NETWORK_FUSED, &twist, &c, &e), STATUS_INPUT, "%s is refused", cases[i].name);
        ok(strstr(e.sentence, cases[i].name) && strstr(e.sentence, cases[i].says) && strstr(e.advice, "qwen3"), "'%s'", e.sentence);
    }
    network_free(&n);
}

int main(void)
{
    good_models();
    qwen();
    other_architectures();
    variants();
    yarn();
    odd_heads();
    longrope();
    scaling();
    bad_numbers();
    missing_keys();
    other_models();
    return tap_done();
}
