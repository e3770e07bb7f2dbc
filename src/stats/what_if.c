/* what_if.c - see what_if.h. */
#include "what_if.h"

#include <math.h>
#include <string.h>

#include "../base/memory.h"

#define DECADES 4
#define RATIO_STEPS 50
#define STEPS_MOST 370 /* 10^37: floats go a little further */

enum status what_if_init(struct what_if *w, size_t layers, size_t neurons, const struct criteria *criteria,
                         struct error *e)
{
    size_t total;
    memset(w, 0, sizeof *w);
    if (!memory_multiply(layers, neurons, &total))
        return error_set(e, STATUS_FAILED, "%zu layers of %zu neurons are too many", layers, neurons);
    enum status s = memory_array(&w->median, layers, sizeof *w->median, "thresholds", e);
    if (s == STATUS_OK)
        s = memory_array(&w->largest, total, sizeof *w->largest, "thresholds", e);
    if (s == STATUS_OK)
        s = memory_array(&w->super, total, sizeof *w->super, "thresholds", e);
    for (int k = 0; k < CRITERIA_COUNT && s == STATUS_OK; k++)
        s = memory_array(&w->turn[k], total, sizeof *w->turn[k], "thresholds", e);
    if (s != STATUS_OK) {
        what_if_free(w);
        return s;
    }
    w->layers = layers;
    w->neurons = neurons;
    w->criteria = *criteria;
    return STATUS_OK;
}

void what_if_free(struct what_if *w)
{
    for (int k = 0; k < CRITERIA_COUNT; k++)
        memory_free(w->turn[k]);
    memory_free(w->largest);
    memory_free(w->median);
    memory_free(w->super);
    memset(w, 0, sizeof *w);
}

/* Of one series: its value in the direction in which less is more saturated. */
static float own_turn(const struct what_if *w, const struct metrics *m, int k, int series, size_t i)
{
    const uint32_t mask = (1u << CRITERIA_BITS_PER_SERIES) - 1;
    const uint32_t others = (m->flags[i] >> (CRITERIA_BITS_PER_SERIES * series) & mask) & ~(1u << k);
    float value = m->value[series][criteria_metric(&w->criteria, k)][i];
    if (others)
        return -INFINITY;
    if (isnan(value))
        return INFINITY;
    if (criteria_table[k].predicate == CRITERIA_MAGNITUDE_BELOW)
        return fabsf(value);
    return criteria_table[k].predicate == CRITERIA_ABOVE ? -value : value;
}

static float turn_of(const struct what_if *w, const struct metrics *m, int k, size_t i)
{
    float turn[SERIES_COUNT];
    for (int s = 0; s < SERIES_COUNT; s++)
        turn[s] = own_turn(w, m, k, s, i);
    if (w->criteria.combine == CRITERIA_FFN)
        return turn[SERIES_FFN];
    if (w->criteria.combine == CRITERIA_ALL)
        return fmaxf(turn[SERIES_FFN], fmaxf(turn[SERIES_GATE], turn[SERIES_UP]));
    return fminf(turn[SERIES_FFN], fminf(turn[SERIES_GATE], turn[SERIES_UP]));
}

enum status what_if_layer(struct what_if *w, size_t layer, const struct metrics *m, struct error *e)
{
    const size_t first = layer * w->neurons;
    for (size_t i = 0; i < w->neurons; i++) {
        for (int k = 0; k < CRITERIA_COUNT; k++)
            w->turn[k][first + i] = turn_of(w, m, k, i);
        w->super[first + i] = m->flags[i] >> CRITERIA_SUPER_BIT & 1;
        w->largest[first + i] = m->saturated[i] ? criteria_largest_ffn(m, i) : NAN;
    }
    return criteria_median_largest(m, &w->median[layer], e);
}

static float signed_threshold(int which, float threshold)
{
    return criteria_table[which].predicate == CRITERIA_ABOVE ? -threshold : threshold;
}

struct what_if_count what_if_at(const struct what_if *w, int which, size_t layer, float threshold)
{
    struct what_if_count c = {0, 0};
    const size_t first = layer * w->neurons;
    if (which == WHAT_IF_SUPER) {
        const float limit = threshold * w->median[layer];
        for (size_t i = first; i < first + w->neurons; i++) {
            const bool saturated = w->turn[0][i] < signed_threshold(0, w->criteria.threshold[0]);
            const float largest = w->largest[i];
            c.saturated += saturated;
            c.removable += saturated && !(largest > 0.0f && largest >= limit);
        }
        return c;
    }
    const float limit = signed_threshold(which, threshold);
    for (size_t i = first; i < first + w->neurons; i++) {
        const bool saturated = w->turn[which][i] < limit;
        c.saturated += saturated;
        c.removable += saturated && !w->super[i];
    }
    return c;
}

float what_if_own(const struct what_if *w, int which)
{
    return which == WHAT_IF_SUPER ? w->criteria.super_ratio : w->criteria.threshold[which];
}

static float at_step(int step)
{
    static const double mantissa[10] = {1.0, 1.25, 1.6, 2.0, 2.5, 3.15, 4.0, 5.0, 6.3, 8.0};
    const int power = step >= 0 ? step / 10 : -((9 - step) / 10);
    return (float)(mantissa[step - 10 * power] * pow(10.0, power));
}

/* The least and the largest turn that is a positive number; false: there is none. */
static bool turns_range(const struct what_if *w, int which, double *least, double *most)
{
    *least = INFINITY;
    *most = 0.0;
    for (size_t i = 0; i < w->layers * w->neurons; i++) {
        const float turn = w->turn[which][i];
        if (!(turn > 0.0f) || isinf(turn))
            continue;
        *least = fmin(*least, (double)turn);
        *most = fmax(*most, (double)turn);
    }
    return *most > 0.0;
}

/* The steps of ten a decade that the curve spans. */
static void steps_of(const struct what_if *w, int which, int *first, int *last)
{
    const double own = (double)what_if_own(w, which);
    double least, most;
    if (which == WHAT_IF_SUPER) {
        least = 1.0;
        most = 1e4;
    } else if (!turns_range(w, which, &least, &most)) {
        least = most = own > 0.0 ? own : 1.0;
    }
    const int middle = (int)floor(10.0 * log10(own > 0.0 ? own : most));
    *first = (int)floor(10.0 * log10(least));
    *last = (int)ceil(10.0 * log10(most)) + 1;
    *first = *first < middle - 10 * DECADES ? middle - 10 * DECADES : *first > middle - 10 ? middle - 10 : *first;
    if (which == WHAT_IF_SUPER && *first < 0) /* the least that may be */
        *first = 0;
    *last = *last > middle + 10 * DECADES ? middle + 10 * DECADES : *last < middle + 10 ? middle + 10 : *last;
    *first = *first < -STEPS_MOST ? -STEPS_MOST : *first;
    *last = *last > STEPS_MOST ? STEPS_MOST : *last;
}

size_t what_if_points(const struct what_if *w, int which, float points[WHAT_IF_POINTS])
{
    const bool ratio = which < CRITERIA_COUNT && criteria_table[which].predicate == CRITERIA_ABOVE;
    const float own = what_if_own(w, which);
    size_t count = 0;
    int first = 0, last = RATIO_STEPS;
    bool placed = false;
    if (!ratio)
        steps_of(w, which, &first, &last);
    for (int step = first; step <= last; step++) {
        const float point = ratio ? (float)((double)step / RATIO_STEPS) : at_step(step);
        if (!placed && own <= point) {
            points[count++] = own;
            placed = true;
        }
        if (point != own)
            points[count++] = point;
    }
    if (!placed)
        points[count++] = own;
    return count;
}
