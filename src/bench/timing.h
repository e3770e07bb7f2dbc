/* timing.h - how long things take: warm-up, alternation, median and spread.
 *
 * Flow: something to run -> *timing* -> seconds of one run. The one harness of all benchmarks. Things that
 * are to be compared (a kernel and the machine's roof, two variants of a layer) take turns, so that a
 * clock that drifts or a neighbour that wakes up meets them alike, and their ratio stays.
 */
#ifndef PHI3SAT_BENCH_TIMING_H
#define PHI3SAT_BENCH_TIMING_H

#include <stddef.h>

/* Rounds that are kept at most. */
#define TIMING_MOST 500

/* What is timed: run(context) once is one run. */
struct timing_subject {
    void (*run)(void *context);
    void *context;
    size_t repeat;               /* out: runs a sample, so that a sample isn't too short for the clock */
    size_t count;                /* out: samples                                        */
    double seconds[TIMING_MOST]; /* out: [count], seconds of one run, a sample each        */
};

struct timing_plan {
    size_t warmup;      /* runs of each before the clock counts                           */
    size_t rounds;      /* samples of each; 0: as many as `seconds` allow, from 5 on        */
    double seconds;     /* that all rounds together should take, where rounds is 0          */
    double shortest;    /* seconds: a faster run is repeated within its sample; only with a warm-up */
};

/* 1 run of warm-up, about half a second of rounds, samples of at least 5 ms. */
struct timing_plan timing_plan(void);

/* Runs all subjects' warm-ups, then rounds: each subject once a round, in turn, every other round
 * in the opposite order. At least one round. */
void timing_alternate(const struct timing_plan *plan, struct timing_subject *const *subjects, size_t count);

/* What samples come to. */
struct timing_spread {
    double median, low, high; /* low, high: the 10th and 90th percentile              */
    size_t count;
};

/* Of samples[count], which it sorts. All 0 when count is 0. */
struct timing_spread timing_spread(double *samples, size_t count);

/* How much faster one thing is than another, from rounds in which both took a turn. */
struct timing_ratio {
    double median, low, high; /* low, high: what holds the true median in 99 cases of 100, were rounds independent */
};

/* base[i] / other[i] over rounds i < count: the median of the quotients, and the order statistics around it that a binomial
 * distribution names (David and Nagaraja, Order Statistics, 7.1; its normal approximation). The samples stand in
 * the order they were taken, so before timing_spread. `scratch` [count] is overwritten. All 0 when count is 0. */
struct timing_ratio timing_ratio(const double *base, const double *other, size_t count, double *scratch);

/* Work a second: the spread of seconds turned round, so that low <= median <= high again. */
struct timing_spread timing_rate(struct timing_spread seconds, double work);

/* One figure of several ranks. */
struct timing_range {
    double least, median, most;
};

/* Of figures[count >= 1], which it sorts; all NaN when one is. */
struct timing_range timing_range(double *figures, size_t count);

/* The share'th quantile of sorted[count >= 1], between neighbours on a straight line; 0 <= share <= 1. */
double timing_quantile(const double *sorted, size_t count, double share);

#endif
