/* forward_bits.c - prints digests of what a forward pass computes, to be compared between machines.
 *
 * Usage: forward_bits MODEL [THREADS [MODE]]. Each precision that is built in (or MODE alone, a number) has a line: the
 * residual stream, and all sums that the observer is told, whatever order threads tell them in. PHI3SAT_KERNELS chooses
 * the kernels. tests/bench/instructions counts what it executes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "formats/model_file.h"
#include "model/forward.h"

#define PROMPTS 3
#define LONGEST 150

/* FNV-1a. */
static uint64_t digest(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * 1099511628211u;
    return hash;
}

static const uint64_t start = 14695981039346656037u;

static void add_sums(void *context, size_t layer, enum series series, size_t block, size_t prompt, const struct sums *sums,
                     uint64_t samples)
{
    const uint64_t name[] = {layer, (uint64_t)series, block, prompt, samples};
    const uint64_t hash = digest(digest(start, name, sizeof name), sums, sizeof *sums);
    threads_lock();
    *(uint64_t *)context += hash;
    threads_unlock();
}

static int give_up(const struct error *e)
{
    char line[2560];
    error_format(e, line, sizeof line);
    fprintf(stderr, "forward_bits: %s\n", line);
    return 1;
}

static int run(const struct config *config, const struct weights *weights, const struct kernels *kernels,
               enum kernels_mode mode)
{
    static int32_t ids[PROMPTS][LONGEST];
    struct forward_prompt prompts[PROMPTS];
    const size_t length[PROMPTS] = {LONGEST, 1, 37};
    struct forward_options options = {.batch_tokens = 64, .activity_threshold = 0.1f, .window = 90, .mode = mode};
    struct forward *forward;
    struct error e;
    uint64_t sums = 0;
    size_t rows = 0;
    for (size_t p = 0; p < PROMPTS; p++) {
        for (size_t t = 0; t < length[p]; t++)
            ids[p][t] = (int32_t)((t * 31 + p * 7) % config->vocabulary);
        prompts[p] = (struct forward_prompt){ids[p], length[p]};
        rows += length[p];
    }
    const struct forward_observer observer = {.context = &sums, .sums = add_sums};
    if (forward_open(&forward, config, weights, kernels, &options, &e) != STATUS_OK ||
        forward_run(forward, prompts, PROMPTS, &observer, &e) != STATUS_OK)
        return give_up(&e);
    printf("%d %016" PRIx64 " %016" PRIx64 "\n", (int)mode,
           digest(start, forward_hidden(forward), rows * config->hidden * sizeof(float)), sums);
    forward_close(forward);
    return 0;
}

int main(int argc, char **argv)
{
    struct model_file *file;
    struct config config;
    struct weights weights;
    const struct kernels *kernels;
    struct error e;
    int failed = 0;
    if (argc < 2 || argc > 4)
        return 2;
    const int only = argc > 3 ? atoi(argv[3]) : -1;
    threads_set(argc > 2 ? atoi(argv[2]) : 2);
    if (model_file_open(&file, argv[1], &e) != STATUS_OK || config_read(&config, file, &e) != STATUS_OK ||
        weights_open(&weights, &config, file, &e) != STATUS_OK ||
        kernels_select(getenv("PHI3SAT_KERNELS"), &kernels, &e) != STATUS_OK)
        return give_up(&e);
    for (int mode = 0; mode < (int)KERNELS_MODES && !failed; mode++)
        if (only < 0 || only == mode)
            failed = run(&config, &weights, kernels, (enum kernels_mode)mode);
    weights_free(&weights);
    model_file_close(file);
    return failed;
}
