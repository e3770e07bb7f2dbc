/* expression.h - a criterion of one's own: "ffn.kurtosis > 3 and gate.variance < 0.1 * median(gate.variance)".
 *
 * Flow: text of --criterion -> *expression* -> m->saturated.
 *
 *     criterion  = condition of a neuron, true: saturated
 *     or, and, not, ( )          conditions
 *     < <= > >= == !=            of two numbers
 *     + - * /                    numbers; - before one
 *     SERIES.STATISTIC           the neuron's: gate, up, ffn; statistics in expression_statistics
 *     abs(X) sqrt(X)             of a number
 *     median(SERIES.STATISTIC)   over the neurons of the layer that have it; the lower middle one of an even number
 *     average(SERIES.STATISTIC)  likewise
 *     0.1, 3, 1e-6               numbers; rounded to float32, as thresholds are
 *
 * A missing number makes what is made of it unknown, and a comparison too; unknown and false is false, unknown or true is
 * true (Kleene). A neuron of which the criterion is unknown is not saturated. The text is untrusted: nothing in it can
 * do more than compare numbers, and its length and depth are limited.
 */
#ifndef PHI3SAT_STATS_EXPRESSION_H
#define PHI3SAT_STATS_EXPRESSION_H

#include "metrics.h"

#define EXPRESSION_STEPS 256
#define EXPRESSION_DEPTH 32

/* What can stand behind "gate.", for help and docs. */
struct expression_statistic {
    const char *name;
    enum metric metric;
    const char *meaning;
};
#define EXPRESSION_STATISTICS 10
extern const struct expression_statistic expression_statistics[EXPRESSION_STATISTICS];

/* Compiled: steps of a stack machine. A plain value, no memory to free. */
struct expression_step {
    int what;           /* enum in expression.c                                       */
    int series;
    enum metric metric;
    double number;      /* a literal; or of this layer, worked out when it is applied */
};

struct expression {
    struct expression_step step[EXPRESSION_STEPS];
    size_t count;
};

/* STATUS_USAGE with the column (from 1) of the first fault. */
enum status expression_parse(struct expression *x, const char *text, struct error *e) ERROR_MUST_USE;

/* Fills m->saturated; flags stay. Fails for want of memory only. */
enum status expression_apply(struct expression *x, struct metrics *m, struct error *e) ERROR_MUST_USE;

#endif
