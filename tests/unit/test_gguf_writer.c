/* test_gguf_writer.c - what the writer wrote, the reader of model files finds; failures leave nothing behind. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "failing_memory.h"
#include "formats/gguf_writer.h"
#include "formats/model_file.h"
#include "tap.h"

static struct error e;

static const char *path_of(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", tap_folder(), name);
    return path;
}

static size_t files_in_folder(void)
{
    DIR *folder = opendir(tap_folder());
    size_t count = 0;
    if (!folder)
        bail("no folder");
    while (readdir(folder))
        count++;
    closedir(folder);
    return count - 2;
}

static void keys_and_shapes(struct gguf_writer *w)
{
    static const char *const words[] = {"", "a", "\xE2\x96\x81the"};
    static const float floats[] = {0.5f, -1e30f};
    static const int32_t ints[] = {-1, 2147483647, 3};
    gguf_writer_key_text(w, "general.architecture", "phi3");
    gguf_writer_key_u32(w, "n", 4000000000u);
    gguf_writer_key_f32(w, "x", 0.1f);
    gguf_writer_key_bool(w, "yes", true);
    gguf_writer_key_texts(w, "words", words, 3);
    gguf_writer_key_floats(w, "floats", floats, 2);
    gguf_writer_key_ints(w, "ints", ints, 3);
    gguf_writer_key_ints(w, "none", ints, 0);
    gguf_writer_tensor(w, "vector", 3, 0, quants_by_id(QUANTS_F32));
    gguf_writer_tensor(w, "matrix", 64, 5, quants_by_id(QUANTS_Q4_0));
    gguf_writer_tensor(w, "last", 32, 1, quants_by_id(QUANTS_Q8_0));
}

/* Writes all of it in pieces of 7 bytes at most. Byte i of the data is i mod 251. */
static enum status write_all(const char *path)
{
    static const size_t sizes[] = {12, 180, 34};
    struct gguf_writer *w;
    uint8_t next = 0;
    enum status s = gguf_writer_open(&w, path, &e);
    if (s != STATUS_OK)
        return s;
    keys_and_shapes(w);
    s = gguf_writer_start(w, &e);
    for (size_t t = 0; t < 3; t++)
        for (size_t at = 0; at < sizes[t] && s == STATUS_OK;) {
            uint8_t piece[7];
            size_t n = sizes[t] - at < 7 ? sizes[t] - at : 7;
            for (size_t i = 0; i < n; i++)
                piece[i] = next++ % 251;
            s = gguf_writer_data(w, piece, n, &e);
            at += n;
        }
    if (s == STATUS_OK)
        return gguf_writer_commit(w, &e);
    gguf_writer_abandon(w);
    return s;
}

static void read_back(void)
{
    struct model_file *f;
    struct model_file_text text;
    enum model_file_key_type type;
    size_t count = 0;
    uint64_t n = 0;
    int64_t last = 0;
    double x = 0;
    bool yes = false;
    is_int(write_all(path_of("a.gguf")), STATUS_OK, "a file is written");
    if (model_file_open(&f, path_of("a.gguf"), &e) != STATUS_OK)
        bail("%s", e.sentence);
    is_string(model_file_kind(f), "GGUF v3", "it is GGUF version 3");
    is_uint(model_file_key_count(f), 8, "all keys are there");
    ok(model_file_get_text(f, "general.architecture", &text, NULL, &e) == STATUS_OK && text.length == 4 &&
           memcmp(text.bytes, "phi3", 4) == 0, "a string");
    ok(model_file_get_uint(f, "n", &n, NULL, &e) == STATUS_OK && n == 4000000000u, "a number");
    ok(model_file_get_float(f, "x", &x, NULL, &e) == STATUS_OK && (float)x == 0.1f, "a float");
    ok(model_file_get_bool(f, "yes", &yes, NULL, &e) == STATUS_OK && yes, "a truth value");
    ok(model_file_array_text(f, "words", 2, &text, &e) == STATUS_OK && text.length == 6, "an array of strings");
    ok(model_file_get_array(f, "floats", &type, &count, NULL, &e) == STATUS_OK && type == MODEL_FILE_F32 && count == 2,
       "an array of floats");
    ok(model_file_array_int(f, "ints", 1, &last, &e) == STATUS_OK && last == 2147483647, "an array of numbers");
    ok(model_file_get_array(f, "none", &type, &count, NULL, &e) == STATUS_OK && count == 0, "an empty array");
    const struct model_file_tensor *matrix = model_file_find_tensor(f, "matrix");
    ok(model_file_tensor_count(f) == 3 && model_file_find_tensor(f, "vector")->dimensions == 1 && matrix &&
           matrix->dims[0] == 64 && matrix->dims[1] == 5 && matrix->format->id == QUANTS_Q4_0, "tensors and shapes");
    ok(matrix && matrix->position % 32 == 0 && matrix->bytes[0] == 12 && matrix->bytes[179] == 191,
       "data lies where it belongs, aligned");
    const struct model_file_tensor *tail = model_file_find_tensor(f, "last");
    is_uint(model_file_part(f, 0)->size, tail->position + 64, "the last tensor is padded too");
    model_file_close(f);
}

static void nothing(void)
{
    struct gguf_writer *w;
    struct model_file *f;
    if (gguf_writer_open(&w, path_of("empty.gguf"), &e) != STATUS_OK || gguf_writer_start(w, &e) != STATUS_OK ||
        gguf_writer_commit(w, &e) != STATUS_OK || model_file_open(&f, path_of("empty.gguf"), &e) != STATUS_OK)
        bail("%s", e.sentence);
    ok(model_file_key_count(f) == 0 && model_file_tensor_count(f) == 0, "a file of nothing is a file too");
    model_file_close(f);
    remove(path_of("empty.gguf"));
}

static void refusals(void)
{
    struct gguf_writer *w;
    is_int(gguf_writer_open(&w, path_of("no/such/folder"), &e), STATUS_OUTPUT, "no folder, no file");
    ok(w == NULL, "and no writer");
    if (gguf_writer_open(&w, path_of("b.gguf"), &e) != STATUS_OK)
        bail("%s", e.sentence);
    gguf_writer_tensor(w, "odd", 33, 2, quants_by_id(QUANTS_Q4_0));
    is_int(gguf_writer_start(w, &e), STATUS_FAILED, "a row that is no whole number of blocks is refused");
    is_string(e.where, "tensor odd", "by its name");
    gguf_writer_abandon(w);
    gguf_writer_abandon(NULL);
    is_uint(files_in_folder(), 1, "nothing is left behind");
    is_int(write_all("/dev/full"), STATUS_OUTPUT, "a full disk is told");
}

static void short_of_memory(void)
{
    enum status s = STATUS_FAILED;
    long held = failing_memory_held;
    int failures = 0;
    for (long n = 0; s != STATUS_OK && n < 100; n++) {
        failing_memory_left = n;
        s = write_all(path_of("a.gguf"));
        failing_memory_left = -1;
        failures += s == STATUS_FAILED;
    }
    ok(s == STATUS_OK && failures > 5, "each of %d allocations may fail", failures);
    is_int(failing_memory_held, held, "and all memory is given back");
    is_uint(files_in_folder(), 1, "with the old file or the whole new one, and no other");
}

int main(void)
{
    read_back();
    nothing();
    refusals();
    short_of_memory();
    return tap_done();
}
