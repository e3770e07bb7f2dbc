/* sureness.h - how sure the shares are: intervals from the neurons' standard errors, and what more prompts would tell.
 *
 * Flow: metrics with flags, layer by layer -> *sureness* -> report.
 *
 * A neuron is near the line or far from it: its *distance* is how many standard errors its numbers would have to move,
 * all of them towards or all away from saturation, until its class changes (above 0: saturated). Prompts that differ
 * move all neurons at once, so errors are taken to be shared: with z of them either way, a share lies between
 *     share of distances > z    and    share of distances > -z.
 * That is exact for errors that all go one way, and too wide, never too narrow, where some cancel. docs/methods.md has
 * the derivation, what is done about means near zero, and the simulation.
 */
#ifndef PHI3SAT_STATS_SURENESS_H
#define PHI3SAT_STATS_SURENESS_H

#include "summary.h"

enum sureness_share {
    SURENESS_LOW_GATE, SURENESS_LOW_UP, SURENESS_LOW_FFN, /* low variance of a series          */
    SURENESS_SATURATED, SURENESS_FFN,                     /* saturated; by ffn alone           */
    SURENESS_REMOVABLE,                                   /* saturated and not super           */
    SURENESS_SHARES
};

#define SURENESS_LEVEL 0.95

/* Distances are kept for all neurons of a model until the end, so in 16 bits: up to 127 errors, beyond that for ever. */
#define SURENESS_UNIT 256.0

struct sureness {
    size_t layers, neurons;
    int16_t *distance[SURENESS_SHARES]; /* [layers, neurons], in standard errors / SURENESS_UNIT    */
    double *window[SURENESS_SHARES];   /* [layers]: variance of the share by means near zero       */
    double *drift[SURENESS_SHARES];    /* [layers]: what the share lacks because of errors           */
    bool *measured;                    /* [layers]: has shares at all                              */
};

/* Freed by sureness_free (zeroed struct allowed); zeroed on failure. */
enum status sureness_init(struct sureness *s, size_t layers, size_t neurons, struct error *e) ERROR_MUST_USE;
void sureness_free(struct sureness *s);

/* Takes in layer `layer`, judged by criteria_apply with `c`; each once, in any order. */
void sureness_layer(struct sureness *s, size_t layer, const struct metrics *m, const struct criteria *c);

struct sureness_interval {
    double low, share, high; /* 0..1; NaN: not measured                             */
};

/* The mean share of layers [first, end), those without shares left out, with its interval for errors of `z` standard
 * errors. */
struct sureness_interval sureness_of(const struct sureness *s, enum sureness_share share, size_t first, size_t end,
                                     double z);

/* Half the interval's width in standard errors at SURENESS_LEVEL: Student's t with `prompts` - 1 degrees of
 * freedom; NaN below 2 prompts. */
double sureness_width(uint64_t prompts);

/* Neurons of all layers whose class (saturated or not) `z` standard errors would change. */
size_t sureness_undecided(const struct sureness *s, double z);

/* How many prompts of the same kind in all would give both ends of the removable share's interval the same
 * recommendation, if the share stays where it is: `prompts` when that is so already; 0 when more than 10,000 times as
 * many would be needed. */
uint64_t sureness_prompts(const struct sureness *s, uint64_t prompts);

#endif
