/* inspect_model.c - a model file's sizes, weights, tokenizer, tensors; see inspect_model.h.
 *
 * Profile's own readers are asked (config_read, weights_open, tokenizer_open), so that inspect says what
 * a run would find. Where they refuse, keys are read one by one under the file's own architecture,
 * which may be any: nothing read so is used as a size of anything.
 */
#include "inspect_model.h"

#include <assert.h>
#include <string.h>

#include "../base/memory.h"
#include "../text/chat.h"
#include "../text/vocabulary.h"
#include "inspect_use.h"
#include "inspect_verify.h"

void inspect_model_reason(const struct error *fault, char *text, size_t size)
{
    struct error e = *fault;
    e.file[0] = '\0';
    error_format(&e, text, size);
}

/* ---- sizes ---- */

/* The number of key ARCHITECTURE.name; false where there is none. */
static bool own_number(const struct model_file *f, const char *name, uint64_t *value)
{
    struct model_file_text architecture = {"", 0};
    char key[160];
    bool found = false;
    struct error ignored;
    if (model_file_get_text(f, "general.architecture", &architecture, &found, &ignored) != STATUS_OK || !found ||
        architecture.length > 64)
        return false;
    snprintf(key, sizeof key, "%.*s.%s", (int)architecture.length, architecture.bytes, name);
    return model_file_get_uint(f, key, value, &found, &ignored) == STATUS_OK && found;
}

static void show_number(struct fact_sheet *sheet, const char *key, bool known, uint64_t value)
{
    if (known)
        fact_sheet_count(sheet, key, value);
    else
        fact_sheet_words(sheet, key, NULL);
}

static void show_own(struct fact_sheet *sheet, const char *key, const struct model_file *f, const char *name)
{
    uint64_t value = 0;
    bool known = own_number(f, name, &value);
    show_number(sheet, key, known, value);
}

/* Of a model that config_read refused. */
static void show_foreign_sizes(struct fact_sheet *sheet, const struct model_file *f)
{
    uint64_t hidden = 0, heads = 0, kv = 0, head = 0;
    bool has_hidden = own_number(f, "embedding_length", &hidden);
    bool has_heads = own_number(f, "attention.head_count", &heads);
    bool has_kv = own_number(f, "attention.head_count_kv", &kv), has_head = own_number(f, "attention.key_length", &head);
    const struct model_file_tensor *embedding = model_file_find_tensor(f, "token_embd.weight");
    size_t tokens = 0;
    enum model_file_key_type type;
    bool found = false;
    struct error ignored;
    if (!has_head && has_hidden && has_heads && heads && hidden % heads == 0) {
        head = hidden / heads;
        has_head = true;
    }
    if (model_file_get_array(f, "tokenizer.ggml.tokens", &type, &tokens, &found, &ignored) != STATUS_OK)
        found = false;
    show_own(sheet, "layers", f, "block_count");
    show_number(sheet, "hidden_size", has_hidden, hidden);
    show_own(sheet, "intermediate_size", f, "feed_forward_length");
    show_number(sheet, "heads", has_heads, heads);
    show_number(sheet, "kv_heads", has_kv || has_heads, has_kv ? kv : heads);
    show_number(sheet, "head_size", has_head, head);
    show_number(sheet, "vocabulary", embedding || found, embedding ? embedding->dims[1] : tokens);
    show_own(sheet, "context", f, "context_length");
}

static void show_sizes(struct fact_sheet *sheet, const struct inspect_model_view *m)
{
    static const char *const names[][2] = {{"general.architecture", "architecture"}, {"general.name", "name"}};
    fact_sheet_section(sheet, "model", "Model");
    for (size_t i = 0; i < 2; i++) {
        struct model_file_text text = {"", 0};
        bool found = false;
        struct error ignored;
        if (model_file_get_text(m->file, names[i][0], &text, &found, &ignored) == STATUS_OK && found)
            fact_sheet_text(sheet, names[i][1], text.bytes, text.length);
        else
            fact_sheet_words(sheet, names[i][1], NULL);
    }
    if (m->has_config) {
        const struct config *c = &m->config;
        fact_sheet_count(sheet, "layers", c->layers);
        fact_sheet_count(sheet, "hidden_size", c->hidden);
        fact_sheet_count(sheet, "intermediate_size", c->intermediate);
        fact_sheet_count(sheet, "heads", c->heads);
        fact_sheet_count(sheet, "kv_heads", c->kv_heads);
        fact_sheet_count(sheet, "head_size", c->head_dim);
        fact_sheet_count(sheet, "vocabulary", c->vocabulary);
        fact_sheet_count(sheet, "context", c->context);
    } else {
        show_foreign_sizes(sheet, m->file);
    }
    fact_sheet_section_end(sheet);
}

/* ---- weights ---- */

#define TYPES_LIMIT 64

/* Tensors of one type, or of all. */
struct type_row {
    const struct quants_format *format;
    uint64_t tensors, parameters, bytes;
};

struct types {
    struct type_row row[TYPES_LIMIT], all;
    size_t count;
};

/* A tensor's bytes are in the file, so its elements number at most some 32 times the file's bytes. */
static uint64_t elements(const struct model_file_tensor *t)
{
    return t->dims[0] * t->dims[1] * t->dims[2] * t->dims[3];
}

static void count_tensor(struct type_row *row, const struct model_file_tensor *t)
{
    row->tensors++;
    row->parameters += elements(t);
    row->bytes += t->size;
}

/* In the order of the table of types, as the archive's weight_types has them; types that no tensor has left out. */
static void count_types(struct types *types, const struct model_file *f)
{
    memset(types, 0, sizeof *types);
    assert(quants_count() <= TYPES_LIMIT);
    for (size_t i = 0; i < model_file_tensor_count(f); i++) {
        const struct model_file_tensor *t = model_file_tensor_at(f, i);
        size_t at = 0;
        while (quants_at(at)->id != t->format->id)
            at++;
        count_tensor(&types->row[at], t);
        count_tensor(&types->all, t);
    }
    for (size_t at = 0; at < quants_count(); at++)
        if (types->row[at].tensors) {
            struct type_row row = types->row[at];
            row.format = quants_at(at);
            types->row[types->count++] = row;
        }
}

static void type_cells(const void *context, size_t i, struct fact_sheet_cell *cells)
{
    const struct type_row *row = &((const struct types *)context)->row[i];
    cells[0] = (struct fact_sheet_cell){.text = row->format->name, .length = strlen(row->format->name)};
    cells[1].count = row->tensors;
    cells[2].count = row->parameters;
    cells[3].count = row->bytes;
}

static void show_weights(struct fact_sheet *sheet, const struct model_file *f)
{
    static const struct fact_sheet_column columns[] = {{"type", "type", FACT_SHEET_TEXT},
                                                       {"tensors", "tensors", FACT_SHEET_COUNT},
                                                       {"parameters", "parameters", FACT_SHEET_COUNT},
                                                       {"bytes", "size", FACT_SHEET_BYTES}};
    struct types types;
    count_types(&types, f);
    const struct fact_sheet_table table = {"types", columns, 4, types.count, type_cells, &types};
    fact_sheet_section(sheet, "weights", "Weights");
    fact_sheet_count(sheet, "tensors", types.all.tensors);
    fact_sheet_count(sheet, "parameters", types.all.parameters);
    fact_sheet_bytes(sheet, "bytes", types.all.bytes);
    if (types.all.parameters)
        fact_sheet_real(sheet, "bits_per_weight", 8.0 * (double)types.all.bytes / (double)types.all.parameters);
    fact_sheet_table(sheet, &table);
    fact_sheet_section_end(sheet);
}

/* ---- tokenizer ---- */

static void show_array_length(struct fact_sheet *sheet, const char *key, const struct model_file *f, const char *name)
{
    enum model_file_key_type type;
    size_t length = 0;
    bool found = false;
    struct error ignored;
    if (model_file_get_array(f, name, &type, &length, &found, &ignored) == STATUS_OK && found)
        fact_sheet_count(sheet, key, length);
}

/* A special token: its id, and its text beside it. */
static enum status show_special(struct fact_sheet *sheet, const char *key, const char *text_key,
                                const struct tokenizer *t, int32_t id, struct error *e)
{
    char *piece = NULL;
    size_t length = 0;
    if (id == TOKENIZER_NO_TOKEN) {
        fact_sheet_words(sheet, key, sheet->json ? NULL : "none");
        return STATUS_OK;
    }
    enum status s = tokenizer_piece(t, id, &piece, &length, e);
    if (s == STATUS_OK) {
        fact_sheet_count(sheet, key, (uint64_t)id);
        fact_sheet_text(sheet, text_key, piece, length);
    }
    memory_free(piece);
    return s;
}

static enum status show_chat(struct fact_sheet *sheet, const struct inspect_model_view *m, struct error *e)
{
    struct chat chat;
    char reason[1600];
    struct model_file_text template = {"", 0};
    bool found = false;
    enum status s;
    if (m->tokenizer) {
        s = chat_open(&chat, m->file, m->tokenizer, e);
    } else {
        s = model_file_get_text(m->file, "tokenizer.chat_template", &template, &found, e);
        if (s == STATUS_OK && !found)
            return STATUS_OK;
        if (s == STATUS_OK)
            s = chat_recognise(&chat, template.bytes, template.length, e);
    }
    if (s == STATUS_OK) {
        fact_sheet_words(sheet, "chat_format", chat.name);
        return STATUS_OK;
    }
    if (s == STATUS_FAILED)
        return s;
    inspect_model_reason(e, reason, sizeof reason);
    fact_sheet_words(sheet, "chat_format", NULL);
    fact_sheet_words(sheet, "chat_problem", reason);
    error_clear(e);
    return STATUS_OK;
}

static void show_tokenizer_kind(struct fact_sheet *sheet, const struct inspect_model_view *m)
{
    static const char *const keys[][2] = {{"tokenizer.ggml.model", "model"}, {"tokenizer.ggml.pre", "pre_tokenizer"}};
    enum vocabulary_kind kind;
    struct error ignored;
    if (vocabulary_find_kind(m->file, &kind, &ignored) == STATUS_OK)
        fact_sheet_words(sheet, "kind", kind == VOCABULARY_SENTENCEPIECE ? "SentencePiece" : kind == VOCABULARY_UNIGRAM ? "Unigram" : "byte-level BPE");
    for (size_t i = 0; i < 2; i++) {
        struct model_file_text text = {"", 0};
        bool found = false;
        if (model_file_get_text(m->file, keys[i][0], &text, &found, &ignored) == STATUS_OK && found)
            fact_sheet_text(sheet, keys[i][1], text.bytes, text.length);
    }
    show_array_length(sheet, "tokens", m->file, "tokenizer.ggml.tokens");
    show_array_length(sheet, "merges", m->file, "tokenizer.ggml.merges");
}

static enum status show_tokenizer(struct fact_sheet *sheet, const struct inspect_model_view *m, struct error *e)
{
    const struct tokenizer *t = m->tokenizer;
    char reason[1600];
    enum status s = STATUS_OK;
    fact_sheet_section(sheet, "tokenizer", "Tokenizer");
    show_tokenizer_kind(sheet, m);
    if (t) {
        s = show_special(sheet, "bos", "bos_text", t, tokenizer_bos(t), e);
        if (s == STATUS_OK)
            s = show_special(sheet, "eos", "eos_text", t, tokenizer_eos(t), e);
        fact_sheet_flag(sheet, "bos_is_added", tokenizer_adds_bos(t));
        fact_sheet_flag(sheet, "eos_is_added", tokenizer_adds_eos(t));
        if (tokenizer_note(t))
            fact_sheet_words(sheet, "remark", tokenizer_note(t));
    } else {
        inspect_model_reason(&m->no_tokenizer, reason, sizeof reason);
        fact_sheet_words(sheet, "problem", tokenizer_present(m->file) ? reason : "the file has no tokenizer");
    }
    if (s == STATUS_OK)
        s = show_chat(sheet, m, e);
    fact_sheet_section_end(sheet);
    return s;
}

/* ---- tensors ---- */

static void tensor_cells(const void *context, size_t i, struct fact_sheet_cell *cells)
{
    const struct model_file_tensor *t = model_file_tensor_at(context, i);
    cells[0] = (struct fact_sheet_cell){.text = t->name.bytes, .length = t->name.length};
    cells[1] = (struct fact_sheet_cell){.shape = t->dims, .dimensions = t->dimensions};
    cells[2] = (struct fact_sheet_cell){.text = t->format->name, .length = strlen(t->format->name)};
    cells[3].count = t->size;
    cells[4].count = t->position;
    cells[5].count = model_file_part_of(context, t) + 1;
}

static void show_tensors(struct fact_sheet *sheet, const struct model_file *f)
{
    static const struct fact_sheet_column columns[] = {{"name", "name", FACT_SHEET_TEXT},
                                                       {"shape", "shape", FACT_SHEET_SHAPE},
                                                       {"type", "type", FACT_SHEET_TEXT},
                                                       {"bytes", "bytes", FACT_SHEET_COUNT},
                                                       {"offset", "offset", FACT_SHEET_COUNT},
                                                       {"part", "part", FACT_SHEET_COUNT}};
    const struct fact_sheet_table table = {"tensors", columns, model_file_part_count(f) > 1 ? 6 : 5,
                                           model_file_tensor_count(f), tensor_cells, f};
    fact_sheet_table(sheet, &table);
}

/* ---- the whole ---- */

/* What the file has that makes it unfit is shown; what this machine lacks (memory) is a failure. */
static enum status look(struct inspect_model_view *m, struct error *e)
{
    struct error *why = &m->refusal;
    error_clear(why);
    error_clear(&m->no_tokenizer);
    m->has_config = config_read(&m->config, m->file, why) == STATUS_OK;
    m->has_weights = m->has_config && weights_open(&m->weights, &m->config, m->file, why) == STATUS_OK;
    if (model_file_tensor_count(m->file) == 0) { /* says more than the first key that is missing */
        error_set(why, STATUS_INPUT, "the file has no tensors: it holds a vocabulary only");
        error_advice(why, "give the file with the weights");
    }
    if (tokenizer_open(&m->tokenizer, m->file, &m->no_tokenizer) != STATUS_OK)
        m->tokenizer = NULL;
    const struct error *failure = why->status == STATUS_FAILED ? why : &m->no_tokenizer;
    if (failure->status != STATUS_FAILED)
        return STATUS_OK;
    *e = *failure;
    return STATUS_FAILED;
}

static uint64_t size_of_parts(const struct model_file *file)
{
    uint64_t size = 0;
    for (size_t i = 0; i < model_file_part_count(file); i++)
        size += model_file_part(file, i)->size;
    return size;
}

static void part_cells(const void *context, size_t i, struct fact_sheet_cell *cells)
{
    const struct mapping *part = model_file_part(context, i);
    cells[0] = (struct fact_sheet_cell){.text = part->path, .length = strlen(part->path)};
    cells[1].count = part->size;
}

static void show_parts(struct fact_sheet *sheet, const struct model_file *f)
{
    static const struct fact_sheet_column columns[] = {{"file", "file", FACT_SHEET_TEXT}, {"bytes", "size", FACT_SHEET_BYTES}};
    const struct fact_sheet_table table = {"parts", columns, 2, model_file_part_count(f), part_cells, f};
    fact_sheet_table(sheet, &table);
}

static enum status show(struct fact_sheet *sheet, const struct inspect_model_view *m, const char *path, bool tensors,
                        bool verify, struct error *e)
{
    fact_sheet_thing(sheet, path);
    fact_sheet_words(sheet, "what", "model");
    fact_sheet_words(sheet, "format", model_file_kind(m->file));
    fact_sheet_bytes(sheet, "file_size", size_of_parts(m->file));
    if (model_file_part_count(m->file) > 1)
        fact_sheet_count(sheet, "files", model_file_part_count(m->file));
    inspect_verify_show(sheet, m->file, verify);
    fact_sheet_count(sheet, "keys", model_file_key_count(m->file));
    if (model_file_part_count(m->file) > 1)
        show_parts(sheet, m->file);
    show_sizes(sheet, m);
    show_weights(sheet, m->file);
    enum status s = show_tokenizer(sheet, m, e);
    inspect_use_profile(sheet, m);
    if (s == STATUS_OK)
        s = inspect_use_memory(sheet, m, e);
    if (tensors)
        show_tensors(sheet, m->file);
    fact_sheet_thing_end(sheet);
    return s;
}

enum status inspect_model(struct fact_sheet *sheet, const char *path, bool tensors, bool verify, struct error *e)
{
    struct model_file *file;
    enum status s = model_file_open(&file, path, e);
    if (s != STATUS_OK)
        return s;
    struct inspect_model_view m = {.file = file};
    s = look(&m, e);
    if (s == STATUS_OK && verify)
        s = inspect_verify(&m, e);
    if (s == STATUS_OK)
        s = show(sheet, &m, path, tensors, verify, e);
    tokenizer_close(m.tokenizer);
    if (m.has_weights)
        weights_free(&m.weights);
    model_file_close(file);
    return s;
}
