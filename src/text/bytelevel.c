/* bytelevel.c - byte-level BPE as GPT-2 introduced it.
 *
 * Text is cut into words by regular expressions (pretokenize.c); each word's
 * bytes are the first symbols, and neighbours are joined in the order of the
 * file's list of merges. Vocabularies write bytes as letters, so that they are
 * printable: bytes that are visible in Latin-1 stand for themselves, the other 68 are U+0100
 * and up, in order (Radford et al. 2019, encoder.py).
 *
 * Merges are numbers of strings (merges.c); one below the vocabulary's size is a token.
 */
#include "bytelevel.h"

#include <string.h>

#include "../base/memory.h"
#include "compose.h"
#include "utf8.h"

void bytelevel_free(struct bytelevel *b)
{
    pretokenize_free(b->words);
    merges_free(&b->merges);
    memset(b, 0, sizeof *b);
}

static bool shows_itself(unsigned byte)
{
    return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

/* The letters of the 256 bytes. */
static void letters(uint32_t codes[256])
{
    uint32_t next = 0x100;
    for (unsigned byte = 0; byte < 256; byte++)
        codes[byte] = shows_itself(byte) ? byte : next++;
}

size_t bytelevel_decode(char *text, size_t length)
{
    uint32_t codes[256];
    size_t used = 0;
    letters(codes);
    for (size_t at = 0; at < length;) {
        uint32_t code = 0;
        size_t n = utf8_decode(text + at, length - at, &code);
        unsigned byte = 0;
        while (n > 0 && byte < 256 && codes[byte] != code)
            byte++;
        if (n > 0 && byte < 256) {
            text[used++] = (char)byte;
        } else {
            n = n == 0 ? 1 : n;
            memmove(text + used, text + at, n);
            used += n;
        }
        at += n;
    }
    return used;
}

enum status bytelevel_build(struct bytelevel *b, struct vocabulary *v, struct pretokenize *words, bool whole_words,
                            const struct model_file *file, struct error *e)
{
    uint32_t codes[256];
    b->vocabulary = v;
    b->words = words;
    b->whole_words = whole_words;
    letters(codes);
    enum status status = STATUS_OK;
    for (unsigned byte = 0; byte < 256 && status == STATUS_OK; byte++) {
        char letter[4];
        const size_t n = utf8_encode(codes[byte], letter);
        status = string_table_intern(&v->texts, letter, n, &b->bytes[byte], e);
    }
    if (status == STATUS_OK)
        status = merges_read(&b->merges, v, file, "tokenizer.ggml.merges", e);
    if (status != STATUS_OK && e != NULL && e->file[0] == '\0')
        error_file(e, model_file_path(file));
    return status;
}

/* pair_merge_rule: by the list of merges. */
static bool join(const void *rules, const char *text, const struct pair_merge_symbol *left,
                 const struct pair_merge_symbol *right, int32_t *id, uint32_t *rank)
{
    (void)text;
    return merges_find(&((const struct bytelevel *)rules)->merges, left->id, right->id, id, rank);
}

/* The token that the whole word is, or -1. */
static int32_t whole_token(const struct bytelevel *b, const char *word, size_t length)
{
    char small[512];
    size_t used = 0;
    if (length > sizeof small / 2)
        return -1; /* no vocabulary has words of more than 256 bytes */
    for (size_t i = 0; i < length; i++) {
        size_t n;
        const char *letter = string_table_at(&b->vocabulary->texts, b->bytes[(unsigned char)word[i]], &n);
        memcpy(small + used, letter, n);
        used += n;
    }
    return vocabulary_find(b->vocabulary, small, used);
}

/* A symbol as its token, or byte by byte where it is none. Some vocabularies lack
 * tokens for bytes they were not trained on (SmolLM's for 0xF1): llama.cpp and
 * Hugging Face leave such a byte out, whatever unknown token there is, and so do we. */
static enum status add_symbol(const struct bytelevel *b, const char *word, const struct pair_merge_symbol *symbol,
                              struct token_list *out, uint64_t *unknown, struct error *e)
{
    const int32_t tokens = (int32_t)b->vocabulary->count;
    if (symbol->id < tokens)
        return token_list_add(out, symbol->id, e);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < symbol->length && status == STATUS_OK; i++) {
        const int32_t id = b->bytes[(unsigned char)word[symbol->start + i]];
        if (id < tokens)
            status = token_list_add(out, id, e);
        else
            ++*unknown;
    }
    return status;
}

static enum status encode_word(const struct bytelevel *b, const char *word, size_t length, struct pair_merge *m,
                               struct token_list *out, uint64_t *unknown, struct error *e)
{
    const int32_t whole = b->whole_words ? whole_token(b, word, length) : -1;
    if (whole >= 0)
        return token_list_add(out, whole, e);
    enum status status = STATUS_OK;
    m->count = 0;
    for (size_t i = 0; i < length && status == STATUS_OK; i++)
        status = pair_merge_append(m, i, 1, b->bytes[(unsigned char)word[i]], e);
    if (status == STATUS_OK)
        status = pair_merge_run(m, word, join, b, e);
    for (int32_t i = 0; i >= 0 && status == STATUS_OK; i = m->symbols[i].next)
        status = add_symbol(b, word, &m->symbols[i], out, unknown, e);
    return status;
}

/* Text in which every byte belongs to a character. */
struct clean {
    char *text;    /* [length]: malformed bytes are U+FFFD, overlong forms are short     */
    char *matched; /* what the expressions see: as text, but private-use characters for
                      surrogates, which PCRE2 has no notion of. May be text itself        */
    size_t length;
};

static enum status clean_text(const char *text, size_t length, bool compose, struct clean *clean, struct error *e)
{
    size_t room;
    bool surrogates = false;
    *clean = (struct clean){0};
    if (!memory_multiply(length, 3, &room))
        return error_set(e, STATUS_FAILED, "a text of %zu bytes does not fit the memory", length);
    enum status status = memory_uninitialised(&clean->text, room, 1, "text to be tokenised", e);
    for (size_t at = 0; at < length && status == STATUS_OK;) {
        uint32_t code = UTF8_REPLACEMENT;
        const size_t n = utf8_decode(text + at, length - at, &code);
        surrogates |= code >= 0xD800 && code <= 0xDFFF;
        clean->length += utf8_encode(n == 0 ? UTF8_REPLACEMENT : code, clean->text + clean->length);
        at += n == 0 ? 1 : n;
    }
    if (compose && status == STATUS_OK) {
        char *composed = NULL;
        size_t composed_length = 0;
        status = compose_nfc(clean->text, clean->length, &composed, &composed_length, e);
        if (composed != NULL) {
            memory_free(clean->text);
            clean->text = composed;
            clean->length = composed_length;
        }
    }
    clean->matched = clean->text;
    if (!surrogates || status != STATUS_OK)
        return status;
    status = memory_bytes(&clean->matched, clean->text, clean->length, e);
    if (status != STATUS_OK)
        clean->matched = clean->text;
    for (size_t at = 0; at < clean->length && status == STATUS_OK;) {
        uint32_t code = 0;
        const size_t n = utf8_decode(clean->text + at, clean->length - at, &code);
        if (code >= 0xD800 && code <= 0xDFFF)
            utf8_encode(0xE000, clean->matched + at);
        at += n;
    }
    return status;
}

static void clean_free(struct clean *clean)
{
    if (clean->matched != clean->text)
        memory_free(clean->matched);
    memory_free(clean->text);
}

enum status bytelevel_encode(const struct bytelevel *b, const char *text, size_t length, struct pair_merge *m,
                             struct token_list *out, uint64_t *unknown, struct error *e)
{
    struct clean clean;
    struct pretokenize_words words = {0};
    enum status status = clean_text(text, length, b->compose, &clean, e);
    if (status == STATUS_OK)
        status = pretokenize_cut(b->words, clean.matched, clean.length, &words, e);
    for (size_t i = 0, start = 0; i < words.count && status == STATUS_OK; start = words.ends[i++])
        status = encode_word(b, clean.text + start, words.ends[i] - start, m, out, unknown, e);
    pretokenize_words_free(&words);
    clean_free(&clean);
    return status;
}
