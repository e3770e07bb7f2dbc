/* safetensors.c - see safetensors.h.
 *
 * Nothing in the header is believed: it is checked as JSON, each tensor by itself (type, shape, size against its
 * offsets, bounds), then all together: names that repeat, and, in the order of their data, gaps and overlaps. Numbers are
 * at most 64 bits and sums are checked. Memory is a fixed multiple of the header's bytes, which are in the file.
 */
#include "safetensors.h"

#include <stdlib.h>
#include <string.h>

#include "../base/memory.h"
#include "hf_json.h"
#include "view.h"

#define DAMAGED "the file is damaged; download it again"
#define INCOMPLETE "the copy or download is incomplete; fetch the file again"

/* While one file is read. */
struct reading {
    const struct mapping *map;
    uint64_t data;  /* where it begins                                     */
    size_t used;    /* of names                                            */
    size_t capacity; /* of s->tensors, which grow as they are read         */
    struct safetensors *s;
    struct error *e;
};

bool safetensors_matches(const struct mapping *map)
{
    if (map->size < 10)
        return false;
    const uint64_t length = view_load(map->bytes, 8);
    return length >= 2 && length <= SAFETENSORS_LARGEST_HEADER && map->bytes[8] == '{';
}

void safetensors_free(struct safetensors *s)
{
    memory_free(s->tensors);
    memory_free(s->names);
    memset(s, 0, sizeof *s);
}

static enum status refuse(const struct reading *r, struct json_value at, struct model_file_text name, const char *advice)
{
    error_advice(r->e, "%s", advice);
    error_file(r->e, r->map->path);
    return view_name(r->e, "tensor", name, (uint64_t)(at.bytes - (const char *)r->map->bytes));
}

static enum status bad(const struct reading *r, struct json_value at, struct model_file_text name, const char *what)
{
    error_set(r->e, STATUS_INPUT, "%s", what);
    return refuse(r, at, name, DAMAGED);
}

static enum status read_name(struct reading *r, struct json_value key, struct model_file_text *name)
{
    char *at = r->s->names + r->used;
    const size_t length = json_decode(key, at);
    *name = (struct model_file_text){at, length};
    r->used += length;
    if (length == 0 || memchr(at, '\0', length))
        return bad(r, key, *name, length ? "a name holds a NUL byte" : "a name is empty");
    return STATUS_OK;
}

static enum status read_type(struct reading *r, struct json_value entry, struct model_file_tensor *t)
{
    /* Names that the format and ours share. */
    static const char *const types[] = {"F32", "F16", "BF16", "F8_E4M3", "F8_E5M2", "F64", "I64", "I32", "I16", "I8"};
    struct json_value dtype;
    if (!hf_json_member(entry, "dtype", JSON_STRING, &dtype))
        return bad(r, entry, t->name, "a tensor has no \"dtype\"");
    for (size_t i = 0; i < sizeof types / sizeof *types && !t->format; i++)
        if (json_is(dtype, types[i]))
            t->format = quants_by_name(types[i]);
    if (t->format)
        return STATUS_OK;
    error_set(r->e, STATUS_INPUT, "a tensor has the type %.*s, which phi3sat does not read",
              (int)(dtype.length < 32 ? dtype.length : 32), dtype.bytes);
    return refuse(r, dtype, t->name, "F32, F16, BF16, F8_E4M3 and F8_E5M2 are read; use the model's unquantised weights or a GGUF");
}

/* "shape" has the rows first, we have the contiguous dimension first. A scalar is a vector of one. */
static enum status read_shape(struct reading *r, struct json_value entry, struct model_file_tensor *t, uint64_t *elements)
{
    struct json_value shape, value;
    uint64_t sizes[MODEL_FILE_MAX_DIMENSIONS];
    uint32_t count = 0;
    if (!hf_json_member(entry, "shape", JSON_ARRAY, &shape))
        return bad(r, entry, t->name, "a tensor has no \"shape\"");
    *elements = 1;
    struct json_walk walk = json_begin(shape);
    while (json_next(&walk, NULL, &value)) {
        if (count == MODEL_FILE_MAX_DIMENSIONS)
            return bad(r, shape, t->name, "a tensor has more than 4 dimensions");
        if (!hf_json_uint(value, &sizes[count]))
            return bad(r, value, t->name, "a dimension is no whole number");
        if (sizes[count] == 0)
            return bad(r, value, t->name, "a tensor has a dimension of 0");
        if (__builtin_mul_overflow(*elements, sizes[count], elements) || *elements > INT64_MAX)
            return bad(r, value, t->name, "a tensor has more than 2^63 elements");
        count++;
    }
    t->dimensions = count ? count : 1;
    for (uint32_t d = 0; d < MODEL_FILE_MAX_DIMENSIONS; d++)
        t->dims[d] = d < count ? sizes[count - 1 - d] : 1;
    return STATUS_OK;
}

static enum status read_place(struct reading *r, struct json_value entry, struct model_file_tensor *t, uint64_t elements)
{
    struct json_value offsets, value[3];
    uint64_t from = 0, to = 0, end = 0;
    size_t count = 0;
    if (!hf_json_member(entry, "data_offsets", JSON_ARRAY, &offsets))
        return bad(r, entry, t->name, "a tensor has no \"data_offsets\"");
    struct json_walk walk = json_begin(offsets);
    while (count < 3 && json_next(&walk, NULL, &value[count]))
        count++;
    if (count != 2 || !hf_json_uint(value[0], &from) || !hf_json_uint(value[1], &to) || to < from)
        return bad(r, offsets, t->name, "\"data_offsets\" are not two rising whole numbers");
    if (!quants_bytes(t->format, elements, &t->size))
        return bad(r, offsets, t->name, "a tensor has more than 2^64 bytes");
    if (t->size != to - from) {
        error_set(r->e, STATUS_INPUT, "a tensor's data has %llu bytes, its type and shape make %llu",
                  (unsigned long long)(to - from), (unsigned long long)t->size);
        return refuse(r, offsets, t->name, DAMAGED);
    }
    if (__builtin_add_overflow(r->data, to, &end) || end > r->map->size) {
        error_set(r->e, STATUS_INPUT, "is truncated: a tensor's data ends at byte %llu of the data, the file has %llu of them",
                  (unsigned long long)to, (unsigned long long)(r->map->size - r->data));
        return refuse(r, offsets, t->name, INCOMPLETE);
    }
    t->position = r->data + from;
    t->bytes = r->map->bytes + t->position;
    return STATUS_OK;
}

static enum status read_tensor(struct reading *r, struct json_value key, struct json_value entry)
{
    uint64_t elements = 0;
    enum status status = memory_grow(&r->s->tensors, &r->capacity, r->s->count + 1, sizeof *r->s->tensors, "the tensors", r->e);
    if (status != STATUS_OK)
        return status;
    struct model_file_tensor *t = &r->s->tensors[r->s->count++];
    status = read_name(r, key, &t->name);
    if (status != STATUS_OK)
        return status;
    if (json_kind(entry) != JSON_OBJECT)
        return bad(r, entry, t->name, "what describes a tensor is no object");
    status = read_type(r, entry, t);
    if (status == STATUS_OK)
        status = read_shape(r, entry, t, &elements);
    return status == STATUS_OK ? read_place(r, entry, t, elements) : status;
}

static int compare_places(const void *left, const void *right)
{
    const struct model_file_tensor *a = left, *b = right;
    if (a->position != b->position)
        return a->position < b->position ? -1 : 1;
    return (a->name.bytes > b->name.bytes) - (a->name.bytes < b->name.bytes); /* the header's order */
}

/* Every byte of the data belongs to one tensor. */
static enum status check_places(const struct reading *r)
{
    uint64_t end = r->data;
    if (r->s->count)
        qsort(r->s->tensors, r->s->count, sizeof *r->s->tensors, compare_places);
    for (size_t i = 0; i < r->s->count; i++) {
        const struct model_file_tensor *t = &r->s->tensors[i];
        if (t->position != end) {
            error_set(r->e, STATUS_INPUT, "a tensor's data begins at byte %llu of the data, where the one before it ends at %llu",
                      (unsigned long long)(t->position - r->data), (unsigned long long)(end - r->data));
            error_advice(r->e, t->position < end ? "tensors overlap: " DAMAGED : "there is a gap: " DAMAGED);
            error_file(r->e, r->map->path);
            return view_name(r->e, "tensor", t->name, t->position);
        }
        end += t->size;
    }
    if (end == r->map->size)
        return STATUS_OK;
    error_set(r->e, STATUS_INPUT, "%llu bytes behind the data belong to no tensor", (unsigned long long)(r->map->size - end));
    error_file(r->e, r->map->path);
    error_advice(r->e, DAMAGED);
    return error_position(r->e, (int64_t)end);
}

static enum status check_names(const struct reading *r)
{
    struct names names;
    size_t repeated;
    enum status status = names_init(&names, r->s->count, r->e);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < r->s->count; i++)
        names_set(&names, i, r->s->tensors[i].name);
    if (!names_build(&names, &repeated)) {
        error_set(r->e, STATUS_INPUT, "a tensor is there twice");
        error_advice(r->e, DAMAGED);
        error_file(r->e, r->map->path);
        status = view_name(r->e, "tensor", r->s->tensors[repeated].name, UINT64_MAX);
    }
    names_free(&names);
    return status;
}

static enum status refuse_header(const struct reading *r, const char *advice)
{
    error_file(r->e, r->map->path);
    error_where(r->e, "header");
    error_advice(r->e, "%s", advice);
    return error_position(r->e, 0);
}

static enum status find_header(struct reading *r, struct json_value *header)
{
    const struct mapping *map = r->map;
    const uint64_t length = map->size < 8 ? 0 : view_load(map->bytes, 8);
    if (map->size < 8) {
        error_set(r->e, STATUS_INPUT, "is no safetensors file: it has %zu bytes", map->size);
        return refuse_header(r, INCOMPLETE);
    }
    if (length > SAFETENSORS_LARGEST_HEADER) {
        error_set(r->e, STATUS_INPUT, "is no safetensors file: its header would have %llu bytes, more than the format's %u",
                  (unsigned long long)length, SAFETENSORS_LARGEST_HEADER);
        return refuse_header(r, DAMAGED);
    }
    if (length > map->size - 8) {
        error_set(r->e, STATUS_INPUT, "is truncated: its header has %llu bytes, the file %zu behind its length",
                  (unsigned long long)length, map->size - 8);
        return refuse_header(r, INCOMPLETE);
    }
    r->data = 8 + length;
    return hf_json_object(map->path, map->bytes + 8, (size_t)length, 8, header, r->e);
}

enum status safetensors_read(struct safetensors *s, const struct mapping *map, struct error *e)
{
    struct reading r = {.map = map, .s = s, .e = e};
    struct json_value header, key, value;
    memset(s, 0, sizeof *s);
    enum status status = find_header(&r, &header);
    if (status == STATUS_OK)
        status = memory_array(&s->names, header.length, 1, "the tensors' names", e);
    if (status != STATUS_OK)
        return status;
    struct json_walk walk = json_begin(header);
    while (status == STATUS_OK && json_next(&walk, &key, &value))
        if (!json_is(key, "__metadata__"))
            status = read_tensor(&r, key, value);
    if (status == STATUS_OK)
        status = check_names(&r);
    return status == STATUS_OK ? check_places(&r) : status;
}
