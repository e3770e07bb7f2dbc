/* page.h - a profile as one self-contained HTML page.
 *
 * Flow: what plots see -> *page* -> --html of profile and report.
 *
 * The page needs no network and can be read without JavaScript, which adds zooming and sliders. It has the same bytes for the
 * same archive, options and program. docs/report.md says how to read it.
 */
#ifndef PHI3SAT_REPORT_PAGE_H
#define PHI3SAT_REPORT_PAGE_H

#include "plots.h"

/* Writes it into an open output; faults of writing are told by outfile_commit. */
void page_write(struct outfile *out, const struct plots_profile *p);

#endif
