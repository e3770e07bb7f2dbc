/* archive_oracle.c - see archive_oracle.h. */
#include "archive_oracle.h"

#include <math.h>
#include <string.h>

#include "archive/archive_reader.h"
#include "fuzz.h"
#include "hdf5_mutate.h"

static enum status read_state(struct archive_reader *r, size_t layer, struct accumulator *a, struct error *e)
{
    struct accumulator_block *const block[SERIES_COUNT] = {accumulator_blocks(a, 0, SERIES_GATE),
                                                           accumulator_blocks(a, 0, SERIES_UP),
                                                           accumulator_blocks(a, 0, SERIES_FFN)};
    const size_t neurons = (size_t)archive_reader_facts(r)->intermediate_size;
    enum status s = archive_reader_state(r, layer, block, a->layer, e);
    for (int i = 0; i < ACCUMULATOR_EXTREMES && s == STATUS_OK; i++)
        fuzz_claim(a->layer->extremes[i].neuron < (int64_t)neurons, "extremes name neurons that are there");
    return s;
}

static enum status read_metrics(struct archive_reader *r, size_t layer, struct metrics *m, struct error *e)
{
    struct summary_row row;
    enum status s = archive_reader_metrics(r, layer, m, e);
    for (size_t i = 0; i < m->neurons && s == STATUS_OK; i++)
        fuzz_claim(m->saturated[i] <= 1, "saturated is 0 or 1");
    return s == STATUS_OK ? archive_reader_summary(r, layer, &row, e) : s;
}

static enum status read_prompts(struct archive_reader *r, struct error *e)
{
    struct prompt_set set = {.entry = NULL};
    enum status s = archive_reader_prompts(r, &set, e);
    for (size_t i = 1; i < set.count && s == STATUS_OK; i++)
        fuzz_claim(prompt_set_ascends(&set.entry[i - 1], &set.entry[i]), "prompts ascend");
    if (s == STATUS_OK)
        fuzz_claim(prompt_set_prompts(&set) == archive_reader_facts(r)->prompts, "prompts are as many as the facts say");
    prompt_set_free(&set);
    return s;
}

static void check_facts(struct archive_reader *r)
{
    size_t count;
    const struct archive_facts *f = archive_reader_facts(r);
    const struct archive_reader_pair *pair = archive_reader_run(r, &count);
    for (size_t i = 0; i < count; i++)
        fuzz_claim(strlen(pair[i].name) < 1 << 20 && strlen(pair[i].value) <= 1 << 20, "texts end");
    fuzz_claim(f->layers > 0 && f->intermediate_size > 0, "it has layers and neurons");
    fuzz_claim(strlen(f->architecture) < sizeof f->architecture && strlen(f->precision) < sizeof f->precision, "facts end");
    for (int k = 0; k < CRITERIA_COUNT; k++)
        fuzz_claim(isfinite(f->criteria.threshold[k]), "thresholds are numbers");
}

static enum status read_all(struct archive_reader *r, bool checkpoint, struct error *e)
{
    const size_t neurons = (size_t)archive_reader_facts(r)->intermediate_size;
    struct metrics m = {.neurons = 0};
    struct accumulator a = {.block = NULL};
    enum status s = metrics_init(&m, neurons, e);
    check_facts(r);
    if (s == STATUS_OK)
        s = accumulator_init(&a, 1, neurons, e);
    for (size_t layer = 0; layer < archive_reader_facts(r)->layers && s == STATUS_OK; layer++) {
        s = read_state(r, layer, &a, e);
        if (s == STATUS_OK && !checkpoint)
            s = read_metrics(r, layer, &m, e);
    }
    accumulator_free(&a);
    metrics_free(&m);
    return s == STATUS_OK ? read_prompts(r, e) : s;
}

enum status archive_oracle_read(const char *path, bool checkpoint, bool own, struct error *e)
{
    struct archive_reader *r = NULL;
    enum status s;
    if (own)
        s = archive_reader_open_own(&r, path, checkpoint, e);
    else
        s = checkpoint ? archive_reader_open_checkpoint(&r, path, e) : archive_reader_open(&r, path, e);
    if (s == STATUS_OK)
        s = read_all(r, checkpoint, e);
    archive_reader_close(r);
    return s;
}

int archive_oracle_run(const uint8_t *data, size_t size, bool checkpoint)
{
    struct error e;
    fuzz_begin(data, size);
    fuzz_memory_bound(16, 1 << 20); /* with the piece that is summed */
    error_clear(&e);
    if (archive_oracle_read(fuzz_put("a.h5", data, size), checkpoint, false, &e) != STATUS_OK) {
        fuzz_refused(&e);
        return fuzz_end();
    }
    if (hdf5_mutate_is_sealed(data, size))
        fuzz_claim(hdf5_mutate_seal_fits(data, size), "an accepted file is what its seal says");
    else
        fuzz_claim(hdf5_mutate_end(data, size) == size, "an accepted file ends where it says");
    fuzz_accepted();
    return fuzz_end();
}

size_t archive_oracle_mutate(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct mutate_random r = mutate_random(seed);
    size = hdf5_mutate(data, size, max, &r);
    if (mutate_one_in(&r, 8))
        return size; /* what accidents do */
    return mutate_one_in(&r, 4) ? hdf5_mutate_seal(data, size, max) : hdf5_mutate_unseal(data, size);
}
