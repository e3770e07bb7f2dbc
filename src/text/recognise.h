/* recognise.h - what the bytes of a prompt source are, judged by their beginning.
 *
 * Content decides; the name only where content leaves it open. What can't be prompts
 * (UTF-16, an archive of files, a model) is refused by name instead of being run as noise.
 */
#ifndef PHI3SAT_TEXT_RECOGNISE_H
#define PHI3SAT_TEXT_RECOGNISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"

enum recognise_format {
    RECOGNISE_TEXT,       /* one prompt a line                                          */
    RECOGNISE_TOKENS,     /* one sequence of ids a line                                 */
    RECOGNISE_JSON_LINES, /* one JSON record a line                                     */
    RECOGNISE_JSON_ARRAY, /* one array of records                                       */
    RECOGNISE_JSON_VALUES /* records one after the other, each over any number of lines */
};

/* What was asked for. */
enum recognise_wish { RECOGNISE_AUTO, RECOGNISE_AS_TEXT, RECOGNISE_AS_JSON, RECOGNISE_AS_TOKENS };

/* The names of the first three, for an option table; NULL-terminated. */
extern const char *const recognise_wishes[];

/* Bytes of the beginning that are enough to judge by. */
#define RECOGNISE_HEAD 4096

/* Judges head[size], the first bytes of an input called `name` (may be NULL). *skip: bytes of
 * BOM. STATUS_INPUT: it is something else, or not the JSON that was asked for. */
enum status recognise_format(const char *head, size_t size, const char *name, enum recognise_wish wish,
                             enum recognise_format *format, size_t *skip, struct error *e) ERROR_MUST_USE;

/* "text", "JSON Lines", "a JSON array", "JSON records", "token ids". */
const char *recognise_name(enum recognise_format format);

/* Evidence on the encoding of a whole input, gathered record by record. */
struct recognise_encoding {
    uint64_t malformed;  /* malformed UTF-8 sequences                                    */
    uint64_t proper;     /* characters of several bytes                                  */
    uint64_t latin;      /* malformed bytes A0..FF with an ASCII letter or space beside them   */
};
void recognise_look(struct recognise_encoding *evidence, const char *bytes, size_t length);

/* Is it Latin-1 (or Windows-1252), as far as that can be told? Every byte string is some Latin-1, so
 * this only serves a warning. */
bool recognise_latin1(const struct recognise_encoding *evidence);

#endif
