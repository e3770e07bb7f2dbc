/* names.h - finds keys and tensors by name.
 *
 * An index over names that lie in the file. Filled once, then only read:
 * thread-safe from then on.
 */
#ifndef PHI3SAT_FORMATS_NAMES_H
#define PHI3SAT_FORMATS_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/error.h"
#include "model_file.h"

struct names_entry {
    struct model_file_text text; /* borrowed from the file's map                  */
    size_t index;                /* of the key or tensor                          */
};

struct names {
    struct names_entry *entries; /* [count], owned, sorted after names_build       */
    size_t count;
};

/* Room for `count` names; a zeroed struct may be freed. */
enum status names_init(struct names *names, size_t count, struct error *e) ERROR_MUST_USE;
void names_free(struct names *names);

/* Gives name `index` (0..count-1, each exactly once, then names_build). */
void names_set(struct names *names, size_t index, struct model_file_text text);

/* Sorts the index. Returns false when two names are the same bytes; *repeated is
 * then the lowest index whose name stands earlier in the file too. */
bool names_build(struct names *names, size_t *repeated);

/* Whether the name is there, and its index. */
bool names_find_text(const struct names *names, struct model_file_text wanted, size_t *index);
bool names_find(const struct names *names, const char *name, size_t *index);

/* Whether a text from the file and a C string are the same bytes. */
bool names_equal(struct model_file_text text, const char *name);

#endif
