/* printing.h - what every text for people begins and ends with: C's decimal points, and whether it could be written.
 *
 * Flow: summary, sureness, comparison, plot -> *printing* -> standard output.
 */
#ifndef PHI3SAT_REPORT_PRINTING_H
#define PHI3SAT_REPORT_PRINTING_H

#include <locale.h>
#include <stdio.h>

#include "../base/error.h"

/* Under way; a plain value. */
struct printing {
    FILE *to;
    locale_t c, users;
};

/* This thread's numbers have a decimal point until printing_end. `to` NULL is standard output. STATUS_FAILED: no memory; then
 * printing_end isn't due. */
enum status printing_begin(struct printing *p, FILE *to, struct error *e) ERROR_MUST_USE;

/* Flushes, and gives the locale back. STATUS_OUTPUT when any of it could not be written. */
enum status printing_end(struct printing *p, struct error *e) ERROR_MUST_USE;

#endif
