/* gguf.c - the header of a GGUF file and what the whole must satisfy; see gguf.h.
 *
 * Flow: model_file_open -> gguf_read -> gguf_keys_read, gguf_tensors_read. Nothing in the
 * file is believed: the two counts are compared with the bytes that remain (a
 * key takes at least 14, a tensor at least 33) before anything is allocated, so
 * no file makes us take more than a small multiple of its own size.
 *
 * Big-endian files (v3 has them) are read through a cursor that turns numbers round; their tensors stay as they
 * are in the map and are marked (quants/byte_order.h). Refused with its name: v1 (32-bit lengths, nobody writes it).
 */
#include "gguf.h"

#include <string.h>

#define SMALLEST_KEY (8 + 1 + 4 + 1)
#define SMALLEST_TENSOR (8 + 1 + 4 + 8 + 4 + 8)

bool gguf_matches(const struct mapping *mapping)
{
    return mapping->size >= 4 && memcmp(mapping->bytes, "GGUF", 4) == 0;
}

enum status gguf_name(struct cursor *c, struct model_file_text *name, const char *noun, size_t index,
                      struct error *e)
{
    uint64_t length = 0;
    size_t start = c->position;
    const uint8_t *bytes;
    enum status status = cursor_u64(c, &length, "the length of a name", e);
    if (status == STATUS_OK)
        status = cursor_take(c, length, 1, &bytes, "a name", e);
    if (status != STATUS_OK)
        return error_where(e, "%s %zu", noun, index);
    if (length && !memchr(bytes, 0, length)) {
        *name = (struct model_file_text){(const char *)bytes, length};
        return STATUS_OK;
    }
    error_set(e, STATUS_INPUT, length ? "a name holds a NUL byte" : "a name is empty");
    error_where(e, "%s %zu", noun, index);
    error_advice(e, "the file is damaged; convert or download it again");
    return error_position(e, (int64_t)start);
}

static enum status refuse_version(uint32_t version, struct error *e)
{
    if ((version & 0xffff) == 0 && version != 0) {
        error_set(e, STATUS_INPUT, "is a big-endian GGUF file of version %u, which phi3sat does not know",
                  (unsigned)__builtin_bswap32(version));
        error_advice(e, "of big-endian files, version 3 is read");
    } else if (version == 1) {
        error_set(e, STATUS_INPUT, "is a GGUF file of version 1 (32-bit lengths, 2023), which phi3sat does not read");
        error_advice(e, "convert the model again with a current llama.cpp; versions 2 and 3 are read");
    } else {
        error_set(e, STATUS_INPUT, "is a GGUF file of version %u, which phi3sat does not know", (unsigned)version);
        error_advice(e, "versions 2 and 3 are read");
    }
    error_where(e, "version");
    return error_position(e, 4);
}

static enum status read_header(struct model_file *file, struct cursor *c, uint64_t *tensors, uint64_t *keys,
                               struct error *e)
{
    uint32_t version = 0;
    enum status status = cursor_seek(c, 4, "the version", e);
    if (status == STATUS_OK)
        status = cursor_u32(c, &version, "the version", e);
    if (status == STATUS_OK && __builtin_bswap32(version) == 3) { /* no little-endian version is so large */
        file->swapped = c->swap = true;
        version = 3;
    }
    if (status == STATUS_OK && version != 2 && version != 3)
        return refuse_version(version, e);
    if (status == STATUS_OK)
        status = cursor_u64(c, tensors, "the number of tensors", e);
    if (status == STATUS_OK)
        status = cursor_u64(c, keys, "the number of keys", e);
    if (status != STATUS_OK)
        return error_where(e, "header");
    file->kind = version == 2 ? "GGUF v2" : file->swapped ? "GGUF v3, big-endian" : "GGUF v3";
    return STATUS_OK;
}

static enum status check_count(const struct cursor *c, uint64_t count, size_t smallest, const char *noun,
                               int64_t position, struct error *e)
{
    if (count <= cursor_remaining(c) / smallest)
        return STATUS_OK;
    error_set(e, STATUS_INPUT, "%llu %s are announced, but the file has only %zu more bytes",
              (unsigned long long)count, noun, cursor_remaining(c));
    error_where(e, "header");
    error_advice(e, "the file is truncated or damaged; copy it again");
    return error_position(e, position);
}

/* The alignment of tensor data; a key of another type is wrong, not absent. */
static enum status read_alignment(const struct model_file *file, uint32_t *alignment, struct error *e)
{
    size_t i;
    *alignment = GGUF_DEFAULT_ALIGNMENT;
    if (!names_find(&file->key_names, "general.alignment", &i))
        return STATUS_OK;
    const struct view_key *key = &file->keys[i];
    if (key->type != MODEL_FILE_U32) {
        error_set(e, STATUS_INPUT, "the alignment is a value of type %s, not u32", view_type_name(key->type));
    } else {
        uint64_t value = view_number(file, key->bytes, 4);
        if (value && (value & (value - 1)) == 0 && value <= GGUF_LARGEST_ALIGNMENT) {
            *alignment = (uint32_t)value;
            return STATUS_OK;
        }
        error_set(e, STATUS_INPUT, "the alignment %llu is not a power of two from 1 to %u",
                  (unsigned long long)value, GGUF_LARGEST_ALIGNMENT);
    }
    error_advice(e, "the file is damaged; convert or download it again");
    return view_name(e, "key", key->name, key->position);
}

enum status gguf_read_one(struct model_file *file, struct error *e)
{
    struct cursor c = cursor_over(file->mapping.bytes, file->mapping.size);
    uint64_t tensors = 0, keys = 0;
    uint32_t alignment = 0;
    enum status status = read_header(file, &c, &tensors, &keys, e);
    file->text = file->mapping.bytes;
    if (status == STATUS_OK)
        status = check_count(&c, tensors, SMALLEST_TENSOR, "tensors", 8, e);
    if (status == STATUS_OK)
        status = check_count(&c, keys, SMALLEST_KEY, "keys", 16, e);
    if (status == STATUS_OK)
        status = gguf_keys_read(file, &c, (size_t)keys, e);
    if (status == STATUS_OK)
        status = read_alignment(file, &alignment, e);
    if (status == STATUS_OK)
        status = gguf_tensors_read(file, &c, (size_t)tensors, alignment, e);
    file->text_size = c.position;
    return status;
}

enum status gguf_read(struct model_file *file, struct error *e)
{
    enum status status = gguf_read_one(file, e);
    return status == STATUS_OK ? gguf_split_open(file, e) : status;
}
