/* unigram.c - see unigram.h (Kudo 2018, arXiv:1804.10959).
 *
 * Viterbi over byte positions: best[i] is the best score of a cut of the first i bytes, and a token that begins there is
 * tried in each of its lengths, by a look-up in the vocabulary. Of equal scores the one whose last token begins first
 * stays, as in Hugging Face's implementation. A character that begins no token costs 10 more than the rarest token; runs of
 * them are one unknown token, or their bytes' tokens where there are such. Where words are split, each is cut by itself,
 * so that memory is for one word; else for the part between two special tokens.
 */
#define _GNU_SOURCE 1 /* memmem */
#include "unigram.h"

#include <math.h>
#include <string.h>

#include "../base/memory.h"
#include "utf8.h"

#define PENALTY 10.0

static const char escaped_space[] = "\xE2\x96\x81";
enum { ESCAPED = 3 };

void unigram_free(struct unigram *u)
{
    memory_free(u->scores);
    memset(u, 0, sizeof *u);
}

enum status unigram_build(struct unigram *u, const struct vocabulary *v, const struct model_file *file, struct error *e)
{
    static const char key[] = "tokenizer.ggml.scores";
    enum model_file_key_type type;
    size_t count = 0;
    double least = INFINITY;
    u->vocabulary = v;
    enum status status = model_file_get_array(file, key, &type, &count, NULL, e);
    if (status == STATUS_OK && count != v->count)
        status = error_set(e, STATUS_INPUT, "%zu scores for %zu tokens", count, v->count);
    if (status == STATUS_OK)
        status = memory_array(&u->scores, v->count, sizeof *u->scores, "token scores", e);
    for (size_t i = 0; i < v->count && status == STATUS_OK; i++) {
        status = model_file_array_float(file, key, i, &u->scores[i], e);
        if (status == STATUS_OK && !isfinite(u->scores[i]))
            status = error_set(e, STATUS_INPUT, "the score of token %zu is no finite number", i);
        least = u->scores[i] < least ? u->scores[i] : least;
    }
    u->unknown = least - PENALTY;
    u->fallback = true;
    for (unsigned byte = 0; byte < 256; byte++) {
        char name[] = "<0x00>";
        name[3] = "0123456789ABCDEF"[byte >> 4];
        name[4] = "0123456789ABCDEF"[byte & 15];
        u->fallback &= vocabulary_find(v, name, sizeof name - 1) >= 0;
    }
    if (status == STATUS_INPUT && e != NULL && e->file[0] == '\0')
        vocabulary_blame(file, key, e);
    return status;
}

/* One position of the text: how it is best reached. */
struct node {
    double score;
    uint32_t length; /* of the last token; 0: not reached */
    int32_t token;   /* -1: an unknown character           */
    bool cut;        /* on the best way                    */
};

static size_t character(const char *text, size_t length, size_t at)
{
    const size_t n = utf8_promised((unsigned char)text[at]);
    return n < length - at ? n : length - at;
}

static void offer(struct node *to, const struct node *from, double score, size_t length, int32_t token)
{
    if (to->length && !(from->score + score > to->score))
        return;
    *to = (struct node){from->score + score, (uint32_t)length, token, false};
}

/* Fills best[length + 1]. */
static void find_best(const struct unigram *u, const char *text, size_t length, struct node *best)
{
    for (size_t at = 0; at < length; at += character(text, length, at)) {
        const size_t single = character(text, length, at);
        bool has_single = false;
        for (size_t n = single; at + n <= length && n <= u->vocabulary->longest;) {
            const int32_t token = vocabulary_find(u->vocabulary, text + at, n);
            if (token >= 0) {
                offer(&best[at + n], &best[at], u->scores[token], n, token);
                has_single |= n == single;
            }
            if (at + n == length)
                break;
            n += character(text, length, at + n);
        }
        if (!has_single)
            offer(&best[at + single], &best[at], u->unknown, single, -1);
    }
}

/* Unknown characters text[length], one run. */
static enum status add_unknown(const struct unigram *u, const char *text, size_t length, struct token_list *out,
                               uint64_t *unknown, struct error *e)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; u->fallback && i < length && status == STATUS_OK; i++)
        status = token_list_add(out, vocabulary_byte(u->vocabulary, (unsigned char)text[i]), e);
    if (u->fallback)
        return status;
    *unknown += length;
    return u->vocabulary->unknown >= 0 ? token_list_add(out, u->vocabulary->unknown, e) : STATUS_OK;
}

static enum status encode_word(const struct unigram *u, const char *text, size_t length, struct token_list *out,
                               uint64_t *unknown, struct error *e)
{
    struct node *best = NULL;
    size_t run = 0;
    enum status status = length >= UINT32_MAX ? error_set(e, STATUS_FAILED, "a text of %zu bytes is too long", length)
                                              : memory_array(&best, length + 1, sizeof *best, "text to be tokenised", e);
    if (status != STATUS_OK)
        return status;
    find_best(u, text, length, best);
    for (size_t at = length; at > 0; at -= best[at].length)
        best[at].cut = true;
    for (size_t at = 1, start = 0; at <= length && status == STATUS_OK; at++) {
        if (!best[at].cut)
            continue;
        if (best[at].token < 0) {
            run += at - start;
        } else {
            if (run)
                status = add_unknown(u, text + start - run, run, out, unknown, e);
            run = 0;
            if (status == STATUS_OK)
                status = token_list_add(out, best[at].token, e);
        }
        start = at;
    }
    if (run && status == STATUS_OK)
        status = add_unknown(u, text + length - run, run, out, unknown, e);
    memory_free(best);
    return status;
}

/* Where the word that begins at `from` ends: before the next space, if words are split. */
static size_t word_end(const struct unigram *u, const char *text, size_t length, size_t from)
{
    if (!u->vocabulary->split_words)
        return length;
    const char *next = from + 1 < length ? memmem(text + from + 1, length - from - 1, escaped_space, ESCAPED) : NULL;
    return next == NULL ? length : (size_t)(next - text);
}

enum status unigram_encode(const struct unigram *u, const char *text, size_t length, bool prefix, struct token_list *out,
                           uint64_t *unknown, struct error *e)
{
    char *escaped = NULL;
    size_t room, fill = 0;
    if (!memory_multiply(length + 1, ESCAPED, &room))
        return error_set(e, STATUS_FAILED, "a text of %zu bytes does not fit the memory", length);
    enum status status = memory_uninitialised(&escaped, room, 1, "text to be tokenised", e);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < length + prefix; i++) {
        const char byte = prefix ? (i ? text[i - 1] : ' ') : text[i];
        memcpy(escaped + fill, byte == ' ' ? escaped_space : &byte, byte == ' ' ? ESCAPED : 1);
        fill += byte == ' ' ? ESCAPED : 1;
    }
    for (size_t at = 0; at < fill && status == STATUS_OK;) {
        const size_t end = word_end(u, escaped, fill, at);
        status = encode_word(u, escaped + at, end - at, out, unknown, e);
        at = end;
    }
    memory_free(escaped);
    return status;
}
