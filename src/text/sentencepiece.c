/* sentencepiece.c - SentencePiece BPE as Llama 2, Phi-3 and their kin use it.
 *
 * Spaces become U+2581, the text is cut into characters (by their lead byte, so
 * malformed bytes go along), and neighbours whose concatenation is a token are
 * joined, the token with the highest score first, the leftmost among equals
 * (Kudo and Richardson, arXiv:1808.06226; the BPE variant). What is no token in the
 * end is a single character and is written as byte tokens <0x..>.
 *
 * Two neighbouring characters that stand next to each other in no token can never
 * end up in one. The text is cut there first, which changes no result: merging
 * then works on pieces of a few bytes, in cache, instead of on a whole line, and
 * needs memory for a piece only. The set of pairs that do occur is a hash set.
 */
#include "sentencepiece.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "../base/memory.h"
#include "utf8.h"

static const char escaped_space[] = "\xE2\x96\x81";
enum { ESCAPED = 3 };

void sentencepiece_free(struct sentencepiece *s)
{
    memory_free(s->ranks);
    memory_free(s->pairs);
    merges_free(&s->merges);
    memset(s, 0, sizeof *s);
}

/* Bytes of the character at text[at]; what the end cuts off is a character too. */
static size_t character(const char *text, size_t length, size_t at)
{
    const size_t n = utf8_promised((unsigned char)text[at]);
    return n < length - at ? n : length - at;
}

/* Two neighbouring characters, at most 4 + 4 bytes, as one number that is not 0.
 * Two pairs can share a number when they hold NUL or a character that the end
 * cuts off; that only leaves pieces uncut which could have been cut. */
static uint64_t pair_key(const char *a, size_t a_length, const char *b, size_t b_length)
{
    uint32_t x = 0, y = 0;
    memcpy(&x, a, a_length);
    memcpy(&y, b, b_length);
    const uint64_t key = (uint64_t)x << 32 | y;
    return key == 0 ? 1 : key;
}

static size_t pair_slot(const struct sentencepiece *s, uint64_t key)
{
    size_t slot = (size_t)XXH3_64bits(&key, sizeof key) & (s->pair_slots - 1);
    while (s->pairs[slot] != 0 && s->pairs[slot] != key)
        slot = (slot + 1) & (s->pair_slots - 1);
    return slot;
}

static enum status grow_pairs(struct sentencepiece *s, struct error *e)
{
    struct sentencepiece bigger = *s;
    bigger.pairs = NULL;
    bigger.pair_slots = s->pair_slots == 0 ? 1024 : 2 * s->pair_slots;
    const enum status status =
        memory_array(&bigger.pairs, bigger.pair_slots, sizeof *bigger.pairs, "character pairs", e);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < s->pair_slots; i++)
        if (s->pairs[i] != 0)
            bigger.pairs[pair_slot(&bigger, s->pairs[i])] = s->pairs[i];
    memory_free(s->pairs);
    *s = bigger;
    return STATUS_OK;
}

static enum status add_pairs(struct sentencepiece *s, const char *text, size_t length, struct error *e)
{
    size_t at = 0;
    while (at < length) {
        const size_t here = character(text, length, at), next = at + here;
        if (next >= length)
            break;
        if (2 * (s->pair_count + 1) > s->pair_slots) {
            const enum status status = grow_pairs(s, e);
            if (status != STATUS_OK)
                return status;
        }
        const uint64_t key = pair_key(text + at, here, text + next, character(text, length, next));
        const size_t slot = pair_slot(s, key);
        s->pair_count += s->pairs[slot] == 0;
        s->pairs[slot] = key;
        at = next;
    }
    return STATUS_OK;
}

/* A token while they are being ranked. */
struct scored {
    double score;
    uint32_t token;
};

static int higher_first(const void *a, const void *b)
{
    const struct scored *x = a, *y = b;
    return (x->score < y->score) - (x->score > y->score);
}

static enum status read_scores(const struct vocabulary *v, const struct model_file *file, struct scored *scores,
                               struct error *e)
{
    static const char key[] = "tokenizer.ggml.scores";
    enum model_file_key_type type = MODEL_FILE_F32;
    size_t count = 0;
    bool found = false;
    enum status status = model_file_get_array(file, key, &type, &count, &found, e);
    if (status == STATUS_OK && found && count != v->count)
        status = error_set(e, STATUS_INPUT, "%zu scores for %zu tokens", count, v->count);
    else if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < v->count && status == STATUS_OK; i++) {
        scores[i].token = (uint32_t)i;
        if (!found)
            continue;
        status = model_file_array_float(file, key, i, &scores[i].score, e);
        if (status != STATUS_OK)
            return status;
        if (!isfinite(scores[i].score))
            status = error_set(e, STATUS_INPUT, "the score of token %zu is no finite number", i);
    }
    if (status == STATUS_INPUT)
        vocabulary_blame(file, key, e);
    return status;
}

/* Scores, the highest first, as ranks. */
static enum status rank_scores(struct sentencepiece *s, const struct vocabulary *v, const struct model_file *file,
                               struct error *e)
{
    struct scored *scores = NULL;
    enum status status = memory_array(&scores, v->count, sizeof *scores, "token scores", e);
    if (status == STATUS_OK)
        status = memory_array(&s->ranks, v->count, sizeof *s->ranks, "token ranks", e);
    if (status == STATUS_OK)
        status = read_scores(v, file, scores, e);
    if (status != STATUS_OK)
        goto done;
    qsort(scores, v->count, sizeof *scores, higher_first);
    for (size_t i = 0, rank = 0; i < v->count; i++) {
        if (i > 0 && scores[i].score < scores[i - 1].score)
            rank = i;
        s->ranks[scores[i].token] = (uint32_t)rank;
    }
done:
    memory_free(scores);
    return status;
}

enum status sentencepiece_build(struct sentencepiece *s, struct vocabulary *v, const struct model_file *file, struct error *e)
{
    static const char key[] = "phi3sat.merges";
    s->vocabulary = v;
    s->listed = model_file_has_key(file, key);
    enum status status = s->listed ? merges_read(&s->merges, v, file, key, e) : rank_scores(s, v, file, e);
    if (status == STATUS_OK)
        status = grow_pairs(s, e);
    for (size_t i = 0; i < v->texts.count && status == STATUS_OK; i++) {
        size_t length;
        const char *text = string_table_at(&v->texts, (int32_t)i, &length);
        status = add_pairs(s, text, length, e);
    }
    return status;
}

/* pair_merge_rule: the token that both symbols spell together. */
static bool join(const void *rules, const char *text, const struct pair_merge_symbol *left,
                 const struct pair_merge_symbol *right, int32_t *id, uint32_t *rank)
{
    const struct sentencepiece *s = rules;
    if (s->listed)
        return left->id >= 0 && right->id >= 0 && merges_find(&s->merges, left->id, right->id, id, rank);
    *id = vocabulary_find(s->vocabulary, text + left->start, (size_t)left->length + right->length);
    if (*id < 0)
        return false;
    *rank = s->ranks[*id];
    return true;
}

/* A character without a token: its bytes' tokens, else the unknown token. */
static enum status add_bytes(const struct sentencepiece *s, const char *text, size_t length, struct token_list *out,
                             uint64_t *unknown, struct error *e)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < length && status == STATUS_OK; i++) {
        int32_t id = vocabulary_byte(s->vocabulary, (unsigned char)text[i]);
        if (id < 0) {
            ++*unknown;
            id = s->vocabulary->unknown;
        }
        if (id >= 0)
            status = token_list_add(out, id, e);
    }
    return status;
}

static enum status add_symbol(const struct sentencepiece *s, const char *text, const struct pair_merge_symbol *symbol,
                              struct token_list *out, uint64_t *unknown, struct error *e)
{
    int32_t id = symbol->id < (int32_t)s->vocabulary->count ? symbol->id : -1;
    if (id < 0)
        id = vocabulary_find(s->vocabulary, text + symbol->start, symbol->length);
    if (id >= 0)
        return token_list_add(out, id, e);
    return add_bytes(s, text + symbol->start, symbol->length, out, unknown, e);
}

/* One piece, whose characters are m->symbols. */
static enum status encode_piece(const struct sentencepiece *s, const char *piece, struct pair_merge *m,
                                struct token_list *out, uint64_t *unknown, struct error *e)
{
    enum status status = STATUS_OK;
    if (m->count == 0)
        return STATUS_OK;
    if (m->count == 1)
        m->symbols[0].next = -1;
    else
        status = pair_merge_run(m, piece, join, s, e);
    for (int32_t i = 0; i >= 0 && status == STATUS_OK; i = m->symbols[i].next)
        status = add_symbol(s, piece, &m->symbols[i], out, unknown, e);
    return status;
}

/* Text with its spaces escaped, a stretch at a time: bytes[fill] from the piece that is being looked at. */
struct escaped {
    const char *text; /* [length], of which `taken` have been escaped */
    size_t length, taken;
    bool prefix;      /* a space in front is still to come            */
    char *bytes;
    size_t fill, capacity;
};

/* Bytes of text that are escaped at once, and how far the search for cuts looks ahead. */
enum { STRETCH = 1 << 16, AHEAD = 16 };

/* Drops the first `done` bytes and adds a stretch. */
static enum status escape_more(struct escaped *x, size_t done, struct error *e)
{
    const size_t left = x->length - x->taken, more = left < STRETCH ? left : STRETCH;
    x->fill -= done;
    if (x->fill > 0)
        memmove(x->bytes, x->bytes + done, x->fill);
    const enum status status = memory_grow_uninitialised(&x->bytes, &x->capacity, x->fill + ESCAPED * (more + 1), 1,
                                                         "text to be tokenised", e);
    if (status != STATUS_OK)
        return status;
    if (x->prefix) {
        memcpy(x->bytes + x->fill, escaped_space, ESCAPED);
        x->fill += ESCAPED;
        x->prefix = false;
    }
    for (size_t i = 0; i < more; i++) {
        const char byte = x->text[x->taken + i];
        if (byte == ' ') {
            memcpy(x->bytes + x->fill, escaped_space, ESCAPED);
            x->fill += ESCAPED;
        } else {
            x->bytes[x->fill++] = byte;
        }
    }
    x->taken += more;
    return STATUS_OK;
}

enum status sentencepiece_encode(const struct sentencepiece *s, const char *text, size_t length, bool prefix,
                                 struct pair_merge *m, struct token_list *out, uint64_t *unknown, struct error *e)
{
    struct escaped x = {.text = text, .length = length, .prefix = prefix};
    size_t at = 0, piece = 0; /* in x.bytes */
    enum status status = escape_more(&x, 0, e);
    m->count = 0;
    while (at < x.fill && status == STATUS_OK) {
        if (x.fill - at < AHEAD && x.taken < length) {
            status = escape_more(&x, piece, e);
            at -= piece;
            piece = 0;
            continue;
        }
        const size_t here = character(x.bytes, x.fill, at), next = at + here;
        status = pair_merge_append(m, at - piece, here, s->listed ? string_table_find(&s->vocabulary->texts, x.bytes + at, here) : -1, e);
        bool cut = next >= x.fill;
        if (!cut) {
            const uint64_t key = pair_key(x.bytes + at, here, x.bytes + next, character(x.bytes, x.fill, next));
            cut = s->pairs[pair_slot(s, key)] == 0 ||
                  (s->vocabulary->split_words && x.fill - next >= ESCAPED && memcmp(x.bytes + next, escaped_space, ESCAPED) == 0);
        }
        if (cut && status == STATUS_OK) {
            status = encode_piece(s, x.bytes + piece, m, out, unknown, e);
            m->count = 0;
            piece = next;
        }
        at = next;
    }
    memory_free(x.bytes);
    return status;
}
