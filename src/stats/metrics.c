/* metrics.c - rounds a layer's moments to the archive's float32; see metrics.h. */
#include "metrics.h"

#include <math.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/threads.h"
#include "moments.h"

enum status metrics_init(struct metrics *m, size_t neurons, struct error *e)
{
    enum status status = STATUS_OK;
    memset(m, 0, sizeof *m);
    m->neurons = neurons;
    for (int s = 0; s < SERIES_COUNT; s++) {
        for (int k = 0; k < METRIC_COUNT && status == STATUS_OK; k++)
            status = memory_array(&m->value[s][k], neurons, sizeof(float), "a layer's metrics", e);
        if (status == STATUS_OK)
            status = memory_array(&m->nonfinite[s], neurons, sizeof(uint32_t), "a layer's metrics", e);
    }
    if (status == STATUS_OK)
        status = memory_array(&m->flags, neurons, sizeof *m->flags, "a layer's flags", e);
    if (status == STATUS_OK)
        status = memory_array(&m->saturated, neurons, sizeof *m->saturated, "a layer's flags", e);
    if (status != STATUS_OK)
        metrics_free(m);
    return status;
}

void metrics_free(struct metrics *m)
{
    for (int s = 0; s < SERIES_COUNT; s++) {
        for (int k = 0; k < METRIC_COUNT; k++)
            memory_free(m->value[s][k]);
        memory_free(m->nonfinite[s]);
    }
    memory_free(m->flags);
    memory_free(m->saturated);
    memset(m, 0, sizeof *m);
}

/* One NaN pattern and one zero, so that equal archives are equal bytes. */
static float archived(double value)
{
    const uint32_t quiet_nan = 0x7fc00000u;
    float result;
    if (isnan(value)) {
        memcpy(&result, &quiet_nan, sizeof result);
        return result;
    }
    result = (float)value;
    return result == 0.0f ? 0.0f : result;
}

struct computation {
    struct metrics *metrics;
    const struct accumulator *state;
    size_t layer;
};

static void compute_block(void *context, size_t piece, int thread)
{
    const struct computation *c = context;
    struct metrics *out = c->metrics;
    enum series s = (enum series)(piece / c->state->blocks);
    size_t block = piece % c->state->blocks, first = block * SUMS_LANES;
    const struct accumulator_block *from = accumulator_blocks(c->state, c->layer, s) + block;
    (void)thread;
    for (size_t i = first; i < out->neurons && i < first + SUMS_LANES; i++) {
        struct moments m;
        moments_of(from, (int)(i - first), &c->state->layer[c->layer], &m);
        const double values[METRIC_COUNT] = {
            [METRIC_MEAN] = m.mean, [METRIC_VARIANCE] = m.variance, [METRIC_SKEWNESS] = m.skewness,
            [METRIC_KURTOSIS] = m.kurtosis, [METRIC_MIN] = m.min, [METRIC_MAX] = m.max,
            [METRIC_LOW_ACTIVITY] = m.low_activity, [METRIC_INACTIVE] = m.inactive,
            [METRIC_MEAN_STDERR] = m.mean_stderr, [METRIC_LOW_ACTIVITY_STDERR] = m.low_activity_stderr};
        for (int k = 0; k < METRIC_COUNT; k++)
            out->value[s][k][i] = archived(values[k]);
        out->nonfinite[s][i] = m.nonfinite > UINT32_MAX ? UINT32_MAX : (uint32_t)m.nonfinite;
    }
}

void metrics_compute(struct metrics *m, const struct accumulator *a, size_t layer)
{
    struct computation c = {m, a, layer};
    m->count = a->layer[layer].samples;
    memcpy(m->extremes, a->layer[layer].extremes, sizeof m->extremes);
    threads_run(SERIES_COUNT * a->blocks, compute_block, &c);
}
