/* timing.c - see timing.h.
 *
 * The median, since one interrupted run must not count; 10th to 90th percentile beside it, since minimum and
 * maximum only grow with the number of runs. Rejected: the best run. It is the machine at its luckiest, and a
 * ratio of two such runs says little of what a user will see.
 */
#include "timing.h"

#include <math.h>
#include <stdlib.h>

#include "../base/clock.h"

#define LEAST_ROUNDS 5

struct timing_plan timing_plan(void)
{
    return (struct timing_plan){.warmup = 1, .rounds = 0, .seconds = 0.5, .shortest = 0.005};
}

static double run_for(const struct timing_subject *s, size_t runs)
{
    const double start = clock_seconds();
    for (size_t i = 0; i < runs; i++)
        s->run(s->context);
    return clock_seconds() - start;
}

/* The last warm-up run tells how often a sample has to repeat. */
static void warm_up(struct timing_subject *s, const struct timing_plan *plan)
{
    double once = 0;
    for (size_t i = 0; i < plan->warmup; i++)
        once = run_for(s, 1);
    s->count = 0;
    s->repeat = 1;
    if (plan->warmup > 0 && once < plan->shortest)
        s->repeat = (size_t)ceil(plan->shortest / (once > 1e-7 ? once : 1e-7));
}

static int another(const struct timing_plan *plan, size_t round, double spent)
{
    if (round >= TIMING_MOST)
        return 0;
    if (plan->rounds > 0)
        return round < plan->rounds;
    return round < LEAST_ROUNDS || spent < plan->seconds;
}

void timing_alternate(const struct timing_plan *plan, struct timing_subject *const *subjects, size_t count)
{
    for (size_t i = 0; i < count; i++)
        warm_up(subjects[i], plan);
    const double start = clock_seconds();
    for (size_t round = 0; another(plan, round, clock_seconds() - start); round++)
        for (size_t i = 0; i < count; i++) {
            struct timing_subject *s = subjects[round % 2 ? count - 1 - i : i];
            s->seconds[s->count++] = run_for(s, s->repeat) / (double)s->repeat;
        }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double timing_quantile(const double *sorted, size_t count, double share)
{
    const double at = share * (double)(count - 1);
    const size_t below = (size_t)at;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

struct timing_spread timing_spread(double *samples, size_t count)
{
    struct timing_spread s = {0, 0, 0, count};
    if (count == 0)
        return s;
    qsort(samples, count, sizeof *samples, ascending);
    s.median = timing_quantile(samples, count, 0.5);
    s.low = timing_quantile(samples, count, 0.1);
    s.high = timing_quantile(samples, count, 0.9);
    return s;
}

struct timing_range timing_range(double *figures, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (isnan(figures[i]))
            return (struct timing_range){NAN, NAN, NAN};
    qsort(figures, count, sizeof *figures, ascending);
    return (struct timing_range){figures[0], timing_quantile(figures, count, 0.5), figures[count - 1]};
}

struct timing_ratio timing_ratio(const double *base, const double *other, size_t count, double *scratch)
{
    if (count == 0)
        return (struct timing_ratio){0, 0, 0};
    for (size_t i = 0; i < count; i++)
        scratch[i] = other[i] > 0 ? base[i] / other[i] : 0;
    qsort(scratch, count, sizeof *scratch, ascending);
    const double middle = 0.5 * (double)(count - 1), off = 2.576 * 0.5 * sqrt((double)count);
    const double below = floor(middle - off), above = ceil(middle + off);
    return (struct timing_ratio){.median = timing_quantile(scratch, count, 0.5), .low = scratch[below > 0 ? (size_t)below : 0],
                                 .high = scratch[above < (double)(count - 1) ? (size_t)above : count - 1]};
}

static double per(double work, double seconds)
{
    return seconds > 0 ? work / seconds : 0;
}

struct timing_spread timing_rate(struct timing_spread seconds, double work)
{
    return (struct timing_spread){.median = per(work, seconds.median), .low = per(work, seconds.high),
                                  .high = per(work, seconds.low), .count = seconds.count};
}
