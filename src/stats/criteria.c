/* criteria.c - the table of criteria, the flags, the super neurons; see criteria.h.
 *
 * A new criterion is one row of criteria_table (and CRITERIA_COUNT): option, help, flag
 * bit, archive attribute and CSV-independent flag meaning follow from it.
 */
#include "criteria.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/memory.h"

const struct criteria_row criteria_table[CRITERIA_COUNT] = {
    {"low_variance", METRIC_VARIANCE, CRITERIA_BELOW, 0.01f, "variance-threshold",
     "saturated when the variance is below this"},
    {"zero_gradient", METRIC_MEAN, CRITERIA_MAGNITUDE_BELOW, 0.001f, "gradient-threshold",
     "saturated when |mean| is below this"},
    {"low_activity", METRIC_LOW_ACTIVITY, CRITERIA_ABOVE, 0.8f, "low-activity-ratio",
     "saturated when the low-activity share is above this"},
};

static const char *const combine_names[] = {"all", "any", "ffn"};

struct criteria criteria_defaults(void)
{
    struct criteria c = {.activity_threshold = 0.1f, .combine = CRITERIA_ALL, .super_ratio = 100.0f};
    for (int i = 0; i < CRITERIA_COUNT; i++)
        c.threshold[i] = criteria_table[i].threshold;
    return c;
}

const char *criteria_combine_name(enum criteria_combine combine)
{
    return combine_names[combine];
}

bool criteria_combine_parse(const char *name, enum criteria_combine *combine)
{
    for (int i = 0; i < 3; i++)
        if (strcmp(name, combine_names[i]) == 0) {
            *combine = (enum criteria_combine)i;
            return true;
        }
    return false;
}

static bool met(enum criteria_predicate predicate, float value, float threshold)
{
    switch (predicate) { /* NaN fails every comparison */
    case CRITERIA_BELOW:
        return value < threshold;
    case CRITERIA_MAGNITUDE_BELOW:
        return fabsf(value) < threshold;
    case CRITERIA_ABOVE:
        return value > threshold;
    }
    return false;
}

bool criteria_series_saturated(uint32_t flags, enum series s)
{
    return (flags >> (CRITERIA_BITS_PER_SERIES * s) & ((1u << CRITERIA_BITS_PER_SERIES) - 1)) != 0;
}

static bool combined(enum criteria_combine combine, uint32_t flags)
{
    bool gate = criteria_series_saturated(flags, SERIES_GATE), up = criteria_series_saturated(flags, SERIES_UP);
    bool ffn = criteria_series_saturated(flags, SERIES_FFN);
    if (combine == CRITERIA_FFN)
        return ffn;
    return combine == CRITERIA_ALL ? gate && up && ffn : gate || up || ffn;
}

enum metric criteria_metric(const struct criteria *c, int k)
{
    const enum metric metric = criteria_table[k].metric;
    return metric == METRIC_LOW_ACTIVITY && c->activity_signed ? METRIC_INACTIVE : metric;
}

float criteria_largest_ffn(const struct metrics *m, size_t i)
{
    return fmaxf(fabsf(m->value[SERIES_FFN][METRIC_MIN][i]), fabsf(m->value[SERIES_FFN][METRIC_MAX][i]));
}

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

enum status criteria_median_largest(const struct metrics *m, float *median, struct error *e)
{
    float *sorted;
    size_t count = 0;
    enum status status = memory_array(&sorted, m->neurons, sizeof *sorted, "a layer's extremes", e);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < m->neurons; i++)
        if (!isnan(criteria_largest_ffn(m, i)))
            sorted[count++] = criteria_largest_ffn(m, i);
    qsort(sorted, count, sizeof *sorted, ascending);
    *median = count ? sorted[(count - 1) / 2] : 0.0f;
    memory_free(sorted);
    return STATUS_OK;
}

static enum status flag_super(const struct criteria *c, struct metrics *m, struct error *e)
{
    float median;
    enum status status = criteria_median_largest(m, &median, e);
    for (size_t i = 0; i < m->neurons && status == STATUS_OK; i++) {
        float largest = criteria_largest_ffn(m, i);
        if (largest > 0.0f && largest >= c->super_ratio * median)
            m->flags[i] |= (uint32_t)1 << CRITERIA_SUPER_BIT;
    }
    return status;
}

enum status criteria_apply(const struct criteria *c, struct metrics *m, struct error *e)
{
    for (size_t i = 0; i < m->neurons; i++) {
        uint32_t flags = 0;
        for (int s = 0; s < SERIES_COUNT; s++)
            for (int k = 0; k < CRITERIA_COUNT; k++)
                if (met(criteria_table[k].predicate, m->value[s][criteria_metric(c, k)][i], c->threshold[k]))
                    flags |= (uint32_t)1 << (CRITERIA_BITS_PER_SERIES * s + k);
        m->flags[i] = flags;
        m->saturated[i] = combined(c->combine, flags);
    }
    return flag_super(c, m, e);
}
