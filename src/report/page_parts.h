/* page_parts.h - the parts of a profile's page that have files of their own; see page.h. */
#ifndef PHI3SAT_REPORT_PAGE_PARTS_H
#define PHI3SAT_REPORT_PAGE_PARTS_H

#include "plots.h"

/* page_first.c: what one sees first, recommendation, where, how sure. */
/* The model's file without its folders; where that isn't known the architecture. */
const char *page_name(const struct plots_profile *p);
void page_first(struct outfile *out, const struct plots_profile *p);

/* page_tables.c: the CSV's table, the lists of neurons, gains, where it all comes from. */
void page_layers_table(struct outfile *out, const struct plots_profile *p);
void page_neurons(struct outfile *out, const struct plots_profile *p);
void page_gains(struct outfile *out, const struct plots_profile *p);
void page_provenance(struct outfile *out, const struct plots_profile *p);

/* page_thresholds.c: the curves with their sliders. */
void page_thresholds(struct outfile *out, const struct plots_profile *p);

/* page_data.c: numbers for the script. */
void page_data(struct outfile *out, const struct plots_profile *p);

#endif
