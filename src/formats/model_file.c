/* model_file.c - opens a model file and answers questions about it; see model_file.h.
 *
 * Flow: map -> the content says which reader -> the reader fills the view -> getters.
 * Getters convert between number types where nothing is lost (writers disagree on
 * u32 and i32, f32 and f64) and refuse, naming the key, where something would be.
 */
#include "model_file.h"

#include <string.h>

#include "../base/memory.h"
#include "foreign.h"
#include "gguf.h"
#include "hf_config.h"
#include "hf_folder.h"
#include "knot.h"
#include "view.h"

/* The content says which reader. */
static enum status read_any(struct model_file *fresh, const char *path, struct error *e)
{
    if (mapping_is_folder(path))
        return hf_folder_read(fresh, path, e);
    enum status status = mapping_open(&fresh->mapping, path, e);
    if (status != STATUS_OK)
        return status;
    if (gguf_matches(&fresh->mapping))
        return gguf_read(fresh, e);
    if (knot_matches(&fresh->mapping))
        return knot_read(fresh, e);
    return hf_folder_has(&fresh->mapping) ? hf_folder_read(fresh, path, e) : foreign_refuse(&fresh->mapping, e);
}

enum status model_file_open(struct model_file **file, const char *path, struct error *e)
{
    struct model_file *fresh = NULL;
    *file = NULL;
    enum status status = memory_array(&fresh, 1, sizeof *fresh, "a model file", e);
    if (status != STATUS_OK)
        return status;
    status = read_any(fresh, path, e);
    if (status == STATUS_OK) {
        *file = fresh;
        return STATUS_OK;
    }
    if (e && e->file[0] == '\0')
        error_file(e, path);
    model_file_close(fresh);
    return status;
}

void model_file_close(struct model_file *file)
{
    if (!file)
        return;
    view_free(file);
    mapping_close(&file->mapping);
    memory_free(file);
}

size_t model_file_part_count(const struct model_file *file)
{
    return 1 + file->part_count;
}

const struct mapping *model_file_part(const struct model_file *file, size_t i)
{
    return i == 0 ? &file->mapping : i <= file->part_count ? &file->parts[i - 1] : NULL;
}

size_t model_file_part_of(const struct model_file *file, const struct model_file_tensor *tensor)
{
    const uintptr_t at = (uintptr_t)tensor->bytes;
    for (size_t i = 0; i < file->part_count; i++) {
        const uintptr_t start = (uintptr_t)file->parts[i].bytes;
        if (at >= start && at - start < file->parts[i].size)
            return i + 1;
    }
    return 0;
}

const uint8_t *model_file_header(const struct model_file *file, uint64_t *size)
{
    *size = file->text_size;
    return file->text;
}

const char *model_file_path(const struct model_file *file)
{
    return file->path ? file->path : file->mapping.path;
}

const char *model_file_kind(const struct model_file *file)
{
    return file->kind;
}

bool model_file_is_folder(const struct model_file *file)
{
    return file->kind && strncmp(file->kind, "Hugging Face", 12) == 0;
}

size_t model_file_tensor_count(const struct model_file *file)
{
    return file->tensor_count;
}

const struct model_file_tensor *model_file_tensor_at(const struct model_file *file, size_t i)
{
    return i < file->tensor_count ? &file->tensors[i] : NULL;
}

const struct model_file_tensor *model_file_find_tensor(const struct model_file *file, const char *name)
{
    size_t i;
    return names_find(&file->tensor_names, name, &i) ? &file->tensors[i] : NULL;
}

size_t model_file_section_count(const struct model_file *file, uint32_t *version)
{
    if (version)
        *version = file->fingerprint_version;
    return file->section_count;
}

const struct model_file_section *model_file_section_at(const struct model_file *file, size_t i)
{
    return i < file->section_count ? &file->sections[i] : NULL;
}

enum status model_file_verify(const struct model_file *file, size_t i, struct error *e)
{
    return knot_verify(file, i, e);
}

size_t model_file_key_count(const struct model_file *file)
{
    return file->key_count;
}

struct model_file_text model_file_key_name(const struct model_file *file, size_t i)
{
    return file->keys[i].name;
}

enum model_file_key_type model_file_key_type_at(const struct model_file *file, size_t i)
{
    return file->keys[i].type;
}

bool model_file_has_key(const struct model_file *file, const char *name)
{
    size_t i;
    return names_find(&file->key_names, name, &i);
}

/* One number of a file, whatever its type. */
struct number {
    bool is_integer, is_negative;
    uint64_t magnitude; /* of an integer; two's complement when negative             */
    double value;       /* of a float                                                */
};

/* False for types that are no number. */
static bool load_number(const struct model_file *file, enum model_file_key_type type, const uint8_t *bytes,
                        struct number *number)
{
    size_t width = view_width(type);
    uint64_t bits = width ? view_number(file, bytes, width) : 0;
    memset(number, 0, sizeof *number);
    if (type == MODEL_FILE_F32 || type == MODEL_FILE_F64) {
        uint32_t narrow = (uint32_t)bits;
        float single;
        memcpy(&single, &narrow, sizeof single);
        memcpy(&number->value, &bits, sizeof number->value);
        if (type == MODEL_FILE_F32)
            number->value = (double)single;
        return true;
    }
    bool is_signed = view_is_signed(type);
    if (!is_signed && !view_is_unsigned(type))
        return false;
    number->is_integer = true;
    number->is_negative = is_signed && bits >> (8 * width - 1);
    if (number->is_negative && width < 8)
        bits |= ~(uint64_t)0 << (8 * width);
    number->magnitude = bits;
    return true;
}

static double number_as_double(const struct number *number)
{
    if (!number->is_integer)
        return number->value;
    return number->is_negative ? (double)(int64_t)number->magnitude : (double)number->magnitude;
}

/* `wanted` is what the caller can use: "an integer from 0 up". */
static enum status refuse_key(const struct model_file *file, const struct view_key *key, const char *wanted,
                              struct error *e)
{
    error_set(e, STATUS_INPUT, "a key's value is not %s: it is of type %s", wanted, view_type_name(key->type));
    error_file(e, model_file_path(file));
    error_advice(e, "convert the model again, or choose another file");
    return view_name(e, "key", key->name, key->position);
}

/* Finds a key; *key is NULL when it is missing and that is allowed. */
static enum status find_key(const struct model_file *file, const char *name, const struct view_key **key,
                            bool *found, struct error *e)
{
    size_t i = 0;
    bool there = names_find(&file->key_names, name, &i);
    *key = there ? &file->keys[i] : NULL;
    if (found)
        *found = there;
    if (there || found)
        return STATUS_OK;
    error_set(e, STATUS_INPUT, "lacks the key \"%s\"", name);
    error_file(e, model_file_path(file));
    return error_advice(e, "convert the model again, or choose another file");
}

enum status model_file_get_uint(const struct model_file *file, const char *name, uint64_t *value, bool *found,
                                struct error *e)
{
    const struct view_key *key;
    struct number number;
    enum status status = find_key(file, name, &key, found, e);
    if (status != STATUS_OK || !key)
        return status;
    if (!load_number(file, key->type, key->bytes, &number) || !number.is_integer || number.is_negative)
        return refuse_key(file, key, "an integer from 0 up", e);
    *value = number.magnitude;
    return STATUS_OK;
}

enum status model_file_get_float(const struct model_file *file, const char *name, double *value, bool *found,
                                 struct error *e)
{
    const struct view_key *key;
    struct number number;
    enum status status = find_key(file, name, &key, found, e);
    if (status != STATUS_OK || !key)
        return status;
    if (!load_number(file, key->type, key->bytes, &number))
        return refuse_key(file, key, "a number", e);
    *value = number_as_double(&number);
    return STATUS_OK;
}

enum status model_file_get_bool(const struct model_file *file, const char *name, bool *value, bool *found,
                                struct error *e)
{
    const struct view_key *key;
    enum status status = find_key(file, name, &key, found, e);
    if (status != STATUS_OK || !key)
        return status;
    if (key->type != MODEL_FILE_BOOL)
        return refuse_key(file, key, "a bool", e);
    *value = *key->bytes != 0;
    return STATUS_OK;
}

int64_t model_file_key_position(const struct model_file *file, const char *name)
{
    size_t i;
    return file->made || !names_find(&file->key_names, name, &i) ? -1 : (int64_t)file->keys[i].position;
}

const char *model_file_key_field(const struct model_file *file, const char *key)
{
    return model_file_is_folder(file) ? hf_config_field(key) : NULL;
}

enum status model_file_get_word(const struct model_file *file, const char *name, struct model_file_text *value, bool *found,
                                struct error *e)
{
    struct model_file_text text = {"", 0};
    enum status status = model_file_get_text(file, name, &text, found, e);
    if (status != STATUS_OK)
        return status;
    if (!memchr(text.bytes, 0, text.length)) {
        if (!found || *found)
            *value = text;
        return STATUS_OK;
    }
    error_set(e, STATUS_INPUT, "the value holds a NUL byte");
    error_file(e, model_file_path(file));
    const char *field = model_file_key_field(file, name);
    error_where(e, field ? "config.json, field \"%s\"" : "key \"%s\"", field ? field : name);
    error_advice(e, "the file is damaged; convert or download it again");
    return error_position(e, model_file_key_position(file, name));
}

enum status model_file_get_text(const struct model_file *file, const char *name, struct model_file_text *value,
                                bool *found, struct error *e)
{
    const struct view_key *key;
    enum status status = find_key(file, name, &key, found, e);
    if (status != STATUS_OK || !key)
        return status;
    if (key->type != MODEL_FILE_STRING)
        return refuse_key(file, key, "a string", e);
    *value = (struct model_file_text){(const char *)key->bytes, (size_t)key->length};
    return STATUS_OK;
}

enum status model_file_get_array(const struct model_file *file, const char *name, enum model_file_key_type *element,
                                 size_t *length, bool *found, struct error *e)
{
    const struct view_key *key;
    enum status status = find_key(file, name, &key, found, e);
    if (status != STATUS_OK || !key)
        return status;
    if (key->type != MODEL_FILE_ARRAY)
        return refuse_key(file, key, "an array", e);
    *element = key->element;
    *length = (size_t)key->length;
    return STATUS_OK;
}

static enum status refuse_element(const struct model_file *file, const struct view_key *key, size_t i,
                                  const char *wanted, struct error *e)
{
    error_set(e, STATUS_INPUT, "element %zu of an array of type %s is not %s", i, view_type_name(key->element),
              wanted);
    error_file(e, model_file_path(file));
    error_advice(e, "convert the model again, or choose another file");
    return view_name(e, "key", key->name, key->position);
}

/* The array `name`, with an element i. */
static enum status find_element(const struct model_file *file, const char *name, size_t i,
                                const struct view_key **key, struct error *e)
{
    enum status status = find_key(file, name, key, NULL, e);
    if (status != STATUS_OK)
        return status;
    if ((*key)->type != MODEL_FILE_ARRAY)
        return refuse_key(file, *key, "an array", e);
    if (i < (*key)->length)
        return STATUS_OK;
    error_set(e, STATUS_INPUT, "an array of %llu elements has no element %zu",
              (unsigned long long)(*key)->length, i);
    error_file(e, model_file_path(file));
    error_advice(e, "convert the model again, or choose another file");
    return view_name(e, "key", (*key)->name, (*key)->position);
}

enum status model_file_array_text(const struct model_file *file, const char *name, size_t i,
                                  struct model_file_text *value, struct error *e)
{
    const struct view_key *key;
    enum status status = find_element(file, name, i, &key, e);
    if (status != STATUS_OK)
        return status;
    if (key->element != MODEL_FILE_STRING)
        return refuse_element(file, key, i, "a string", e);
    const uint8_t *start = file->text + key->strings[i];
    *value = (struct model_file_text){(const char *)start + 8, (size_t)view_number(file, start, 8)};
    return STATUS_OK;
}

enum status model_file_array_int(const struct model_file *file, const char *name, size_t i, int64_t *value,
                                 struct error *e)
{
    const struct view_key *key;
    struct number number;
    enum status status = find_element(file, name, i, &key, e);
    if (status != STATUS_OK)
        return status;
    const uint8_t *bytes = key->bytes + i * view_width(key->element);
    if (key->element == MODEL_FILE_BOOL && *bytes <= 1) {
        *value = *bytes;
        return STATUS_OK;
    }
    if (!load_number(file, key->element, bytes, &number) || !number.is_integer ||
        (!number.is_negative && number.magnitude > INT64_MAX))
        return refuse_element(file, key, i, "an integer of at most 64 bits", e);
    *value = (int64_t)number.magnitude;
    return STATUS_OK;
}

enum status model_file_array_float(const struct model_file *file, const char *name, size_t i, double *value,
                                   struct error *e)
{
    const struct view_key *key;
    struct number number;
    enum status status = find_element(file, name, i, &key, e);
    if (status != STATUS_OK)
        return status;
    if (!load_number(file, key->element, key->bytes + i * view_width(key->element), &number))
        return refuse_element(file, key, i, "a number", e);
    *value = number_as_double(&number);
    return STATUS_OK;
}
