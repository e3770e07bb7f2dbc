/* test_what_if.c - what a threshold would give is what criteria_apply gives with it, for every point and combination. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "failing_memory.h"
#include "stats/what_if.h"
#include "tap.h"

#define LAYERS 3
#define NEURONS 200

static struct metrics m[LAYERS];

static void make(void)
{
    struct random_stream r = random_open(7, 0, 0, 0);
    struct error e;
    for (int l = 0; l < LAYERS; l++) {
        if (metrics_init(&m[l], NEURONS, &e) != STATUS_OK)
            bail("%s", e.sentence);
        for (int s = 0; s < SERIES_COUNT; s++)
            for (size_t i = 0; i < NEURONS; i++) {
                float *const *v = m[l].value[s];
                v[METRIC_VARIANCE][i] = (float)exp(12.0 * random_unit(&r) - 9.0);
                v[METRIC_MEAN][i] = (float)((random_unit(&r) - 0.5) * exp(-12.0 * random_unit(&r)));
                v[METRIC_LOW_ACTIVITY][i] = rintf(50.0f * (float)random_unit(&r)) / 50.0f; /* many on the points themselves */
                v[METRIC_INACTIVE][i] = (float)random_unit(&r);
                v[METRIC_MIN][i] = -(float)exp(8.0 * random_unit(&r));
                v[METRIC_MAX][i] = (float)exp(8.0 * random_unit(&r));
                if (i % 40 == 7) /* nothing finite */
                    for (int k = 0; k < METRIC_COUNT; k++)
                        v[k][i] = NAN;
            }
    }
}

static void set(struct criteria *c, int which, float value)
{
    if (which == WHAT_IF_SUPER)
        c->super_ratio = value;
    else
        c->threshold[which] = value;
}

static struct what_if_count counted(const struct criteria *c, int layer)
{
    struct what_if_count n = {0, 0};
    struct error e;
    if (criteria_apply(c, &m[layer], &e) != STATUS_OK)
        bail("%s", e.sentence);
    for (size_t i = 0; i < NEURONS; i++) {
        n.saturated += m[layer].saturated[i];
        n.removable += m[layer].saturated[i] && !(m[layer].flags[i] >> CRITERIA_SUPER_BIT & 1);
    }
    return n;
}

/* All points of all thresholds; *different: the counts that differ, *distinct: how many shares there were. */
static void walk(const struct criteria *c, size_t *different, size_t *distinct, bool *ordered)
{
    struct what_if w;
    struct error e;
    size_t before = SIZE_MAX;
    if (what_if_init(&w, LAYERS, NEURONS, c, &e) != STATUS_OK)
        bail("%s", e.sentence);
    for (int l = LAYERS - 1; l >= 0; l--) {
        counted(c, l);
        if (what_if_layer(&w, (size_t)l, &m[l], &e) != STATUS_OK)
            bail("%s", e.sentence);
    }
    for (int which = 0; which < WHAT_IF_COUNT; which++) {
        float points[WHAT_IF_POINTS];
        const size_t count = what_if_points(&w, which, points);
        bool own = false;
        for (size_t i = 0; i < count; i++) {
            struct criteria other = *c;
            set(&other, which, points[i]);
            own |= points[i] == what_if_own(&w, which);
            *ordered &= i == 0 || points[i] > points[i - 1];
            for (int l = 0; l < LAYERS; l++) {
                const struct what_if_count got = what_if_at(&w, which, (size_t)l, points[i]), wanted = counted(&other, l);
                *different += got.saturated != wanted.saturated || got.removable != wanted.removable;
                *distinct += got.removable != before;
                before = got.removable;
            }
        }
        *ordered &= own && count >= 20 && count <= WHAT_IF_POINTS;
    }
    what_if_free(&w);
}

static void test_points(void)
{
    for (int combine = CRITERIA_ALL; combine <= CRITERIA_FFN; combine++)
        for (int activity = 0; activity < 2; activity++) {
            struct criteria c = criteria_defaults();
            size_t different = 0, distinct = 0;
            bool ordered = true;
            c.combine = (enum criteria_combine)combine;
            c.activity_signed = activity;
            c.super_ratio = 3.0f;
            walk(&c, &different, &distinct, &ordered);
            is_uint(different, 0, "%s%s: every point gives what criteria_apply gives", criteria_combine_name(c.combine),
                    activity ? ", signed" : "");
            ok(ordered && distinct > 50, "points ascend, the own one is among them, and they make a difference");
        }
    struct criteria odd = criteria_defaults();
    size_t different = 0, distinct = 0;
    bool ordered = true;
    odd.threshold[0] = 0.0f;
    odd.threshold[1] = 1e30f;
    odd.threshold[2] = 1.0f;
    odd.super_ratio = 1.0f;
    walk(&odd, &different, &distinct, &ordered);
    ok(different == 0 && ordered, "thresholds at their ends too");
}

static void test_nothing_measured(void)
{
    struct what_if w;
    struct error e;
    float points[WHAT_IF_POINTS];
    const struct criteria c = criteria_defaults();
    for (int s = 0; s < SERIES_COUNT; s++)
        for (int k = 0; k < METRIC_COUNT; k++)
            for (size_t i = 0; i < NEURONS; i++)
                m[0].value[s][k][i] = NAN;
    counted(&c, 0);
    bool made = what_if_init(&w, 1, NEURONS, &c, &e) == STATUS_OK && what_if_layer(&w, 0, &m[0], &e) == STATUS_OK;
    for (int which = 0; which < WHAT_IF_COUNT && made; which++)
        for (size_t i = what_if_points(&w, which, points); i-- > 0;)
            made &= what_if_at(&w, which, 0, points[i]).saturated == 0;
    ok(made, "where nothing was measured nothing is saturated, at any threshold");
    what_if_free(&w);
    ok(what_if_init(&w, SIZE_MAX / 2, 3, &c, &e) == STATUS_FAILED && !w.median, "too many neurons: refused");
    long held = failing_memory_held, failed = 0;
    for (failing_memory_left = 0; failed < 6; failed++) {
        failing_memory_left = failed;
        if (what_if_init(&w, 2, 3, &c, &e) == STATUS_OK)
            break;
    }
    failing_memory_left = -1;
    what_if_free(&w);
    ok(failed == 6 && failing_memory_held == held, "any of its six allocations failing is told, and nothing is left");
}

int main(void)
{
    make();
    test_points();
    test_nothing_measured();
    for (int l = 0; l < LAYERS; l++)
        metrics_free(&m[l]);
    return tap_done();
}
