/* gguf_keys.c - the keys of a GGUF file; see gguf.h for the layout.
 *
 * Values stay in the map; a key remembers where. Arrays of strings (vocabularies
 * of 200 000 entries) get a table of the strings' positions, one pass at open,
 * so that any string is then reached in constant time; 8 bytes a string, which
 * is at most what its length takes in the file. Arrays of arrays are allowed by
 * v3 and used by nobody: they are walked, bounded in depth, and not offered.
 */
#include "gguf.h"

#include <string.h>

#include "../base/memory.h"

#define DAMAGED "the file is damaged; convert or download it again"

static enum status read_type(struct cursor *c, enum model_file_key_type *type, const char *what, struct error *e)
{
    uint32_t id = 0;
    enum status status = cursor_u32(c, &id, what, e);
    if (status != STATUS_OK)
        return status;
    if (!view_type_name(id)) {
        error_set(e, STATUS_INPUT, "%s is %u, which GGUF does not have", what, (unsigned)id);
        error_advice(e, DAMAGED);
        return error_position(e, (int64_t)c->position - 4);
    }
    *type = (enum model_file_key_type)id;
    return STATUS_OK;
}

/* The bytes of a string at the cursor. */
static enum status take_string(struct cursor *c, const uint8_t **bytes, uint64_t *length, struct error *e)
{
    enum status status = cursor_u64(c, length, "the length of a string", e);
    return status == STATUS_OK ? cursor_take(c, *length, 1, bytes, "a string", e) : status;
}

static enum status refuse_depth(const struct cursor *c, struct error *e)
{
    error_set(e, STATUS_INPUT, "arrays are nested more than %d deep", GGUF_DEEPEST_ARRAY);
    error_advice(e, DAMAGED);
    return error_position(e, (int64_t)c->position);
}

/* What an array begins with. Elements of variable size may be of next to no bytes, and a hole in a file holds any number of
 * them: so they are bounded, too. */
static enum status read_length(struct cursor *c, enum model_file_key_type *element, uint64_t *length, struct error *e)
{
    enum status status = read_type(c, element, "the type of an array's elements", e);
    if (status == STATUS_OK)
        status = cursor_u64(c, length, "the length of an array", e);
    if (status != STATUS_OK || view_width(*element) || *length <= GGUF_MOST_STRINGS)
        return status;
    error_set(e, STATUS_INPUT, "an array of %llu %ss is announced, more than the %d that phi3sat reads", (unsigned long long)*length,
              view_type_name(*element), GGUF_MOST_STRINGS);
    error_advice(e, DAMAGED);
    return error_position(e, (int64_t)c->position - 8);
}

static enum status skip_elements(struct cursor *c, enum model_file_key_type type, uint64_t count, int depth,
                                 struct error *e);

/* Passes over one element of variable size. */
static enum status skip_element(struct cursor *c, enum model_file_key_type type, int depth, struct error *e)
{
    const uint8_t *bytes;
    uint64_t length = 0;
    enum model_file_key_type inner;
    if (type == MODEL_FILE_STRING)
        return take_string(c, &bytes, &length, e);
    if (depth >= GGUF_DEEPEST_ARRAY)
        return refuse_depth(c, e);
    enum status status = read_length(c, &inner, &length, e);
    return status == STATUS_OK ? skip_elements(c, inner, length, depth + 1, e) : status;
}

/* Passes over `count` elements. Every element takes bytes, so the walk ends with
 * the file however large `count` claims to be. */
static enum status skip_elements(struct cursor *c, enum model_file_key_type type, uint64_t count, int depth,
                                 struct error *e)
{
    const uint8_t *bytes;
    enum status status = STATUS_OK;
    if (view_width(type))
        return cursor_take(c, count, view_width(type), &bytes, "the elements of an array", e);
    for (uint64_t i = 0; i < count && status == STATUS_OK; i++)
        status = skip_element(c, type, depth, e);
    return status;
}

/* Notes where each string of an array begins. */
static enum status index_strings(struct cursor *c, struct view_key *key, struct error *e)
{
    const uint8_t *bytes;
    uint64_t length;
    if (key->length > cursor_remaining(c) / 8) {
        error_set(e, STATUS_INPUT, "an array of %llu strings is announced, but the file has only %zu more bytes",
                  (unsigned long long)key->length, cursor_remaining(c));
        error_advice(e, "the file is truncated or damaged; copy it again");
        return error_position(e, (int64_t)c->position - 8);
    }
    enum status status = memory_uninitialised(&key->strings, (size_t)key->length, sizeof *key->strings,
                                              "the index of an array of strings", e);
    for (uint64_t i = 0; i < key->length && status == STATUS_OK; i++) {
        key->strings[i] = c->position;
        status = take_string(c, &bytes, &length, e);
    }
    return status;
}

static enum status read_array(struct cursor *c, struct view_key *key, struct error *e)
{
    enum status status = read_length(c, &key->element, &key->length, e);
    if (status != STATUS_OK)
        return status;
    key->bytes = c->bytes + c->position;
    if (key->element == MODEL_FILE_STRING)
        return index_strings(c, key, e);
    return skip_elements(c, key->element, key->length, 1, e);
}

static enum status read_value(struct cursor *c, struct view_key *key, struct error *e)
{
    key->position = c->position;
    key->length = 1;
    if (key->type == MODEL_FILE_ARRAY)
        return read_array(c, key, e);
    if (key->type == MODEL_FILE_STRING)
        return take_string(c, &key->bytes, &key->length, e);
    enum status status = cursor_take(c, 1, view_width(key->type), &key->bytes, "a value", e);
    if (status != STATUS_OK || key->type != MODEL_FILE_BOOL || *key->bytes <= 1)
        return status;
    error_set(e, STATUS_INPUT, "a bool is %u, neither 0 nor 1", *key->bytes);
    error_advice(e, DAMAGED);
    return error_position(e, (int64_t)key->position);
}

static enum status read_key(struct cursor *c, struct view_key *key, size_t index, struct error *e)
{
    enum status status = gguf_name(c, &key->name, "key", index, e);
    if (status != STATUS_OK)
        return status;
    status = read_type(c, &key->type, "the type of a value", e);
    if (status == STATUS_OK)
        status = read_value(c, key, e);
    if (status == STATUS_INPUT && e)
        return view_name(e, "key", key->name, (uint64_t)e->position);
    return status;
}

static enum status refuse_strings(const struct view_key *key, struct error *e)
{
    error_set(e, STATUS_INPUT, "arrays hold more than %d strings together, more than phi3sat reads", 2 * GGUF_MOST_STRINGS);
    error_advice(e, DAMAGED);
    return view_name(e, "key", key->name, key->position);
}

enum status gguf_keys_read(struct model_file *file, struct cursor *c, size_t count, struct error *e)
{
    size_t repeated, capacity = 0;
    uint64_t room = (uint64_t)2 * GGUF_MOST_STRINGS; /* of all arrays together */
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) { /* grown as they are read: a hole in the file is no key */
        status = memory_grow(&file->keys, &capacity, i + 1, sizeof *file->keys, "the keys", e);
        if (status != STATUS_OK)
            break;
        file->key_count = i + 1;
        status = read_key(c, &file->keys[i], i, e);
        if (status == STATUS_OK && file->keys[i].type == MODEL_FILE_ARRAY && !view_width(file->keys[i].element))
            room -= file->keys[i].length < room ? file->keys[i].length : room;
        if (status == STATUS_OK && room == 0)
            status = refuse_strings(&file->keys[i], e);
    }
    if (status == STATUS_OK)
        status = names_init(&file->key_names, count, e);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        names_set(&file->key_names, i, file->keys[i].name);
    if (names_build(&file->key_names, &repeated))
        return STATUS_OK;
    error_set(e, STATUS_INPUT, "a key is there twice");
    error_advice(e, DAMAGED);
    return view_name(e, "key", file->keys[repeated].name, file->keys[repeated].position);
}
