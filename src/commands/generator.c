/* generator.c - see generator.h. */
#include "generator.h"

#include <stdlib.h>
#include <string.h>

#include "../base/caches.h"
#include "../base/log.h"
#include "../base/resources.h"
#include "../base/threads.h"
#include "../model/batch_size.h"

const char *const generator_precisions[] = {"f32", "int16", "int8", NULL};
_Static_assert(sizeof generator_precisions / sizeof *generator_precisions == (size_t)KERNELS_MODES + 1, "every mode has a name");

enum status generator_open(struct generator *g, const char *path, bool speaks, struct error *e)
{
    memset(g, 0, sizeof *g);
    enum status s = model_file_open(&g->file, path, e);
    if (s == STATUS_OK)
        s = config_read(&g->config, g->file, e);
    if (s == STATUS_OK && speaks)
        s = tokenizer_open(&g->tokenizer, g->file, e);
    if (s == STATUS_OK)
        s = weights_open(&g->weights, &g->config, g->file, e);
    if (s == STATUS_OK)
        s = weights_head_open(&g->head, &g->config, g->file, e);
    if (s == STATUS_OK)
        s = kernels_select(getenv("PHI3SAT_KERNELS"), &g->kernels, e);
    if (s == STATUS_OK && g->tokenizer && tokenizer_note(g->tokenizer) != NULL)
        log_warning("%s", tokenizer_note(g->tokenizer));
    return s;
}

void generator_close(struct generator *g)
{
    weights_head_free(&g->head);
    weights_free(&g->weights);
    tokenizer_close(g->tokenizer);
    model_file_close(g->file);
    memset(g, 0, sizeof *g);
}

void generator_threads(uint64_t wanted)
{
    const char *variable = getenv("OMP_NUM_THREADS");
    const long asked = variable != NULL ? strtol(variable, NULL, 10) : 0;
    threads_set(wanted > 0 ? (int)wanted : asked > 0 && asked <= 4096 ? (int)asked : threads_available());
}

/* Bytes that may be taken; 0: not known. Tests say another number. */
static uint64_t memory_left(void)
{
    const char *hook = getenv("PHI3SAT_TEST_MEMORY");
    return hook != NULL ? strtoull(hook, NULL, 10) : resources_available(NULL).bytes;
}

enum status generator_session(struct generator *g, size_t capacity, const struct decode_options *options,
                              struct decode **decode, struct error *e)
{
    struct decode_options how = *options;
    const struct caches caches = caches_read(NULL);
    const size_t batch = batch_size(&caches, &g->config, (size_t)threads_count(), 1);
    how.capacity = capacity;
    how.batch_tokens = batch < capacity ? batch : capacity;
    how.logit_rows = how.logit_rows > how.batch_tokens ? how.batch_tokens : how.logit_rows > 0 ? how.logit_rows : 1;
    how.window = g->config.window;
    how.memory = memory_left();
    const enum status s = decode_open(decode, &g->config, &g->weights, &g->head, g->kernels, &how, e);
    if (s == STATUS_INPUT)
        error_file(e, model_file_path(g->file));
    return s;
}
