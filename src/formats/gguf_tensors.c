/* gguf_tensors.c - the tensors of a GGUF file; see gguf.h for the layout.
 *
 * Each tensor is checked by itself as it is read (dimensions, type, size), then
 * all together: alignment and bounds of their data in the file's order, so that a
 * truncated file is named by the first tensor it lacks; repeated names; and, by
 * sorting their places, that no two share a byte. Gaps are allowed: editing tools leave
 * them. Sizes are computed in 64 bits with overflow checks before they are compared.
 */
#include "gguf.h"

#include <stdlib.h>
#include <string.h>

#include "../base/memory.h"

#define DAMAGED "the file is damaged; convert or download it again"

/* Ids that ggml once had: files of 2023 and 2024 hold them. */
static const struct {
    uint32_t id;
    const char *name;
} removed[] = {
    {4, "Q4_2"},      {5, "Q4_3"},        {31, "Q4_0_4_4"},    {32, "Q4_0_4_8"},
    {33, "Q4_0_8_8"}, {36, "IQ4_NL_4_4"}, {37, "IQ4_NL_4_8"}, {38, "IQ4_NL_8_8"},
};

static enum status refuse_type(uint32_t id, struct error *e)
{
    for (size_t i = 0; i < sizeof removed / sizeof removed[0]; i++)
        if (removed[i].id == id) {
            error_set(e, STATUS_INPUT, "a tensor has type id %u (%s), which was removed from GGUF", (unsigned)id,
                      removed[i].name);
            error_advice(e, "quantize the model again with a current llama.cpp");
            return STATUS_INPUT;
        }
    error_set(e, STATUS_INPUT, "a tensor has type id %d, which phi3sat does not know", (int)(int32_t)id);
    if (id > QUANTS_Q2_0 && id < 0x80000000u)
        error_advice(e, "forks of llama.cpp have types of their own; quantize the model with llama.cpp itself");
    else
        error_advice(e, DAMAGED);
    return STATUS_INPUT;
}

/* Number of dimensions and each of them; the product fits 63 bits. */
static enum status read_dimensions(struct cursor *c, struct model_file_tensor *tensor, uint64_t *elements,
                                   struct error *e)
{
    size_t start = c->position;
    uint64_t total = 1;
    enum status status = cursor_u32(c, &tensor->dimensions, "the number of dimensions", e);
    if (status != STATUS_OK)
        return status;
    if (tensor->dimensions < 1 || tensor->dimensions > MODEL_FILE_MAX_DIMENSIONS) {
        error_set(e, STATUS_INPUT, "a tensor has %u dimensions, not 1 to %d", (unsigned)tensor->dimensions,
                  MODEL_FILE_MAX_DIMENSIONS);
        error_advice(e, DAMAGED);
        return error_position(e, (int64_t)start);
    }
    for (uint32_t d = 0; d < MODEL_FILE_MAX_DIMENSIONS; d++) {
        tensor->dims[d] = 1;
        if (d < tensor->dimensions)
            status = cursor_u64(c, &tensor->dims[d], "a dimension", e);
        if (status != STATUS_OK)
            return status;
        bool overflows = __builtin_mul_overflow(total, tensor->dims[d], &total) || total > INT64_MAX;
        if (!overflows && total)
            continue;
        error_set(e, STATUS_INPUT, "%s",
                  overflows ? "a tensor has more than 2^63 elements" : "a tensor has a dimension of 0");
        error_advice(e, DAMAGED);
        return error_position(e, (int64_t)c->position - 8);
    }
    *elements = total;
    return STATUS_OK;
}

/* `any`: types that no GGUF has, which a .knot file may have from a folder. */
static enum status read_type(struct cursor *c, struct model_file_tensor *tensor, uint64_t elements, bool any,
                             struct error *e)
{
    uint32_t id = 0;
    size_t start = c->position;
    enum status status = cursor_u32(c, &id, "the type of a tensor", e);
    if (status != STATUS_OK)
        return status;
    tensor->format = any || id < QUANTS_GGUF_END ? quants_by_id(id) : NULL;
    if (!tensor->format) {
        status = refuse_type(id, e);
    } else if (tensor->dims[0] % tensor->format->block_elements) {
        status = error_set(e, STATUS_INPUT, "a row of %llu weights is no multiple of the %u of a %s block",
                           (unsigned long long)tensor->dims[0], (unsigned)tensor->format->block_elements,
                           tensor->format->name);
        error_advice(e, DAMAGED);
    } else if (!quants_bytes(tensor->format, elements, &tensor->size)) {
        status = error_set(e, STATUS_INPUT, "a tensor has more than 2^64 bytes");
        error_advice(e, DAMAGED);
    }
    if (status != STATUS_OK)
        error_position(e, (int64_t)start);
    return status;
}

/* The data's offset is kept in `position` until the start of the data is known. */
static enum status read_tensor(struct cursor *c, struct model_file_tensor *tensor, size_t index, uint32_t alignment,
                               bool any, struct error *e)
{
    uint64_t elements = 0;
    enum status status = gguf_name(c, &tensor->name, "tensor", index, e);
    if (status != STATUS_OK)
        return status;
    status = read_dimensions(c, tensor, &elements, e);
    if (status == STATUS_OK)
        status = read_type(c, tensor, elements, any, e);
    if (status == STATUS_OK)
        status = cursor_u64(c, &tensor->position, "the offset of a tensor", e);
    if (status == STATUS_OK && tensor->position % alignment) {
        status = error_set(e, STATUS_INPUT, "a tensor's data is at offset %llu, no multiple of the alignment %u",
                           (unsigned long long)tensor->position, (unsigned)alignment);
        error_advice(e, DAMAGED);
        error_position(e, (int64_t)c->position - 8);
    }
    if (status == STATUS_INPUT && e)
        return view_name(e, "tensor", tensor->name, (uint64_t)e->position);
    return status;
}

/* Puts the data into the file, whose data section begins at `data`. */
static enum status place_tensor(const struct mapping *mapping, struct model_file_tensor *tensor, uint64_t data,
                                bool swapped, struct error *e)
{
    uint64_t start = 0, end = 0;
    bool fits = !__builtin_add_overflow(data, tensor->position, &start) &&
                !__builtin_add_overflow(start, tensor->size, &end) && end <= INT64_MAX;
    if (fits && end <= mapping->size) {
        tensor->position = start;
        tensor->swapped = swapped;
        tensor->bytes = mapping->bytes + start;
        return STATUS_OK;
    }
    if (!fits) {
        error_set(e, STATUS_INPUT, "a tensor's data would lie at offset %llu with %llu bytes, beyond any file",
                  (unsigned long long)tensor->position, (unsigned long long)tensor->size);
        error_advice(e, DAMAGED);
        return view_name(e, "tensor", tensor->name, data);
    }
    error_set(e, STATUS_INPUT, "is truncated: a tensor's data ends at byte %llu, the file at %zu",
              (unsigned long long)end, mapping->size);
    error_advice(e, "the copy or download is incomplete; fetch the file again");
    return view_name(e, "tensor", tensor->name, start);
}

static int compare_places(const void *left, const void *right)
{
    const struct model_file_tensor *a = *(const struct model_file_tensor *const *)left;
    const struct model_file_tensor *b = *(const struct model_file_tensor *const *)right;
    if (a->position != b->position)
        return a->position < b->position ? -1 : 1;
    return (a > b) - (a < b); /* both in one array: the file's order */
}

/* Two tensors that share bytes are a sign of a damaged or a crafted file. */
static enum status check_overlaps(const struct model_file *file, struct error *e)
{
    size_t count = file->tensor_count;
    const struct model_file_tensor **order = NULL;
    enum status status = memory_uninitialised(&order, count, sizeof *order, "the order of tensors", e);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        order[i] = &file->tensors[i];
    if (count)
        qsort(order, count, sizeof *order, compare_places);
    for (size_t i = 1; i < count && status == STATUS_OK; i++) {
        const struct model_file_tensor *before = order[i - 1], *tensor = order[i];
        if (tensor->position - before->position >= before->size)
            continue;
        status = error_set(e, STATUS_INPUT, "a tensor's data overlaps that of \"%.*s\"",
                           (int)(before->name.length < 120 ? before->name.length : 120), before->name.bytes);
        error_advice(e, DAMAGED);
        view_name(e, "tensor", tensor->name, tensor->position);
    }
    memory_free(order);
    return status;
}

static enum status check_names(struct model_file *file, struct error *e)
{
    size_t repeated;
    enum status status = names_init(&file->tensor_names, file->tensor_count, e);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < file->tensor_count; i++)
        names_set(&file->tensor_names, i, file->tensors[i].name);
    if (names_build(&file->tensor_names, &repeated))
        return STATUS_OK;
    struct model_file_text name = file->tensors[repeated].name;
    error_set(e, STATUS_INPUT, "a tensor is there twice");
    error_advice(e, DAMAGED);
    return view_name(e, "tensor", name, (uint64_t)((const uint8_t *)name.bytes - file->mapping.bytes));
}

enum status gguf_tensors_read(struct model_file *file, struct cursor *c, size_t count, uint32_t alignment,
                              struct error *e)
{
    size_t capacity = 0;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) { /* grown as they are read, see gguf_keys.c */
        status = memory_grow(&file->tensors, &capacity, i + 1, sizeof *file->tensors, "the tensors", e);
        if (status != STATUS_OK)
            break;
        file->tensor_count = i + 1;
        status = read_tensor(c, &file->tensors[i], i, alignment, file->section_count > 0, e);
    }
    uint64_t data = ((uint64_t)c->position + alignment - 1) / alignment * alignment;
    if (status == STATUS_OK)
        status = check_names(file, e);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = place_tensor(&file->mapping, &file->tensors[i], data, file->swapped, e);
    return status == STATUS_OK ? check_overlaps(file, e) : status;
}
