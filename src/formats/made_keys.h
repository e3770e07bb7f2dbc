/* made_keys.h - keys put together in memory, for files that keep them in another form.
 *
 * A folder's config.json and tokenizer become the keys that a GGUF of the same model has, in the bytes
 * that a GGUF has them in, so that one reader (gguf_keys.c) and one set of getters serve both. The first
 * failure (memory) is remembered and told by made_keys_status; until then calls may go on.
 */
#ifndef PHI3SAT_FORMATS_MADE_KEYS_H
#define PHI3SAT_FORMATS_MADE_KEYS_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

#include "../base/error.h"
#include "../base/json.h"
#include "model_file.h"

/* Zeroed: empty. */
struct made_keys {
    uint8_t *bytes;     /* [capacity], `size` used; owned                             */
    size_t size, capacity;
    uint64_t count;     /* keys                                                     */
    size_t array;       /* where the open array's length stands                     */
    uint64_t elements;  /* of the open array                                        */
    bool failed;
    struct error error;
};

void made_keys_free(struct made_keys *k);

/* Names must differ from each other. */
void made_keys_text(struct made_keys *k, const char *name, const char *bytes, size_t length);
void made_keys_json(struct made_keys *k, const char *name, struct json_value string);
void made_keys_uint(struct made_keys *k, const char *name, uint64_t value);
void made_keys_real(struct made_keys *k, const char *name, double value);
void made_keys_bool(struct made_keys *k, const char *name, bool value);

/* An array: begin, elements of its type, end. One at a time, and no other key meanwhile. */
void made_keys_array(struct made_keys *k, const char *name, enum model_file_key_type element);
void made_keys_add_text(struct made_keys *k, const char *bytes, size_t length);
void made_keys_add_json(struct made_keys *k, struct json_value string);
/* Two texts with a character between. */
void made_keys_add_joined(struct made_keys *k, struct json_value left, char between, struct json_value right);
void made_keys_add_int(struct made_keys *k, int32_t value);  /* MODEL_FILE_I32 */
void made_keys_add_real(struct made_keys *k, double value);  /* MODEL_FILE_F64 */
void made_keys_array_end(struct made_keys *k);

/* Bytes of no key behind all of them. What lies at bytes[size] then stays where it is as long as no more is
 * added than was reserved. */
void made_keys_reserve(struct made_keys *k, size_t more);
void made_keys_raw(struct made_keys *k, const void *bytes, size_t size);

enum status made_keys_status(const struct made_keys *k, struct error *e) ERROR_MUST_USE;

#endif
