/* prompt_notes.h - what the printed summary says about prompts that were odd.
 *
 * Flow: facts of a run -> *prompt notes* on standard output, behind the summary.
 */
#ifndef PHI3SAT_REPORT_PROMPT_NOTES_H
#define PHI3SAT_REPORT_PROMPT_NOTES_H

#include <stdio.h>

#include "../archive/archive_facts.h"

/* Prints one line for each count of odd prompts that isn't 0 (skipped, cut, repeated, malformed ...) to
 * `to` (NULL: standard output), and nothing at all when all are. STATUS_OUTPUT when that fails. */
enum status prompt_notes_print(FILE *to, const struct archive_facts *facts, const struct archive_run *run,
                               struct error *e) ERROR_MUST_USE;

#endif
