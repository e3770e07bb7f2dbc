/* test_model_file.c - good files: what getters give, and what they refuse.
 *
 * Files are built by hand (gguf_writer.h); the golden models and vocabularies beside the
 * tree are opened where they are there. The allocator is replaced here, so that each
 * allocation of an open fails once.
 */
#include <math.h>
#include <stdlib.h>

#include "formats/model_file.h"
#include "gguf_writer.h"
#include "tap.h"

static long allocations_left = -1; /* -1: all succeed */

/* Stands in for the C library's, which memory.c calls. */
void *aligned_alloc(size_t alignment, size_t size)
{
    void *block = NULL;
    if (allocations_left == 0)
        return NULL;
    allocations_left -= allocations_left > 0;
    return posix_memalign(&block, alignment, size) ? NULL : block;
}

static struct model_file *opened(const char *path)
{
    struct model_file *file = NULL;
    struct error e;
    char line[2048];
    if (model_file_open(&file, path, &e) != STATUS_OK) {
        error_format(&e, line, sizeof line);
        bail("%s", line);
    }
    return file;
}

static bool is_text(struct model_file_text got, const char *wanted, const char *claim)
{
    return ok(got.length == strlen(wanted) && memcmp(got.bytes, wanted, got.length) == 0, "%s", claim);
}

/* A number key of each type; the signed ones are negative where the name says so. */
static void put_numbers(void)
{
    put_key("u8", G_U8), put_number(200, 1);
    put_key("i8", G_I8), put_number((uint8_t)-3, 1);
    put_key("u16", G_U16), put_number(60000, 2);
    put_key("i16", G_I16), put_number((uint16_t)-4, 2);
    put_key("u32", G_U32), put_number(4000000000u, 4);
    put_key("i32", G_I32), put_number((uint32_t)-5, 4);
    put_key("i32 positive", G_I32), put_number(7, 4);
    put_key("u64", G_U64), put_number(UINT64_MAX, 8);
    put_key("i64", G_I64), put_number((uint64_t)INT64_MIN, 8);
    put_key("f32", G_F32), put_number(0x3fc00000, 4);
    put_key("f64", G_F64), put_number(0xc004000000000000u, 8);
}

static void put_array(const char *name, uint32_t type, uint64_t length)
{
    put_key(name, G_ARRAY);
    put_u32(type);
    put_u64(length);
}

static void put_others(void)
{
    put_key("true", G_BOOL), put_number(1, 1);
    put_key("false", G_BOOL), put_number(0, 1);
    put_text_key("text", "\xe2\x96\x81hello");
    put_array("words", G_STRING, 3);
    put_text("one"), put_text(""), put_u64(3), put_bytes("a\0b", 3);
    put_array("ints", G_I32, 2);
    put_u32((uint32_t)-9), put_u32(9);
    put_array("bools", G_BOOL, 3);
    put_number(0x020100, 3);
    put_array("floats", G_F32, 2);
    put_u32(0x3fc00000), put_u32(0x7fc00000);
    put_array("large", G_U64, 1);
    put_u64(UINT64_MAX);
    put_array("empty", G_STRING, 0);
    put_array("nested", G_ARRAY, 2);
    put_u32(G_STRING), put_u64(1), put_text("x");
    put_u32(G_ARRAY), put_u64(1), put_u32(G_U8), put_u64(3), put_number(0, 3);
}

#define KEYS (11 + 10 + 1)

static const char *good_file(uint32_t version)
{
    put_header(version, 3, KEYS);
    put_numbers();
    put_others();
    put_u32_key("general.alignment", 64);
    put_tensor("second", 256, 2, 12, 64);
    put_tensor("first", 2, 1, 0, 0);
    put_text("integers");
    put_u32(1);
    put_u64(9);
    put_u32(25);
    put_u64(384);
    put_data(384 + 18, 64);
    return save_file("good.gguf");
}

/* ---- getters -------------------------------------------------------------------- */

static void uint_is(const struct model_file *file, const char *key, uint64_t wanted)
{
    uint64_t value = 0;
    bool found = false;
    struct error e;
    is_int(model_file_get_uint(file, key, &value, &found, &e), STATUS_OK, "%s serves as an integer", key);
    ok(found && value == wanted, "with its value");
}

static void float_is(const struct model_file *file, const char *key, double wanted)
{
    double value = 0;
    struct error e;
    is_int(model_file_get_float(file, key, &value, NULL, &e), STATUS_OK, "%s serves as a float", key);
    is_double(value, wanted, 0, "with its value");
}

static void check_numbers(const struct model_file *file)
{
    uint_is(file, "u8", 200);
    uint_is(file, "u16", 60000);
    uint_is(file, "u32", 4000000000u);
    uint_is(file, "u64", UINT64_MAX);
    uint_is(file, "i32 positive", 7);
    float_is(file, "f32", 1.5);
    float_is(file, "f64", -2.5);
    float_is(file, "i8", -3);
    float_is(file, "i16", -4);
    float_is(file, "i64", -0x1p63);
    float_is(file, "u64", 0x1p64);
}

/* What an error's line says after the file's name. */
static void refused(enum status status, struct error *e, const char *path, const char *line, const char *claim)
{
    char got[2048];
    is_int(status, STATUS_INPUT, "%s: bad input", claim);
    is_string(e->file, path, "%s: the file is named", claim);
    e->file[0] = 0;
    error_format(e, got, sizeof got);
    got[strcspn(got, ";")] = 0; /* the advice is the same everywhere */
    is_string(got, line, "%s: its words", claim);
}

static void check_refusals(const struct model_file *file, const char *path)
{
    uint64_t whole = 42;
    int64_t element = 0;
    double real = 0;
    bool flag = false, found = true;
    struct model_file_text text;
    struct error e;
    is_int(model_file_get_uint(file, "missing", &whole, &found, &e), STATUS_OK, "a key may be missing");
    ok(!found && whole == 42, "and the default stays");
    refused(model_file_get_uint(file, "missing", &whole, NULL, &e), &e, path, "lacks the key \"missing\"",
            "a key that must be there");
    refused(model_file_get_uint(file, "i32", &whole, &found, &e), &e, path,
            "a key's value is not an integer from 0 up: it is of type i32 (key \"i32\", byte 122)",
            "a negative number");
    refused(model_file_get_uint(file, "f32", &whole, NULL, &e), &e, path,
            "a key's value is not an integer from 0 up: it is of type f32 (key \"f32\", byte 215)",
            "a float as integer");
    refused(model_file_get_float(file, "text", &real, NULL, &e), &e, path,
            "a key's value is not a number: it is of type string (key \"text\", byte 293)", "a text as float");
    refused(model_file_get_bool(file, "u8", &flag, NULL, &e), &e, path,
            "a key's value is not a bool: it is of type u8 (key \"u8\", byte 38)", "a number as bool");
    refused(model_file_get_text(file, "u8", &text, NULL, &e), &e, path,
            "a key's value is not a string: it is of type u8 (key \"u8\", byte 38)", "a number as text");
    refused(model_file_array_int(file, "ints", 2, &element, &e), &e, path,
            "an array of 2 elements has no element 2 (key \"ints\", byte 384)", "an element past the end");
    refused(model_file_array_int(file, "large", 0, &element, &e), &e, path,
            "element 0 of an array of type u64 is not an integer of at most 64 bits (key \"large\", byte 491)",
            "2^64 - 1 in 63 bits");
    refused(model_file_array_int(file, "bools", 2, &element, &e), &e, path,
            "element 2 of an array of type bool is not an integer of at most 64 bits (key \"bools\", byte 421)", "a bool of 2");
    refused(model_file_array_text(file, "ints", 0, &text, &e), &e, path,
            "element 0 of an array of type i32 is not a string (key \"ints\", byte 384)", "an integer as text");
    refused(model_file_array_float(file, "nested", 0, &real, &e), &e, path,
            "element 0 of an array of type array is not a number (key \"nested\", byte 558)", "an array as number");
    refused(model_file_array_float(file, "u8", 0, &real, &e), &e, path,
            "a key's value is not an array: it is of type u8 (key \"u8\", byte 38)", "a number as array");
}

static void check_arrays(const struct model_file *file)
{
    enum model_file_key_type type = MODEL_FILE_U8;
    size_t length = 0;
    int64_t whole = 0;
    double real = 0;
    bool found = false;
    struct model_file_text text = {0};
    struct error e;
    is_int(model_file_get_array(file, "words", &type, &length, &found, &e), STATUS_OK, "an array is found");
    ok(found && type == MODEL_FILE_STRING && length == 3, "with its type and length");
    ok(model_file_array_text(file, "words", 0, &text, &e) == STATUS_OK && is_text(text, "one", "its first string"),
       "is read");
    ok(model_file_array_text(file, "words", 1, &text, &e) == STATUS_OK && text.length == 0, "an empty string is one");
    ok(model_file_array_text(file, "words", 2, &text, &e) == STATUS_OK && text.length == 3 && text.bytes[2] == 'b',
       "a string may hold NUL");
    ok(model_file_array_int(file, "ints", 0, &whole, &e) == STATUS_OK && whole == -9, "a negative element is read");
    ok(model_file_array_int(file, "bools", 1, &whole, &e) == STATUS_OK && whole == 1, "a bool serves as an integer");
    ok(model_file_array_float(file, "floats", 0, &real, &e) == STATUS_OK && real == 1.5, "a float element is read");
    ok(model_file_array_float(file, "floats", 1, &real, &e) == STATUS_OK && isnan(real), "NaN is left to the caller");
    ok(model_file_array_float(file, "ints", 1, &real, &e) == STATUS_OK && real == 9,
       "an integer element serves as a float");
    is_int(model_file_get_array(file, "empty", &type, &length, NULL, &e), STATUS_OK, "an empty array is found");
    is_uint(length, 0, "and has no elements");
    is_int(model_file_get_array(file, "nested", &type, &length, NULL, &e), STATUS_OK, "an array of arrays is found");
    ok(type == MODEL_FILE_ARRAY && length == 2, "and says so");
}

static void check_tensors(const struct model_file *file)
{
    const struct model_file_tensor *second = model_file_find_tensor(file, "second");
    const struct model_file_tensor *other = model_file_find_tensor(file, "integers");
    is_uint(model_file_tensor_count(file), 3, "three tensors");
    if (!ok(second && other, "found by name"))
        return;
    ok(second == model_file_tensor_at(file, 0), "in the file's order");
    ok(!model_file_tensor_at(file, 3), "and no fourth");
    ok(!model_file_find_tensor(file, "secon") && !model_file_find_tensor(file, "second2") &&
           !model_file_find_tensor(file, ""),
       "no tensor answers to part of its name");
    ok(second->dimensions == 2 && second->dims[0] == 256 && second->dims[1] == 2 && second->dims[2] == 1 &&
           second->dims[3] == 1,
       "dimensions that are not there are 1");
    ok(second->format == quants_by_id(QUANTS_Q4_K) && second->size == 288, "type and size");
    ok(second->position % 64 == 0 && second->bytes == model_file_part(file, 0)->bytes + second->position, "place");
    is_int(second->bytes[0], 64, "and the bytes that stand there");
    ok(other->dimensions == 1 && other->size == 18 && !other->format->decode,
       "a type of integers is listed, and has no decoder");
}

static void check_good(uint32_t version, const char *kind)
{
    struct model_file_text text = {0};
    bool flag = false;
    struct error e;
    const char *path = good_file(version);
    struct model_file *file = opened(path);
    is_string(model_file_kind(file), kind, "the kind is told");
    is_string(model_file_path(file), path, "so is the path");
    is_uint(model_file_key_count(file), KEYS, "all keys are there");
    is_text(model_file_key_name(file, 2), "u16", "in the file's order");
    is_int(model_file_key_type_at(file, 2), MODEL_FILE_U16, "with their types");
    ok(model_file_has_key(file, "u16") && !model_file_has_key(file, "u1"), "found by whole names only");
    ok(model_file_get_bool(file, "true", &flag, NULL, &e) == STATUS_OK && flag, "true is true");
    ok(model_file_get_bool(file, "false", &flag, NULL, &e) == STATUS_OK && !flag, "false is false");
    ok(model_file_get_text(file, "text", &text, NULL, &e) == STATUS_OK && is_text(text, "\xe2\x96\x81hello", "text"),
       "is read");
    check_numbers(file);
    check_arrays(file);
    check_refusals(file, path);
    check_tensors(file);
    model_file_close(file);
}

static void check_allocations(void)
{
    const char *path = good_file(3);
    long n = 0, failures = 0;
    for (; n < 100; n++) {
        struct model_file *file = NULL;
        struct error e;
        allocations_left = n;
        enum status status = model_file_open(&file, path, &e);
        allocations_left = -1;
        model_file_close(file);
        if (status == STATUS_OK)
            break;
        failures += status == STATUS_FAILED && !file;
    }
    ok(n >= 7 && n < 100 && failures == n, "each of %ld allocations may fail: the run fails, nothing is left open", n);
}

/* ---- goldens beside the tree ---------------------------------------------------- */

static const struct {
    const char *name;
    size_t keys, tensors;
} goldens[] = {
    {"models/tiny-h256-q4k.gguf", 14, 26},          {"models/tiny-h256-q4km.gguf", 14, 26},
    {"models/tiny-h256-q6_k.gguf", 14, 14},         {"models/tiny-h256-q8_0.gguf", 14, 14},
    {"models/tiny-h256-zoo.gguf", 14, 20},          {"models/tiny-h64-f32-vocab.gguf", 27, 27},
    {"models/tiny-h64-f32.gguf", 14, 26},           {"models/tiny-h64-gqa-swa8.gguf", 14, 14},
    {"models/tiny-h64-longrope-long.gguf", 15, 22}, {"models/tiny-h64-longrope.gguf", 15, 22},
    {"vocab/ggml-vocab-deepseek-llm.gguf", 23, 0},  {"vocab/ggml-vocab-gpt-2.gguf", 16, 0},
    {"vocab/ggml-vocab-llama-spm.gguf", 22, 0},     {"vocab/ggml-vocab-phi-3.gguf", 26, 0},
    {"vocab/ggml-vocab-starcoder.gguf", 19, 0},
};

/* All weights of all tensors are decodable and finite. */
static size_t strange_weights(const struct model_file *file)
{
    size_t strange = 0;
    for (size_t t = 0; t < model_file_tensor_count(file); t++) {
        const struct model_file_tensor *tensor = model_file_tensor_at(file, t);
        float row[8192];
        if (!tensor->format->decode || tensor->dims[0] > 8192) {
            strange++;
            continue;
        }
        uint64_t rows = tensor->dims[1] * tensor->dims[2] * tensor->dims[3];
        for (uint64_t r = 0; r < rows; r++) {
            quants_decode_range(tensor->format, tensor->bytes + r * (tensor->size / rows), 0, tensor->dims[0], row);
            for (uint64_t i = 0; i < tensor->dims[0]; i++)
                strange += !isfinite(row[i]);
        }
    }
    return strange;
}

static void check_golden(size_t i)
{
    char name[256];
    snprintf(name, sizeof name, "goldens/%s", goldens[i].name);
    char *path = tap_shared(name);
    if (!path) {
        skip(3, "%s is not beside the tree", name);
        return;
    }
    struct model_file *file = opened(path);
    is_uint(model_file_key_count(file), goldens[i].keys, "%s: keys", goldens[i].name);
    is_uint(model_file_tensor_count(file), goldens[i].tensors, "%s: tensors", goldens[i].name);
    is_uint(strange_weights(file), 0, "%s: every weight is decoded and finite", goldens[i].name);
    model_file_close(file);
    free(path);
}

int main(void)
{
    check_good(2, "GGUF v2");
    check_good(3, "GGUF v3");
    put_header(3, 0, 0);
    struct model_file *file = opened(save_file("bare.gguf"));
    ok(model_file_key_count(file) == 0 && model_file_tensor_count(file) == 0,
       "a file without keys and tensors is fine");
    ok(!model_file_find_tensor(file, "x") && !model_file_has_key(file, "x"), "and nothing is found in it");
    model_file_close(file);
    check_allocations();
    for (size_t i = 0; i < sizeof goldens / sizeof goldens[0]; i++)
        check_golden(i);
    return tap_done();
}
