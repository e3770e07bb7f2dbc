/* gain_text.h - what removing the removable neurons would gain, beyond the linear estimate.
 *
 * Flow: facts of a model, the layers' shares -> *text* behind the summary.
 */
#ifndef PHI3SAT_REPORT_GAIN_TEXT_H
#define PHI3SAT_REPORT_GAIN_TEXT_H

#include <stdio.h>

#include "../archive/archive_facts.h"
#include "../stats/gain.h"

/* A machine's roofs, as `phi3sat bench roof` measures them; 0: not known. */
struct gain_text_roofs {
    double gflops; /* 10^9 FLOP/s  */
    double gbytes; /* 10^9 bytes/s */
};

/* The ways to count that are told. */
#define GAIN_TEXT_ROWS 4
struct gain_text_row {
    const char *name;
    enum gain_cost cost;
    size_t block;
};
extern const struct gain_text_row gain_text_rows[GAIN_TEXT_ROWS];

/* The model's shape, at half a mean prompt's keys. */
struct gain_shape gain_text_shape(const struct archive_facts *facts);

/* Prints it to `to` (NULL: standard output); rows: [facts->layers]. Nothing where nothing was measured. STATUS_OUTPUT. */
enum status gain_text_print(FILE *to, const struct archive_facts *facts, const struct summary_row *rows,
                            const struct gain_text_roofs *roofs, struct error *e) ERROR_MUST_USE;

#endif
