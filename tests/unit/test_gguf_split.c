/* test_gguf_split.c - a model in three files is one view; without memory nothing stays behind.
 *
 * Words and places of refusals are pinned by tests/cli/inspect/split.t.
 */
#include <string.h>

#include "failing_memory.h"
#include "formats/model_file.h"
#include "gguf_writer.h"
#include "tap.h"

#define PARTS 3

static const char *const tensor[PARTS] = {"first", "second", "third"};

/* Part i: one tensor of i + 1 rows of 8 float32; the first has the model's keys too. */
static const char *put_part(uint32_t i)
{
    char name[64];
    put_header(3, 1, i == 0 ? 5 : 3);
    if (i == 0) {
        put_text_key("general.architecture", "phi3");
        put_key("words", G_ARRAY);
        put_u32(G_STRING);
        put_u64(2);
        put_text("one");
        put_text("two");
    }
    put_key("split.no", G_U16);
    put_number(i, 2);
    put_key("split.count", G_U16);
    put_number(PARTS, 2);
    put_key("split.tensors.count", G_I32);
    put_u32(PARTS);
    put_tensor(tensor[i], 8, i + 1, 0, 0);
    put_data(32 * (i + 1), 32);
    snprintf(name, sizeof name, "m-%05u-of-%05d.gguf", (unsigned)i + 1, PARTS);
    return save_file(name);
}

static void one_view(const char *path)
{
    struct model_file *file = NULL;
    struct model_file_text text = {"", 0};
    struct error e;
    uint64_t header = 0, tables = 0;
    if (!is_int(model_file_open(&file, path, &e), STATUS_OK, "the set opens from its last part"))
        bail("%s", e.sentence);
    is_string(model_file_path(file), path, "and is called by the name that was given");
    is_uint(model_file_part_count(file), PARTS, "three files");
    is_uint(model_file_tensor_count(file), PARTS, "three tensors");
    for (uint32_t i = 0; i < PARTS; i++) {
        const struct model_file_tensor *t = model_file_find_tensor(file, tensor[i]);
        const struct mapping *part = model_file_part(file, i);
        ok(t == model_file_tensor_at(file, i) && t->dims[1] == i + 1, "%s: in the parts' order", tensor[i]);
        is_uint(model_file_part_of(file, t), i, "%s: in a part of its own", tensor[i]);
        ok(t->bytes == part->bytes + t->position && t->bytes[1] == 1, "%s: and where its bytes are", tensor[i]);
        tables += (size_t)(t->position - t->position % 32);
    }
    ok(model_file_has_key(file, "general.architecture") && model_file_key_count(file) == 5, "keys are the first part's");
    ok(model_file_array_text(file, "words", 1, &text, &e) == STATUS_OK && text.length == 3 && memcmp(text.bytes, "two", 3) == 0,
       "its arrays of strings are read");
    const uint8_t *bytes = model_file_header(file, &header);
    ok(header > 300 && header < tables && memcmp(bytes, "GGUF", 4) == 0, "the header is that of all parts");
    model_file_close(file);
    is_int(failing_memory_held, 0, "all memory is given back");
}

static void no_memory(const char *path)
{
    bool told = true;
    long count = 0;
    for (enum status status = STATUS_FAILED; status != STATUS_OK && count < 200; count++) {
        struct model_file *file = NULL;
        struct error e;
        failing_memory_left = count;
        status = model_file_open(&file, path, &e);
        failing_memory_left = -1;
        told = told && (status == STATUS_OK || (status == STATUS_FAILED && !file));
        model_file_close(file);
        told = told && failing_memory_held == 0;
    }
    ok(told && count > 20 && count < 200, "each of %ld failing allocations is told, and nothing stays behind", count - 1);
}

int main(void)
{
    const char *path = NULL;
    for (uint32_t i = 0; i < PARTS; i++)
        path = put_part(i);
    one_view(path);
    no_memory(path);
    return tap_done();
}
