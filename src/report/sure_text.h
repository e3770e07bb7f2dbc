/* sure_text.h - how sure the shares are, for people and as a table.
 *
 * Flow: sureness of the layers -> *text* behind the summary, *CSV* of `report --intervals`.
 */
#ifndef PHI3SAT_REPORT_SURE_TEXT_H
#define PHI3SAT_REPORT_SURE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "../base/outfile.h"
#include "../stats/summary.h"
#include "../stats/sureness.h"

/* Whether more prompts could change the recommendation, in words of at most SURE_TEXT_VERDICT bytes (and a newline within);
 * false, and nothing, where that isn't known. */
#define SURE_TEXT_VERDICT 256
bool sure_text_verdict(char *text, size_t size, const struct sureness *s, uint64_t prompts);

/* Prints the intervals of the model's shares, and whether more than `prompts` prompts could change the verdict and about
 * how many, to `to` (NULL: standard output). STATUS_OUTPUT. */
enum status sure_text_print(FILE *to, const struct sureness *s, const struct summary *summary, uint64_t prompts,
                            struct error *e) ERROR_MUST_USE;

/* One row a layer with both ends of every share's interval, in per cent, into an open output. */
void sure_text_csv(struct outfile *out, const struct sureness *s, uint64_t prompts);

#endif
