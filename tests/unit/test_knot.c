/* test_knot.c - .knot files: what the writer wrote is where the layout says, and no damaged byte goes unseen.
 *
 * The layout is looked up here by numbers of this test's own, not by the reader's. Damage that a checksum would tell is given a new
 * one, so that the checks behind it are reached.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "failing_memory.h"
#include "formats/knot_writer.h"
#include "formats/names.h"
#include "gguf_writer.h"

#define PAGE 65536u
#define ANY -1

static struct error e;
static uint8_t *whole; /* [whole_size] the good file */
static size_t whole_size;

static const char *path_of(const char *name)
{
    static char path[2][4096];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", tap_folder(), name);
    return path[turn];
}

/* ---- a model, and its .knot ---- */

static const struct {
    const char *name;
    uint64_t columns, rows;
    uint32_t type;
    size_t size; /* padded */
} tensors[] = {{"token_embd.weight", 64, 5, QUANTS_Q4_0, 192}, {"blk.0.a", 32, 3, QUANTS_Q8_0, 128},
               {"blk.0.b", 16, 1, QUANTS_F32, 64}, {"blk.1.a", 32, 3, QUANTS_Q8_0, 128}};

static void put_keys(void)
{
    put_u32_key("general.alignment", 64);
    put_text_key("general.name", "a name");
    put_key("u8", G_U8), put_number(200, 1);
    put_key("i16", G_I16), put_number(0xfffe, 2);
    put_key("yes", G_BOOL), put_number(1, 1);
    put_key("f64", G_F64), put_u64(0x3ff8000000000000);
    put_key("i64", G_I64), put_u64((uint64_t)-5);
    put_key("words", G_ARRAY), put_u32(G_STRING), put_u64(3), put_text("one"), put_text(""), put_text("three");
    put_key("numbers", G_ARRAY), put_u32(G_I32), put_u64(2), put_u32(7), put_u32(0xffffffff);
    put_key("none", G_ARRAY), put_u32(G_STRING), put_u64(0);
    put_key("nested", G_ARRAY), put_u32(G_ARRAY), put_u64(1), put_u32(G_U8), put_u64(1), put_number(1, 1);
    put_u32_key("split.count", 1);
    put_key("phi3sat.rotary_halves", G_BOOL), put_number(0, 1);
}

static struct model_file *source(void)
{
    struct model_file *f;
    size_t offset = 0;
    put_header(3, 4, 13);
    put_keys();
    for (size_t i = 0; i < 4; i++) {
        put_tensor(tensors[i].name, tensors[i].columns, tensors[i].rows, tensors[i].type, offset);
        offset += tensors[i].size;
    }
    put_data(offset, 64);
    if (model_file_open(&f, save_file("m.gguf"), &e) != STATUS_OK)
        bail("%s", e.sentence);
    return f;
}

/* Sections: the embedding, then a and b of layer 0, then a of layer 1, in pieces of at most 50 bytes. */
static enum status pack(const struct model_file *f, const char *path, size_t *nested)
{
    struct knot_writer *w;
    enum status s = knot_writer_open(&w, path, 9, &e);
    if (s != STATUS_OK)
        return s;
    *nested = knot_writer_copy_keys(w, f);
    knot_writer_key_bool(w, "phi3sat.rotary_halves", true);
    for (size_t i = 0; i < 4; i++) {
        if (i != 2)
            knot_writer_section(w);
        knot_writer_tensor(w, model_file_tensor_at(f, i));
    }
    s = knot_writer_start(w, &e);
    for (size_t i = 0; i < 4 && s == STATUS_OK; i++) {
        const struct model_file_tensor *t = model_file_tensor_at(f, i);
        for (size_t at = 0; at < t->size && s == STATUS_OK; at += 50)
            s = knot_writer_data(w, t->bytes + at, t->size - at < 50 ? (size_t)t->size - at : 50, &e);
    }
    for (size_t i = 0; i < 3 && s == STATUS_OK; i++)
        knot_writer_fingerprint(w, i, (const uint64_t[2]){100 + i, 200 + i});
    if (s == STATUS_OK)
        return knot_writer_commit(w, &e);
    knot_writer_abandon(w);
    return s;
}

static void load(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0 || (whole_size = (size_t)ftell(f)) < 1000 || fseek(f, 0, SEEK_SET) != 0 ||
        !(whole = malloc(whole_size)) || fread(whole, 1, whole_size, f) != whole_size || fclose(f) != 0)
        bail("can't read %s", path);
}

static uint64_t number_at(size_t at, size_t width)
{
    uint64_t value = 0;
    for (size_t i = width; i-- > 0;)
        value = value << 8 | whole[at + i];
    return value;
}

static bool has_sum(size_t at, const uint8_t *bytes, size_t size)
{
    XXH128_hash_t sum = XXH3_128bits(bytes, size);
    return number_at(at, 8) == sum.low64 && number_at(at + 8, 8) == sum.high64;
}

static void layout(void)
{
    uint8_t *head = malloc(PAGE);
    bool sums = true, prints = true, zeros = true;
    if (!head)
        bail("no memory");
    is_uint(whole_size, 4 * PAGE, "a head and three sections of 64 KiB");
    ok(memcmp(whole, "\211KNOT\r\n\032", 8) == 0 && number_at(8, 4) == 1 && number_at(12, 4) == 9,
       "magic, version, the fingerprints' version");
    ok(number_at(32, 8) == whole_size && number_at(40, 8) == PAGE && number_at(48, 4) == PAGE && number_at(52, 4) == 3 &&
           number_at(56, 8) == 9 + 1 && number_at(64, 8) == 4, "sizes and counts");
    memcpy(head, whole, PAGE);
    memset(head + 16, 0, 16);
    ok(has_sum(16, head, PAGE), "the head's checksum, taken with zeros in its place");
    for (size_t i = 0; i < 3; i++) {
        size_t at = 96 + 48 * i;
        sums = sums && number_at(at, 8) == PAGE * (i + 1) && number_at(at + 8, 8) == PAGE &&
               has_sum(at + 16, whole + PAGE * (i + 1), PAGE);
        prints = prints && number_at(at + 32, 8) == 100 + i && number_at(at + 40, 8) == 200 + i;
    }
    ok(sums, "places, sizes and checksums of the sections, padding included");
    ok(prints, "and their fingerprints");
    for (size_t i = 72; i < 96; i++)
        zeros = zeros && whole[i] == 0;
    for (size_t i = 2 * PAGE + 128 + 64; i < 3 * PAGE; i++)
        zeros = zeros && whole[i] == 0;
    ok(zeros, "what is nothing is zero");
    is_uint(number_at(96 + 3 * 48, 8), 12, "keys stand behind the sections: the first name's length");
    free(head);
}

static void same_keys(const struct model_file *f, const struct model_file *k)
{
    struct model_file_text text;
    enum model_file_key_type type;
    size_t count = 9;
    uint64_t u = 0;
    int64_t i = 0;
    double d = 0;
    bool yes = false;
    is_uint(model_file_key_count(k), model_file_key_count(f) - 3,
            "keys of the file's form and arrays of arrays are left out, one key is new");
    ok(model_file_get_text(k, "general.name", &text, NULL, &e) == STATUS_OK && names_equal(text, "a name"), "a string");
    ok(model_file_get_uint(k, "u8", &u, NULL, &e) == STATUS_OK && u == 200, "a byte");
    ok(model_file_get_float(k, "i16", &d, NULL, &e) == STATUS_OK && d == -2.0, "a short");
    ok(model_file_get_float(k, "f64", &d, NULL, &e) == STATUS_OK && d == 1.5, "a double");
    ok(model_file_get_bool(k, "yes", &yes, NULL, &e) == STATUS_OK && yes, "a truth value");
    ok(model_file_array_text(k, "words", 2, &text, &e) == STATUS_OK && names_equal(text, "three"), "an array of strings");
    ok(model_file_array_int(k, "numbers", 1, &i, &e) == STATUS_OK && i == -1, "an array of numbers");
    ok(model_file_get_array(k, "none", &type, &count, NULL, &e) == STATUS_OK && type == MODEL_FILE_STRING && count == 0,
       "an empty array");
    yes = false;
    ok(model_file_get_bool(k, "phi3sat.rotary_halves", &yes, NULL, &e) == STATUS_OK && yes, "the key of the writer's own");
}

static void same_tensors(const struct model_file *f, const struct model_file *k)
{
    uint32_t version = 0;
    bool same = model_file_tensor_count(k) == 4, aligned = true;
    for (size_t i = 0; i < 4 && same; i++) {
        const struct model_file_tensor *a = model_file_tensor_at(f, i), *b = model_file_tensor_at(k, i);
        same = names_equal(b->name, tensors[i].name) && a->dimensions == b->dimensions &&
               memcmp(a->dims, b->dims, sizeof a->dims) == 0 && a->format == b->format && a->size == b->size &&
               memcmp(a->bytes, b->bytes, (size_t)a->size) == 0;
        aligned = aligned && b->position % 64 == 0;
    }
    ok(same, "every tensor is the source's");
    ok(aligned, "and begins at a cache line");
    is_uint(model_file_section_count(k, &version), 3, "sections are offered");
    is_uint(version, 9, "and the version of their fingerprints");
    ok(model_file_section_at(k, 2)->fingerprint[1] == 202 && model_file_section_at(k, 3) == NULL, "and each of them");
    is_uint(model_file_section_count(f, NULL), 0, "a GGUF has none");
    for (size_t i = 0; i < 3; i++)
        is_int(model_file_verify(k, i, &e), STATUS_OK, "section %zu is what it was", i);
}

/* ---- damage ---- */

/* Opens bytes[size] as a file; the error is in `e`. */
static enum status try_bytes(const uint8_t *bytes, size_t size)
{
    struct model_file *f;
    const char *path = path_of("bad.knot");
    FILE *to = fopen(path, "wb");
    if (!to || fwrite(bytes, 1, size, to) != size || fclose(to) != 0)
        bail("can't write %s", path);
    error_clear(&e);
    enum status s = model_file_open(&f, path, &e);
    model_file_close(f);
    return s;
}

static void truncated(void)
{
    static const size_t cuts[] = {0,  1,  4,  5,  7,   8,   11,  12,  16,  32,  40,   95,   96,
                                  97, 143, 144, 240, 241, 300, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE, 4 * PAGE - 1};
    size_t refused = 0;
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        refused += try_bytes(whole, cuts[i]) == STATUS_INPUT && *e.sentence && *e.advice;
    is_uint(refused, sizeof cuts / sizeof *cuts, "cut off anywhere it is refused");
    is_string(e.sentence, "is truncated: it has 262143 of its 262144 bytes", "by its size");
    try_bytes(whole, 11);
    is_string(e.sentence, "the file ends inside the version: 1 x 4 bytes wanted, 3 left", "or by what is not there");
    uint8_t *longer = calloc(1, whole_size + 1);
    if (!longer)
        bail("no memory");
    memcpy(longer, whole, whole_size);
    is_int(try_bytes(longer, whole_size + 1), STATUS_INPUT, "a byte too many is refused");
    is_string(e.sentence, "has 262145 bytes, 1 more than it says", "and told");
    free(longer);
}

/* Every byte of the head that says something, and some of its padding. */
static void flipped_head(void)
{
    const char *path = path_of("bad.knot");
    struct model_file *f;
    size_t unseen = 0;
    FILE *file;
    try_bytes(whole, whole_size);
    file = fopen(path, "r+b");
    for (size_t at = 0; at < PAGE; at += at < 1200 ? 1 : 1009) {
        const uint8_t bad = whole[at] ^ (uint8_t)(1u << at % 8);
        if (!file || pwrite(fileno(file), &bad, 1, (off_t)at) != 1)
            bail("can't write %s", path);
        unseen += model_file_open(&f, path, &e) != STATUS_INPUT;
        model_file_close(f);
        if (pwrite(fileno(file), &whole[at], 1, (off_t)at) != 1)
            bail("can't write %s", path);
    }
    is_uint(unseen, 0, "no changed byte of the head goes unseen when the file is opened");
    is_int(model_file_open(&f, path, &e), STATUS_OK, "the good file is fine again");
    model_file_close(f);
    if (fclose(file) != 0)
        bail("can't write %s", path);
}

static void flipped_sections(void)
{
    static const size_t inside[] = {0, 100, 191, 192, 5000, PAGE - 1}; /* data, and padding from 192 on */
    size_t wrong = 0;
    for (size_t section = 0; section < 3; section++)
        for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
            struct model_file *f;
            const size_t at = PAGE * (section + 1) + inside[i];
            whole[at] ^= 0x10;
            if (try_bytes(whole, whole_size) != STATUS_OK || model_file_open(&f, path_of("bad.knot"), &e) != STATUS_OK)
                bail("%s", e.sentence);
            for (size_t k = 0; k < 3; k++)
                wrong += model_file_verify(f, k, &e) != (k == section ? STATUS_INPUT : STATUS_OK);
            wrong += e.position != (int64_t)(PAGE * (section + 1));
            model_file_close(f);
            whole[at] ^= 0x10;
        }
    is_uint(wrong, 0, "a changed byte of a section, padding too, is told by verifying that section and no other");
    is_string(e.where, "layer 1", "by the name of the layer");
}

/* The file with the `width` bytes at `at` another number and a checksum to match. */
static void crafted(size_t at, uint64_t value, size_t width, int64_t position, const char *sentence)
{
    uint8_t *bad = malloc(whole_size);
    if (!bad)
        bail("no memory");
    memcpy(bad, whole, whole_size);
    for (size_t i = 0; i < width; i++)
        bad[at + i] = (uint8_t)(value >> (8 * i));
    memset(bad + 16, 0, 16);
    XXH128_hash_t sum = XXH3_128bits(bad, PAGE);
    for (size_t i = 0; i < 16; i++)
        bad[16 + i] = (uint8_t)((i < 8 ? sum.low64 : sum.high64) >> (8 * (i % 8)));
    is_int(try_bytes(bad, whole_size), STATUS_INPUT, "%s", sentence);
    ok(strstr(e.sentence, sentence) != NULL && *e.advice, "is what it says");
    if (strstr(e.sentence, sentence) == NULL)
        diag("got: %s", e.sentence);
    if (position != ANY)
        is_int(e.position, position, "at byte %lld", (long long)position);
    free(bad);
}

static void crafted_heads(void)
{
    const size_t table = 96;
    crafted(8, 0, 4, 8, "is a .knot file of version 0, which this phi3sat does not know");
    crafted(8, 2, 4, 8, "is a .knot file of version 2");
    crafted(32, 1, 8, 32, "has 262144 bytes, 262143 more than it says");
    crafted(32, UINT64_MAX, 8, 32, "is truncated: it has 262144 of its 18446744073709551615 bytes");
    crafted(40, 0, 8, 40, "the head is said to have 0 bytes");
    crafted(40, UINT64_MAX, 8, 40, "the head is said to have 18446744073709551615 bytes, the file has 262144");
    crafted(48, 0, 4, 48, "the alignment 0 is not a power of two from 4096");
    crafted(48, 3 * PAGE, 4, 48, "the alignment 196608 is not a power of two");
    crafted(48, 2 * PAGE, 4, (int64_t)table, "section 0 lies at byte 65536");
    crafted(48, 0x80000000, 4, 48, "the alignment 2147483648 is not");
    crafted(52, 0xffffffff, 4, 52, "4294967295 sections are announced, but the head has only 65440 more bytes");
    crafted(52, 0, 4, 52, "the sections end at byte 65536, the file at 262144");
    crafted(52, 2, 4, 52, "the sections end at byte 196608, the file at 262144");
    crafted(52, 4, 4, (int64_t)table + 144, "section 3 lies at byte 12");
    crafted(56, UINT64_MAX, 8, 56, "18446744073709551615 keys are announced");
    crafted(64, UINT64_MAX / 33, 8, 64, "558992244657865200 tensors are announced");
    crafted(56, 12, 8, ANY, "the");
    crafted(table + 48, PAGE, 8, (int64_t)table + 48, "section 1 lies at byte 65536 with 65536 bytes, the one before it ends at 131072");
    crafted(table + 48, 3 * PAGE, 8, (int64_t)table + 48, "section 1 lies at byte 196608");
    crafted(table + 56, UINT64_MAX, 8, (int64_t)table + 48, "section 1 lies at byte 131072 with 18446744073709551615 bytes");
    crafted(table + 104, 2 * PAGE, 8, (int64_t)table + 96, "section 2 lies at byte 196608 with 131072 bytes");
    crafted(table + 104, 0, 8, 52, "the sections end at byte 196608");
}

/* Where in the head the offset of the tensor with that name stands. */
static size_t offset_of(const char *name)
{
    for (size_t at = 240; at < PAGE - 64; at++)
        if (memcmp(whole + at, name, strlen(name)) == 0 && number_at(at - 8, 8) == strlen(name))
            return at + strlen(name) + 4 + 16 + 4;
    bail("no tensor %s", name);
}

static void crafted_tensors(void)
{
    const size_t a = offset_of("blk.1.a"), b = offset_of("blk.0.b"), embedding = offset_of("token_embd.weight");
    const uint64_t own = number_at(a, 8);
    crafted(a, number_at(b, 8), 8, ANY, "a tensor's data overlaps that of \"blk.0.b\"");
    crafted(a, own - PAGE + 1024, 8, 2 * PAGE + 1024, "a tensor's data lies outside section 2, where it belongs");
    crafted(a, own + PAGE - 64, 8, ANY, "is truncated: a tensor's data ends at byte");
    crafted(a, own + 1, 8, ANY, "no multiple of the alignment 64");
    crafted(a, UINT64_MAX - 63, 8, ANY, "beyond any file");
    crafted(embedding, 0, 8, ANY, "a tensor's data lies outside section 0");
    crafted(a - 27, '7', 1, ANY, "a tensor belongs to section 8, but the sections are 0 to 2");
    crafted(a - 4, 142, 4, ANY, "type id 142");
}

static void transfers(void)
{
    uint8_t changed[400];
    memcpy(changed, whole, sizeof changed);
    memmove(changed + 5, changed + 6, sizeof changed - 6); /* CR LF to LF */
    is_int(try_bytes(changed, sizeof changed), STATUS_INPUT, "a transfer as text is refused");
    is_string(e.sentence, "is a .knot file whose first bytes were changed, as a transfer in text mode does", "by that name");
    is_int(try_bytes((const uint8_t *)"GIF89a and more", 15), STATUS_INPUT, "a file called .knot that is none is refused");
    ok(strstr(e.sentence, "47 49 46 38 39 61 20 61") != NULL, "for what it is");
}

static void outputs(const struct model_file *f)
{
    size_t nested = 0;
    is_int(pack(f, path_of("no/such/folder"), &nested), STATUS_OUTPUT, "no folder, no file");
    is_int(pack(f, "/dev/full", &nested), STATUS_OUTPUT, "a device is refused");
    is_string(e.sentence, "is a device or a pipe, which can't hold a .knot file", "by name");
    knot_writer_abandon(NULL);
}

static void short_of_memory(const struct model_file *f)
{
    enum status s = STATUS_FAILED;
    long held = failing_memory_held;
    int failures = 0;
    size_t nested;
    struct model_file *k = NULL;
    for (long n = 0; s != STATUS_OK && n < 200; n++) {
        failing_memory_left = n;
        s = pack(f, path_of("short.knot"), &nested);
        failing_memory_left = -1;
        failures += s == STATUS_FAILED;
    }
    ok(s == STATUS_OK && failures > 5, "each of %d allocations of the writer may fail", failures);
    s = STATUS_FAILED;
    failures = 0;
    for (long n = 0; s != STATUS_OK && n < 200; n++) {
        failing_memory_left = n;
        s = model_file_open(&k, path_of("short.knot"), &e);
        failing_memory_left = -1;
        failures += s == STATUS_FAILED;
    }
    ok(s == STATUS_OK && failures > 5, "and each of %d of the reader", failures);
    model_file_close(k);
    is_int(failing_memory_held, held, "and all memory is given back");
}

int main(void)
{
    struct model_file *f = source(), *k;
    size_t nested = 0;
    is_int(pack(f, path_of("m.knot"), &nested), STATUS_OK, "a file is written");
    is_uint(nested, 1, "an array of arrays was left out");
    load(path_of("m.knot"));
    layout();
    if (model_file_open(&k, path_of("m.knot"), &e) != STATUS_OK)
        bail("%s", e.sentence);
    is_string(model_file_kind(k), "knot v1", "it is read as what it is");
    same_keys(f, k);
    same_tensors(f, k);
    model_file_close(k);
    truncated();
    flipped_head();
    flipped_sections();
    crafted_heads();
    crafted_tensors();
    transfers();
    outputs(f);
    short_of_memory(f);
    model_file_close(f);
    free(whole);
    return tap_done();
}
