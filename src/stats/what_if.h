/* what_if.h - what would be saturated at other thresholds, one of them changed at a time.
 *
 * Flow: metrics with flags, layer by layer -> *what if* -> curves with a slider.
 *
 * With the other choices left as they are, a neuron has one *turn* for each threshold: the value that the threshold has
 * to pass for the neuron to be saturated. For "value below t" and one series that is the value itself, or minus infinity
 * where another criterion holds anyway; gate, up and ffn are combined by the largest turn (all), the least (any) or ffn's own.
 * "Value above t" is the same of minus both. So one float a neuron gives every point of the curve, exactly as criteria_apply
 * would with that threshold.
 */
#ifndef PHI3SAT_STATS_WHAT_IF_H
#define PHI3SAT_STATS_WHAT_IF_H

#include "criteria.h"

/* The thresholds: the rows of criteria_table, then the ratio that makes a super neuron. */
#define WHAT_IF_SUPER CRITERIA_COUNT
#define WHAT_IF_COUNT (CRITERIA_COUNT + 1)

/* Points of a curve at most. */
#define WHAT_IF_POINTS 128

struct what_if {
    size_t layers, neurons;
    struct criteria criteria;     /* as they are                                              */
    float *turn[CRITERIA_COUNT];  /* [layers, neurons]; saturated when below the threshold (or minus it) */
    float *largest;               /* [layers, neurons]: max |ffn| of saturated ones, else NaN  */
    float *median;                /* [layers]: of max |ffn| of all                             */
    bool *super;                  /* [layers, neurons], at the ratio as it is                  */
};

/* `criteria` is copied. Freed by what_if_free (zeroed struct allowed); zeroed on failure. */
enum status what_if_init(struct what_if *w, size_t layers, size_t neurons, const struct criteria *criteria,
                         struct error *e) ERROR_MUST_USE;
void what_if_free(struct what_if *w);

/* Takes in layer `layer`, judged by criteria_apply; each once, in any order. */
enum status what_if_layer(struct what_if *w, size_t layer, const struct metrics *m, struct error *e) ERROR_MUST_USE;

struct what_if_count {
    size_t saturated, removable; /* neurons; removable: and not super                         */
};

/* Of layer `layer` with threshold `which` at `threshold`. */
struct what_if_count what_if_at(const struct what_if *w, int which, size_t layer, float threshold);

/* The threshold as it is. */
float what_if_own(const struct what_if *w, int which);

/* Thresholds worth looking at, ascending, the one as it is among them: shares in steps of 0.02; others ten a decade
 * (1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8) from where hardly a neuron is saturated to where nearly all are, at most four
 * decades from the one as it is, ratios of super neurons from 1 on. Fills points[WHAT_IF_POINTS], returns how many. */
size_t what_if_points(const struct what_if *w, int which, float points[WHAT_IF_POINTS]);

#endif
