/* token_lines.h - token ids on standard output, one prompt a line.
 *
 * Flow: tokenizer -> *standard output*, for `phi3sat tokenize`. What is printed can be
 * given back with --tokens.
 */
#ifndef PHI3SAT_REPORT_TOKEN_LINES_H
#define PHI3SAT_REPORT_TOKEN_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"
#include "../base/options.h"

/* Writes ids[n] in decimal, separated by spaces, and a newline (n = 0: an empty
 * line). STATUS_OUTPUT when standard output has failed. */
enum status token_lines_print(const int32_t *ids, size_t n, struct error *e) ERROR_MUST_USE;

/* Flushes; STATUS_OUTPUT when any of it could not be written. */
enum status token_lines_finish(struct error *e) ERROR_MUST_USE;

/* Prints the --help of `table` there, and flushes. */
enum status token_lines_help(const struct options_table *table, struct error *e) ERROR_MUST_USE;

#endif
