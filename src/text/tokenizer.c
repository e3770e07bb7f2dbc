/* tokenizer.c - opens the tokenizer of a model file and runs a text through it.
 *
 * A text goes the same way whatever the kind: special tokens are cut out
 * (special.c), the plain parts between them are encoded by the kind's own
 * rules (sentencepiece.c, bytelevel.c), BOS and EOS are set around it all.
 *
 * The ids are llama.cpp's, which GGUF files are made for. One thing is not: where
 * the text itself begins with BOS (chat templates do) and BOS is added too, one is
 * written instead of two. Models have never seen two, and position 0 dominates a
 * neuron's extremes.
 */
#include "tokenizer.h"

#include <stdio.h>
#include <string.h>

#include "../base/memory.h"
#include "bytelevel.h"
#include "sentencepiece.h"
#include "special.h"
#include "unigram.h"
#include "utf8.h"

struct tokenizer {
    struct vocabulary vocabulary;
    struct special special;
    struct sentencepiece pieces; /* the one of the three that the kind names */
    struct bytelevel bytes;
    struct unigram unigram;
    char description[96];
    char note[160]; /* "" none */
};

void tokenizer_close(struct tokenizer *tokenizer)
{
    if (tokenizer == NULL)
        return;
    sentencepiece_free(&tokenizer->pieces);
    bytelevel_free(&tokenizer->bytes);
    unigram_free(&tokenizer->unigram);
    special_free(&tokenizer->special);
    vocabulary_free(&tokenizer->vocabulary);
    memory_free(tokenizer);
}

bool tokenizer_present(const struct model_file *file)
{
    struct model_file_text model = {"", 0};
    bool found = false;
    struct error ignored;
    if (model_file_get_text(file, "tokenizer.ggml.model", &model, &found, &ignored) != STATUS_OK || !found)
        return false;
    return !(model.length == 4 && memcmp(model.bytes, "none", 4) == 0) &&
           !(model.length == 8 && memcmp(model.bytes, "no_vocab", 8) == 0);
}

static enum status open_sentencepiece(struct tokenizer *t, const struct model_file *file, struct error *e)
{
    enum status status = vocabulary_read(&t->vocabulary, file, true, e);
    if (status == STATUS_OK)
        status = sentencepiece_build(&t->pieces, &t->vocabulary, file, e);
    snprintf(t->description, sizeof t->description, "SentencePiece, %zu tokens", t->vocabulary.count);
    return status;
}

static enum status open_unigram(struct tokenizer *t, const struct model_file *file, struct error *e)
{
    enum status status = vocabulary_read(&t->vocabulary, file, false, e);
    if (status == STATUS_OK)
        status = unigram_build(&t->unigram, &t->vocabulary, file, e);
    snprintf(t->description, sizeof t->description, "Unigram, %zu tokens", t->vocabulary.count);
    return status;
}

/* What a tokenizer.json says that a GGUF's rule for words has in its name. */
static enum status read_extras(struct tokenizer *t, const struct model_file *file, struct pretokenize_facts *facts,
                               struct error *e)
{
    struct model_file_text normal;
    bool found = false;
    enum status status = model_file_get_bool(file, "phi3sat.whole_words", &facts->whole_words, &found, e);
    if (status == STATUS_OK)
        status = model_file_get_text(file, "phi3sat.normalizer", &normal, &found, e);
    t->bytes.compose = found;
    return status;
}

static enum status open_bytelevel(struct tokenizer *t, const struct model_file *file, struct error *e)
{
    struct model_file_text name = {"default", 7};
    struct pretokenize_facts facts = {"", false, false};
    struct pretokenize *words = NULL;
    bool found = false;
    enum status status = model_file_get_word(file, "tokenizer.ggml.pre", &name, &found, e);
    if (status != STATUS_OK)
        return status;
    if (!found || name.length == 0) {
        name = (struct model_file_text){"default", 7};
        snprintf(t->note, sizeof t->note,
                 "the model file names no pre-tokeniser (tokenizer.ggml.pre): 'default' is used, token ids may be off");
    }
    status = pretokenize_open(&words, name.bytes, name.length, &facts, e);
    if (status != STATUS_OK) {
        error_file(e, model_file_path(file));
        return status;
    }
    status = read_extras(t, file, &facts, e);
    if (status == STATUS_OK)
        status = vocabulary_read(&t->vocabulary, file, facts.add_bos, e);
    if (status == STATUS_OK)
        status = bytelevel_build(&t->bytes, &t->vocabulary, words, facts.whole_words, file, e);
    else
        pretokenize_free(words);
    snprintf(t->description, sizeof t->description, "byte-level BPE (%.*s), %zu tokens",
             name.length > 32 ? 32 : (int)name.length, name.bytes, t->vocabulary.count);
    return status;
}

enum status tokenizer_open(struct tokenizer **tokenizer, const struct model_file *file, struct error *e)
{
    struct tokenizer *t = NULL;
    enum vocabulary_kind kind = VOCABULARY_SENTENCEPIECE;
    *tokenizer = NULL;
    enum status status = vocabulary_find_kind(file, &kind, e);
    if (status == STATUS_OK)
        status = memory_array(&t, 1, sizeof *t, "tokenizer", e);
    if (status != STATUS_OK)
        return status;
    status = kind == VOCABULARY_SENTENCEPIECE ? open_sentencepiece(t, file, e)
             : kind == VOCABULARY_UNIGRAM     ? open_unigram(t, file, e)
                                              : open_bytelevel(t, file, e);
    if (status == STATUS_OK)
        status = special_build(&t->special, &t->vocabulary, e);
    if (status == STATUS_OK)
        *tokenizer = t;
    else
        tokenizer_close(t);
    return status;
}

/* Whether a space is put in front of the part. */
static bool wants_prefix(const struct vocabulary *v, const char *bytes, const struct special_part *part, bool after_special)
{
    const char *text = bytes + part->start;
    if (!v->add_space_prefix || !after_special)
        return false;
    if (v->prefix == VOCABULARY_PREFIX_ALWAYS)
        return true;
    if (v->prefix == VOCABULARY_PREFIX_FIRST && part->start > 0)
        return false;
    return text[0] != ' ' && !(part->length >= 3 && memcmp(text, "\xE2\x96\x81", 3) == 0);
}

/* Encodes the parts between special tokens, and the special tokens themselves. */
static enum status encode_parts(const struct tokenizer *t, const char *bytes, const struct special_parts *parts,
                                struct token_list *out, uint64_t *unknown, struct error *e)
{
    const enum vocabulary_kind kind = t->vocabulary.kind;
    struct pair_merge work = {0};
    bool after_special = true;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < parts->count && status == STATUS_OK; i++) {
        const struct special_part *part = &parts->parts[i];
        const char *text = bytes + part->start;
        if (part->token >= 0)
            status = token_list_add(out, part->token, e);
        else if (kind == VOCABULARY_SENTENCEPIECE)
            status = sentencepiece_encode(&t->pieces, text, part->length,
                                          wants_prefix(&t->vocabulary, bytes, part, after_special), &work, out, unknown, e);
        else if (kind == VOCABULARY_UNIGRAM)
            status = unigram_encode(&t->unigram, text, part->length, wants_prefix(&t->vocabulary, bytes, part, after_special), out,
                                    unknown, e);
        else
            status = bytelevel_encode(&t->bytes, text, part->length, &work, out, unknown, e);
        after_special = part->token >= 0;
    }
    pair_merge_free(&work);
    return status;
}

/* From here on room for one id a byte is reserved: what isn't used is never touched, and takes no memory. */
#define LONG_TEXT ((size_t)1 << 20)

enum status tokenizer_encode(const struct tokenizer *t, const char *bytes, size_t length, unsigned flags,
                             struct token_list *out, struct tokenizer_counts *counts, struct error *e)
{
    const struct vocabulary *v = &t->vocabulary;
    const size_t before = out->count;
    const bool bos = (flags & TOKENIZER_ADD_SPECIAL) && v->add_bos;
    struct special_parts parts = {0};
    struct tokenizer_counts found = {0};
    enum status status =
        special_cut(&t->special, v, bytes, length, (flags & TOKENIZER_PARSE_SPECIAL) != 0, &parts, e);
    if (status == STATUS_OK && length >= LONG_TEXT)
        status = token_list_reserve(out, length, e);
    if (status == STATUS_OK && bos) {
        found.double_bos = parts.count > 0 && parts.parts[0].token == v->bos;
        if (found.double_bos == 0)
            status = token_list_add(out, v->bos, e);
    }
    if (status == STATUS_OK)
        status = encode_parts(t, bytes, &parts, out, &found.unknown, e);
    if (status == STATUS_OK && (flags & TOKENIZER_ADD_SPECIAL) && v->add_eos)
        status = token_list_add(out, v->eos, e);
    special_parts_free(&parts);
    if (status != STATUS_OK) {
        out->count = before;
        return status;
    }
    if (counts != NULL) {
        counts->malformed += utf8_malformed(bytes, length);
        counts->unknown += found.unknown;
        counts->double_bos += found.double_bos;
    }
    return STATUS_OK;
}

/* The byte of a token named like "<0x0A>", or -1. */
static int byte_of_name(const char *name, size_t length)
{
    static const char digits[] = "0123456789ABCDEF";
    if (length != 6 || memcmp(name, "<0x", 3) != 0 || name[5] != '>')
        return -1;
    const char *high = memchr(digits, name[3], 16), *low = memchr(digits, name[4], 16);
    return high == NULL || low == NULL ? -1 : (int)((high - digits) * 16 + (low - digits));
}

/* U+2581 becomes a space, in place; returns the new length. */
static size_t unescape(char *text, size_t length)
{
    size_t used = 0;
    for (size_t at = 0; at < length;) {
        const bool space = length - at >= 3 && memcmp(text + at, "\xE2\x96\x81", 3) == 0;
        text[used++] = space ? ' ' : text[at];
        at += space ? 3 : 1;
    }
    return used;
}

enum status tokenizer_piece(const struct tokenizer *t, int32_t id, char **piece, size_t *length, struct error *e)
{
    *piece = NULL;
    *length = 0;
    if (id < 0 || (size_t)id >= t->vocabulary.count)
        return error_set(e, STATUS_USAGE, "token %d is not in the vocabulary of %zu", (int)id, t->vocabulary.count);
    size_t n;
    const char *text = string_table_at(&t->vocabulary.texts, id, &n);
    const enum status status = memory_bytes(piece, text, n, e);
    if (status != STATUS_OK)
        return status;
    const unsigned traits = t->vocabulary.traits[id];
    if (traits & VOCABULARY_SPECIAL) {
        *length = n;
        return STATUS_OK;
    }
    const int byte = traits & VOCABULARY_BYTE ? byte_of_name(text, n) : -1;
    if (byte >= 0) {
        (*piece)[0] = (char)byte;
        n = 1;
    } else if (t->vocabulary.kind != VOCABULARY_BYTE_LEVEL) {
        n = unescape(*piece, n);
    } else {
        n = bytelevel_decode(*piece, n);
    }
    (*piece)[n] = '\0';
    *length = n;
    return STATUS_OK;
}

size_t tokenizer_vocabulary_size(const struct tokenizer *tokenizer)
{
    return tokenizer->vocabulary.count;
}

int32_t tokenizer_bos(const struct tokenizer *tokenizer)
{
    return tokenizer->vocabulary.bos;
}

int32_t tokenizer_eos(const struct tokenizer *tokenizer)
{
    return tokenizer->vocabulary.eos;
}

size_t tokenizer_ends(const struct tokenizer *tokenizer, int32_t ids[TOKENIZER_ENDS])
{
    _Static_assert((int)TOKENIZER_ENDS == (int)VOCABULARY_ENDS, "as many as the vocabulary gives");
    return vocabulary_ends(&tokenizer->vocabulary, ids);
}

bool tokenizer_adds_bos(const struct tokenizer *tokenizer)
{
    return tokenizer->vocabulary.add_bos;
}

bool tokenizer_adds_eos(const struct tokenizer *tokenizer)
{
    return tokenizer->vocabulary.add_eos;
}

int32_t tokenizer_find(const struct tokenizer *tokenizer, const char *bytes, size_t length)
{
    return vocabulary_find(&tokenizer->vocabulary, bytes, length);
}

const char *tokenizer_description(const struct tokenizer *tokenizer)
{
    return tokenizer->description;
}

const char *tokenizer_note(const struct tokenizer *tokenizer)
{
    return tokenizer->note[0] == '\0' ? NULL : tokenizer->note;
}
