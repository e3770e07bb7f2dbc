/* made_keys.c - see made_keys.h; the layout of keys is drawn in gguf.h. */
#include "made_keys.h"

#include <assert.h>
#include <string.h>

#include "../base/memory.h"

void made_keys_free(struct made_keys *k)
{
    memory_free(k->bytes);
    memset(k, 0, sizeof *k);
}

void made_keys_reserve(struct made_keys *k, size_t more)
{
    size_t wanted;
    if (k->failed)
        return;
    if (!memory_add(k->size, more, &wanted))
        k->failed = error_set(&k->error, STATUS_FAILED, "the keys of a model are too large") != STATUS_OK;
    else if (wanted > k->capacity)
        k->failed = memory_grow_uninitialised(&k->bytes, &k->capacity, wanted, 1, "the keys of a model", &k->error) != STATUS_OK;
}

void made_keys_raw(struct made_keys *k, const void *bytes, size_t size)
{
    made_keys_reserve(k, size);
    if (k->failed)
        return;
    if (size)
        memcpy(k->bytes + k->size, bytes, size);
    k->size += size;
}

static void put_number(struct made_keys *k, uint64_t value, size_t width)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < width; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    made_keys_raw(k, bytes, width);
}

static void put_text(struct made_keys *k, const char *bytes, size_t length)
{
    put_number(k, length, 8);
    made_keys_raw(k, bytes, length);
}

static void begin(struct made_keys *k, const char *name, enum model_file_key_type type)
{
    put_text(k, name, strlen(name));
    put_number(k, (uint64_t)type, 4);
    k->count++;
}

void made_keys_text(struct made_keys *k, const char *name, const char *bytes, size_t length)
{
    begin(k, name, MODEL_FILE_STRING);
    put_text(k, bytes, length);
}

static void put_json(struct made_keys *k, struct json_value string)
{
    const size_t at = k->size;
    put_number(k, 0, 8);
    made_keys_reserve(k, string.length);
    if (k->failed)
        return;
    const size_t length = json_decode(string, (char *)k->bytes + k->size);
    k->size = at;
    put_number(k, length, 8);
    k->size += length;
}

void made_keys_json(struct made_keys *k, const char *name, struct json_value string)
{
    begin(k, name, MODEL_FILE_STRING);
    put_json(k, string);
}

void made_keys_uint(struct made_keys *k, const char *name, uint64_t value)
{
    begin(k, name, MODEL_FILE_U64);
    put_number(k, value, 8);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

void made_keys_real(struct made_keys *k, const char *name, double value)
{
    begin(k, name, MODEL_FILE_F64);
    put_number(k, bits_of(value), 8);
}

void made_keys_bool(struct made_keys *k, const char *name, bool value)
{
    begin(k, name, MODEL_FILE_BOOL);
    put_number(k, value, 1);
}

void made_keys_array(struct made_keys *k, const char *name, enum model_file_key_type element)
{
    begin(k, name, MODEL_FILE_ARRAY);
    put_number(k, (uint64_t)element, 4);
    k->array = k->size;
    k->elements = 0;
    put_number(k, 0, 8);
}

void made_keys_add_text(struct made_keys *k, const char *bytes, size_t length)
{
    put_text(k, bytes, length);
    k->elements++;
}

void made_keys_add_json(struct made_keys *k, struct json_value string)
{
    put_json(k, string);
    k->elements++;
}

void made_keys_add_joined(struct made_keys *k, struct json_value left, char between, struct json_value right)
{
    const size_t at = k->size;
    put_number(k, 0, 8);
    made_keys_reserve(k, left.length + right.length + 1);
    if (k->failed)
        return;
    char *out = (char *)k->bytes + k->size;
    size_t used = json_decode(left, out);
    out[used++] = between;
    used += json_decode(right, out + used);
    k->size = at;
    put_number(k, used, 8);
    k->size += used;
    k->elements++;
}

void made_keys_add_int(struct made_keys *k, int32_t value)
{
    put_number(k, (uint32_t)value, 4);
    k->elements++;
}

void made_keys_add_real(struct made_keys *k, double value)
{
    put_number(k, bits_of(value), 8);
    k->elements++;
}

void made_keys_array_end(struct made_keys *k)
{
    const size_t end = k->size;
    if (k->failed)
        return;
    assert(k->array + 8 <= end);
    k->size = k->array;
    put_number(k, k->elements, 8);
    k->size = end;
}

enum status made_keys_status(const struct made_keys *k, struct error *e)
{
    if (!k->failed)
        return STATUS_OK;
    if (e)
        *e = k->error;
    return k->error.status;
}
