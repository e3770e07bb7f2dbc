/* fuzz_knot.c - .knot files, with checksums that fit as often as not: what stands behind a checksum is not to be believed either. */
#include <stdio.h>
#include <string.h>

#include <xxhash.h>

#include "formats/knot.h"
#include "fuzz.h"
#include "gguf_mutate.h"
#include "model_oracle.h"

#define SECTIONS_AT 96
#define LARGEST_HEAD ((size_t)1 << 20)

/* XXH3 of the head with zeros where the sum stands, by the one-call function (the reader uses the other one). */
static XXH128_hash_t head_sum(const uint8_t *data, size_t head)
{
    static uint8_t copy[LARGEST_HEAD];
    memcpy(copy, data, head);
    memset(copy + 16, 0, 16);
    return XXH3_128bits(copy, head);
}

static bool same(XXH128_hash_t sum, const uint8_t *at)
{
    return sum.low64 == mutate_load(at, 8, false) && sum.high64 == mutate_load(at + 8, 8, false);
}

/* What was accepted has a head and sections that fit the file, and says of each section whether its sum holds. */
static void check_sums(const struct model_file *file, const uint8_t *data, size_t size)
{
    const size_t sections = model_file_section_count(file, NULL), head = (size_t)mutate_load(data + 40, 8, false);
    uint64_t end = head;
    fuzz_claim(mutate_load(data + 32, 8, false) == size && head <= size && head >= SECTIONS_AT, "the head knows the sizes");
    fuzz_claim(head > LARGEST_HEAD || same(head_sum(data, head), data + 16), "the head is what its checksum says");
    fuzz_claim(sections == mutate_load(data + 52, 4, false), "all sections are there");
    for (size_t i = 0; i < sections; i++) {
        const struct model_file_section *s = model_file_section_at(file, i);
        struct error e;
        error_clear(&e);
        fuzz_claim(s->position == end && s->size <= size - end, "section %zu follows the one before it", i);
        end += s->size;
        const bool holds = same(XXH3_128bits(data + s->position, (size_t)s->size), data + SECTIONS_AT + 48 * i + 16);
        fuzz_claim(holds == (model_file_verify(file, i, &e) == STATUS_OK), "section %zu's checksum is judged rightly", i);
    }
    fuzz_claim(end == size, "the sections fill the file");
}

/* Tensors lie where layers are looked for: blk.L.* in section 1 + L, all others in the first. */
static void check_layers(const struct model_file *file)
{
    for (size_t i = 0; i < model_file_tensor_count(file); i++) {
        const struct model_file_tensor *t = model_file_tensor_at(file, i);
        char name[64];
        unsigned long long layer;
        int end = 0;
        snprintf(name, sizeof name, "%.*s", (int)(t->name.length < 60 ? t->name.length : 60), t->name.bytes);
        const bool has_layer = sscanf(name, "blk.%9llu%n", &layer, &end) == 1 && name[4] >= '0' && name[4] <= '9' && name[end] == '.';
        const size_t section = has_layer ? (size_t)layer + 1 : 0;
        const struct model_file_section *s = model_file_section_at(file, section);
        fuzz_claim(s && t->position >= s->position && t->position + t->size <= s->position + s->size, "tensor %s is in section %zu", name,
                   section);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model_file *file = NULL;
    struct error e;
    fuzz_begin(data, size);
    const char *path = fuzz_put("m.knot", data, size);
    error_clear(&e);
    if (model_file_open(&file, path, &e) == STATUS_OK) {
        model_oracle(file);
        if (size > 8 && memcmp(data, KNOT_MAGIC, KNOT_MAGIC_BYTES) == 0) {
            check_sums(file, data, size);
            check_layers(file);
        }
        (void)!model_oracle_tokenizer(file, &e);
        model_oracle_inspect(path);
        fuzz_accepted();
    } else {
        fuzz_refused(&e);
    }
    model_file_close(file);
    return fuzz_end();
}

/* Makes sizes and sums fit again: the file's, the sections', the head's. */
static void mend(uint8_t *data, size_t size, struct mutate_random *r)
{
    const size_t head = (size_t)mutate_load(data + 40, 8, false), sections = (size_t)mutate_load(data + 52, 4, false);
    if (!mutate_one_in(r, 16))
        mutate_store(data + 32, 8, false, size);
    for (size_t i = 0; i < sections && SECTIONS_AT + 48 * (i + 1) <= size; i++) {
        uint8_t *at = data + SECTIONS_AT + 48 * i;
        const uint64_t position = mutate_load(at, 8, false), length = mutate_load(at + 8, 8, false);
        if (position > size || length > size - position || mutate_one_in(r, 16))
            continue;
        const XXH128_hash_t sum = XXH3_128bits(data + position, (size_t)length);
        mutate_store(at + 16, 8, false, sum.low64);
        mutate_store(at + 24, 8, false, sum.high64);
    }
    if (head < SECTIONS_AT || head > size || head > LARGEST_HEAD)
        return;
    const XXH128_hash_t sum = head_sum(data, head);
    mutate_store(data + 16, 8, false, sum.low64);
    mutate_store(data + 24, 8, false, sum.high64);
}

/* A number of the fixed part or of the table of sections. */
static void change_head(uint8_t *data, size_t size, struct mutate_random *r)
{
    static const struct {
        uint8_t at, width;
    } fixed[] = {{8, 4}, {12, 4}, {32, 8}, {40, 8}, {48, 4}, {52, 4}, {56, 8}, {64, 8}, {72, 8}};
    const size_t sections = (size_t)mutate_load(data + 52, 4, false) % 64, i = mutate_below(r, 9);
    size_t at = fixed[i].at, width = fixed[i].width;
    if (sections && mutate_one_in(r, 2)) {
        at = SECTIONS_AT + 48 * mutate_below(r, sections) + 8 * mutate_below(r, 6);
        width = 8;
    }
    if (at + width <= size)
        mutate_store(data + at, width, false, mutate_number(mutate_load(data + at, width, false), size, r));
}

/* Keys and tensors stand in the head, whose zeros at its end take up what they grow or shrink by: the sections keep their places. */
static size_t change_entries(uint8_t *data, size_t size, size_t max, struct gguf_image image, struct mutate_random *r)
{
    const size_t head = (size_t)mutate_load(data + 40, 8, false), behind = head <= size ? size - head : 0;
    const size_t changed = gguf_mutate(data, size, max, image, r), end = gguf_entries_end(data, changed, image);
    if (!end || end > head || head > size || changed < behind || changed - behind < end)
        return changed;
    return mutate_resize(data, changed, max, end, changed - behind - end, head - end, 0);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct mutate_random r = mutate_random(seed);
    if (size < SECTIONS_AT || mutate_one_in(&r, 12))
        return LLVMFuzzerMutate(data, size, max);
    const size_t sections = (size_t)mutate_load(data + 52, 4, false) % 1024;
    const struct gguf_image image = {.tensors_at = 64, .keys_at = 56, .entries_at = SECTIONS_AT + 48 * sections, .alignment = 64};
    if (mutate_one_in(&r, 4))
        change_head(data, size, &r);
    else
        size = change_entries(data, size, max, image, &r);
    if (size >= SECTIONS_AT && !mutate_one_in(&r, 4))
        mend(data, size, &r);
    return size;
}
