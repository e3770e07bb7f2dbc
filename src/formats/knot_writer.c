/* knot_writer.c - see knot_writer.h.
 *
 * Keys and tensors are appended to two buffers as they come, with zeros for the tensors' offsets: these follow once all is
 * announced, since the alignment depends on the sizes (huge pages for large layers; a small model would be mostly zeros). The
 * head's size is then known, so data may be written behind it; its checksum and those of the sections are known
 * last.
 */
#include "knot_writer.h"

#include <assert.h>
#include <string.h>

#include <xxhash.h>

#include "../base/memory.h"
#include "../base/outfile.h"
#include "knot.h"

#define SMALL_ALIGNMENT (64u << 10) /* the largest page of common machines                       */
#define HUGE_ALIGNMENT (2u << 20)   /* a huge page of x86-64, and of arm64 with 4 KiB pages        */
#define HUGE_FROM (16u << 20)       /* layers from here on lose at most an eighth to padding      */

struct buffer {
    uint8_t *bytes; /* [capacity], `size` of them used */
    size_t size, capacity;
};

struct placed {
    uint64_t offset, size; /* in its section; bytes without padding            */
    size_t section;
    size_t offset_at;      /* in `infos`: where the offset belongs              */
};

struct knot_writer {
    struct outfile file;
    struct buffer keys, infos;
    uint64_t key_count;
    uint32_t fingerprints, alignment;
    struct model_file_section *sections; /* [section_count]                       */
    size_t section_count, sections_capacity;
    struct placed *tensors;              /* [tensor_count]                        */
    size_t tensor_count, tensors_capacity;
    uint64_t head_size, file_size;
    XXH3_state_t *sum;                   /* of the section under way               */
    size_t at;                           /* the tensor under way                   */
    uint64_t left;                       /* bytes it still lacks                   */
    bool started, failed;
    struct error error;                  /* the first failure before the start     */
};

/* ---- keys and tensors ---- */

static void put(struct knot_writer *w, struct buffer *b, const void *bytes, size_t size)
{
    size_t wanted = 0;
    if (w->failed || size == 0)
        return;
    if (!memory_add(b->size, size, &wanted)) {
        error_set(&w->error, STATUS_FAILED, "the keys are too large");
        w->failed = true;
    } else {
        w->failed = memory_grow(&b->bytes, &b->capacity, wanted, 1, "the head of a .knot file", &w->error) != STATUS_OK;
    }
    if (w->failed)
        return;
    memcpy(b->bytes + b->size, bytes, size);
    b->size = wanted;
}

static void store(uint8_t *bytes, uint64_t value, size_t width)
{
    for (size_t i = 0; i < width; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
}

static void put_number(struct knot_writer *w, struct buffer *b, uint64_t value, size_t width)
{
    uint8_t bytes[8];
    store(bytes, value, width);
    put(w, b, bytes, width);
}

static void put_text(struct knot_writer *w, struct buffer *b, const char *bytes, size_t length)
{
    put_number(w, b, length, 8);
    put(w, b, bytes, length);
}

static void put_key_name(struct knot_writer *w, struct model_file_text name, enum model_file_key_type type)
{
    assert(!w->started);
    put_text(w, &w->keys, name.bytes, name.length);
    put_number(w, &w->keys, (uint64_t)type, 4);
    w->key_count++;
}

/* Says how the file holds the model, which this one holds otherwise. */
static bool is_of_form(struct model_file_text name)
{
    return names_equal(name, "general.alignment") || names_equal(name, "phi3sat.rotary_halves") ||
           (name.length > 6 && memcmp(name.bytes, "split.", 6) == 0);
}

/* Values of `width` bytes; those of a big-endian file are turned round on their way. */
static void copy_numbers(struct knot_writer *w, const struct model_file *from, const uint8_t *bytes, size_t count, size_t width)
{
    if (!from->swapped)
        put(w, &w->keys, bytes, count * width);
    for (size_t i = 0; from->swapped && i < count; i++)
        put_number(w, &w->keys, view_number(from, bytes + i * width, width), width);
}

static void copy_key(struct knot_writer *w, const struct model_file *from, const struct view_key *key)
{
    put_key_name(w, key->name, key->type);
    if (key->type == MODEL_FILE_STRING) {
        put_text(w, &w->keys, (const char *)key->bytes, (size_t)key->length);
    } else if (key->type != MODEL_FILE_ARRAY) {
        copy_numbers(w, from, key->bytes, 1, view_width(key->type));
    } else {
        put_number(w, &w->keys, (uint64_t)key->element, 4);
        put_number(w, &w->keys, key->length, 8);
        if (key->element != MODEL_FILE_STRING)
            copy_numbers(w, from, key->bytes, (size_t)key->length, view_width(key->element));
        for (uint64_t i = 0; key->element == MODEL_FILE_STRING && i < key->length; i++) {
            const uint8_t *text = from->text + key->strings[i];
            put_text(w, &w->keys, (const char *)text + 8, (size_t)view_number(from, text, 8));
        }
    }
}

size_t knot_writer_copy_keys(struct knot_writer *w, const struct model_file *from)
{
    size_t nested = 0;
    for (size_t i = 0; i < from->key_count; i++) {
        const struct view_key *key = &from->keys[i];
        bool is_nested = key->type == MODEL_FILE_ARRAY && key->element == MODEL_FILE_ARRAY;
        nested += is_nested;
        if (!is_nested && !is_of_form(key->name))
            copy_key(w, from, key);
    }
    return nested;
}

void knot_writer_key_bool(struct knot_writer *w, const char *key, bool value)
{
    put_key_name(w, (struct model_file_text){key, strlen(key)}, MODEL_FILE_BOOL);
    put_number(w, &w->keys, value, 1);
}

void knot_writer_section(struct knot_writer *w)
{
    if (w->failed)
        return;
    w->failed = memory_grow(&w->sections, &w->sections_capacity, w->section_count + 1, sizeof *w->sections,
                            "the sections of a .knot file", &w->error) != STATUS_OK;
    w->section_count += !w->failed;
}

static uint64_t round_up(uint64_t size, uint64_t alignment)
{
    return (size + alignment - 1) / alignment * alignment;
}

void knot_writer_tensor(struct knot_writer *w, const struct model_file_tensor *t)
{
    assert(!w->started);
    if (w->failed)
        return;
    struct model_file_section *s = &w->sections[w->section_count - 1];
    w->failed = memory_grow(&w->tensors, &w->tensors_capacity, w->tensor_count + 1, sizeof *w->tensors,
                            "the tensors of a .knot file", &w->error) != STATUS_OK;
    if (w->failed)
        return;
    put_text(w, &w->infos, t->name.bytes, t->name.length);
    put_number(w, &w->infos, t->dimensions, 4);
    for (uint32_t d = 0; d < t->dimensions; d++)
        put_number(w, &w->infos, t->dims[d], 8);
    put_number(w, &w->infos, t->format->id, 4);
    w->tensors[w->tensor_count++] = (struct placed){s->size, t->size, w->section_count - 1, w->infos.size};
    put_number(w, &w->infos, 0, 8);
    s->size += round_up(t->size, KNOT_TENSOR_ALIGNMENT); /* bytes that a file holds: far below 2^63 */
}

/* ---- layout ---- */

static void place(struct knot_writer *w)
{
    uint64_t largest = 0;
    for (size_t i = 1; i < w->section_count; i++)
        largest = w->sections[i].size > largest ? w->sections[i].size : largest;
    w->alignment = largest >= HUGE_FROM ? HUGE_ALIGNMENT : SMALL_ALIGNMENT;
    const uint64_t used = KNOT_FIXED_BYTES + KNOT_SECTION_BYTES * w->section_count + w->keys.size + w->infos.size;
    w->head_size = w->file_size = round_up(used, w->alignment);
    for (size_t i = 0; i < w->section_count; i++) {
        w->sections[i].position = w->file_size;
        w->sections[i].size = round_up(w->sections[i].size, w->alignment);
        w->file_size += w->sections[i].size;
    }
    const uint64_t from = round_up(used, KNOT_TENSOR_ALIGNMENT); /* what offsets count from */
    for (size_t i = 0; i < w->tensor_count; i++) {
        const struct placed *t = &w->tensors[i];
        store(w->infos.bytes + t->offset_at, w->sections[t->section].position + t->offset - from, 8);
    }
}

static enum status write_failure(const struct knot_writer *w, struct error *e)
{
    return w->file.reason ? outfile_fault(w->file.path, "written", w->file.reason, e) : STATUS_OK;
}

static void write_zeros(struct knot_writer *w, uint64_t count, bool summed)
{
    static const uint8_t zeros[1 << 16];
    while (count) {
        size_t now = count < sizeof zeros ? (size_t)count : sizeof zeros;
        outfile_write(&w->file, zeros, now);
        if (summed)
            XXH3_128bits_update(w->sum, zeros, now);
        count -= now;
    }
}

enum status knot_writer_open(struct knot_writer **writer, const char *path, uint32_t fingerprints, struct error *e)
{
    struct knot_writer *w;
    *writer = NULL;
    enum status s = memory_array(&w, 1, sizeof *w, "a .knot file's writer", e);
    if (s != STATUS_OK)
        return s;
    w->fingerprints = fingerprints;
    s = outfile_open(&w->file, path, e);
    if (s == STATUS_OK && !w->file.temporary) {
        s = error_set(e, STATUS_OUTPUT, "is a device or a pipe, which can't hold a .knot file");
        error_advice(e, "give the name of a file");
        error_file(e, path);
    }
    if (s == STATUS_OK) {
        w->sum = XXH3_createState();
        if (!w->sum)
            s = error_set(e, STATUS_FAILED, "no memory for a checksum");
    }
    if (s == STATUS_OK) {
        *writer = w;
        return STATUS_OK;
    }
    knot_writer_abandon(w);
    return s;
}

enum status knot_writer_start(struct knot_writer *w, struct error *e)
{
    assert(w->failed || w->tensor_count > 0);
    if (w->failed) {
        if (e)
            *e = w->error;
        return w->error.status;
    }
    place(w);
    write_zeros(w, w->head_size, false);
    w->started = true;
    w->left = w->tensors[0].size;
    XXH3_128bits_reset(w->sum);
    return write_failure(w, e);
}

uint64_t knot_writer_size(const struct knot_writer *w)
{
    return w->file_size;
}

/* ---- data ---- */

/* Zeros up to the next tensor, or to the end of the section, whose sum is then known. */
static void end_tensor(struct knot_writer *w)
{
    const struct placed *t = &w->tensors[w->at], *next = w->at + 1 < w->tensor_count ? t + 1 : NULL;
    struct model_file_section *s = &w->sections[t->section];
    const bool last = !next || next->section != t->section;
    write_zeros(w, (last ? s->size : next->offset) - (t->offset + t->size), true);
    if (last) {
        const XXH128_hash_t sum = XXH3_128bits_digest(w->sum);
        s->sum[0] = sum.low64;
        s->sum[1] = sum.high64;
        XXH3_128bits_reset(w->sum);
    }
    w->at++;
    w->left = next ? next->size : 0;
}

enum status knot_writer_data(struct knot_writer *w, const void *bytes, size_t size, struct error *e)
{
    assert(w->started && size <= w->left);
    outfile_write(&w->file, bytes, size);
    XXH3_128bits_update(w->sum, bytes, size);
    w->left -= size;
    if (w->left == 0)
        end_tensor(w);
    return write_failure(w, e);
}

void knot_writer_fingerprint(struct knot_writer *w, size_t section, const uint64_t hash[2])
{
    assert(section < w->section_count);
    memcpy(w->sections[section].fingerprint, hash, 2 * sizeof *hash);
}

/* ---- head ---- */

static void fill_head(const struct knot_writer *w, uint8_t *head)
{
    uint8_t *at = head + KNOT_FIXED_BYTES;
    memcpy(head, KNOT_MAGIC, KNOT_MAGIC_BYTES);
    store(head + 8, KNOT_VERSION, 4);
    store(head + 12, w->fingerprints, 4);
    store(head + 32, w->file_size, 8);
    store(head + 40, w->head_size, 8);
    store(head + 48, w->alignment, 4);
    store(head + 52, w->section_count, 4);
    store(head + 56, w->key_count, 8);
    store(head + 64, w->tensor_count, 8);
    for (size_t i = 0; i < w->section_count; i++, at += KNOT_SECTION_BYTES) {
        const struct model_file_section *s = &w->sections[i];
        const uint64_t number[] = {s->position, s->size, s->sum[0], s->sum[1], s->fingerprint[0], s->fingerprint[1]};
        for (size_t k = 0; k < sizeof number / sizeof *number; k++)
            store(at + 8 * k, number[k], 8);
    }
    if (w->keys.size)
        memcpy(at, w->keys.bytes, w->keys.size);
    memcpy(at + w->keys.size, w->infos.bytes, w->infos.size);
    const XXH128_hash_t sum = XXH3_128bits(head, (size_t)w->head_size);
    store(head + KNOT_SUM_AT, sum.low64, 8);
    store(head + KNOT_SUM_AT + 8, sum.high64, 8);
}

static void release(struct knot_writer *w)
{
    XXH3_freeState(w->sum);
    memory_free(w->keys.bytes);
    memory_free(w->infos.bytes);
    memory_free(w->sections);
    memory_free(w->tensors);
    memory_free(w);
}

enum status knot_writer_commit(struct knot_writer *w, struct error *e)
{
    uint8_t *head;
    assert(w->started && w->at == w->tensor_count);
    enum status s = memory_array(&head, (size_t)w->head_size, 1, "the head of a .knot file", e);
    if (s != STATUS_OK) {
        knot_writer_abandon(w);
        return s;
    }
    fill_head(w, head);
    outfile_rewrite(&w->file, 0, head, (size_t)w->head_size);
    memory_free(head);
    s = outfile_commit(&w->file, e);
    release(w);
    return s;
}

void knot_writer_abandon(struct knot_writer *w)
{
    if (!w)
        return;
    outfile_abandon(&w->file);
    release(w);
}
