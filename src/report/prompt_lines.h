/* prompt_lines.h - made prompts on standard output, one a line.
 *
 * Flow: prompt maker -> *standard output*, for `phi3sat prompts`. token_lines_finish
 * flushes at the end.
 */
#ifndef PHI3SAT_REPORT_PROMPT_LINES_H
#define PHI3SAT_REPORT_PROMPT_LINES_H

#include <stddef.h>

#include "../base/error.h"

/* Writes text[length], which holds no newline, and a newline. STATUS_OUTPUT when standard output has
 * failed. */
enum status prompt_lines_text(const char *text, size_t length, struct error *e) ERROR_MUST_USE;

/* The same as a JSON object {"text": ..., "domain": ..., "tokens": N}; text is UTF-8. */
enum status prompt_lines_json(const char *text, size_t length, const char *domain, size_t tokens,
                              struct error *e) ERROR_MUST_USE;

#endif
