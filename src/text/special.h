/* special.h - finds special tokens written out in a text and cuts it there. */
#ifndef PHI3SAT_TEXT_SPECIAL_H
#define PHI3SAT_TEXT_SPECIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"
#include "vocabulary.h"

/* A part of the text: plain bytes (token -1), or one special token. */
struct special_part {
    size_t start;  /* byte in the text; of no meaning for a token */
    size_t length;
    int32_t token;
};

/* The special tokens of a vocabulary as a trie, and in the order in which they
 * are looked for. Read-only once built. */
struct special {
    struct special_node *nodes; /* [node_count], node 0 the root                 */
    size_t node_count;
    size_t node_capacity;
    int32_t *order;             /* [count] tokens, longest first, then lowest id */
    size_t count;
};

/* The parts of one text; work space of one thread. */
struct special_parts {
    struct special_part *parts; /* [count] */
    size_t count;
    size_t capacity;
};

/* Collects the special tokens of `v`. Freed by special_free, also after a
 * failure; `s` is zeroed by the caller. */
enum status special_build(struct special *s, const struct vocabulary *v, struct error *e) ERROR_MUST_USE;
void special_free(struct special *s);

/* Cuts text[length] at special tokens into out->parts: all of it once, in order
 * (but for the white space that a token strips). Control and unknown tokens only count when
 * `parse_special`; user-defined ones always. An empty text gives no parts. */
enum status special_cut(const struct special *s, const struct vocabulary *v, const char *text, size_t length,
                        bool parse_special, struct special_parts *out, struct error *e) ERROR_MUST_USE;
void special_parts_free(struct special_parts *parts);

#endif
