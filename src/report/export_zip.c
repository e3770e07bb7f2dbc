/* export_zip.c - see export_zip.h.
 *
 *     member:     local header | name | zip64 field, if large | data
 *     directory:  one header a member, with its offset
 *     end:        [zip64 end | its locator] | end
 *
 * Sizes stand in the local headers and not behind the data, as the format would allow too: small readers of .npz
 * (cnpy, say) go from header to header and know no other way. A member gets the zip64 field in its local header
 * where it might pass the limit once compressed, which is decided before it is; in the directory, only what has
 * passed it stands there. Format: PKWARE's APPNOTE 6.3.
 */
#include "export_zip.h"

#include <assert.h>
#include <string.h>
#define ZLIB_CONST /* it only reads what it compresses */
#include <zlib.h>

#include "../base/memory.h"

#define NAME_LIMIT 128
#define BUFFER (1 << 16)
#define DATE_1980 0x21u          /* 1 January 1980 in the format's bits */
#define VERSION_ZIP64 45u
#define VERSION_PLAIN 20u
#define ELSEWHERE 0xFFFFFFFFu
#define STEP ((size_t)1 << 30)   /* bytes that zlib, which counts in unsigned int, is given at once */

struct entry {
    char name[NAME_LIMIT];
    uint64_t size, stored, offset;
    uint32_t check;
    bool large;              /* its local header has the zip64 field */
};

struct export_zip {
    struct outfile *out;
    bool compress, under_way;
    uint64_t limit, position, left; /* left: of the member under way */
    struct entry *entry;     /* [count] */
    size_t count, capacity;
    z_stream stream;         /* deflate's, with `compress` */
    unsigned char *buffer;   /* [BUFFER] */
};

/* Numbers of the format, the low byte first. */
struct record {
    unsigned char bytes[96];
    size_t used;
};

static void put(struct record *r, uint64_t value, size_t bytes)
{
    assert(r->used + bytes <= sizeof r->bytes);
    for (size_t i = 0; i < bytes; i++, value >>= 8)
        r->bytes[r->used++] = (unsigned char)value;
}

static void emit(struct export_zip *z, const void *bytes, size_t size)
{
    outfile_write(z->out, bytes, size);
    z->position += size;
}

enum status export_zip_open(struct export_zip **z, struct outfile *out, bool compress, uint64_t limit, struct error *e)
{
    enum status s = memory_array(z, 1, sizeof **z, "a ZIP file", e);
    if (s != STATUS_OK)
        return s;
    (*z)->out = out;
    (*z)->limit = limit;
    s = memory_array(&(*z)->buffer, BUFFER, 1, "a ZIP file", e);
    /* Raw deflate, without zlib's own header: windowBits below 0. */
    if (s == STATUS_OK && compress &&
        deflateInit2(&(*z)->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        s = error_set(e, STATUS_FAILED, "zlib can't begin to compress");
    (*z)->compress = s == STATUS_OK && compress;
    if (s != STATUS_OK) {
        export_zip_close(*z);
        *z = NULL;
    }
    return s;
}

void export_zip_close(struct export_zip *z)
{
    if (!z)
        return;
    if (z->compress)
        deflateEnd(&z->stream);
    memory_free(z->entry);
    memory_free(z->buffer);
    memory_free(z);
}

/* What both headers of a member have in common. */
static void put_member(struct record *r, const struct export_zip *z, const struct entry *m, bool field)
{
    put(r, m->large || m->offset > z->limit ? VERSION_ZIP64 : VERSION_PLAIN, 2);
    put(r, 0, 2); /* no flags */
    put(r, z->compress ? 8 : 0, 2);
    put(r, 0, 2); /* midnight */
    put(r, DATE_1980, 2);
    put(r, m->check, 4);
    put(r, field ? ELSEWHERE : m->stored, 4);
    put(r, field ? ELSEWHERE : m->size, 4);
    put(r, strlen(m->name), 2);
}

static struct record local_header(const struct export_zip *z, const struct entry *m)
{
    struct record r = {.used = 0};
    put(&r, 0x04034b50, 4);
    put_member(&r, z, m, m->large);
    put(&r, m->large ? 20 : 0, 2);
    return r;
}

static struct record local_field(const struct entry *m)
{
    struct record r = {.used = 0};
    put(&r, 1, 2);
    put(&r, 16, 2);
    put(&r, m->size, 8);
    put(&r, m->stored, 8);
    return r;
}

/* Compresses what the stream has been given, into the file. */
static enum status squeeze(struct export_zip *z, int flush, struct error *e)
{
    int code;
    do {
        z->stream.next_out = z->buffer;
        z->stream.avail_out = BUFFER;
        code = deflate(&z->stream, flush);
        if (code == Z_STREAM_ERROR)
            return error_set(e, STATUS_FAILED, "zlib can't compress");
        emit(z, z->buffer, BUFFER - z->stream.avail_out);
    } while (flush == Z_FINISH ? code != Z_STREAM_END : z->stream.avail_out == 0);
    return STATUS_OK;
}

/* Completes the member under way, if any: its header now knows the rest. */
static enum status end_member(struct export_zip *z, struct error *e)
{
    if (!z->under_way)
        return STATUS_OK;
    struct entry *m = &z->entry[z->count - 1];
    assert(z->left == 0);
    enum status s = z->compress ? squeeze(z, Z_FINISH, e) : STATUS_OK;
    if (s != STATUS_OK)
        return s;
    if (z->compress && deflateReset(&z->stream) != Z_OK)
        return error_set(e, STATUS_FAILED, "zlib can't begin again");
    z->under_way = false;
    struct record header = local_header(z, m);
    const size_t before = header.used + strlen(m->name);
    m->stored = z->position - m->offset - before - (m->large ? 20 : 0);
    header = local_header(z, m);
    outfile_rewrite(z->out, m->offset, header.bytes, header.used);
    if (m->large) {
        struct record field = local_field(m);
        outfile_rewrite(z->out, m->offset + before, field.bytes, field.used);
    }
    return STATUS_OK;
}

enum status export_zip_member(struct export_zip *z, const char *name, uint64_t size, struct error *e)
{
    assert(strlen(name) < NAME_LIMIT);
    enum status s = end_member(z, e);
    if (s == STATUS_OK)
        s = memory_grow(&z->entry, &z->capacity, z->count + 1, sizeof *z->entry, "a ZIP file's directory", e);
    if (s != STATUS_OK)
        return s;
    struct entry *m = &z->entry[z->count++];
    /* Deflate makes nothing longer than this. */
    const uint64_t longest = size + size / 1000 + 64;
    *m = (struct entry){.size = size, .offset = z->position, .check = (uint32_t)crc32(0, NULL, 0),
                        .large = longest > z->limit};
    memcpy(m->name, name, strlen(name) + 1);
    z->left = size;
    z->under_way = true;
    const struct record header = local_header(z, m);
    emit(z, header.bytes, header.used);
    emit(z, name, strlen(name));
    if (m->large) {
        const struct record field = local_field(m);
        emit(z, field.bytes, field.used);
    }
    return STATUS_OK;
}

enum status export_zip_data(struct export_zip *z, const void *bytes, size_t size, struct error *e)
{
    struct entry *m = &z->entry[z->count - 1];
    assert(z->under_way && size <= z->left);
    z->left -= size;
    const unsigned char *at = bytes;
    enum status s = STATUS_OK;
    while (size > 0 && s == STATUS_OK) {
        const size_t step = size < STEP ? size : STEP;
        m->check = (uint32_t)crc32(m->check, at, (uInt)step);
        if (z->compress) {
            z->stream.next_in = at;
            z->stream.avail_in = (uInt)step;
            s = squeeze(z, Z_NO_FLUSH, e);
        } else {
            emit(z, at, step);
        }
        at += step;
        size -= step;
    }
    return s;
}

/* A member's line of the directory: only what has passed the limit stands in its zip64 field. */
static void put_directory(struct export_zip *z, const struct entry *m)
{
    struct record field = {.used = 0}, r = {.used = 0};
    const bool sizes = m->size > z->limit || m->stored > z->limit, far = m->offset > z->limit;
    if (sizes || far) {
        put(&field, 1, 2);
        put(&field, (sizes ? 16u : 0u) + (far ? 8u : 0u), 2);
    }
    if (sizes) {
        put(&field, m->size, 8);
        put(&field, m->stored, 8);
    }
    if (far)
        put(&field, m->offset, 8);
    put(&r, 0x02014b50, 4);
    put(&r, 3 << 8 | VERSION_ZIP64, 2); /* made on Unix */
    put_member(&r, z, m, sizes);
    put(&r, field.used, 2);
    put(&r, 0, 2); /* comment */
    put(&r, 0, 2); /* disk */
    put(&r, 0, 2);
    put(&r, (uint64_t)0100644 << 16, 4); /* a file that all may read */
    put(&r, far ? ELSEWHERE : m->offset, 4);
    emit(z, r.bytes, r.used);
    emit(z, m->name, strlen(m->name));
    emit(z, field.bytes, field.used);
}

enum status export_zip_finish(struct export_zip *z, struct error *e)
{
    enum status s = end_member(z, e);
    if (s != STATUS_OK)
        return s;
    const uint64_t start = z->position;
    bool large = z->count >= 0xFFFF || start > z->limit;
    for (size_t i = 0; i < z->count; i++)
        put_directory(z, &z->entry[i]);
    const uint64_t end = z->position, size = end - start;
    struct record r = {.used = 0};
    large = large || size > z->limit;
    if (large) {
        put(&r, 0x06064b50, 4);
        put(&r, 44, 8); /* bytes that follow */
        put(&r, 3 << 8 | VERSION_ZIP64, 2);
        put(&r, VERSION_ZIP64, 2);
        put(&r, 0, 8); /* disks */
        put(&r, z->count, 8);
        put(&r, z->count, 8);
        put(&r, size, 8);
        put(&r, start, 8);
        put(&r, 0x07064b50, 4);
        put(&r, 0, 4);
        put(&r, end, 8);
        put(&r, 1, 4);
    }
    emit(z, r.bytes, r.used);
    r.used = 0;
    put(&r, 0x06054b50, 4);
    put(&r, 0, 4);
    put(&r, large ? 0xFFFF : z->count, 2);
    put(&r, large ? 0xFFFF : z->count, 2);
    put(&r, large ? ELSEWHERE : size, 4);
    put(&r, large ? ELSEWHERE : start, 4);
    put(&r, 0, 2);
    emit(z, r.bytes, r.used);
    return STATUS_OK;
}
