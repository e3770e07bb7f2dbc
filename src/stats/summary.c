/* summary.c - shares, averages, bands, trend and recommendation; see summary.h. */
#include "summary.h"

#include <math.h>
#include <string.h>

/* Average over the neurons that have a value, in neuron order. */
static double average(const float *values, size_t neurons)
{
    double sum = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < neurons; i++)
        if (!isnan(values[i])) {
            sum += (double)values[i];
            count++;
        }
    return count ? sum / (double)count : NAN;
}

static double share_with_bit(const struct metrics *m, int bit)
{
    size_t count = 0;
    for (size_t i = 0; i < m->neurons; i++)
        count += m->flags[i] >> bit & 1;
    return m->neurons ? (double)count / (double)m->neurons : 0.0;
}

void summary_of_layer(struct summary_row *row, const struct metrics *m)
{
    size_t saturated = 0, ffn = 0, removable = 0;
    memset(row, 0, sizeof *row);
    row->neurons = m->neurons;
    for (int s = 0; s < SERIES_COUNT; s++) {
        row->average_variance[s] = average(m->value[s][METRIC_VARIANCE], m->neurons);
        row->low_variance[s] = isnan(row->average_variance[s]) ? NAN : share_with_bit(m, CRITERIA_BITS_PER_SERIES * s);
        row->average_mean[s] = average(m->value[s][METRIC_MEAN], m->neurons);
        for (size_t i = 0; i < m->neurons; i++)
            row->nonfinite += m->nonfinite[s][i];
    }
    for (size_t i = 0; i < m->neurons; i++) {
        bool super = m->flags[i] >> CRITERIA_SUPER_BIT & 1;
        saturated += m->saturated[i] != 0;
        removable += m->saturated[i] && !super;
        ffn += criteria_series_saturated(m->flags[i], SERIES_FFN);
        row->super_neurons += super;
    }
    double neurons = m->neurons ? (double)m->neurons : 1.0;
    row->saturated = (double)saturated / neurons;
    row->removable = (double)removable / neurons;
    row->ffn_saturated = (double)ffn / neurons;
    if (isnan(row->average_variance[SERIES_FFN])) /* nothing was measured: 0 would look like a result */
        row->saturated = row->removable = row->ffn_saturated = NAN;
    if (isnan(row->saturated))
        row->speedup = NAN;
    else
        row->speedup = row->saturated < 1.0 ? fmin(1.0 / (1.0 - row->saturated), SUMMARY_SPEEDUP_LIMIT)
                                        : SUMMARY_SPEEDUP_LIMIT;
}

static void fill_band(struct summary_band *band, const struct summary_row *rows, size_t first, size_t end)
{
    double sum = 0.0;
    size_t count = 0;
    band->first = first;
    band->end = end;
    for (size_t l = first; l < end; l++)
        if (!isnan(rows[l].saturated)) {
            sum += rows[l].saturated;
            count++;
        }
    band->saturated = count ? sum / (double)count : NAN;
}

static enum summary_trend trend_of(const struct summary *s)
{
    if (s->layers < 4 || isnan(s->band[0].saturated) || isnan(s->band[2].saturated))
        return SUMMARY_TREND_NONE;
    double change = s->band[2].saturated - s->band[0].saturated;
    if (change > 0.01 + SUMMARY_ROUNDING)
        return SUMMARY_TREND_INCREASES;
    return change < -0.01 - SUMMARY_ROUNDING ? SUMMARY_TREND_DECREASES : SUMMARY_TREND_FLAT;
}

enum summary_recommendation summary_recommend(double removable)
{
    if (removable < 0.10 - SUMMARY_ROUNDING)
        return SUMMARY_LOW;
    return removable > 0.30 + SUMMARY_ROUNDING ? SUMMARY_HIGH : SUMMARY_MODERATE;
}

void summary_of_model(struct summary *s, const struct summary_row *rows, size_t layers)
{
    double inverse = 0.0;
    memset(s, 0, sizeof *s);
    s->layers = layers;
    for (size_t l = 0; l < layers; l++) {
        s->super_neurons += rows[l].super_neurons;
        s->nonfinite += rows[l].nonfinite;
        if (isnan(rows[l].saturated)) {
            s->unmeasured++;
            continue;
        }
        s->saturated += rows[l].saturated;
        s->speedup += rows[l].speedup;
        s->ffn_saturated += rows[l].ffn_saturated;
        s->removable += rows[l].removable;
        inverse += 1.0 / rows[l].speedup;
    }
    const size_t measured = layers - s->unmeasured;
    double count = measured ? (double)measured : layers ? NAN : 1.0;
    s->saturated /= count;
    s->speedup /= count;
    s->ffn_saturated /= count;
    s->removable /= count;
    s->stack_speedup = layers ? count / inverse : 1.0;
    fill_band(&s->band[0], rows, 0, layers / 4);
    fill_band(&s->band[1], rows, layers / 4, layers / 2);
    fill_band(&s->band[2], rows, layers / 2, layers);
    s->trend = trend_of(s);
    s->recommendation = summary_recommend(s->removable);
}
