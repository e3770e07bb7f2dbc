/* knot.c - reads .knot files; see knot.h for the layout.
 *
 * Flow: model_file_open -> knot_read -> gguf_keys_read, gguf_tensors_read. A checksum tells damage, not intent: whoever
 * writes a file can write its sums, so behind it all is read as warily as any file. Sizes are compared
 * with the file's before anything is allocated, and the sections must fill the file without gaps, so that no
 * byte is outside all checksums. The sections' own sums are for knot_verify: to read gigabytes at each start is what
 * this form is there to avoid.
 */
#include "knot.h"

#include <string.h>

#define XXH_STATIC_LINKING_ONLY /* XXH3_state_t on the stack */
#include <xxhash.h>

#include "../base/memory.h"
#include "gguf.h"

#define DAMAGED "the file is damaged; copy it again, or pack the model again"
#define SMALLEST_KEY (8 + 1 + 4 + 1)
#define SMALLEST_TENSOR (8 + 1 + 4 + 8 + 4 + 8)

/* The fixed part, behind magic and checksum. */
struct head {
    uint64_t file_size, size, keys, tensors;
    uint32_t version, fingerprints, alignment, sections;
};

bool knot_matches(const struct mapping *mapping)
{
    return mapping->size >= 5 && memcmp(mapping->bytes, KNOT_MAGIC, 5) == 0;
}

static enum status damaged(struct error *e, const char *where, uint64_t position)
{
    error_where(e, "%s", where);
    error_advice(e, DAMAGED);
    return error_position(e, (int64_t)position);
}

static enum status refuse_magic(struct error *e)
{
    error_set(e, STATUS_INPUT, "is a .knot file whose first bytes were changed, as a transfer in text mode does");
    error_where(e, "head");
    error_advice(e, "copy it again as binary data");
    return error_position(e, 0);
}

static enum status refuse_version(uint32_t version, struct error *e)
{
    error_set(e, STATUS_INPUT, "is a .knot file of version %u, which this phi3sat does not know", (unsigned)version);
    error_where(e, "version");
    error_advice(e, "version %d is read: pack the model again with this phi3sat", KNOT_VERSION);
    return error_position(e, 8);
}

static enum status read_fixed(struct cursor *c, struct head *h, struct error *e)
{
    enum status s = cursor_seek(c, KNOT_MAGIC_BYTES, "the version", e);
    if (s == STATUS_OK)
        s = cursor_u32(c, &h->version, "the version", e);
    if (s == STATUS_OK && h->version != KNOT_VERSION)
        return refuse_version(h->version, e);
    if (s == STATUS_OK)
        s = cursor_u32(c, &h->fingerprints, "the fingerprints' version", e);
    if (s == STATUS_OK)
        s = cursor_seek(c, KNOT_SUM_AT + 16, "the head's checksum", e);
    if (s == STATUS_OK)
        s = cursor_u64(c, &h->file_size, "the file's size", e);
    if (s == STATUS_OK)
        s = cursor_u64(c, &h->size, "the head's size", e);
    if (s == STATUS_OK)
        s = cursor_u32(c, &h->alignment, "the alignment", e);
    if (s == STATUS_OK)
        s = cursor_u32(c, &h->sections, "the number of sections", e);
    if (s == STATUS_OK)
        s = cursor_u64(c, &h->keys, "the number of keys", e);
    if (s == STATUS_OK)
        s = cursor_u64(c, &h->tensors, "the number of tensors", e);
    if (s == STATUS_OK)
        s = cursor_seek(c, KNOT_FIXED_BYTES, "the table of sections", e);
    return s == STATUS_OK ? s : error_where(e, "head");
}

static enum status check_size(const struct head *h, size_t size, struct error *e)
{
    if (h->file_size == size)
        return STATUS_OK;
    if (size < h->file_size)
        error_set(e, STATUS_INPUT, "is truncated: it has %zu of its %llu bytes", size, (unsigned long long)h->file_size);
    else
        error_set(e, STATUS_INPUT, "has %zu bytes, %llu more than it says", size, (unsigned long long)(size - h->file_size));
    error_where(e, "head");
    error_advice(e, "the copy or download went wrong; fetch the file again");
    return error_position(e, 32);
}

/* The sum is taken with zeros where it stands. */
static enum status check_head(const uint8_t *bytes, const struct head *h, struct error *e)
{
    static const uint8_t zeros[16];
    const size_t behind = KNOT_SUM_AT + sizeof zeros;
    XXH3_state_t state;
    if (h->size < KNOT_FIXED_BYTES || h->size > h->file_size) {
        error_set(e, STATUS_INPUT, "the head is said to have %llu bytes, the file has %llu", (unsigned long long)h->size,
                  (unsigned long long)h->file_size);
        return damaged(e, "head", 40);
    }
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, bytes, KNOT_SUM_AT);
    XXH3_128bits_update(&state, zeros, sizeof zeros);
    XXH3_128bits_update(&state, bytes + behind, (size_t)h->size - behind);
    const XXH128_hash_t sum = XXH3_128bits_digest(&state);
    if (sum.low64 == view_load(bytes + KNOT_SUM_AT, 8) && sum.high64 == view_load(bytes + KNOT_SUM_AT + 8, 8))
        return STATUS_OK;
    error_set(e, STATUS_INPUT, "the head's bytes are not those that its checksum was made of");
    return damaged(e, "head", KNOT_SUM_AT);
}

/* What is left of the head holds `count` things of at least `smallest` bytes. */
static enum status check_count(const struct cursor *c, uint64_t count, size_t smallest, const char *noun, uint64_t position,
                               struct error *e)
{
    if (count <= cursor_remaining(c) / smallest)
        return STATUS_OK;
    error_set(e, STATUS_INPUT, "%llu %s are announced, but the head has only %zu more bytes", (unsigned long long)count,
              noun, cursor_remaining(c));
    return damaged(e, "head", position);
}

static enum status read_section(struct cursor *c, struct model_file_section *s, struct error *e)
{
    uint64_t *const number[] = {&s->position, &s->size, &s->sum[0], &s->sum[1], &s->fingerprint[0], &s->fingerprint[1]};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof number / sizeof *number && status == STATUS_OK; i++)
        status = cursor_u64(c, number[i], "the table of sections", e);
    return status;
}

/* Each section begins where the one before it ends, the last one ends with the file. */
static enum status read_sections(struct model_file *file, struct cursor *c, const struct head *h, struct error *e)
{
    uint64_t end = h->size;
    if (h->alignment < KNOT_LEAST_ALIGNMENT || h->alignment > KNOT_LARGEST_ALIGNMENT ||
        (h->alignment & (h->alignment - 1)) != 0) {
        error_set(e, STATUS_INPUT, "the alignment %u is not a power of two from %u to %u", (unsigned)h->alignment,
                  KNOT_LEAST_ALIGNMENT, KNOT_LARGEST_ALIGNMENT);
        return damaged(e, "head", 48);
    }
    enum status s = check_count(c, h->sections, KNOT_SECTION_BYTES, "sections", 52, e);
    if (s == STATUS_OK)
        s = memory_array(&file->sections, h->sections, sizeof *file->sections, "the sections of a model file", e);
    if (s != STATUS_OK)
        return s;
    file->section_count = h->sections;
    for (size_t i = 0; i < h->sections; i++) {
        struct model_file_section *at = &file->sections[i];
        const uint64_t position = c->position;
        s = read_section(c, at, e);
        if (s != STATUS_OK)
            return s;
        if (at->position != end || at->position % h->alignment != 0 || at->size > h->file_size - end) {
            error_set(e, STATUS_INPUT, "section %zu lies at byte %llu with %llu bytes, the one before it ends at %llu", i,
                      (unsigned long long)at->position, (unsigned long long)at->size, (unsigned long long)end);
            return damaged(e, "table of sections", position);
        }
        end += at->size;
    }
    if (end == h->file_size)
        return STATUS_OK;
    error_set(e, STATUS_INPUT, "the sections end at byte %llu, the file at %llu", (unsigned long long)end,
              (unsigned long long)h->file_size);
    return damaged(e, "table of sections", 52);
}

/* The section that a tensor of that name belongs to: that of its layer, if it has one. */
static uint64_t section_of(struct model_file_text name)
{
    uint64_t layer = 0;
    size_t i = 4;
    if (name.length < 5 || memcmp(name.bytes, "blk.", 4) != 0)
        return 0;
    for (; i < name.length && name.bytes[i] >= '0' && name.bytes[i] <= '9'; i++)
        layer = layer < 1000000000 ? layer * 10 + (uint64_t)(name.bytes[i] - '0') : layer;
    return i > 4 && i < name.length && name.bytes[i] == '.' ? layer + 1 : 0;
}

static enum status check_tensors(const struct model_file *file, struct error *e)
{
    for (size_t i = 0; i < file->tensor_count; i++) {
        const struct model_file_tensor *t = &file->tensors[i];
        const uint64_t at = section_of(t->name);
        const struct model_file_section *s = at < file->section_count ? &file->sections[at] : NULL;
        if (s && t->position >= s->position && t->size <= s->size && t->position - s->position <= s->size - t->size)
            continue;
        if (s)
            error_set(e, STATUS_INPUT, "a tensor's data lies outside section %llu, where it belongs", (unsigned long long)at);
        else
            error_set(e, STATUS_INPUT, "a tensor belongs to section %llu, but the sections are 0 to %zu", (unsigned long long)at,
                      file->section_count - 1);
        error_advice(e, DAMAGED);
        return view_name(e, "tensor", t->name, t->position);
    }
    return STATUS_OK;
}

enum status knot_read(struct model_file *file, struct error *e)
{
    const struct mapping *map = &file->mapping;
    struct cursor c = cursor_over(map->bytes, map->size);
    struct head h = {0};
    if (map->size >= KNOT_MAGIC_BYTES && memcmp(map->bytes, KNOT_MAGIC, KNOT_MAGIC_BYTES) != 0)
        return refuse_magic(e);
    enum status s = read_fixed(&c, &h, e);
    if (s == STATUS_OK)
        s = check_size(&h, map->size, e);
    if (s == STATUS_OK)
        s = check_head(map->bytes, &h, e);
    if (s != STATUS_OK)
        return s;
    file->kind = "knot v1";
    file->text = map->bytes;
    file->fingerprint_version = h.fingerprints;
    c.size = (size_t)h.size; /* nothing of the head lies behind it */
    s = read_sections(file, &c, &h, e);
    if (s == STATUS_OK)
        s = check_count(&c, h.keys, SMALLEST_KEY, "keys", 56, e);
    if (s == STATUS_OK)
        s = check_count(&c, h.tensors, SMALLEST_TENSOR, "tensors", 64, e);
    if (s == STATUS_OK)
        s = gguf_keys_read(file, &c, (size_t)h.keys, e);
    if (s == STATUS_OK)
        s = gguf_tensors_read(file, &c, (size_t)h.tensors, KNOT_TENSOR_ALIGNMENT, e);
    file->text_size = c.position;
    if (s == STATUS_INPUT) /* GGUF's words; but this one was packed */
        error_advice(e, DAMAGED);
    return s == STATUS_OK ? check_tensors(file, e) : s;
}

enum status knot_verify(const struct model_file *file, size_t section, struct error *e)
{
    const struct model_file_section *s = &file->sections[section];
    const XXH128_hash_t sum = XXH3_128bits(file->mapping.bytes + s->position, (size_t)s->size);
    if (sum.low64 == s->sum[0] && sum.high64 == s->sum[1])
        return STATUS_OK;
    error_set(e, STATUS_INPUT, "%llu bytes are not those that their checksum was made of", (unsigned long long)s->size);
    error_file(e, model_file_path(file));
    if (section)
        error_where(e, "layer %zu", section - 1);
    else
        error_where(e, "embedding and output");
    error_advice(e, DAMAGED);
    return error_position(e, (int64_t)s->position);
}
