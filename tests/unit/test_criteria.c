/* test_criteria.c - the table of criteria, how they combine, super neurons. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "failing_memory.h"
#include "stats/criteria.h"
#include "tap.h"

#define NEURONS 9

static struct metrics m;
static struct criteria c;

static void apply(void)
{
    struct error e;
    if (criteria_apply(&c, &m, &e) != STATUS_OK)
        bail("%s", e.sentence);
}

/* Busy neurons: no criterion met, max |ffn| 2. */
static void busy(void)
{
    c = criteria_defaults();
    for (int s = 0; s < SERIES_COUNT; s++)
        for (size_t i = 0; i < NEURONS; i++) {
            for (int k = 0; k < METRIC_COUNT; k++)
                m.value[s][k][i] = 1.0f;
            m.value[s][METRIC_LOW_ACTIVITY][i] = 0.0f;
            m.value[s][METRIC_INACTIVE][i] = 0.0f;
            m.value[s][METRIC_MIN][i] = -2.0f;
        }
}

/* The flags of neuron 4 when one metric of one series has this value. */
static uint32_t flags_with(enum series s, enum metric k, float value)
{
    busy();
    m.value[s][k][4] = value;
    apply();
    for (size_t i = 0; i < NEURONS; i++)
        if (i != 4 && m.flags[i])
            return UINT32_MAX;
    return m.flags[4];
}

static void defaults(void)
{
    c = criteria_defaults();
    ok(c.threshold[0] == 0.01f && c.threshold[1] == 0.001f && c.threshold[2] == 0.8f && c.activity_threshold == 0.1f &&
           c.super_ratio == 100.0f && c.combine == CRITERIA_ALL && !c.activity_signed,
       "the defaults are 0.01, 0.001, 0.8, 0.1, all, 100");
    enum criteria_combine combine = CRITERIA_ALL;
    bool held = true;
    for (int i = CRITERIA_ALL; i <= CRITERIA_FFN; i++)
        held &= criteria_combine_parse(criteria_combine_name((enum criteria_combine)i), &combine) && (int)combine == i;
    ok(held, "the names of combinations are read back");
    ok(!criteria_combine_parse("most", &combine) && combine == CRITERIA_FFN, "another name is refused");
}

static void thresholds(void)
{
    for (int s = 0; s < SERIES_COUNT; s++) {
        enum series series = (enum series)s;
        uint32_t bit = 1u << (8 * s);
        is_uint(flags_with(series, METRIC_VARIANCE, nextafterf(0.01f, 0.0f)), bit,
                "series %d: a variance one step below the threshold sets bit %d", s, 8 * s);
        is_uint(flags_with(series, METRIC_VARIANCE, 0.01f), 0, "series %d: a variance on it does not", s);
        is_uint(flags_with(series, METRIC_MEAN, nextafterf(-0.001f, 0.0f)), bit << 1,
                "series %d: a small negative mean sets bit %d", s, 8 * s + 1);
        is_uint(flags_with(series, METRIC_MEAN, -0.001f), 0, "series %d: a mean on the threshold does not", s);
        is_uint(flags_with(series, METRIC_MEAN, -5.0f), 0, "series %d: nor a large negative mean", s);
        is_uint(flags_with(series, METRIC_LOW_ACTIVITY, nextafterf(0.8f, 1.0f)), bit << 2,
                "series %d: a share one step above the threshold sets bit %d", s, 8 * s + 2);
        is_uint(flags_with(series, METRIC_LOW_ACTIVITY, 0.8f), 0, "series %d: a share on it does not", s);
        is_uint(flags_with(series, METRIC_INACTIVE, 1.0f), 0, "series %d: the signed share plays no part", s);
    }
    busy();
    for (int s = 0; s < SERIES_COUNT; s++)
        for (int k = 0; k < METRIC_COUNT; k++)
            m.value[s][k][4] = NAN;
    apply();
    ok(m.flags[4] == 0 && m.saturated[4] == 0, "missing values meet no criterion");
    busy();
    c.activity_signed = true;
    m.value[SERIES_UP][METRIC_INACTIVE][1] = 0.9f;
    m.value[SERIES_UP][METRIC_LOW_ACTIVITY][2] = 0.9f;
    apply();
    ok(m.flags[1] == 1u << 10 && m.flags[2] == 0, "signed activity asks for the inactive share instead");
}

static void combinations(void)
{
    const struct {
        bool gate, up, ffn, all, any, alone;
    } rows[] = {{0, 0, 0, 0, 0, 0}, {1, 0, 0, 0, 1, 0}, {0, 1, 0, 0, 1, 0}, {0, 0, 1, 0, 1, 1},
                {1, 1, 0, 0, 1, 0}, {1, 0, 1, 0, 1, 1}, {0, 1, 1, 0, 1, 1}, {1, 1, 1, 1, 1, 1}};
    bool held[3] = {true, true, true}, series = true;
    for (int combine = CRITERIA_ALL; combine <= CRITERIA_FFN; combine++) {
        busy();
        c.combine = (enum criteria_combine)combine;
        for (int i = 0; i < 8; i++) { /* another criterion in each series */
            m.value[SERIES_GATE][METRIC_VARIANCE][i] = rows[i].gate ? 0.0f : 1.0f;
            m.value[SERIES_UP][METRIC_MEAN][i] = rows[i].up ? 0.0f : 1.0f;
            m.value[SERIES_FFN][METRIC_LOW_ACTIVITY][i] = rows[i].ffn ? 1.0f : 0.0f;
        }
        apply();
        for (int i = 0; i < 8; i++) {
            const bool wanted[3] = {rows[i].all, rows[i].any, rows[i].alone};
            held[combine] &= m.saturated[i] == wanted[combine];
            series &= criteria_series_saturated(m.flags[i], SERIES_GATE) == rows[i].gate &&
                      criteria_series_saturated(m.flags[i], SERIES_UP) == rows[i].up &&
                      criteria_series_saturated(m.flags[i], SERIES_FFN) == rows[i].ffn;
        }
    }
    ok(series, "a series is saturated when any of its criteria is met");
    for (int combine = 0; combine < 3; combine++)
        ok(held[combine], "combination '%s'", criteria_combine_name((enum criteria_combine)combine));
    ok(!criteria_series_saturated(1u << CRITERIA_SUPER_BIT, SERIES_FFN), "the super bit belongs to no series");
}

/* max |ffn| of all neurons. */
static void largest(const float *values)
{
    busy();
    for (size_t i = 0; i < NEURONS; i++) {
        float other = isnan(values[i]) ? NAN : 0.0f;
        m.value[SERIES_FFN][METRIC_MIN][i] = i % 2 ? -values[i] : other;
        m.value[SERIES_FFN][METRIC_MAX][i] = i % 2 ? other : values[i];
    }
    apply();
}

static unsigned supers(void)
{
    unsigned set = 0;
    for (int i = 0; i < NEURONS; i++)
        set |= (m.flags[i] >> CRITERIA_SUPER_BIT & 1) << i;
    return set;
}

static void super_neurons(void)
{
    largest((const float[NEURONS]){1, 1, 1, 99, 1, 100, 1, 1, 101});
    is_uint(supers(), 1u << 5 | 1u << 8, "from 100 times the median on a neuron is super");
    largest((const float[NEURONS]){1, 2, 3, 4, 5, 6, 7, 8, 500});
    is_uint(supers(), 1u << 8, "the median of nine is the fifth");
    largest((const float[NEURONS]){1, 2, 3, 4, 5, 6, 7, 400, NAN});
    is_uint(supers(), 1u << 7, "that of eight is the lower one; a missing value is left out");
    largest((const float[NEURONS]){0, 0, 0, 0, 0, 0, 0, 0, 0});
    is_uint(supers(), 0, "a layer of zeros has none");
    largest((const float[NEURONS]){0, 0, 0, 0, 0, 0, 0, 0, 1e-3f});
    is_uint(supers(), 1u << 8, "where the median is 0, what is not 0 is super");
    largest((const float[NEURONS]){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN});
    is_uint(supers(), 0, "a layer without values has none");
    /* quiet on all tokens but one, and huge there: dead by every other number */
    largest((const float[NEURONS]){1, 1, 1, 5000, 1, 1, 1, 1, 1});
    for (int s = 0; s < SERIES_COUNT; s++)
        m.value[s][METRIC_LOW_ACTIVITY][3] = 0.99f;
    apply();
    ok(m.saturated[3] == 1 && supers() == 1u << 3, "quiet on all tokens but one and huge there: saturated and super");
    c.super_ratio = FLT_MAX;
    apply();
    is_uint(supers(), 0, "the ratio is the caller's");
}

int main(void)
{
    struct error e;
    if (metrics_init(&m, NEURONS, &e) != STATUS_OK)
        bail("%s", e.sentence);
    defaults();
    thresholds();
    combinations();
    super_neurons();
    failing_memory_left = 0;
    is_int(criteria_apply(&c, &m, &e), STATUS_FAILED, "no memory is an error, not a verdict");
    metrics_free(&m);
    return tap_done();
}
