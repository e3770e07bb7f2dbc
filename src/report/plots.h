/* plots.h - the pictures of a profile: each one for a page or as a file of its own.
 *
 * Flow: summary rows, intervals, portrait -> *plots* -> page, --svg.
 */
#ifndef PHI3SAT_REPORT_PLOTS_H
#define PHI3SAT_REPORT_PLOTS_H

#include "../archive/archive_facts.h"
#include "../base/outfile.h"
#include "../stats/sureness.h"
#include "gain_text.h"
#include "portrait.h"

/* A profile as pages and pictures see it; everything borrowed. */
struct plots_profile {
    size_t layers, neurons;
    const struct summary_row *rows;      /* [layers]                                      */
    const struct criteria *criteria;
    const struct sureness *sureness;
    const struct portrait *portrait;
    const struct archive_facts *facts;
    const struct archive_run *run;
    const char *rule;                    /* a criterion of the user's own; NULL: `criteria` decide */
    struct gain_text_roofs roofs;        /* zeroed: not known                             */
};

/* Names of series, criteria, thresholds and measures as people read them. */
extern const char *const plots_series_names[SERIES_COUNT];
extern const char *const plots_criterion_names[CRITERIA_COUNT + 1]; /* the last: any of the three */
extern const char *const plots_measure_names[PORTRAIT_MEASURES];

/* The removable share between the lines of the recommendation, with its interval. */
void plots_verdict(struct outfile *out, bool file, const struct plots_profile *p);
/* Saturated share by layer with intervals. */
void plots_depth(struct outfile *out, bool file, const struct plots_profile *p);
/* The removable share by layer, without numbers, for a page's first screen. */
void plots_depth_small(struct outfile *out, const struct plots_profile *p);
/* The share that meets each criterion, by series and layer. */
void plots_criteria(struct outfile *out, bool file, const struct plots_profile *p);
/* Layer by neuron: what is saturated. */
void plots_map(struct outfile *out, bool file, const struct plots_profile *p);
/* Quantiles of variance, mean and activity by series and layer. */
void plots_spread(struct outfile *out, bool file, const struct plots_profile *p);
/* Shares and speedup by one threshold; a page's has a line that its slider moves. */
void plots_threshold(struct outfile *out, bool file, const struct plots_profile *p, int which);

/* Where thresholds are in plots_threshold, for the slider's line. */
double plots_threshold_x(const struct plots_profile *p, int which, float threshold);

/* What a model comes to with one threshold changed: means over layers, those without values left out. */
struct plots_outcome {
    double saturated, removable; /* shares                                             */
    double speedup;              /* mean of the layers' EstSpeedup                     */
    double stack;                /* the FFN stack's                                    */
};
struct plots_outcome plots_outcome(const struct plots_profile *p, int which, float threshold);

/* The files of --svg. Names are told by plots_file_name for i < PLOTS_FILES; a file that there is nothing to draw for is
 * not made. */
#define PLOTS_FILES (5 + WHAT_IF_COUNT)
const char *plots_file_name(size_t i);
bool plots_file_wanted(const struct plots_profile *p, size_t i);
void plots_file_draw(struct outfile *out, const struct plots_profile *p, size_t i);

#endif
