/* gguf_writer.h - writes GGUF bytes by hand, right or wrong, for tests of readers.
 *
 * Its own little writer, sharing nothing with src/formats: a mistake in the
 * reader's idea of the layout can't hide in the writer. Every put_ appends to one
 * static buffer; `here()` is the position that a test expects in an error.
 */
#ifndef PHI3SAT_TESTS_GGUF_WRITER_H
#define PHI3SAT_TESTS_GGUF_WRITER_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tap.h"

/* Value types of GGUF. */
enum { G_U8, G_I8, G_U16, G_I16, G_U32, G_I32, G_F32, G_BOOL, G_STRING, G_ARRAY, G_U64, G_I64, G_F64 };

/* A test that needs a larger file says so before it includes this. */
#ifndef GGUF_WRITER_BYTES
#define GGUF_WRITER_BYTES (1 << 16)
#endif

static struct {
    uint8_t bytes[GGUF_WRITER_BYTES];
    size_t size;
} made_file;

static inline int64_t here(void)
{
    return (int64_t)made_file.size;
}

static inline void put_bytes(const void *bytes, size_t size)
{
    if (size > sizeof made_file.bytes - made_file.size)
        bail("a test file is too large");
    memcpy(made_file.bytes + made_file.size, bytes, size);
    made_file.size += size;
}

static inline void put_number(uint64_t value, int width)
{
    for (int i = 0; i < width; i++) {
        uint8_t byte = (uint8_t)(value >> (8 * i));
        put_bytes(&byte, 1);
    }
}

static inline void put_u32(uint32_t value)
{
    put_number(value, 4);
}

static inline void put_u64(uint64_t value)
{
    put_number(value, 8);
}

static inline void put_text(const char *text)
{
    put_u64(strlen(text));
    put_bytes(text, strlen(text));
}

/* Begins a file anew. */
static inline void put_header(uint32_t version, uint64_t tensors, uint64_t keys)
{
    made_file.size = 0;
    put_bytes("GGUF", 4);
    put_u32(version);
    put_u64(tensors);
    put_u64(keys);
}

/* Name and type of a key; its value follows. */
static inline void put_key(const char *name, uint32_t type)
{
    put_text(name);
    put_u32(type);
}

static inline void put_u32_key(const char *name, uint32_t value)
{
    put_key(name, G_U32);
    put_u32(value);
}

static inline void put_text_key(const char *name, const char *value)
{
    put_key(name, G_STRING);
    put_text(value);
}

/* A matrix [rows, columns] of a type at an offset of the data section. */
static inline void put_tensor(const char *name, uint64_t columns, uint64_t rows, uint32_t type, uint64_t offset)
{
    put_text(name);
    put_u32(2);
    put_u64(columns);
    put_u64(rows);
    put_u32(type);
    put_u64(offset);
}

/* Padding to the alignment, then `size` bytes of data: 0, 1, 2 ... */
static inline void put_data(size_t size, size_t alignment)
{
    while (made_file.size % alignment)
        put_number(0, 1);
    for (size_t i = 0; i < size; i++)
        put_number(i & 0xff, 1);
}

/* Writes the file into the test's folder; the path stays valid till the next call. */
static inline const char *save_file(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", tap_folder(), name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(made_file.bytes, 1, made_file.size, f) != made_file.size || fclose(f))
        bail("can't write %s", path);
    return path;
}

#endif
