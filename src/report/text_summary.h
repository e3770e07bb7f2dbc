/* text_summary.h - the printed summary: averages, depth, trend, recommendation.
 *
 * Flow: summary of the model -> *printed summary* on standard output.
 *
 * Words and layout: DESIGN section 2. The output depends on its arguments alone,
 * so that any number of ranks prints the same.
 */
#ifndef PHI3SAT_REPORT_TEXT_SUMMARY_H
#define PHI3SAT_REPORT_TEXT_SUMMARY_H

#include <stdio.h>

#include "../stats/summary.h"

/* A neuron that must stay: its largest |ffn| towers above its layer's. */
struct text_summary_super {
    size_t layer;
    size_t neuron;
    float magnitude;    /* max |ffn|                                          */
};

/* What the summary is made from; everything borrowed. */
struct text_summary {
    const struct summary *summary;
    const struct criteria *criteria;
    const struct text_summary_super *super; /* [super_count], by magnitude; NULL with 0. May hold fewer
                                             * than summary->super_neurons: the rest is counted */
    size_t super_count;
    const char *rule; /* a criterion of the user's own; NULL: `criteria` decide          */
};

/* Super neurons named one by one; the rest are counted. */
#define TEXT_SUMMARY_SUPER_SHOWN 8

/* Prints it to `to` (NULL: standard output), decimal points in every locale. STATUS_OUTPUT
 * when that fails. */
enum status text_summary_print(FILE *to, const struct text_summary *t, struct error *e) ERROR_MUST_USE;

/* The summary's sentences, for those who say them elsewhere: what to do next (with newlines within), what the trend means
 * ("" where that is unknown), where a neuron has to be quiet. */
const char *text_summary_next_steps(enum summary_recommendation recommendation);
const char *text_summary_interpretation(const struct summary *s);
const char *text_summary_combination(enum criteria_combine combine);

/* Adds a layer's super neurons (by m->flags) to list[capacity], which holds
 * `count`, and returns the new count. The list is kept by magnitude, largest first
 * (ties: lower layer, neuron); what doesn't fit is left out from its end. */
size_t text_summary_collect(const struct metrics *m, size_t layer, struct text_summary_super *list, size_t count,
                            size_t capacity);

#endif
