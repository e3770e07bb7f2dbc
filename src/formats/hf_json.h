/* hf_json.h - what the readers of a Hugging Face folder ask of its JSON files. */
#ifndef PHI3SAT_FORMATS_HF_JSON_H
#define PHI3SAT_FORMATS_HF_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

#include "../base/error.h"
#include "../base/json.h"
#include "../base/mapping.h"

/* Checks that bytes[size], which stand at byte `at` of `path`, are one JSON object. STATUS_INPUT says what is
 * wrong and where. */
enum status hf_json_object(const char *path, const uint8_t *bytes, size_t size, uint64_t at, struct json_value *object,
                           struct error *e) ERROR_MUST_USE;

/* The number that `value` is; false when it is none, or isn't a whole one from 0 to 2^64 - 1. */
bool hf_json_uint(struct json_value value, uint64_t *number);
bool hf_json_real(struct json_value value, double *number);

/* The value of JSON's true and false; false when it is neither. */
bool hf_json_bool(struct json_value value, bool *is_true);

/* The member of that name and kind; one that is null or of another kind doesn't count. */
bool hf_json_member(struct json_value object, const char *name, enum json_kind kind, struct json_value *value);

/* How many members an object, or elements an array, has. */
size_t hf_json_count(struct json_value container);

/* String `value` decoded, NUL-terminated, as fresh memory of *length bytes (any bytes, NUL too). */
enum status hf_json_text(struct json_value value, char **text, size_t *length, struct error *e) ERROR_MUST_USE;

/* Fills `e`: `sentence` about the value `at` of the file `map`, named by `where`. Returns STATUS_INPUT. */
enum status hf_json_refuse(const struct mapping *map, struct json_value at, const char *where, const char *sentence,
                           struct error *e);

#endif
