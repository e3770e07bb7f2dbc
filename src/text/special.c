/* special.c - cuts a text at its special tokens.
 *
 * The rule that token ids depend on (llama.cpp's and, in effect, Hugging
 * Face's): the longest special token takes all its places in the text first,
 * from left to right, then the next longest within what is left, and so on. A
 * token with the right-strip trait takes the white space behind it along, which
 * is then gone for shorter tokens.
 *
 * Searching a text once per special token would take minutes where a vocabulary
 * has hundreds of them and a line 100 MB. So one pass with a trie first tells
 * which of them occur at all; most texts have none, and are done then.
 */
#define _GNU_SOURCE 1 /* memmem */

#include "special.h"

#include <stdlib.h>
#include <string.h>

#include "../base/memory.h"
#include "utf8.h"

/* A trie node; its children are a list, because few nodes have more than two. */
struct special_node {
    int32_t child;   /* first child or -1             */
    int32_t sibling; /* next child of the parent or -1 */
    int32_t place;   /* in `order`, or -1             */
    char byte;
};

void special_free(struct special *s)
{
    memory_free(s->nodes);
    memory_free(s->order);
    memset(s, 0, sizeof *s);
}

void special_parts_free(struct special_parts *parts)
{
    memory_free(parts->parts);
    memset(parts, 0, sizeof *parts);
}

/* The child of `node` for `byte`, or -1. */
static int32_t step(const struct special *s, int32_t node, char byte)
{
    int32_t child = s->nodes[node].child;
    while (child >= 0 && s->nodes[child].byte != byte)
        child = s->nodes[child].sibling;
    return child;
}

static enum status add_node(struct special *s, int32_t parent, char byte, int32_t *node, struct error *e)
{
    if (s->node_count >= INT32_MAX)
        return error_set(e, STATUS_INPUT, "the special tokens are longer than 2 GiB together");
    if (s->node_count == s->node_capacity) {
        const enum status status = memory_grow(&s->nodes, &s->node_capacity, s->node_count + 1, sizeof *s->nodes,
                                               "special tokens", e);
        if (status != STATUS_OK)
            return status;
    }
    *node = (int32_t)s->node_count++;
    s->nodes[*node] = (struct special_node){-1, -1, -1, byte};
    if (parent >= 0) {
        s->nodes[*node].sibling = s->nodes[parent].child;
        s->nodes[parent].child = *node;
    }
    return STATUS_OK;
}

static enum status add_word(struct special *s, const char *bytes, size_t length, int32_t place, struct error *e)
{
    int32_t node = 0;
    for (size_t i = 0; i < length; i++) {
        int32_t next = step(s, node, bytes[i]);
        if (next < 0) {
            const enum status status = add_node(s, node, bytes[i], &next, e);
            if (status != STATUS_OK)
                return status;
        }
        node = next;
    }
    s->nodes[node].place = place;
    return STATUS_OK;
}

/* A special token while they are being sorted. */
struct entry {
    size_t length;
    int32_t token;
};

static int longest_first(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->length != y->length)
        return x->length > y->length ? -1 : 1;
    return (x->token > y->token) - (x->token < y->token);
}

enum status special_build(struct special *s, const struct vocabulary *v, struct error *e)
{
    struct entry *entries = NULL;
    enum status status = memory_array(&entries, v->count, sizeof *entries, "special tokens", e);
    size_t count = 0;
    for (size_t i = 0; status == STATUS_OK && i < v->count; i++) {
        size_t length;
        string_table_at(&v->texts, (int32_t)i, &length);
        if ((v->traits[i] & VOCABULARY_SPECIAL) && length > 0)
            entries[count++] = (struct entry){length, (int32_t)i};
    }
    if (status == STATUS_OK)
        status = memory_array(&s->order, count, sizeof *s->order, "special tokens", e);
    int32_t root;
    if (status == STATUS_OK)
        status = add_node(s, -1, 0, &root, e);
    if (status != STATUS_OK)
        goto done;
    qsort(entries, count, sizeof *entries, longest_first);
    s->count = count;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        size_t length;
        const char *bytes = string_table_at(&v->texts, entries[i].token, &length);
        s->order[i] = entries[i].token;
        status = add_word(s, bytes, length, (int32_t)i, e);
    }
done:
    memory_free(entries);
    return status;
}

/* Marks in seen[s->count] the special tokens that stand anywhere in text[length];
 * returns whether there are any. */
static bool mark_seen(const struct special *s, const char *text, size_t length, unsigned char *seen)
{
    bool starts[256] = {false}, any = false;
    for (int32_t child = s->nodes[0].child; child >= 0; child = s->nodes[child].sibling)
        starts[(unsigned char)s->nodes[child].byte] = true;
    for (size_t i = 0; i < length; i++) {
        if (!starts[(unsigned char)text[i]])
            continue;
        int32_t node = 0;
        for (size_t j = i; j < length; j++) {
            node = step(s, node, text[j]);
            if (node < 0)
                break;
            if (s->nodes[node].place >= 0) {
                seen[s->nodes[node].place] = 1;
                any = true;
            }
        }
    }
    return any;
}

static enum status add_part(struct special_parts *out, size_t start, size_t length, int32_t token, struct error *e)
{
    if (out->count == out->capacity) {
        const enum status status = memory_grow(&out->parts, &out->capacity, out->count + 1, sizeof *out->parts,
                                               "parts of a text", e);
        if (status != STATUS_OK)
            return status;
    }
    out->parts[out->count++] = (struct special_part){start, length, token};
    return STATUS_OK;
}

/* The C locale's white space, whatever the locale. */
static bool white(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Bytes of the white space at the start of bytes[length], 0: none. Wide: Unicode's White_Space. */
static size_t white_ahead(const char *bytes, size_t length, bool wide)
{
    uint32_t code = 0;
    if (length == 0 || !wide || (unsigned char)bytes[0] < 0x80)
        return length > 0 && white(bytes[0]);
    const size_t n = utf8_decode(bytes, length, &code);
    const bool is_white = code == 0x85 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
                          code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
    return is_white ? n : 0;
}

/* bytes[length] without the white space at its end. */
static size_t without_white(const char *bytes, size_t length, bool wide)
{
    for (size_t n = 1; n <= 3 && n <= length; n++)
        if (white_ahead(bytes + length - n, n, wide) == n) {
            length -= n;
            n = 0;
        }
    return length;
}

/* Cuts the plain part `part` of `text` at each place of `token` into `out`. */
static enum status cut_part(const struct vocabulary *v, const char *text, const struct special_part *part,
                            int32_t token, struct special_parts *out, struct error *e)
{
    size_t needle_length;
    const char *needle = string_table_at(&v->texts, token, &needle_length);
    size_t at = part->start;
    const size_t end = part->start + part->length;
    enum status status = STATUS_OK;
    while (at < end && status == STATUS_OK) {
        const char *hit = memmem(text + at, end - at, needle, needle_length);
        const size_t stop = hit == NULL ? end : (size_t)(hit - text);
        size_t plain = stop - at;
        if (hit != NULL && v->traits[token] & VOCABULARY_LEFT_STRIP)
            plain = without_white(text + at, plain, v->wide_strip);
        if (plain > 0)
            status = add_part(out, at, plain, -1, e);
        if (hit == NULL || status != STATUS_OK)
            break;
        status = add_part(out, stop, needle_length, token, e);
        at = stop + needle_length;
        if (v->traits[token] & VOCABULARY_RIGHT_STRIP)
            for (size_t n = 1; n > 0; at += n)
                n = white_ahead(text + at, end - at, v->wide_strip);
    }
    return status;
}

/* Cuts all plain parts of `parts` at `token`; `spare` takes the result and is
 * then swapped with it. */
static enum status cut_all(const struct vocabulary *v, const char *text, int32_t token, struct special_parts *parts,
                           struct special_parts *spare, struct error *e)
{
    enum status status = STATUS_OK;
    spare->count = 0;
    for (size_t i = 0; i < parts->count && status == STATUS_OK; i++) {
        const struct special_part *part = &parts->parts[i];
        if (part->token >= 0)
            status = add_part(spare, part->start, part->length, part->token, e);
        else
            status = cut_part(v, text, part, token, spare, e);
    }
    const struct special_parts swap = *parts;
    *parts = *spare;
    *spare = swap;
    return status;
}

enum status special_cut(const struct special *s, const struct vocabulary *v, const char *text, size_t length,
                        bool parse_special, struct special_parts *out, struct error *e)
{
    struct special_parts spare = {0};
    unsigned char *seen = NULL;
    out->count = 0;
    if (length == 0)
        return STATUS_OK;
    enum status status = add_part(out, 0, length, -1, e);
    if (status == STATUS_OK)
        status = memory_array(&seen, s->count, 1, "special tokens", e);
    if (status != STATUS_OK || !mark_seen(s, text, length, seen))
        goto done;
    for (size_t i = 0; i < s->count && status == STATUS_OK; i++) {
        const unsigned traits = v->traits[s->order[i]];
        if (seen[i] && (parse_special || !(traits & (VOCABULARY_CONTROL | VOCABULARY_UNKNOWN))))
            status = cut_all(v, text, s->order[i], out, &spare, e);
    }
done:
    memory_free(seen);
    special_parts_free(&spare);
    return status;
}
