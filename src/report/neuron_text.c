/* neuron_text.c - see neuron_text.h.
 *
 * A value alone says little, since layers differ in scale by orders of magnitude: each stands beside its rank in the
 * layer and the share of neurons that are below it (equal ones count half).
 */
#include "neuron_text.h"

#include <inttypes.h>
#include <math.h>

#include "printing.h"

static const char *const series_names[SERIES_COUNT] = {"gate", "up", "ffn"};
static const char *const metric_names[METRIC_COUNT] = {
    [METRIC_MEAN] = "mean", [METRIC_VARIANCE] = "variance", [METRIC_SKEWNESS] = "skewness",
    [METRIC_KURTOSIS] = "kurtosis", [METRIC_MIN] = "min", [METRIC_MAX] = "max",
    [METRIC_LOW_ACTIVITY] = "low_activity", [METRIC_INACTIVE] = "inactive"};

/* Which metric is the standard error of `k`; METRIC_COUNT: none. */
static enum metric error_of(int k)
{
    return k == METRIC_MEAN ? METRIC_MEAN_STDERR : k == METRIC_LOW_ACTIVITY ? METRIC_LOW_ACTIVITY_STDERR : METRIC_COUNT;
}

static void print_standing(FILE *to, const float *values, size_t neurons, float own)
{
    size_t below = 0, equal = 0, measured = 0;
    for (size_t i = 0; i < neurons; i++) {
        measured += !isnan(values[i]);
        below += values[i] < own;
        equal += values[i] == own;
    }
    fprintf(to, "  %8zu of %zu  %9.1f%%\n", below + 1, measured,
            100.0 * ((double)below + 0.5 * (double)equal) / (double)measured);
}

static void print_metric(FILE *to, const struct metrics *m, int s, int k, size_t neuron)
{
    const float own = m->value[s][k][neuron];
    const enum metric error = error_of(k);
    char beside[32] = "";
    if (error != METRIC_COUNT && !isnan(m->value[s][error][neuron]))
        snprintf(beside, sizeof beside, "%.3g", (double)m->value[s][error][neuron]);
    if (isnan(own)) {
        fprintf(to, "  %-12s  %12s\n", metric_names[k], "missing");
        return;
    }
    fprintf(to, "  %-12s  %12.6g  %10s", metric_names[k], (double)own, beside);
    print_standing(to, m->value[s][k], m->neurons, own);
}

static void print_series(FILE *to, const struct metrics *m, int s, size_t neuron)
{
    const uint32_t flags = m->flags[neuron] >> (CRITERIA_BITS_PER_SERIES * s);
    const char *sign = ": ";
    fprintf(to, "\n%s%s", series_names[s],
            criteria_series_saturated(m->flags[neuron], (enum series)s) ? " meets" : " meets no criterion");
    for (int c = 0; c < CRITERIA_COUNT; c++)
        if (flags >> c & 1) {
            fprintf(to, "%s%s", sign, criteria_table[c].name);
            sign = ", ";
        }
    fprintf(to, "\n  %-12s  %12s  %10s  %s  %s\n", "", "value", "std. error", "rank, least = 1", "percentile");
    for (int k = 0; k < METRIC_COUNT; k++)
        if (metric_names[k])
            print_metric(to, m, s, k, neuron);
    if (m->nonfinite[s][neuron])
        fprintf(to, "  %" PRIu32 " of %" PRIu64 " samples were not finite and are left out\n", m->nonfinite[s][neuron],
                m->count);
}

static void print_extremes(FILE *to, const struct metrics *m, size_t neuron)
{
    int listed = 0;
    fprintf(to, "\nextremes\n");
    while (listed < ACCUMULATOR_EXTREMES && m->extremes[listed].neuron >= 0)
        listed++;
    for (int i = 0; i < listed; i++) {
        const struct accumulator_extreme *x = &m->extremes[i];
        if ((size_t)x->neuron != neuron)
            continue;
        fprintf(to, "  its largest |ffn| is number %d of its layer: %.6g at token %" PRId32
                    " of the prompt with hash %016" PRIx64 "%016" PRIx64 "\n",
                i + 1, (double)x->value, x->position, x->hash[1], x->hash[0]);
        return;
    }
    if (listed)
        fprintf(to, "  not among the layer's %d largest |ffn|, which go down to %.6g\n", listed,
                (double)fabsf(m->extremes[listed - 1].value));
    else
        fprintf(to, "  the layer has none\n");
}

enum status neuron_text_print(FILE *to, const struct metrics *m, size_t layer, size_t neuron, struct error *e)
{
    struct printing printing;
    const enum status begun = printing_begin(&printing, to, e);
    if (begun != STATUS_OK)
        return begun;
    to = printing.to;
    fprintf(to, "layer %zu neuron %zu of %zu: %s%s, over %" PRIu64 " samples\n", layer, neuron, m->neurons,
            m->saturated[neuron] ? "saturated" : "not saturated",
            m->flags[neuron] >> CRITERIA_SUPER_BIT & 1 ? ", a super neuron: never to be removed" : "", m->count);
    for (int s = 0; s < SERIES_COUNT; s++)
        print_series(to, m, s, neuron);
    print_extremes(to, m, neuron);
    return printing_end(&printing, e);
}
