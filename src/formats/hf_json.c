/* hf_json.c - see hf_json.h. Files are checked once as a whole and then walked in place (base/json.h). */
#include "hf_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/memory.h"

enum status hf_json_object(const char *path, const uint8_t *bytes, size_t size, uint64_t at, struct json_value *object,
                           struct error *e)
{
    const char *wrong = NULL;
    size_t position = 0;
    if (!json_check((const char *)bytes, size, object, &wrong, &position)) {
        error_set(e, STATUS_INPUT, "is no JSON that can be read: %s", wrong);
    } else if (json_kind(*object) != JSON_OBJECT) {
        error_set(e, STATUS_INPUT, "is JSON, but no object");
        position = (size_t)(object->bytes - (const char *)bytes);
    } else {
        return STATUS_OK;
    }
    error_file(e, path);
    error_advice(e, "download the file again");
    return error_position(e, (int64_t)(at + position));
}

bool hf_json_uint(struct json_value value, uint64_t *number)
{
    uint64_t result = 0;
    if (json_kind(value) != JSON_NUMBER)
        return false;
    for (size_t i = 0; i < value.length; i++) {
        const char c = value.bytes[i];
        if (c < '0' || c > '9' || __builtin_mul_overflow(result, 10u, &result) ||
            __builtin_add_overflow(result, (uint64_t)(c - '0'), &result))
            return false;
    }
    *number = result;
    return true;
}

bool hf_json_real(struct json_value value, double *number)
{
    char text[64]; /* the value is followed by another character in its file, but maybe by none */
    if (json_kind(value) != JSON_NUMBER || value.length >= sizeof text)
        return false;
    memcpy(text, value.bytes, value.length);
    text[value.length] = '\0';
    *number = strtod(text, NULL);
    return isfinite(*number) != 0;
}

bool hf_json_bool(struct json_value value, bool *is_true)
{
    *is_true = value.bytes[0] == 't';
    return json_kind(value) == JSON_BOOL;
}

bool hf_json_member(struct json_value object, const char *name, enum json_kind kind, struct json_value *value)
{
    return json_find(object, name, value) && json_kind(*value) == kind;
}

size_t hf_json_count(struct json_value container)
{
    struct json_value value;
    size_t count = 0;
    struct json_walk walk = json_begin(container);
    while (json_next(&walk, NULL, &value))
        count++;
    return count;
}

enum status hf_json_text(struct json_value value, char **text, size_t *length, struct error *e)
{
    enum status status = memory_array(text, value.length, 1, "a text of a JSON file", e); /* two quotes: room for NUL */
    *length = status == STATUS_OK ? json_decode(value, *text) : 0;
    return status;
}

enum status hf_json_refuse(const struct mapping *map, struct json_value at, const char *where, const char *sentence,
                           struct error *e)
{
    error_set(e, STATUS_INPUT, "%s", sentence);
    error_where(e, "%s", where);
    error_file(e, map->path);
    return error_position(e, at.bytes ? (int64_t)(at.bytes - (const char *)map->bytes) : -1);
}
