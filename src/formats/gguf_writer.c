/* gguf_writer.c - see gguf_writer.h.
 *
 * Keys and tensor infos are appended to two buffers as they come; their numbers stand before
 * them in the file, so that both wait for gguf_writer_start. Offsets of tensors follow from their
 * sizes. After that nothing is kept but the number of bytes that the tensor under way still lacks.
 *
 * All numbers are written byte by byte, least significant first, whatever the machine.
 */
#include "gguf_writer.h"

#include <assert.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/outfile.h"
#include "gguf.h"
#include "model_file.h"

/* Bytes that grow. */
struct text_buffer {
    uint8_t *bytes; /* [capacity], `size` of them used */
    size_t size, capacity;
};

struct gguf_writer {
    struct outfile file;
    struct text_buffer keys, infos;
    uint64_t key_count, tensor_count;
    uint64_t *sizes;       /* [tensor_count] bytes without padding                  */
    size_t sizes_capacity;
    uint64_t offset;       /* where the next tensor's data begins                   */
    uint64_t at, left;     /* the tensor under way, bytes it still lacks             */
    bool started;
    struct error error;    /* the first failure while keys were added                */
    bool failed;
};

static void put(struct gguf_writer *w, struct text_buffer *b, const void *bytes, size_t size)
{
    size_t wanted;
    if (w->failed)
        return;
    if (!memory_add(b->size, size, &wanted)) {
        error_set(&w->error, STATUS_FAILED, "the keys are too large");
        w->failed = true;
        return;
    }
    if (memory_grow(&b->bytes, &b->capacity, wanted, 1, "the keys of a model file", &w->error) != STATUS_OK) {
        w->failed = true;
        return;
    }
    memcpy(b->bytes + b->size, bytes, size);
    b->size = wanted;
}

static void put_number(struct gguf_writer *w, struct text_buffer *b, uint64_t value, size_t width)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < width; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    put(w, b, bytes, width);
}

static void put_text(struct gguf_writer *w, struct text_buffer *b, const char *text)
{
    put_number(w, b, strlen(text), 8);
    put(w, b, text, strlen(text));
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void begin_key(struct gguf_writer *w, const char *key, enum model_file_key_type type)
{
    assert(!w->started);
    put_text(w, &w->keys, key);
    put_number(w, &w->keys, (uint64_t)type, 4);
    w->key_count++;
}

static void begin_array(struct gguf_writer *w, const char *key, enum model_file_key_type type, size_t count)
{
    begin_key(w, key, MODEL_FILE_ARRAY);
    put_number(w, &w->keys, (uint64_t)type, 4);
    put_number(w, &w->keys, count, 8);
}

enum status gguf_writer_open(struct gguf_writer **writer, const char *path, struct error *e)
{
    struct gguf_writer *w;
    *writer = NULL;
    enum status status = memory_array(&w, 1, sizeof *w, "a model file's writer", e);
    if (status != STATUS_OK)
        return status;
    status = outfile_open(&w->file, path, e);
    if (status != STATUS_OK) {
        memory_free(w);
        return status;
    }
    *writer = w;
    return STATUS_OK;
}

void gguf_writer_key_text(struct gguf_writer *w, const char *key, const char *value)
{
    begin_key(w, key, MODEL_FILE_STRING);
    put_text(w, &w->keys, value);
}

void gguf_writer_key_u32(struct gguf_writer *w, const char *key, uint32_t value)
{
    begin_key(w, key, MODEL_FILE_U32);
    put_number(w, &w->keys, value, 4);
}

void gguf_writer_key_f32(struct gguf_writer *w, const char *key, float value)
{
    begin_key(w, key, MODEL_FILE_F32);
    put_number(w, &w->keys, bits_of(value), 4);
}

void gguf_writer_key_bool(struct gguf_writer *w, const char *key, bool value)
{
    begin_key(w, key, MODEL_FILE_BOOL);
    put_number(w, &w->keys, value, 1);
}

void gguf_writer_key_texts(struct gguf_writer *w, const char *key, const char *const *texts, size_t count)
{
    begin_array(w, key, MODEL_FILE_STRING, count);
    for (size_t i = 0; i < count; i++)
        put_text(w, &w->keys, texts[i]);
}

void gguf_writer_key_floats(struct gguf_writer *w, const char *key, const float *values, size_t count)
{
    begin_array(w, key, MODEL_FILE_F32, count);
    for (size_t i = 0; i < count; i++)
        put_number(w, &w->keys, bits_of(values[i]), 4);
}

void gguf_writer_key_ints(struct gguf_writer *w, const char *key, const int32_t *values, size_t count)
{
    begin_array(w, key, MODEL_FILE_I32, count);
    for (size_t i = 0; i < count; i++)
        put_number(w, &w->keys, (uint32_t)values[i], 4);
}

static uint64_t padded(uint64_t size)
{
    return (size + GGUF_DEFAULT_ALIGNMENT - 1) / GGUF_DEFAULT_ALIGNMENT * GGUF_DEFAULT_ALIGNMENT;
}

void gguf_writer_tensor(struct gguf_writer *w, const char *name, uint64_t columns, uint64_t rows,
                        const struct quants_format *format)
{
    uint64_t size = 0;
    assert(!w->started);
    if (w->failed)
        return;
    if (columns % format->block_elements || !quants_bytes(format, columns * (rows ? rows : 1), &size) ||
        size > INT64_MAX / 2 - w->offset) {
        error_set(&w->error, STATUS_FAILED, "a row of %llu weights can't be written as %s",
                  (unsigned long long)columns, format->name);
        error_where(&w->error, "tensor %s", name);
        w->failed = true;
        return;
    }
    w->failed = memory_grow(&w->sizes, &w->sizes_capacity, (size_t)w->tensor_count + 1, sizeof *w->sizes,
                            "the tensors of a model file", &w->error) != STATUS_OK;
    if (w->failed)
        return;
    put_text(w, &w->infos, name);
    put_number(w, &w->infos, rows ? 2 : 1, 4);
    put_number(w, &w->infos, columns, 8);
    if (rows)
        put_number(w, &w->infos, rows, 8);
    put_number(w, &w->infos, format->id, 4);
    put_number(w, &w->infos, w->offset, 8);
    w->sizes[w->tensor_count++] = size;
    w->offset += padded(size);
}

uint64_t gguf_writer_size(const struct gguf_writer *w)
{
    return w->offset;
}

/* Zeros up to the alignment behind `size` bytes. */
static void pad(struct gguf_writer *w, uint64_t size)
{
    static const uint8_t zeros[GGUF_DEFAULT_ALIGNMENT];
    outfile_write(&w->file, zeros, (size_t)(padded(size) - size));
}

/* Goes on to the next tensor that has bytes. */
static void next_tensor(struct gguf_writer *w)
{
    if (w->at < w->tensor_count)
        w->left = w->sizes[w->at];
}

static enum status write_failure(const struct gguf_writer *w, struct error *e)
{
    return w->file.reason ? outfile_fault(w->file.path, "written", w->file.reason, e) : STATUS_OK;
}

enum status gguf_writer_start(struct gguf_writer *w, struct error *e)
{
    struct text_buffer head = {0};
    put(w, &head, "GGUF", 4);
    put_number(w, &head, 3, 4);
    put_number(w, &head, w->tensor_count, 8);
    put_number(w, &head, w->key_count, 8);
    if (w->failed) {
        memory_free(head.bytes);
        if (e)
            *e = w->error;
        return w->error.status;
    }
    outfile_write(&w->file, head.bytes, head.size);
    if (w->key_count > 0)
        outfile_write(&w->file, w->keys.bytes, w->keys.size);
    if (w->tensor_count > 0) /* a vocabulary has none */
        outfile_write(&w->file, w->infos.bytes, w->infos.size);
    pad(w, head.size + w->keys.size + w->infos.size);
    memory_free(head.bytes);
    w->started = true;
    next_tensor(w);
    return write_failure(w, e);
}

enum status gguf_writer_data(struct gguf_writer *w, const void *bytes, size_t size, struct error *e)
{
    assert(w->started && size <= w->left);
    outfile_write(&w->file, bytes, size);
    w->left -= size;
    if (w->left == 0) {
        pad(w, w->sizes[w->at]);
        w->at++;
        next_tensor(w);
    }
    return write_failure(w, e);
}

static void release(struct gguf_writer *w)
{
    memory_free(w->keys.bytes);
    memory_free(w->infos.bytes);
    memory_free(w->sizes);
    memory_free(w);
}

enum status gguf_writer_commit(struct gguf_writer *w, struct error *e)
{
    assert(w->started && w->at == w->tensor_count);
    enum status status = outfile_commit(&w->file, e);
    release(w);
    return status;
}

void gguf_writer_abandon(struct gguf_writer *w)
{
    if (!w)
        return;
    outfile_abandon(&w->file);
    release(w);
}
