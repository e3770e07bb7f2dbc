/* test_summary.c - shares, averages, bands, trend, recommendation. */
#include <math.h>
#include <string.h>

#include "stats/summary.h"
#include "tap.h"

static void of_layer(void)
{
    struct metrics m;
    struct summary_row row;
    struct error e;
    if (metrics_init(&m, 8, &e) != STATUS_OK)
        bail("%s", e.sentence);
    for (int i = 0; i < 8; i++) {
        m.value[SERIES_UP][METRIC_VARIANCE][i] = (float)i;
        m.value[SERIES_UP][METRIC_MEAN][i] = i % 2 ? -1.0f : 3.0f;
        m.value[SERIES_GATE][METRIC_VARIANCE][i] = i < 6 ? NAN : (float)i;
        m.value[SERIES_FFN][METRIC_MEAN][i] = NAN;
        m.flags[i] = (i < 1 ? 1u : 0) | (i < 2 ? 1u << 8 : 0) | (i < 4 ? 1u << 16 : 0) | (i == 7 ? 1u << 18 : 0);
        m.saturated[i] = i < 3;
    }
    m.flags[1] |= 1u << CRITERIA_SUPER_BIT;
    m.flags[6] |= 1u << CRITERIA_SUPER_BIT;
    m.nonfinite[SERIES_GATE][2] = 5;
    m.nonfinite[SERIES_FFN][7] = UINT32_MAX;
    summary_of_layer(&row, &m);
    ok(row.low_variance[SERIES_GATE] == 0.125 && row.low_variance[SERIES_UP] == 0.25 &&
           row.low_variance[SERIES_FFN] == 0.5,
       "shares of low variance are each series' own");
    is_double(row.average_variance[SERIES_UP], 3.5, 0.0, "variances are averaged over neurons");
    is_double(row.average_mean[SERIES_UP], 1.0, 0.0, "means are averaged with their signs");
    is_double(row.average_variance[SERIES_GATE], 6.5, 0.0, "missing values are left out");
    is_double(row.average_mean[SERIES_FFN], NAN, 0.0, "no value at all gives none");
    is_double(row.saturated, 0.375, 0.0, "the saturated share counts saturated neurons");
    is_double(row.ffn_saturated, 0.625, 0.0, "the share by ffn alone counts any criterion of ffn");
    is_double(row.removable, 0.25, 0.0, "a super neuron is not removable");
    is_uint(row.super_neurons, 2, "super neurons are counted");
    is_uint(row.nonfinite, (uint64_t)UINT32_MAX + 5, "non-finite values are added over series");
    is_double(row.speedup, 1.6, 1e-15, "speedup is 1 / (1 - share)");
    memset(m.saturated, 1, 8);
    summary_of_layer(&row, &m);
    is_double(row.speedup, 20.0, 0.0, "a layer all saturated has a speedup of 20");
    for (int i = 0; i < 8; i++)
        m.value[SERIES_FFN][METRIC_VARIANCE][i] = NAN;
    summary_of_layer(&row, &m);
    ok(isnan(row.saturated) && isnan(row.removable) && isnan(row.ffn_saturated) && isnan(row.speedup) &&
           isnan(row.low_variance[SERIES_FFN]) && row.low_variance[SERIES_UP] == 0.25,
       "a layer without a value of ffn has no shares, not shares of 0");
    metrics_free(&m);
    if (metrics_init(&m, 1000, &e) != STATUS_OK)
        bail("%s", e.sentence);
    memset(m.saturated, 1, 950);
    summary_of_layer(&row, &m);
    is_double(row.speedup, 20.0, 1e-12, "95 %% saturated is 20x");
    memset(m.saturated, 1, 951);
    summary_of_layer(&row, &m);
    is_double(row.speedup, 20.0, 0.0, "more is not");
    metrics_free(&m);
}

static struct summary_row rows[32];
static struct summary s;

static void model(const double *shares, size_t layers)
{
    memset(rows, 0, sizeof rows);
    for (size_t l = 0; l < layers; l++) {
        rows[l].saturated = rows[l].removable = shares[l];
        rows[l].speedup = shares[l] < 0.95 ? 1.0 / (1.0 - shares[l]) : 20.0;
        rows[l].ffn_saturated = shares[l] / 2.0;
        rows[l].super_neurons = l;
        rows[l].nonfinite = 1;
    }
    summary_of_model(&s, rows, layers);
}

static void bands(void)
{
    const double shares[32] = {0.0, 0.1, 0.2, 0.3, 0.4};
    const struct {
        size_t layers, end[3];
    } cases[] = {{1, {0, 0, 1}}, {2, {0, 1, 2}}, {3, {0, 1, 3}}, {4, {1, 2, 4}}, {5, {1, 2, 5}}, {32, {8, 16, 32}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bool held = true;
        size_t first = 0;
        model(shares, cases[i].layers);
        for (int b = 0; b < 3; b++) {
            held &= s.band[b].first == first && s.band[b].end == cases[i].end[b];
            held &= isnan(s.band[b].saturated) == (first == cases[i].end[b]);
            first = cases[i].end[b];
        }
        ok(held, "bands of %zu layers", cases[i].layers);
        is_int(s.trend != SUMMARY_TREND_NONE, cases[i].layers >= 4, "a trend needs four layers");
    }
    model(shares, 5);
    is_double(s.band[2].saturated, 0.3, 1e-15, "a band's share is the mean of its layers'");
}

static void trends(void)
{
    model((const double[]){0.10, 0, 0.11, 0.11}, 4);
    is_int(s.trend, SUMMARY_TREND_FLAT, "one point more is flat");
    model((const double[]){0.29, 0, 0.30, 0.30}, 4);
    is_int(s.trend, SUMMARY_TREND_FLAT, "also where rounding makes it a little more");
    model((const double[]){0.10, 0, 0.1101, 0.1101}, 4);
    is_int(s.trend, SUMMARY_TREND_INCREASES, "more than one point increases");
    model((const double[]){0.30, 0, 0.29, 0.29}, 4);
    is_int(s.trend, SUMMARY_TREND_FLAT, "one point less is flat");
    model((const double[]){0.1101, 0, 0.10, 0.10}, 4);
    is_int(s.trend, SUMMARY_TREND_DECREASES, "more than one point less decreases");
    model((const double[]){0.1, 0.9, 0.1, 0.1}, 4);
    is_int(s.trend, SUMMARY_TREND_FLAT, "the middle plays no part");
}

static void recommendations(void)
{
    const struct {
        double shares[3];
        enum summary_recommendation wanted;
    } cases[] = {{{0.0999, 0.0999, 0.0999}, SUMMARY_LOW}, {{0.1, 0.1, 0.1}, SUMMARY_MODERATE},
                 {{0.05, 0.05, 0.2}, SUMMARY_MODERATE},   {{0.3, 0.3, 0.3}, SUMMARY_MODERATE},
                 {{0.2, 0.3, 0.4}, SUMMARY_MODERATE},     {{0.3001, 0.3001, 0.3001}, SUMMARY_HIGH},
                 {{0, 0, 0}, SUMMARY_LOW},                {{1, 1, 1}, SUMMARY_HIGH}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        model(cases[i].shares, 3);
        is_int(s.recommendation, cases[i].wanted, "shares %g %g %g", cases[i].shares[0], cases[i].shares[1],
               cases[i].shares[2]);
    }
    model((const double[]){0.2, 0.4}, 2);
    is_int(s.recommendation, SUMMARY_MODERATE, "20 %% and 40 %% are 30 %%, which is moderate");
    for (int l = 0; l < 2; l++)
        rows[l].removable = 0.05;
    summary_of_model(&s, rows, 2);
    is_int(s.recommendation, SUMMARY_LOW, "it goes by the removable share, without super neurons");
}

static void averages(void)
{
    model((const double[]){0.0, 0.5, 1.0, 0.5}, 4);
    is_double(s.saturated, 0.5, 1e-15, "the share is the mean of the layers'");
    is_double(s.ffn_saturated, 0.25, 1e-15, "so is the one by ffn");
    is_double(s.speedup, 25.0 / 4.0, 1e-15, "so is the speedup");
    is_double(s.stack_speedup, 4.0 / 2.05, 1e-15, "the stack gains L / sum(1/s)");
    is_uint(s.super_neurons, 6, "super neurons are added");
    is_uint(s.nonfinite, 4, "so are non-finite values");
    summary_of_model(&s, rows, 0);
    ok(s.layers == 0 && s.saturated == 0.0 && s.stack_speedup == 1.0, "no layers are no trouble");
}

static void unmeasured(void)
{
    const double shares[8] = {0.1, NAN, 0.2, 0.2, 0.4, 0.4, NAN, 0.4};
    memset(rows, 0, sizeof rows);
    for (size_t l = 0; l < 8; l++)
        rows[l] = (struct summary_row){.neurons = 10, .saturated = shares[l], .removable = shares[l],
                                       .speedup = 1.0 / (1.0 - shares[l]), .nonfinite = 1};
    summary_of_model(&s, rows, 8);
    is_uint(s.unmeasured, 2, "layers without values are counted");
    is_uint(s.nonfinite, 8, "what was not finite in them too");
    is_double(s.saturated, 1.7 / 6.0, 1e-15, "they are left out of the averages");
    ok(s.band[0].saturated == 0.1 && fabs(s.band[2].saturated - 0.4) < 1e-15 && s.trend == SUMMARY_TREND_INCREASES,
       "and of the bands");
    rows[0].saturated = rows[0].removable = rows[0].speedup = NAN;
    summary_of_model(&s, rows, 8);
    ok(isnan(s.band[0].saturated) && s.trend == SUMMARY_TREND_NONE, "a band of them alone has no share, and there is no trend");
    for (size_t l = 0; l < 8; l++)
        rows[l].saturated = rows[l].removable = rows[l].speedup = NAN;
    summary_of_model(&s, rows, 8);
    ok(isnan(s.saturated) && isnan(s.removable) && isnan(s.speedup) && isnan(s.stack_speedup), "a model of them has nothing");
}

int main(void)
{
    of_layer();
    bands();
    trends();
    recommendations();
    averages();
    unmeasured();
    return tap_done();
}
