/* compose.h - text in Unicode's composed form, NFC, which some tokenizers want. */
#ifndef PHI3SAT_TEXT_COMPOSE_H
#define PHI3SAT_TEXT_COMPOSE_H

#include <stddef.h>

#include "../base/error.h"

/* Composes text[length], which is UTF-8 without broken characters, into fresh memory; the caller frees *composed. NULL where
 * nothing is to be done: ASCII, and what Unicode gives no composed form to or nobody wrote for reading (surrogates, more than
 * COMPOSE_MOST_MARKS marks in a row, whose ordering takes the square of their number). */
#define COMPOSE_MOST_MARKS 4096
enum status compose_nfc(const char *text, size_t length, char **composed, size_t *composed_length,
                        struct error *e) ERROR_MUST_USE;

#endif
