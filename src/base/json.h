/* json.h - reads JSON in place: checked once, then walked without a tree.
 *
 * A text is checked as a whole (json_check); what passed is walked by extents, so
 * that a record of 100 MB costs no memory beyond its own bytes. Why not a library:
 * those at hand refuse what data sets hold (lone surrogates, malformed UTF-8 in
 * strings, integers beyond 64 bits) and build a tree of copies. Here a string is any
 * bytes; UTF-8 is the reader's business.
 */
#ifndef PHI3SAT_BASE_JSON_H
#define PHI3SAT_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* A checked value: its extent, quotes and brackets included. Borrowed from the text. */
struct json_value {
    const char *bytes;
    size_t length; /* > 0 */
};

/* Deeper nesting is refused: nobody writes it, and the walk stays cheap. */
#define JSON_DEPTH 512

/* Checks that bytes[size] is one value with white space around it and nothing else
 * (RFC 8259; control characters in strings are refused, bytes above 127 are not looked at).
 * True: *value is its extent. False: *wrong says what ("a comma is missing"),
 * *position where. Reads nothing beyond `size`; linear time, no memory. */
bool json_check(const char *bytes, size_t size, struct json_value *value, const char **wrong, size_t *position);

enum json_kind json_kind(struct json_value value);

/* Walks the members of an object or the elements of an array:
 *     struct json_walk walk = json_begin(object);
 *     while (json_next(&walk, &key, &value)) ...
 * `key` is the member's name as a string value; it may be NULL. */
struct json_walk {
    const char *at, *end;
    bool object;
};
struct json_walk json_begin(struct json_value container);
bool json_next(struct json_walk *walk, struct json_value *key, struct json_value *value);

/* The member of `object` that is called `name` (NUL-terminated ASCII without escapes; a
 * key written with escapes is understood); the last one if there are several, as
 * everywhere. False when there is none or `object` is another kind. */
bool json_find(struct json_value object, const char *name, struct json_value *value);

/* Decodes string `value` into out[value.length], which is always enough, and returns
 * the bytes written. \u escapes become UTF-8; a lone surrogate becomes the three bytes that
 * spell it, which count as malformed later on. */
size_t json_decode(struct json_value value, char *out);

/* Is string `value` this (NUL-terminated) text? */
bool json_is(struct json_value value, const char *text);

#endif
