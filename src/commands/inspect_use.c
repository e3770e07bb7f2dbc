/* inspect_use.c - see inspect_use.h.
 *
 * What is said of window, rotary embedding and memory comes from the same config, weights and sums
 * (model/footprint.h) that a run works with.
 */
#include "inspect_use.h"

#include <string.h>

#include "../model/batch_size.h"
#include "../model/footprint.h"
#include "../text/prompt_maker.h"
#include "model_words.h"
#include "profile_options.h"

/* ---- tensors as found ---- */

/* How the layers of the file hold a part. */
struct found {
    size_t fused, separate;
};

static bool ends_with(struct model_file_text name, const char *end)
{
    size_t length = strlen(end);
    return name.length > length && memcmp(name.bytes + name.length - length, end, length) == 0;
}

static void find_forms(const struct inspect_model_view *m, struct found *attention, struct found *ffn)
{
    *attention = *ffn = (struct found){0, 0};
    for (size_t i = 0; i < model_file_tensor_count(m->file); i++) {
        const struct model_file_tensor *t = model_file_tensor_at(m->file, i);
        attention->fused += ends_with(t->name, ".attn_qkv.weight");
        attention->separate += ends_with(t->name, ".attn_q.weight");
        ffn->separate += ends_with(t->name, ".ffn_gate.weight");
        ffn->fused += ends_with(t->name, ".ffn_up.weight");
    }
    /* an up beside each gate is none that holds both */
    ffn->fused = ffn->fused > ffn->separate ? ffn->fused - ffn->separate : 0;
}

static void show_form(struct fact_sheet *sheet, const char *key, struct found found, const char *fused,
                      const char *separate)
{
    char text[128];
    if (found.fused && found.separate)
        snprintf(text, sizeof text, "%s in %zu layers, %s in %zu", fused, found.fused, separate, found.separate);
    else
        snprintf(text, sizeof text, "%s", found.fused ? fused : separate);
    if (found.fused || found.separate)
        fact_sheet_words(sheet, key, text);
}

/* ---- what a run does ---- */

static void show_prompts(struct fact_sheet *sheet, const struct inspect_model_view *m)
{
    fact_sheet_words(sheet, "prompts",
                     m->tokenizer                  ? "text (--prompts, or made), token ids (--tokens)"
                     : tokenizer_present(m->file) ? "token ids only (--tokens): phi3sat can't use the tokenizer"
                                                   : "token ids only (--tokens, or made): there is no tokenizer");
}

static void show_window(struct fact_sheet *sheet, const struct config *c, const struct model_file *f)
{
    char key[96];
    snprintf(key, sizeof key, "%s.attention.sliding_window", c->architecture);
    bool named = model_file_has_key(f, key);
    if (c->window || sheet->json)
        fact_sheet_count(sheet, "window", c->window);
    else
        fact_sheet_words(sheet, "window", "none: attention sees the whole prompt");
    if (named)
        fact_sheet_words(sheet, "window_from", key);
    else
        fact_sheet_words(sheet, "window_from", sheet->json ? NULL : "no key of the file names one");
}

static void show_factors(struct fact_sheet *sheet, const char *least_key, const char *most_key, const float *values,
                         size_t count)
{
    if (!values || count == 0)
        return;
    float least = values[0], most = values[0];
    for (size_t i = 1; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    fact_sheet_float(sheet, least_key, least);
    fact_sheet_float(sheet, most_key, most);
}

static void show_rotary(struct fact_sheet *sheet, const struct inspect_model_view *m)
{
    const struct config *c = &m->config;
    char words[128];
    bool has_long = model_file_find_tensor(m->file, "rope_factors_long.weight") != NULL;
    bool has_short = model_file_find_tensor(m->file, "rope_factors_short.weight") != NULL;
    bool always = !has_long && !has_short && model_file_find_tensor(m->file, "rope_freqs.weight") != NULL;
    model_words_rotary(c, has_long || always, has_long && has_short, words, sizeof words);
    fact_sheet_words(sheet, "rotary", words);
    fact_sheet_count(sheet, "rotary_dimensions", c->rotary);
    fact_sheet_real(sheet, "rotary_base", c->rope_base);
    if (c->rope_divisor != 1.0)
        fact_sheet_real(sheet, "rotary_divisor", c->rope_divisor);
    if (c->yarn)
        fact_sheet_real(sheet, "attention_factor", c->attention_factor);
    if (has_long && has_short) {
        fact_sheet_count(sheet, "long_factors_from", c->original_context + 1);
        fact_sheet_real(sheet, "attention_factor", c->attention_factor);
        show_factors(sheet, "short_factors_least", "short_factors_most", m->weights.factors_short, c->rotary / 2);
        show_factors(sheet, "long_factors_least", "long_factors_most", m->weights.factors_long, c->rotary / 2);
    } else if (always) {
        show_factors(sheet, "factors_least", "factors_most", m->weights.factors_short, c->rotary / 2);
    }
    if (sheet->json)
        return;
    if (has_long && has_short)
        fact_sheet_note(sheet, "Prompts of %zu tokens and more use the long factors for all their positions.",
                        c->original_context + 1);
    fact_sheet_note(sheet, "--window and --context override the file.");
}

void inspect_use_profile(struct fact_sheet *sheet, const struct inspect_model_view *m)
{
    struct found attention, ffn;
    char reason[1600];
    fact_sheet_section(sheet, "profile", "What profile does with it");
    fact_sheet_flag(sheet, "runs", m->has_weights);
    if (!m->has_weights) {
        inspect_model_reason(&m->refusal, reason, sizeof reason);
        fact_sheet_words(sheet, "refusal", reason);
    } else {
        show_prompts(sheet, m);
    }
    find_forms(m, &attention, &ffn);
    show_form(sheet, "attention_tensors", attention, "fused (attn_qkv)", "separate (attn_q, attn_k, attn_v)");
    show_form(sheet, "ffn_tensors", ffn, "fused (ffn_up holds gate and up)", "separate (ffn_gate, ffn_up)");
    if (m->has_config) {
        fact_sheet_count(sheet, "context", m->config.context);
        show_window(sheet, &m->config, m->file);
        show_rotary(sheet, m);
    }
    fact_sheet_section_end(sheet);
}

/* ---- memory ---- */

#define STAGES_LIMIT 16 /* powers of two */

/* One grid: what its most laden stage takes. */
struct stage_row {
    uint64_t stages, layers;
    struct footprint made, whole; /* prompts as made, and as long as the context */
};

struct stages {
    struct stage_row row[STAGES_LIMIT];
    size_t count;
};

static void stage_cells(const void *context, size_t i, struct fact_sheet_cell *cells)
{
    const struct stage_row *row = &((const struct stages *)context)->row[i];
    const uint64_t values[] = {row->stages,       row->layers,        row->whole.weights, row->whole.state,
                               row->made.working, row->whole.working,
                               row->whole.weights + row->whole.state + row->whole.working};
    for (size_t c = 0; c < sizeof values / sizeof *values; c++)
        cells[c].count = values[c];
}

/* Works out every row: of the stage that takes the most with the longest prompts. */
static enum status count_stages(struct stages *all, const struct config *c, const struct footprint_weights *w,
                                const struct footprint_load *made, const struct footprint_load *whole, struct error *e)
{
    enum status s = STATUS_OK;
    all->count = 0;
    for (size_t n = 1; n <= c->layers && all->count < STAGES_LIMIT && s == STATUS_OK; n *= 2) {
        struct stage_row *row = &all->row[all->count];
        struct footprint_stage stage;
        s = footprint_largest(&row->whole, &stage, c, w, whole, n, e);
        if (s == STATUS_OK)
            s = footprint_of(&row->made, c, w, made, stage, e);
        row->stages = n;
        row->layers = stage.count;
        all->count += s == STATUS_OK;
    }
    return s;
}

static void show_stages(struct fact_sheet *sheet, const struct stages *stages, const struct footprint_load *made,
                        const struct footprint_load *whole, uint64_t thread)
{
    char short_title[48], long_title[48];
    snprintf(short_title, sizeof short_title, "work, %zu", made->longest);
    snprintf(long_title, sizeof long_title, "work, %zu", whole->longest);
    const struct fact_sheet_column columns[] = {
        {"stages", "stages", FACT_SHEET_COUNT},       {"layers", "layers", FACT_SHEET_COUNT},
        {"weights", "weights", FACT_SHEET_BYTES},     {"state", "state", FACT_SHEET_BYTES},
        {"working_made", short_title, FACT_SHEET_BYTES}, {"working_context", long_title, FACT_SHEET_BYTES},
        {"total", "total", FACT_SHEET_BYTES}};
    const struct fact_sheet_table table = {"stages", columns, 7, stages->count, stage_cells, stages};
    fact_sheet_section(sheet, "memory", "Memory of a rank, at most");
    fact_sheet_count(sheet, "threads", made->threads);
    fact_sheet_count(sheet, "batch_tokens", made->batch_tokens);
    fact_sheet_bytes(sheet, "each_further_thread", thread);
    fact_sheet_count(sheet, "made_prompts", made->longest);
    fact_sheet_count(sheet, "context_prompts", whole->longest);
    fact_sheet_table(sheet, &table);
    fact_sheet_note(sheet, "layers: of the largest stage. weights: mapped from the file, shared by a host's ranks. "
                           "state: the exact sums. work: activations, keys and values with prompts of up to so many "
                           "tokens. The program, its libraries and the tokenizer come on top, some 30 to 60 MB.");
    fact_sheet_section_end(sheet);
}

enum status inspect_use_memory(struct fact_sheet *sheet, const struct inspect_model_view *m, struct error *e)
{
    if (!m->has_config)
        return STATUS_OK;
    struct footprint_weights weights;
    const struct config *c = &m->config;
    size_t longest = c->context < PROMPT_MAKER_LONGEST ? c->context : PROMPT_MAKER_LONGEST;
    struct caches caches = caches_read(NULL);
    struct footprint_load made = {batch_size(&caches, c, 1, 1), 1, longest, PROMPT_MAKER_SHORTEST, KERNELS_F32}, whole = made;
    struct footprint one, two;
    struct footprint_load threads = {made.batch_tokens, 2, made.longest, made.shortest, made.mode};
    struct stages stages;
    whole.longest = c->context;
    enum status s = footprint_weights_read(&weights, m->file, c->layers, e);
    if (s != STATUS_OK)
        return s;
    s = count_stages(&stages, c, &weights, &made, &whole, e);
    struct footprint_stage first = {0, 1};
    if (s == STATUS_OK)
        s = footprint_of(&one, c, &weights, &made, first, e);
    if (s == STATUS_OK)
        s = footprint_of(&two, c, &weights, &threads, first, e);
    footprint_weights_free(&weights);
    if (s == STATUS_OK)
        show_stages(sheet, &stages, &made, &whole, two.working - one.working);
    else if (s == STATUS_INPUT) { /* a size beyond 64 bits: no reason not to show the rest */
        char reason[1600];
        inspect_model_reason(e, reason, sizeof reason);
        error_clear(e);
        fact_sheet_section(sheet, "memory", "Memory of a rank");
        fact_sheet_words(sheet, "problem", reason);
        fact_sheet_section_end(sheet);
        s = STATUS_OK;
    }
    return s;
}
