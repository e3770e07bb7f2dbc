/* collector.c - folds what the forward pass shows; see collector.h. */
#include "collector.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/threads.h"

enum status collector_open(struct collector *c, const struct kernels *kernels, size_t first, size_t layers,
                           size_t neurons, struct error *e)
{
    memset(c, 0, sizeof *c);
    c->first_layer = first;
    c->kernels = kernels;
    enum status status = memory_array(&c->floor, layers, sizeof *c->floor, "the statistics", e);
    return status == STATUS_OK ? accumulator_init(&c->state, layers, neurons, e) : status;
}

void collector_close(struct collector *c)
{
    accumulator_free(&c->state);
    memory_free(c->floor);
    c->floor = NULL;
}

void collector_begin(struct collector *c, struct collector_prompt *prompts)
{
    c->prompts = prompts;
}

bool collector_earlier(const struct collector_nonfinite *a, const struct collector_nonfinite *b)
{
    const uint64_t x[] = {a->layer, a->prompt, a->position, a->series, a->neuron};
    const uint64_t y[] = {b->layer, b->prompt, b->position, b->series, b->neuron};
    if (!a->seen || !b->seen)
        return a->seen > b->seen;
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] < y[i];
    return false;
}

/* Neurons of a block that exist: the last block may be partly used. */
static size_t lanes_in(const struct collector *c, size_t block)
{
    size_t left = c->state.neurons - block * SUMS_LANES;
    return left < SUMS_LANES ? left : SUMS_LANES;
}

/* A magnitude as bits, which compare as the numbers do. */
static uint32_t magnitude(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & 0x7fffffff;
}

static void offer_extremes(struct collector *c, size_t layer, size_t block, size_t prompt, const struct sums *sums)
{
    struct accumulator_layer *list = &c->state.layer[layer - c->first_layer];
    _Atomic uint32_t *floor = &c->floor[layer - c->first_layer];
    uint32_t largest = 0;
    for (size_t i = 0; i < SUMS_LANES; i++) { /* spare lanes hold 0 */
        uint32_t here = magnitude(sums->extreme[i]);
        largest = here > largest ? here : largest;
    }
    if (largest < atomic_load_explicit(floor, memory_order_relaxed))
        return;
    threads_lock();
    for (size_t i = 0; i < lanes_in(c, block); i++) {
        struct accumulator_extreme offer = {.value = sums->extreme[i],
                                            .neuron = (int32_t)(block * SUMS_LANES + i),
                                            .position = sums->extreme_position[i]};
        memcpy(offer.hash, c->prompts[prompt].hash, sizeof offer.hash);
        if (offer.position >= 0 && fabsf(offer.value) >= accumulator_extreme_floor(list))
            accumulator_extreme_offer(list, &offer);
    }
    atomic_store_explicit(floor, magnitude(accumulator_extreme_floor(list)), memory_order_relaxed);
    threads_unlock();
}

static void note_nonfinite(struct collector *c, size_t layer, enum series series, size_t block, size_t prompt,
                           const struct sums *sums)
{
    uint32_t any = 0;
    for (size_t i = 0; i < SUMS_LANES; i++) /* spare lanes hold 0 */
        any |= sums->nonfinite[i];
    for (size_t i = 0; any && i < lanes_in(c, block); i++) {
        if (!sums->nonfinite[i])
            continue;
        struct collector_nonfinite here = {layer, c->prompts[prompt].index,
                                           c->prompts[prompt].first + (uint64_t)sums->nonfinite_position[i],
                                           (uint64_t)series, block * SUMS_LANES + i, 1};
        threads_lock();
        if (collector_earlier(&here, &c->first))
            c->first = here;
        threads_unlock();
    }
}

static void fold(void *context, size_t layer, enum series series, size_t block, size_t prompt,
                 const struct sums *sums, uint64_t samples)
{
    struct collector *c = context;
    struct collector_prompt *p = &c->prompts[prompt];
    if (atomic_load_explicit(&p->reached, memory_order_relaxed) != layer + 1)
        atomic_store_explicit(&p->reached, (uint32_t)layer + 1, memory_order_relaxed);
    if (samples == 0 || layer < p->counted)
        return;
    c->kernels->fold(accumulator_blocks(&c->state, layer - c->first_layer, series) + block, sums, samples);
    if (series == SERIES_FFN)
        offer_extremes(c, layer, block, prompt, sums);
    note_nonfinite(c, layer, series, block, prompt, sums);
}

struct forward_observer collector_observer(struct collector *c)
{
    struct forward_observer observer = {.context = c, .sums = fold};
    return observer;
}

void collector_settle(struct collector *c, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct collector_prompt *p = &c->prompts[i];
        uint32_t reached = atomic_load_explicit(&p->reached, memory_order_relaxed);
        if (reached && p->counted < c->first_layer) /* stages before this one have counted it */
            p->counted = (uint32_t)c->first_layer;
        for (; p->counted < reached; p->counted++)
            accumulator_layer_fold(&c->state.layer[p->counted - c->first_layer], p->samples);
    }
}
