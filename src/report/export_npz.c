/* export_npz.c - see export_npz.h.
 *
 * An .npz file is a ZIP file of .npy files, and an .npy file is the array's bytes behind a line that a Python
 * literal of a dictionary makes (NEP 1):
 *
 *     \x93NUMPY 1 0 | uint16: length of the rest | {'descr': '<f4', 'fortran_order': False, 'shape': (3, 70), } ... \n
 *
 * padded by spaces so that the data begin at a multiple of 64. Data sets are moved a layer at a time, so that
 * memory does not grow with the archive. Texts are arrays of one string, four bytes a character ('<U').
 */
#include "export_npz.h"

#include <stdio.h>
#include <string.h>

#include "../base/escape.h"
#include "../base/memory.h"
#include "export_zip.h"
#include "phi3sat.h"

#define HEADER_LIMIT 256

/* The file under way. */
struct npz {
    struct outfile out;
    struct export_zip *zip;
    unsigned char *flat;    /* a piece of a data set, or a text */
    size_t capacity;
};

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ORDER '<'
#else
#define ORDER '>'
#endif

/* Begins NAME.npy: a `type` (NumPy's letter) of `size` bytes an element, with a shape in Python's words. */
static enum status begin(struct npz *n, const char *name, char type, size_t size, const char *shape, uint64_t bytes,
                         struct error *e)
{
    char member[120], header[HEADER_LIMIT], words[160];
    snprintf(member, sizeof member, "%s.npy", name);
    const int length = snprintf(words, sizeof words, "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': %s, }",
                                type == 'u' && size == 1 ? '|' : ORDER, type, type == 'U' ? size / 4 : size, shape);
    const size_t whole = (10 + (size_t)length + 1 + 63) / 64 * 64, rest = whole - 10;
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)(rest & 0xFF);
    header[9] = (char)(rest >> 8);
    memset(header + 10, ' ', rest);
    memcpy(header + 10, words, (size_t)length);
    header[whole - 1] = '\n';
    enum status s = export_zip_member(n->zip, member, whole + bytes, e);
    return s == STATUS_OK ? export_zip_data(n->zip, header, whole, e) : s;
}

static enum status put_scalar(struct npz *n, const char *name, char type, const void *value, size_t size,
                              struct error *e)
{
    enum status s = begin(n, name, type, size, "()", size, e);
    return s == STATUS_OK ? export_zip_data(n->zip, value, size, e) : s;
}

/* The first character of text[length]; what is no UTF-8 becomes U+FFFD, one byte at a time or more. */
static size_t character(const char *text, size_t length, uint32_t *code)
{
    static const unsigned char lead[] = {[2] = 0x1F, [3] = 0x0F, [4] = 0x07};
    char form[ESCAPE_LONGEST];
    size_t used;
    *code = (unsigned char)*text;
    if (*code < 0x80)
        return 1;
    const size_t taken = escape_next(ESCAPE_JSON, text, length, form, &used, NULL);
    if ((unsigned char)*form < 0xC0 || used < 2 || used > 4) { /* escaped: a character that JSON would spell */
        *code = 0xFFFD;
        return taken;
    }
    *code = (unsigned char)*form & lead[used];
    for (size_t i = 1; i < used; i++)
        *code = *code << 6 | ((unsigned char)form[i] & 0x3F);
    return taken;
}

static enum status put_text(struct npz *n, const char *name, const char *text, struct error *e)
{
    const size_t length = strlen(text);
    size_t bytes, count = 0;
    if (!memory_multiply(length + 1, 4, &bytes))
        return error_set(e, STATUS_FAILED, "a text is too long");
    enum status s = memory_grow(&n->flat, &n->capacity, bytes, 1, "a text", e);
    for (size_t at = 0; s == STATUS_OK && at < length; count++) {
        uint32_t code;
        at += character(text + at, length - at, &code);
        memcpy(n->flat + 4 * count, &code, 4);
    }
    if (s == STATUS_OK && count == 0) /* NumPy drops NULs at the end */
        memset(n->flat, 0, 4 * ++count);
    return s == STATUS_OK ? put_scalar(n, name, 'U', n->flat, 4 * count, e) : s;
}

/* A dimension's coordinates: 0, 1, 2, ... */
static enum status put_scale(struct npz *n, const char *name, uint64_t size, struct error *e)
{
    char shape[32];
    snprintf(shape, sizeof shape, "(%llu,)", (unsigned long long)size);
    enum status s = begin(n, name, 'i', 4, shape, 4 * size, e);
    for (uint64_t i = 0; i < size && s == STATUS_OK; i++) {
        const int32_t value = (int32_t)i;
        s = export_zip_data(n->zip, &value, 4, e);
    }
    return s;
}

static void shape_words(const struct archive_reader_dataset *d, char *words, size_t size)
{
    size_t used = (size_t)snprintf(words, size, "(");
    for (size_t k = 0; k < d->dimensions; k++)
        used += (size_t)snprintf(words + used, size - used, "%s%llu", k ? ", " : "", (unsigned long long)d->shape[k]);
    snprintf(words + used, size - used, "%s)", d->dimensions == 1 ? "," : "");
}

static enum status put_dataset(struct npz *n, struct archive_reader *r, size_t i, const struct archive_reader_dataset *d,
                               struct error *e)
{
    char shape[80];
    uint64_t elements = 1;
    shape_words(d, shape, sizeof shape);
    for (size_t k = 0; k < d->dimensions; k++)
        elements *= d->shape[k];
    /* "float32": f, "uint64": u, "int32": i. */
    const size_t size = elements ? (size_t)(d->bytes / elements) : 8;
    const char *name = d->path[0] == '/' ? d->path + 1 : d->path;
    enum status s = begin(n, name, d->type[0], size, shape, d->bytes, e);
    if (s == STATUS_OK)
        s = memory_grow(&n->flat, &n->capacity, d->piece_bytes, 1, "a data set", e);
    for (size_t piece = 0; piece < d->pieces && d->piece_bytes && s == STATUS_OK; piece++) {
        s = archive_reader_dataset_read(r, i, piece, n->flat, e);
        if (s == STATUS_OK)
            s = export_zip_data(n->zip, n->flat, d->piece_bytes, e);
    }
    return s;
}

static enum status put_datasets(struct npz *n, struct archive_reader *r, bool state, struct error *e)
{
    const struct archive_facts *facts = archive_reader_facts(r);
    enum status s = put_scale(n, PHI3SAT_DIMENSION_LAYER, facts->layers, e);
    if (s == STATUS_OK)
        s = put_scale(n, PHI3SAT_DIMENSION_NEURON, facts->intermediate_size, e);
    for (size_t i = 0; i < archive_reader_dataset_count() && s == STATUS_OK; i++) {
        struct archive_reader_dataset d;
        s = archive_reader_dataset_at(r, i, &d, e);
        const bool wanted = state || strncmp(d.group, PHI3SAT_GROUP_STATE, strlen(PHI3SAT_GROUP_STATE)) != 0;
        if (s == STATUS_OK && wanted)
            s = put_dataset(n, r, i, &d, e);
    }
    return s;
}

static enum status put_fact(struct npz *n, const char *name, const struct archive_facts_row *row, const char *at,
                            struct error *e)
{
    char hash[ARCHIVE_FACTS_HEX];
    uint64_t words[2];
    const char *text;
    switch (row->kind) {
    case ARCHIVE_FACTS_TEXT:
        return put_text(n, name, at, e);
    case ARCHIVE_FACTS_POINTER:
        memcpy(&text, at, sizeof text);
        return put_text(n, name, text ? text : "", e);
    case ARCHIVE_FACTS_COUNT:
        return put_scalar(n, name, 'u', at, 8, e);
    case ARCHIVE_FACTS_REAL:
        return put_scalar(n, name, 'f', at, 8, e);
    case ARCHIVE_FACTS_HASH:
        break;
    }
    memcpy(words, at, sizeof words);
    archive_facts_hash_text(words, hash);
    return put_text(n, name, hash, e);
}

static enum status put_criteria(struct npz *n, const struct criteria *c, struct error *e)
{
    char name[80];
    enum status s = STATUS_OK;
    for (int i = 0; i < CRITERIA_COUNT && s == STATUS_OK; i++) {
        snprintf(name, sizeof name, "attributes/%s", criteria_table[i].option);
        for (char *p = name; *p; p++)
            if (*p == '-') /* as facts_io.c names them */
                *p = '_';
        s = put_scalar(n, name, 'f', &c->threshold[i], 4, e);
    }
    if (s == STATUS_OK)
        s = put_scalar(n, "attributes/activity_threshold", 'f', &c->activity_threshold, 4, e);
    if (s == STATUS_OK)
        s = put_text(n, "attributes/activity", c->activity_signed ? "signed" : "absolute", e);
    if (s == STATUS_OK)
        s = put_text(n, "attributes/combine", criteria_combine_name(c->combine), e);
    return s == STATUS_OK ? put_scalar(n, "attributes/super_ratio", 'f', &c->super_ratio, 4, e) : s;
}

/* Names in `run` come from the file: those that could name a file outside a folder stay out. */
static bool is_plain(const char *name)
{
    const size_t length = strlen(name);
    return length > 0 && length < 64 &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == length;
}

static enum status put_attributes(struct npz *n, struct archive_reader *r, struct error *e)
{
    const struct archive_facts *facts = archive_reader_facts(r);
    const uint64_t version = PHI3SAT_FORMAT_VERSION;
    size_t count;
    const struct archive_reader_pair *run = archive_reader_run(r, &count);
    char name[96];
    enum status s = put_text(n, "attributes/format", PHI3SAT_FORMAT, e);
    if (s == STATUS_OK)
        s = put_scalar(n, "attributes/format_version", 'u', &version, 8, e);
    for (const struct archive_facts_row *row = archive_facts_table; row->name && s == STATUS_OK; row++) {
        snprintf(name, sizeof name, "attributes/%s", row->name);
        s = put_fact(n, name, row, (const char *)facts + row->offset, e);
    }
    if (s == STATUS_OK)
        s = put_criteria(n, &facts->criteria, e);
    for (size_t i = 0; i < count && s == STATUS_OK; i++) {
        snprintf(name, sizeof name, PHI3SAT_GROUP_RUN "/%.63s", run[i].name);
        if (is_plain(run[i].name))
            s = put_text(n, name, run[i].value, e);
    }
    return s;
}

enum status export_npz_write(const char *path, struct archive_reader *r, bool state, bool compress, struct error *e)
{
    struct npz n = {.zip = NULL};
    enum status s = outfile_open(&n.out, path, e);
    if (s != STATUS_OK)
        return s;
    s = export_zip_open(&n.zip, &n.out, compress, EXPORT_ZIP_LIMIT, e);
    if (s == STATUS_OK)
        s = put_datasets(&n, r, state, e);
    if (s == STATUS_OK)
        s = put_attributes(&n, r, e);
    if (s == STATUS_OK)
        s = export_zip_finish(n.zip, e);
    export_zip_close(n.zip);
    memory_free(n.flat);
    if (s == STATUS_OK)
        return outfile_commit(&n.out, e);
    outfile_abandon(&n.out);
    return s;
}
