/* vocabulary.c - reads and checks the tokenizer.ggml.* keys both kinds share.
 *
 * Everything here comes from a file nobody vouches for: arrays must be of the
 * right element type and as long as the vocabulary, ids must lie inside it, no
 * token may stand there twice. What llama.cpp tolerates because published files
 * have it is tolerated too: empty tokens (they keep their id and never match),
 * special ids out of range (the default stands), unknown token types.
 *
 * Two things are told by names, not by keys, because no key exists:
 *  - tokens that end a turn or mark a gap are control tokens even where the file
 *    types them otherwise (Microsoft's Phi-3 file does), so that they are only
 *    recognised in text when special tokens are;
 *  - Phi-3's special tokens eat the white space on their right. Hugging Face's
 *    tokenizer.json has a flag for that, GGUF has none; general.name tells.
 */
#include "vocabulary.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "../base/memory.h"

#define KEY(name) "tokenizer.ggml." name
#define LONGEST_TOKEN (1 << 16) /* of real ones 1 KiB; texts are copied, and a hole in a file is a long one */

/* Control tokens by name. Those of the first group (VOCABULARY_ENDS - 1 of them) end a generation, those of
 * the second mark the pieces of fill-in-the-middle prompts. */
static const char *const control_names[] = {
    "<|eot_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>", "<|endoftext|>", "<|end_of_text|>", "<|eom_id|>",
    "<EOT>", "_<EOT>", "<\357\275\234end\342\226\201of\342\226\201sentence\357\275\234>", /* bars U+FF5C, U+2581 */
    "<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>", "<PRE>", "\342\226\201<PRE>",
    "<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>", "<SUF>", "\342\226\201<SUF>",
    "<|fim_middle|>", "<fim-middle>", "<fim_middle>", "<MID>", "\342\226\201<MID>",
    "<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>",
    "<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<|file_sep|>",
};

void vocabulary_free(struct vocabulary *v)
{
    string_table_free(&v->texts);
    memory_free(v->traits);
    memset(v, 0, sizeof *v);
}

int32_t vocabulary_find(const struct vocabulary *v, const char *bytes, size_t length)
{
    const int32_t number = length <= v->longest ? string_table_find(&v->texts, bytes, length) : STRING_TABLE_NONE;
    return number >= 0 && (size_t)number < v->count ? number : -1;
}

int32_t vocabulary_byte(const struct vocabulary *v, unsigned char byte)
{
    char name[8];
    const int n = snprintf(name, sizeof name, "<0x%02X>", (unsigned)byte);
    const int32_t token = vocabulary_find(v, name, (size_t)n);
    return token >= 0 ? token : vocabulary_find(v, (const char *)&byte, 1);
}

size_t vocabulary_ends(const struct vocabulary *v, int32_t ids[VOCABULARY_ENDS])
{
    size_t count = 0;
    if (v->eos >= 0)
        ids[count++] = v->eos;
    for (size_t i = 0; i + 1 < VOCABULARY_ENDS; i++) {
        const int32_t id = vocabulary_find(v, control_names[i], strlen(control_names[i]));
        if (id >= 0 && id != v->eos)
            ids[count++] = id;
    }
    return count;
}

enum status vocabulary_blame(const struct model_file *file, const char *key, struct error *e)
{
    error_file(e, model_file_path(file));
    const bool folder = model_file_is_folder(file);
    if (folder) /* which has no such keys; ours follow its tokenizer.json or tokenizer.model */
        error_where(e, "the folder's tokenizer, %s", key + strlen(KEY("")));
    else
        error_where(e, "key %s", key);
    error_advice(e, folder ? "download the tokenizer again, or give token ids with --tokens FILE"
                           : "the file is damaged: convert or download it again, or give token ids with --tokens FILE");
    return error_position(e, model_file_key_position(file, key));
}

enum status vocabulary_find_kind(const struct model_file *file, enum vocabulary_kind *kind, struct error *e)
{
    struct model_file_text model = {"", 0}, why = {"", 0};
    bool found = false, refused = false;
    enum status status = model_file_get_word(file, KEY("model"), &model, &found, e);
    if (status == STATUS_OK)
        status = model_file_get_text(file, "phi3sat.tokenizer_refused", &why, &refused, e);
    if (status != STATUS_OK)
        return status;
    if (refused) {
        error_set(e, STATUS_INPUT, "%.*s", (int)(why.length < 300 ? why.length : 300), why.bytes);
        error_advice(e, "give token ids with --tokens FILE, one sequence a line");
        error_file(e, model_file_path(file));
        return STATUS_INPUT;
    }
    const int shown = model.length > 60 ? 60 : (int)model.length;
    if (!found || (model.length == 4 && memcmp(model.bytes, "none", 4) == 0) ||
        (model.length == 8 && memcmp(model.bytes, "no_vocab", 8) == 0)) {
        status = error_set(e, STATUS_INPUT, "this model file holds no tokenizer");
        error_advice(e, "give token ids with --tokens FILE, one sequence a line");
    } else if (model.length == 5 && memcmp(model.bytes, "llama", 5) == 0) {
        *kind = VOCABULARY_SENTENCEPIECE;
    } else if (model.length == 4 && memcmp(model.bytes, "gpt2", 4) == 0) {
        *kind = VOCABULARY_BYTE_LEVEL;
    } else if (model.length == 7 && memcmp(model.bytes, "unigram", 7) == 0) {
        *kind = VOCABULARY_UNIGRAM;
    } else {
        status = error_set(e, STATUS_INPUT, "tokenizer '%.*s' is not supported (llama and gpt2 are)", shown,
                           model.bytes);
        error_where(e, "key " KEY("model"));
        error_advice(e, "give token ids with --tokens FILE, one sequence a line");
    }
    if (status != STATUS_OK)
        error_file(e, model_file_path(file));
    return status;
}

/* Reads the token texts into strings 0..count-1. */
static enum status read_texts(struct vocabulary *v, const struct model_file *file, struct error *e)
{
    enum model_file_key_type type = MODEL_FILE_STRING;
    size_t count = 0;
    enum status status = model_file_get_array(file, KEY("tokens"), &type, &count, NULL, e);
    if (status != STATUS_OK)
        return status;
    if (type != MODEL_FILE_STRING || count == 0 || count >= INT32_MAX) {
        status = error_set(e, STATUS_INPUT, "the vocabulary is not an array of 1 to %d strings", INT32_MAX - 1);
        return vocabulary_blame(file, KEY("tokens"), e);
    }
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct model_file_text text = {"", 0};
        int32_t number = (int32_t)i;
        status = model_file_array_text(file, KEY("tokens"), i, &text, e);
        if (status == STATUS_OK && text.length > LONGEST_TOKEN) {
            error_set(e, STATUS_INPUT, "token %zu has %zu bytes, more than the %d of any token", i, text.length, LONGEST_TOKEN);
            status = vocabulary_blame(file, KEY("tokens"), e);
        }
        if (status == STATUS_OK && text.length == 0)
            status = string_table_blank(&v->texts, e);
        else if (status == STATUS_OK)
            status = string_table_intern(&v->texts, text.bytes, text.length, &number, e);
        if (status == STATUS_OK && (size_t)number != i) {
            status = error_set(e, STATUS_INPUT, "token %zu is the same as token %d", i, (int)number);
            vocabulary_blame(file, KEY("tokens"), e);
        }
        if (text.length > v->longest)
            v->longest = text.length;
    }
    v->count = count;
    return status;
}

static uint8_t trait_of_type(int64_t type)
{
    static const uint8_t traits[] = {0, VOCABULARY_NORMAL, VOCABULARY_UNKNOWN, VOCABULARY_CONTROL,
                                     VOCABULARY_USER_DEFINED, VOCABULARY_UNUSED, VOCABULARY_BYTE};
    return type >= 0 && type < (int64_t)sizeof traits ? traits[type] : 0;
}

/* Token types: the file's array (all normal without one), then the names. */
static enum status read_traits(struct vocabulary *v, const struct model_file *file, struct error *e)
{
    enum status status = memory_array(&v->traits, v->count, 1, "token types", e);
    if (status != STATUS_OK)
        return status;
    memset(v->traits, VOCABULARY_NORMAL, v->count);

    enum model_file_key_type type = MODEL_FILE_I32;
    size_t count = 0;
    bool found = false;
    status = model_file_get_array(file, KEY("token_type"), &type, &count, &found, e);
    if (status == STATUS_OK && found && count != v->count) {
        status = error_set(e, STATUS_INPUT, "%zu token types for %zu tokens", count, v->count);
        vocabulary_blame(file, KEY("token_type"), e);
    }
    for (size_t i = 0; found && i < v->count && status == STATUS_OK; i++) {
        int64_t value = 0;
        status = model_file_array_int(file, KEY("token_type"), i, &value, e);
        v->traits[i] = trait_of_type(value);
    }
    /* A tokenizer.json says itself which tokens are special. */
    const bool named = !model_file_has_key(file, "phi3sat.token_strip");
    for (size_t i = 0; named && i < sizeof control_names / sizeof *control_names; i++) {
        const int32_t token = vocabulary_find(v, control_names[i], strlen(control_names[i]));
        if (token >= 0)
            v->traits[token] |= VOCABULARY_CONTROL;
    }
    return status;
}

/* Whether general.name contains `part`, whatever the case of its ASCII letters. */
static bool name_contains(const struct model_file_text *name, const char *part)
{
    const size_t n = strlen(part);
    for (size_t i = 0; i + n <= name->length; i++)
        if (strncasecmp(name->bytes + i, part, n) == 0)
            return true;
    return false;
}

/* What the model's own tokenizer.json says of each token (formats/hf_tokens.h); empty: none strips. */
static enum status read_strip_list(struct vocabulary *v, const struct model_file *file, bool *found, struct error *e)
{
    static const char key[] = "phi3sat.token_strip";
    enum model_file_key_type type = MODEL_FILE_I32;
    size_t count = 0;
    enum status status = model_file_get_array(file, key, &type, &count, found, e);
    v->wide_strip = *found;
    for (size_t i = 0; i < count && i < v->count && status == STATUS_OK; i++) {
        int64_t value = 0;
        status = model_file_array_int(file, key, i, &value, e);
        v->traits[i] |= (uint8_t)((value & 1 ? VOCABULARY_LEFT_STRIP : 0) | (value & 2 ? VOCABULARY_RIGHT_STRIP : 0));
    }
    return status;
}

static enum status read_strip_rules(struct vocabulary *v, const struct model_file *file, struct error *e)
{
    static const char *const keep[] = {"<unk>", "<s>", "<|endoftext|>"};
    struct model_file_text name = {"", 0};
    bool found = false, listed = false;
    enum status status = read_strip_list(v, file, &listed, e);
    if (status != STATUS_OK || listed)
        return status;
    status = model_file_get_text(file, "general.name", &name, &found, e);
    if (status != STATUS_OK || !found || !(name_contains(&name, "phi-3") || name_contains(&name, "phi3")))
        return status;
    for (size_t i = 0; i < v->count; i++)
        if (v->traits[i] & VOCABULARY_SPECIAL)
            v->traits[i] |= VOCABULARY_RIGHT_STRIP;
    for (size_t i = 0; i < sizeof keep / sizeof *keep; i++) {
        const int32_t token = vocabulary_find(v, keep[i], strlen(keep[i]));
        if (token >= 0)
            v->traits[token] &= (uint8_t)~VOCABULARY_RIGHT_STRIP;
    }
    return STATUS_OK;
}

/* Special id: the key's, else the kind's default where that lies in the vocabulary, else none. Writers say -1 for none. */
static enum status read_id(const struct vocabulary *v, const struct model_file *file, const char *key,
                           int32_t preset, int32_t *id, struct error *e)
{
    uint64_t value = UINT64_MAX;
    bool found = false;
    const enum status status = model_file_get_uint(file, key, &value, &found, e);
    *id = preset >= 0 && (size_t)preset < v->count ? preset : -1;
    if (status != STATUS_OK || !found || value == UINT32_MAX || value == UINT64_MAX)
        return status;
    if (value >= v->count) {
        error_set(e, STATUS_INPUT, "token %llu is outside the vocabulary of %zu", (unsigned long long)value, v->count);
        return vocabulary_blame(file, key, e);
    }
    *id = (int32_t)value;
    return STATUS_OK;
}

static enum status read_prefix(struct vocabulary *v, const struct model_file *file, struct error *e)
{
    struct model_file_text text = {"", 0};
    bool found = false;
    enum status status = model_file_get_text(file, "phi3sat.space_prefix", &text, &found, e);
    if (status == STATUS_OK && found)
        v->prefix = text.length == 5 ? VOCABULARY_PREFIX_FIRST : VOCABULARY_PREFIX_MISSING;
    return status == STATUS_OK ? model_file_get_bool(file, "phi3sat.split_words", &v->split_words, &found, e) : status;
}

static enum status read_switches(struct vocabulary *v, const struct model_file *file, struct error *e)
{
    bool said_bos = false, said_eos = false, said_prefix = false;
    enum status status = model_file_get_bool(file, KEY("add_bos_token"), &v->add_bos, &said_bos, e);
    if (status == STATUS_OK)
        status = model_file_get_bool(file, KEY("add_eos_token"), &v->add_eos, &said_eos, e);
    if (status == STATUS_OK)
        status = model_file_get_bool(file, KEY("add_space_prefix"), &v->add_space_prefix, &said_prefix, e);
    if (status == STATUS_OK)
        status = read_prefix(v, file, e);
    if (status != STATUS_OK)
        return status;
    const bool bos = v->add_bos && v->bos < 0;
    if ((bos && said_bos) || (v->add_eos && v->eos < 0)) {
        error_set(e, STATUS_INPUT, "the file asks for a %s token and names none", bos && said_bos ? "BOS" : "EOS");
        return vocabulary_blame(file, bos && said_bos ? KEY("bos_token_id") : KEY("eos_token_id"), e);
    }
    v->add_bos = v->add_bos && v->bos >= 0;
    return STATUS_OK;
}

enum status vocabulary_read(struct vocabulary *v, const struct model_file *file, bool add_bos, struct error *e)
{
    enum status status = vocabulary_find_kind(file, &v->kind, e);
    if (status != STATUS_OK)
        return status;
    const bool pieces = v->kind != VOCABULARY_BYTE_LEVEL;
    /* A tokenizer.json says what it has; the presets are for GGUF files older than the keys (llama.cpp's). */
    const bool own = model_file_has_key(file, "phi3sat.token_strip");
    const int32_t presets[] = {own ? -1 : pieces ? 1 : 11, own ? -1 : pieces ? 2 : 11, pieces && !own ? 0 : -1};
    v->add_bos = add_bos;
    v->add_eos = false;
    v->add_space_prefix = pieces;
    status = read_texts(v, file, e);
    if (status == STATUS_OK)
        status = read_traits(v, file, e);
    if (status == STATUS_OK)
        status = read_strip_rules(v, file, e);
    if (status == STATUS_OK)
        status = read_id(v, file, KEY("bos_token_id"), presets[0], &v->bos, e);
    if (status == STATUS_OK)
        status = read_id(v, file, KEY("eos_token_id"), presets[1], &v->eos, e);
    if (status == STATUS_OK)
        status = read_id(v, file, KEY("unknown_token_id"), presets[2], &v->unknown, e);
    if (status == STATUS_OK)
        status = read_switches(v, file, e);
    return status;
}
