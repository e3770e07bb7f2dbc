/* merges.h - a list of merges: which two strings become one, and in which order.
 *
 * What byte-level BPE goes by, and SentencePiece-like BPE where the model comes with its merges instead of scores.
 */
#ifndef PHI3SAT_TEXT_MERGES_H
#define PHI3SAT_TEXT_MERGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"
#include "../formats/model_file.h"
#include "vocabulary.h"

/* Read-only once read. Zeroed: empty. */
struct merges {
    struct merges_entry *entries; /* [slots] hash table of pairs of strings       */
    size_t slots;                 /* a power of two, at least twice the merges     */
};

/* Reads array `key` of `file`, "left right" each. The strings of `v` grow by what the merges add. Free with
 * merges_free, also after a failure. STATUS_INPUT: no merges, or one that is not two parts. */
enum status merges_read(struct merges *m, struct vocabulary *v, const struct model_file *file, const char *key,
                        struct error *e) ERROR_MUST_USE;
void merges_free(struct merges *m);

/* What strings `left` and `right` become: *id, and its rank (lower is joined first); false: nothing. */
bool merges_find(const struct merges *m, int32_t left, int32_t right, int32_t *id, uint32_t *rank);

#endif
