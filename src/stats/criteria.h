/* criteria.h - what "saturated" means: a table of criteria and how they combine.
 *
 * Flow: metrics -> *criteria* -> flags -> summary, archive. A criterion is one row of
 * criteria_table: name, metric, predicate, threshold with option and default, bit.
 * Comparisons are float32 values against float32 thresholds (DESIGN section 2); a
 * missing value (NaN) meets no criterion.
 */
#ifndef PHI3SAT_STATS_CRITERIA_H
#define PHI3SAT_STATS_CRITERIA_H

#include <stdbool.h>

#include "metrics.h"

enum criteria_predicate { CRITERIA_BELOW, CRITERIA_MAGNITUDE_BELOW, CRITERIA_ABOVE };

/* Flag bit of criterion c of series s: c + 8 s. Eight criteria at most. */
#define CRITERIA_BITS_PER_SERIES 8
/* Set on super neurons, whatever the criteria say. */
#define CRITERIA_SUPER_BIT 24

struct criteria_row {
    const char *name;          /* "low_variance": flag meanings are gate_low_variance ... */
    enum metric metric;
    enum criteria_predicate predicate;
    float threshold;           /* default                                          */
    const char *option;        /* "variance-threshold"                              */
    const char *help;
};

#define CRITERIA_COUNT 3
extern const struct criteria_row criteria_table[CRITERIA_COUNT];

enum criteria_combine { CRITERIA_ALL, CRITERIA_ANY, CRITERIA_FFN };

/* The choices of a run or a report. */
struct criteria {
    float threshold[CRITERIA_COUNT];  /* by row of criteria_table                     */
    float activity_threshold;         /* fixed when the run was made                  */
    bool activity_signed;             /* criterion 3 uses `inactive`                   */
    enum criteria_combine combine;
    float super_ratio;
};

/* The defaults of DESIGN section 2. */
struct criteria criteria_defaults(void);
const char *criteria_combine_name(enum criteria_combine combine);          /* "all"  */
bool criteria_combine_parse(const char *name, enum criteria_combine *combine);

/* Fills m->flags and m->saturated. Super neurons: max |ffn| >= super_ratio times
 * the layer's median of max |ffn| (the lower middle one of an even number; values
 * of neurons without finite samples left out), and above 0. */
enum status criteria_apply(const struct criteria *c, struct metrics *m, struct error *e) ERROR_MUST_USE;

/* The metric that row k of criteria_table looks at: with activity_signed the third one's is another. */
enum metric criteria_metric(const struct criteria *c, int k);

/* max |ffn| of neuron i; NaN without finite samples. And its median over the layer, 0 where no neuron has one. */
float criteria_largest_ffn(const struct metrics *m, size_t i);
enum status criteria_median_largest(const struct metrics *m, float *median, struct error *e) ERROR_MUST_USE;

/* Is series `s` saturated by these flags? */
bool criteria_series_saturated(uint32_t flags, enum series s);

#endif
