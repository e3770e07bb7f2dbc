/* view.c - small things that readers and getters of model files share; see view.h. */
#include "view.h"

#include "../base/memory.h"

/* One row a type id of GGUF, which are the ids of enum model_file_key_type. */
static const struct {
    const char *name;
    size_t width; /* bytes; 0 where it varies */
} types[] = {
    [MODEL_FILE_U8] = {"u8", 1},          [MODEL_FILE_I8] = {"i8", 1},     [MODEL_FILE_U16] = {"u16", 2},
    [MODEL_FILE_I16] = {"i16", 2},        [MODEL_FILE_U32] = {"u32", 4},   [MODEL_FILE_I32] = {"i32", 4},
    [MODEL_FILE_F32] = {"f32", 4},        [MODEL_FILE_BOOL] = {"bool", 1}, [MODEL_FILE_STRING] = {"string", 0},
    [MODEL_FILE_ARRAY] = {"array", 0},    [MODEL_FILE_U64] = {"u64", 8},   [MODEL_FILE_I64] = {"i64", 8},
    [MODEL_FILE_F64] = {"f64", 8},
};

size_t view_width(enum model_file_key_type type)
{
    return types[type].width;
}

const char *view_type_name(uint32_t type)
{
    return type < sizeof types / sizeof types[0] ? types[type].name : NULL;
}

bool view_is_signed(enum model_file_key_type type)
{
    return type == MODEL_FILE_I8 || type == MODEL_FILE_I16 || type == MODEL_FILE_I32 || type == MODEL_FILE_I64;
}

bool view_is_unsigned(enum model_file_key_type type)
{
    return type == MODEL_FILE_U8 || type == MODEL_FILE_U16 || type == MODEL_FILE_U32 || type == MODEL_FILE_U64;
}

uint64_t view_load(const uint8_t *bytes, size_t width)
{
    uint64_t value = 0;
    for (size_t i = 0; i < width; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

uint64_t view_number(const struct model_file *file, const uint8_t *bytes, size_t width)
{
    uint64_t value = view_load(bytes, width);
    return file->swapped ? __builtin_bswap64(value) >> (64 - 8 * width) : value;
}

enum status view_name(struct error *e, const char *noun, struct model_file_text name, uint64_t position)
{
    const size_t most = 120;
    error_where(e, "%s \"%.*s%s\"", noun, (int)(name.length < most ? name.length : most), name.bytes,
                name.length > most ? "..." : "");
    return error_position(e, (int64_t)position);
}

void view_free(struct model_file *file)
{
    for (size_t i = 0; i < file->key_count; i++)
        memory_free(file->keys[i].strings);
    for (size_t i = 0; i < file->part_count; i++)
        mapping_close(&file->parts[i]);
    memory_free(file->parts);
    memory_free(file->path);
    memory_free(file->made);
    memory_free(file->keys);
    memory_free(file->tensors);
    memory_free(file->sections);
    names_free(&file->key_names);
    names_free(&file->tensor_names);
    file->parts = NULL;
    file->path = NULL;
    file->made = NULL;
    file->keys = NULL;
    file->tensors = NULL;
    file->sections = NULL;
    file->part_count = file->key_count = file->tensor_count = file->section_count = 0;
}
