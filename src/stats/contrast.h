/* contrast.h - one layer of two profiles, neuron by neuron: classes, sets, ranks, and what sampling would give.
 *
 * Flow: metrics with flags of A and B -> *contrast* -> compare's report.
 *
 * Classes: active, saturated, super (whatever else it is). Sets: the saturated neurons of A and of B.
 *
 * Sampling. With r a neuron's mean or low-activity share of one series, and prompts drawn independently for A and B,
 * t = (rB - rA) / sqrt(seA^2 + seB^2) has Student's distribution with Welch and Satterthwaite's degrees of freedom.
 * Prompts of unequal length know less than as many equal ones: contrast_sample.
 * The six tests of each neuron are joined by the Cauchy combination (Liu and Xie, J. Am. Stat. Assoc. 115, 2020):
 * T = mean of cot(pi p) has a standard Cauchy distribution, exactly when tests are independent or all alike, and in
 * its tail nearly so for any dependence; neurons see the same prompts, so they do depend on each other.
 */
#ifndef PHI3SAT_STATS_CONTRAST_H
#define PHI3SAT_STATS_CONTRAST_H

#include "criteria.h"

enum contrast_class { CONTRAST_ACTIVE, CONTRAST_SATURATED, CONTRAST_SUPER, CONTRAST_CLASSES };

/* Tests joined; several layers' are joined by contrast_add. */
struct contrast_tests {
    double sum;         /* of cot(pi p)                                               */
    size_t count;       /* tests                                                      */
    size_t below;       /* of them with p < CONTRAST_LEVEL                            */
};

#define CONTRAST_LEVEL 0.05

struct contrast {
    size_t neurons;
    size_t confusion[CONTRAST_CLASSES][CONTRAST_CLASSES]; /* [of A][of B]                */
    size_t first, second, both;    /* saturated in A, in B, in both                      */
    double rank_correlation;       /* Spearman's, of the variance of ffn over the neurons saturated in A or B; NaN: fewer
                                    * than 2 of them, or all alike                        */
    double rank_correlation_all;   /* over all neurons                                   */
    size_t differing;              /* neurons of which any archived number differs       */
    struct contrast_tests tests;
};

/* The lengths of an archive's prompts: their number and sums of powers. Zeroed is none. */
struct contrast_lengths {
    double prompts, power[4]; /* power[k]: sum of tokens^(k + 1) */
};

/* Adds `prompts` prompts of `tokens` tokens each. */
void contrast_lengths_add(struct contrast_lengths *l, uint64_t tokens, uint64_t prompts);

/* What a standard error of so many prompts as clusters is worth. */
struct contrast_sample {
    double freedom; /* degrees of freedom of its square; 0: too few prompts for a test           */
    double factor;  /* what its square, as archived, is to be multiplied with to be right on average */
};

/* For clusters whose means have one variance and whose weights are w = n / N (docs/methods.md, after Carter, Schnepel and
 * Steigerwald, Review of Economics and Statistics 99, 2017): P - 1 and 1 where all lengths are equal. */
struct contrast_sample contrast_sample(const struct contrast_lengths *l);

/* Compares layer metrics `a` and `b` of the same number of neurons, judged by criteria_apply. Fails for want of memory
 * only. `sample`: of A and of B. */
enum status contrast_layer(struct contrast *c, const struct metrics *a, const struct metrics *b,
                           const struct contrast_sample sample[2], struct error *e) ERROR_MUST_USE;

/* into += from: counts and tests; rank correlations are left alone. */
void contrast_add(struct contrast *into, const struct contrast *from);

/* |A and B| / |A or B| of the saturated sets; NaN when both are empty. */
double contrast_overlap(const struct contrast *c);

/* The probability that sampling alone gives so much difference; NaN without tests. */
double contrast_probability(const struct contrast_tests *tests);

#endif
