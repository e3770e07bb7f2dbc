/* token_line.h - a line of token ids in decimal. */
#ifndef PHI3SAT_TEXT_TOKEN_LINE_H
#define PHI3SAT_TEXT_TOKEN_LINE_H

#include "token_list.h"

/* Appends the ids of line[length], separated by spaces or tabs, to `out` (NULL: they are only
 * checked). STATUS_INPUT: one is no number, negative, or not below `vocabulary`. */
enum status token_line_read(const char *line, size_t length, size_t vocabulary, struct token_list *out,
                            struct error *e) ERROR_MUST_USE;

#endif
