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

/* Work a second: the spread of seconds turned round, so that low <= median <= high again. */
struct timing_spread timing_rate(struct timing_spread seconds, double work);

/* The share'th quantile of sorted[count >= 1], between neighbours on a straight line; 0 <= share <= 1. */
double timing_quantile(const double *sorted, size_t count, double share);

#endif
