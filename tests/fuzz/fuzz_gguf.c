/* fuzz_gguf.c - GGUF files and split sets: keys, tensors, and all that `inspect` asks of them.
 *
 * An input is a file, or several, the parts of a split model:
 *     "PARTS\n" | u16 number of parts | u32 size of each | their bytes
 * Part 1 is opened; the names are those that llama-gguf-split gives.
 */
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "gguf_mutate.h"
#include "model_oracle.h"

#define MOST_PARTS 8

struct parts {
    size_t count; /* 0: one file, no head */
    size_t at[MOST_PARTS], size[MOST_PARTS];
};

static struct parts parts_of(const uint8_t *data, size_t size)
{
    struct parts p = {0};
    if (size < 8 || memcmp(data, "PARTS\n", 6) != 0)
        return p;
    const size_t count = (size_t)mutate_load(data + 6, 2, false);
    size_t at = 8 + 4 * count;
    if (count < 1 || count > MOST_PARTS || at > size)
        return p;
    for (p.count = 0; p.count < count; p.count++) {
        size_t length = (size_t)mutate_load(data + 8 + 4 * p.count, 4, false);
        length = length < size - at ? length : size - at;
        p.at[p.count] = at;
        p.size[p.count] = length;
        at += length;
    }
    return p;
}

static const char *put_parts(const uint8_t *data, const struct parts *p)
{
    const char *first = NULL;
    for (size_t i = 0; i < p->count; i++) {
        char name[64];
        snprintf(name, sizeof name, "m-%05zu-of-%05zu.gguf", i + 1, p->count);
        const char *path = fuzz_put(name, data + p->at[i], p->size[i]);
        first = i == 0 ? path : first;
    }
    return first;
}

static void look(const char *path, const struct model_file *file)
{
    struct error unfit;
    model_oracle(file);
    (void)!model_oracle_tokenizer(file, &unfit);
    model_oracle_inspect(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct parts p = parts_of(data, size);
    struct model_file *file = NULL;
    struct error e;
    fuzz_begin(data, size);
    const char *path = p.count ? put_parts(data, &p) : fuzz_put("m.gguf", data, size);
    error_clear(&e);
    if (model_file_open(&file, path, &e) == STATUS_OK) {
        look(path, file);
        fuzz_accepted();
    } else {
        fuzz_refused(&e);
    }
    model_file_close(file);
    return fuzz_end();
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    static uint8_t part[1 << 20];
    struct mutate_random r = mutate_random(seed);
    const struct parts p = parts_of(data, size);
    if (!p.count)
        return gguf_mutate(data, size, max, gguf_image_of(data, size), &r);
    const size_t i = mutate_below(&r, p.count), room = max - size + p.size[i];
    if (p.size[i] > sizeof part || mutate_one_in(&r, 16))
        return LLVMFuzzerMutate(data, size, max);
    memcpy(part, data + p.at[i], p.size[i]);
    const size_t changed = gguf_mutate(part, p.size[i], room < sizeof part ? room : sizeof part, gguf_image_of(part, p.size[i]), &r);
    size = mutate_replace(data, size, max, p.at[i], p.size[i], part, changed);
    mutate_store(data + 8 + 4 * i, 4, false, changed);
    return size;
}
