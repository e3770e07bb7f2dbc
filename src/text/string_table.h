/* string_table.h - a table of distinct byte strings, numbered in order of arrival.
 *
 * Vocabularies and merge rules are strings; inside the tokenizers they are
 * small numbers, so that merging compares integers.
 */
#ifndef PHI3SAT_TEXT_STRING_TABLE_H
#define PHI3SAT_TEXT_STRING_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"

#define STRING_TABLE_NONE (-1)

struct string_table {
    char *arena;       /* [arena_capacity] bytes of all strings, one after another  */
    size_t arena_used;
    size_t arena_capacity;
    size_t *starts;    /* [start_capacity] where string i starts; i + 1 where it ends */
    size_t start_capacity;
    size_t count;      /* strings, <= INT32_MAX                                     */
    int32_t *slots;    /* [slot_count] open addressing: number + 1, 0 = free        */
    size_t slot_count; /* a power of two, at least twice the count; 0 at first      */
};

/* A zeroed struct is an empty table. */
void string_table_free(struct string_table *table);

/* The number of bytes[length], which is added when it is new (then *number ==
 * the old count). STATUS_FAILED when memory or numbers are exhausted. The bytes are
 * copied. Not thread-safe. */
enum status string_table_intern(struct string_table *table, const char *bytes, size_t length, int32_t *number,
                           struct error *e) ERROR_MUST_USE;

/* Takes the next number for an empty string that string_table_find never finds. */
enum status string_table_blank(struct string_table *table, struct error *e) ERROR_MUST_USE;

/* The number of bytes[length], or STRING_TABLE_NONE. Thread-safe while nobody adds. */
int32_t string_table_find(const struct string_table *table, const char *bytes, size_t length);

/* The bytes of string `number` (valid until the next addition) and its length. */
const char *string_table_at(const struct string_table *table, int32_t number, size_t *length);

#endif
