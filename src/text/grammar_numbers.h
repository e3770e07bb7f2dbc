/* grammar_numbers.h - the arithmetic of setups, and numbers written out.
 *
 * Expressions know + - * / %, parentheses, unary minus, gcd(a; b), numbers, names of bindings and
 * forms that are numbers (`mountain.height`). Products and sums that leave 64 bits, divisions
 * that leave a remainder and divisions by 0 make a draw void.
 */
#ifndef PHI3SAT_TEXT_GRAMMAR_NUMBERS_H
#define PHI3SAT_TEXT_GRAMMAR_NUMBERS_H

#include "grammar.h"

enum grammar_numbers_outcome {
    GRAMMAR_NUMBERS_FINE,
    GRAMMAR_NUMBERS_VOID,  /* draw again                 */
    GRAMMAR_NUMBERS_BROKEN /* the text has a mistake     */
};

/* Evaluates `source` up to its end or to ".." or '|', and sets *used to where it stopped. */
enum grammar_numbers_outcome grammar_numbers_value(const struct grammar_scene *scene, struct grammar_span source,
                                                   size_t *used, int64_t *value);

/* Evaluates `left < right` and its like (< <= > >= == !=). */
enum grammar_numbers_outcome grammar_numbers_holds(const struct grammar_scene *scene, struct grammar_span source,
                                                   bool *holds);

/* The whole number that `s` is in decimal. */
bool grammar_numbers_read(struct grammar_span s, int64_t *value);

/* Writes `value` in `style` (empty: plain digits) to out[96]; false: no such style, or a value
 * that it has no words for. Styles: words (0 to 999,999), comma (12,345), money (cents: $3.05),
 * tenths (3.5, 4), hundredths (3.25, 3.5, 3), clock (minutes after midnight: 2:05 p.m.), ordinal (21st). */
bool grammar_numbers_write(int64_t value, struct grammar_span style, char out[96]);

#endif
