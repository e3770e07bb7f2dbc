/* portrait.c - see portrait.h. */
#include "portrait.h"

#include <math.h>
#include <string.h>

#include "../base/memory.h"

#define WHAT "a page's pictures"

enum metric portrait_metric(const struct portrait *p, enum portrait_measure measure)
{
    static const enum metric of[PORTRAIT_MEASURES] = {METRIC_VARIANCE, METRIC_MEAN, METRIC_LOW_ACTIVITY};
    return measure == PORTRAIT_ACTIVITY && p->criteria.activity_signed ? METRIC_INACTIVE : of[measure];
}

static enum status allocate_layers(struct portrait *p, size_t layers, struct error *e)
{
    enum status s = STATUS_OK;
    for (int i = 0; i < SERIES_COUNT; i++) {
        for (int k = 0; k < PORTRAIT_MEASURES && s == STATUS_OK; k++)
            s = memory_array(&p->spread[k][i], layers, sizeof *p->spread[k][i], WHAT, e);
        for (int k = 0; k <= CRITERIA_COUNT && s == STATUS_OK; k++)
            s = memory_array(&p->met[i][k], layers, sizeof *p->met[i][k], WHAT, e);
    }
    return s;
}

static enum status allocate_map(struct portrait *p, size_t cells, struct error *e)
{
    enum status s = memory_array(&p->share, cells, sizeof *p->share, WHAT, e);
    if (s == STATUS_OK)
        s = memory_array(&p->super, cells, sizeof *p->super, WHAT, e);
    if (s == STATUS_OK && p->group == 1)
        s = memory_array(&p->flags, cells, sizeof *p->flags, WHAT, e);
    for (int k = 0; k < PORTRAIT_PLANES && s == STATUS_OK; k++)
        s = memory_array(&p->plane[k], cells, sizeof *p->plane[k], WHAT, e);
    return s;
}

enum status portrait_init(struct portrait *p, size_t layers, size_t neurons, const struct criteria *criteria, bool ruled,
                          struct error *e)
{
    size_t total, cells;
    memset(p, 0, sizeof *p);
    if (!memory_multiply(layers, neurons, &total))
        return error_set(e, STATUS_FAILED, "%zu layers of %zu neurons are too many", layers, neurons);
    const size_t row = layers > PORTRAIT_CELLS ? 1 : PORTRAIT_CELLS / (layers ? layers : 1);
    p->group = neurons / row + (neurons % row != 0);
    p->group = p->group ? p->group : 1;
    p->columns = neurons / p->group + (neurons % p->group != 0);
    cells = layers * p->columns; /* at most `total` */
    p->criteria = *criteria;
    p->ruled = ruled;
    enum status s = allocate_layers(p, layers, e);
    if (s == STATUS_OK)
        s = allocate_map(p, cells, e);
    if (s == STATUS_OK)
        s = memory_array(&p->scratch, neurons, sizeof *p->scratch, WHAT, e);
    if (s == STATUS_OK && !ruled)
        s = what_if_init(&p->what_if, layers, neurons, criteria, e);
    if (s != STATUS_OK) {
        portrait_free(p);
        return s;
    }
    p->layers = layers;
    p->neurons = neurons;
    return STATUS_OK;
}

void portrait_free(struct portrait *p)
{
    for (int i = 0; i < SERIES_COUNT; i++) {
        for (int k = 0; k < PORTRAIT_MEASURES; k++)
            memory_free(p->spread[k][i]);
        for (int k = 0; k <= CRITERIA_COUNT; k++)
            memory_free(p->met[i][k]);
    }
    for (int k = 0; k < PORTRAIT_PLANES; k++)
        memory_free(p->plane[k]);
    memory_free(p->share);
    memory_free(p->super);
    memory_free(p->flags);
    memory_free(p->scratch);
    what_if_free(&p->what_if);
    memset(p, 0, sizeof *p);
}

static float value_of(const struct portrait *p, const struct metrics *m, int plane, size_t i)
{
    if (plane == PORTRAIT_LARGEST)
        return criteria_largest_ffn(m, i);
    return m->value[plane / PORTRAIT_MEASURES][portrait_metric(p, (enum portrait_measure)(plane % PORTRAIT_MEASURES))][i];
}

/* The cell's mean over the neurons that have a value. */
static float cell_value(const struct portrait *p, const struct metrics *m, int plane, size_t first, size_t end)
{
    double sum = 0.0;
    size_t count = 0;
    for (size_t i = first; i < end; i++) {
        const float value = value_of(p, m, plane, i);
        if (isnan(value))
            continue;
        sum += (double)value;
        count++;
    }
    return count ? (float)(sum / (double)count) : NAN;
}

static uint16_t criteria_bits(uint32_t flags)
{
    uint16_t bits = 0;
    for (int s = 0; s < SERIES_COUNT; s++)
        for (int k = 0; k < CRITERIA_COUNT; k++)
            bits |= (uint16_t)((flags >> (CRITERIA_BITS_PER_SERIES * s + k) & 1) << (CRITERIA_COUNT * s + k));
    return bits;
}

static void map_layer(struct portrait *p, size_t layer, const struct metrics *m)
{
    for (size_t c = 0; c < p->columns; c++) {
        const size_t first = c * p->group, at = layer * p->columns + c;
        const size_t end = p->neurons - first < p->group ? p->neurons : first + p->group;
        size_t saturated = 0, measured = 0;
        for (size_t i = first; i < end; i++) {
            saturated += m->saturated[i] != 0;
            measured += !isnan(m->value[SERIES_FFN][METRIC_VARIANCE][i]);
            p->super[at] |= m->flags[i] >> CRITERIA_SUPER_BIT & 1;
        }
        p->share[at] = measured ? (uint8_t)lrint(254.0 * (double)saturated / (double)(end - first)) : 255;
        if (p->flags)
            p->flags[at] = criteria_bits(m->flags[first]);
        for (int k = 0; k < PORTRAIT_PLANES; k++)
            p->plane[k][at] = cell_value(p, m, k, first, end);
    }
}

static void measure_layer(struct portrait *p, size_t layer, const struct metrics *m)
{
    for (int s = 0; s < SERIES_COUNT; s++) {
        size_t met[CRITERIA_COUNT + 1] = {0};
        for (int k = 0; k < PORTRAIT_MEASURES; k++)
            spread_of(&p->spread[k][s][layer], m->value[s][portrait_metric(p, (enum portrait_measure)k)], p->neurons, p->scratch);
        for (size_t i = 0; i < p->neurons; i++) {
            for (int k = 0; k < CRITERIA_COUNT; k++)
                met[k] += m->flags[i] >> (CRITERIA_BITS_PER_SERIES * s + k) & 1;
            met[CRITERIA_COUNT] += criteria_series_saturated(m->flags[i], (enum series)s);
        }
        for (int k = 0; k <= CRITERIA_COUNT; k++)
            p->met[s][k][layer] = p->spread[PORTRAIT_VARIANCE][s][layer].count ? (double)met[k] / (double)p->neurons : NAN;
    }
}

static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

/* Below 0: `a` belongs before `b`. */
static int order(enum portrait_list list, const struct portrait_neuron *a, const struct portrait_neuron *b)
{
    int by = 0;
    if (list == PORTRAIT_FROZEN)
        by = compare((double)a->variance, (double)b->variance);
    else if (list == PORTRAIT_DEAD)
        by = compare((double)b->activity, (double)a->activity);
    else if (list == PORTRAIT_ACTIVE)
        by = compare((double)a->activity, (double)b->activity);
    else
        by = compare((double)b->ratio, (double)a->ratio);
    if (by == 0 && list == PORTRAIT_ACTIVE)
        by = compare((double)b->variance, (double)a->variance);
    if (by == 0 && list != PORTRAIT_ACTIVE)
        by = list == PORTRAIT_SUPER ? compare((double)b->largest, (double)a->largest) : compare((double)a->largest, (double)b->largest);
    if (by == 0)
        by = a->layer != b->layer ? (a->layer > b->layer ? 1 : -1) : (a->neuron > b->neuron) - (a->neuron < b->neuron);
    return by;
}

static void list_neuron(struct portrait *p, enum portrait_list list, const struct portrait_neuron *fresh)
{
    struct portrait_neuron *of = p->list[list];
    size_t place = p->listed[list];
    while (place > 0 && order(list, fresh, &of[place - 1]) < 0)
        place--;
    if (place == PORTRAIT_LISTED)
        return;
    p->listed[list] += p->listed[list] < PORTRAIT_LISTED;
    memmove(&of[place + 1], &of[place], (p->listed[list] - place - 1) * sizeof *of);
    of[place] = *fresh;
}

static enum status list_layer(struct portrait *p, size_t layer, const struct metrics *m, struct error *e)
{
    float *const *ffn = m->value[SERIES_FFN];
    const enum metric activity = portrait_metric(p, PORTRAIT_ACTIVITY);
    float median;
    enum status s = criteria_median_largest(m, &median, e);
    for (size_t i = 0; i < p->neurons && s == STATUS_OK; i++) {
        struct portrait_neuron n = {.layer = layer, .neuron = i, .variance = ffn[METRIC_VARIANCE][i],
                                    .mean = ffn[METRIC_MEAN][i], .activity = ffn[activity][i],
                                    .largest = criteria_largest_ffn(m, i), .saturated = m->saturated[i],
                                    .super = m->flags[i] >> CRITERIA_SUPER_BIT & 1};
        if (isnan(n.variance) || isnan(n.activity) || isnan(n.largest))
            continue;
        n.ratio = median > 0.0f ? n.largest / median : n.largest > 0.0f ? INFINITY : 0.0f;
        for (int k = 0; k < PORTRAIT_LISTS; k++) /* one that is huge now and then isn't dead */
            if (k != PORTRAIT_DEAD || !n.super)
                list_neuron(p, (enum portrait_list)k, &n);
    }
    return s;
}

enum status portrait_layer(struct portrait *p, size_t layer, const struct metrics *m, struct error *e)
{
    map_layer(p, layer, m);
    measure_layer(p, layer, m);
    enum status s = list_layer(p, layer, m, e);
    return s == STATUS_OK && !p->ruled ? what_if_layer(&p->what_if, layer, m, e) : s;
}
