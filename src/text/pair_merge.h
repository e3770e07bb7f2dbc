/* pair_merge.h - byte-pair merging: join neighbours, best pair first, until none is left.
 *
 * The engine under both tokenizers. They differ in what two neighbours become
 * and how good that is; both are told by a function.
 */
#ifndef PHI3SAT_TEXT_PAIR_MERGE_H
#define PHI3SAT_TEXT_PAIR_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"

/* A run of bytes that is one unit for now; a doubly linked list in text order. */
struct pair_merge_symbol {
    uint32_t start;  /* byte in the text                                     */
    uint32_t length; /* bytes; 0 once it has been joined to its left         */
    int32_t next;    /* index of the neighbours, -1 at the ends              */
    int32_t previous;
    int32_t id;      /* the user's name of it: a token or string, or -1      */
};

/* What symbols `left` and `right` of text[] become: their id and rank (lower
 * is joined first), or false when they do not join. */
typedef bool pair_merge_rule(const void *rules, const char *text, const struct pair_merge_symbol *left,
                             const struct pair_merge_symbol *right, int32_t *id, uint32_t *rank);

/* Work space of one thread, kept from one call to the next. */
struct pair_merge {
    struct pair_merge_symbol *symbols; /* [count], filled by the user before pair_merge_run   */
    size_t count;                      /* <= INT32_MAX                                        */
    size_t capacity;
    struct pair_merge_candidate *heap; /* [heap_count] binary heap of pairs that may be joined */
    size_t heap_count;
    size_t heap_capacity;
};

/* Appends the symbol text[start .. start + length) behind the others. */
enum status pair_merge_append(struct pair_merge *m, size_t start, size_t length, int32_t id,
                              struct error *e) ERROR_MUST_USE;

/* Joins the symbols 0..count-1 of `text`, linking them first. Afterwards symbol 0 begins the list
 * of what is left (count > 0). Among equal ranks the leftmost pair is joined first. O(n log n). */
enum status pair_merge_run(struct pair_merge *m, const char *text, pair_merge_rule *rule, const void *rules,
                           struct error *e) ERROR_MUST_USE;

void pair_merge_free(struct pair_merge *m);

#endif
