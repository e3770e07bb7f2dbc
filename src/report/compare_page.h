/* compare_page.h - archives side by side as one self-contained HTML page.
 *
 * Flow: what compare_text prints -> *page* -> compare --html. No script: everything is there at once.
 */
#ifndef PHI3SAT_REPORT_COMPARE_PAGE_H
#define PHI3SAT_REPORT_COMPARE_PAGE_H

#include "compare_text.h"

/* The begin, one part for each B (its number on the command line, from 1), the end, into an open output. `title`: A's name. */
void compare_page_begin(struct outfile *out, const char *title);
void compare_page_pair(struct outfile *out, const struct compare_text *t, size_t pair);
void compare_page_end(struct outfile *out);

#endif
