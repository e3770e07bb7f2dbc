/* log.h - what the program says while it works: notes, warnings, progress, errors.
 *
 * All of it goes to standard error, from one rank (the others are told to be
 * quiet by log_open). Only errors begin with "phi3sat: ". Notes and warnings wait
 * in memory until log_release, which the caller calls once inputs and outputs have
 * been checked, so that a failed start prints one line only.
 */
#ifndef PHI3SAT_BASE_LOG_H
#define PHI3SAT_BASE_LOG_H

#include <stdbool.h>

#include "error.h"

enum log_level { LOG_QUIET = 0, LOG_NORMAL = 1, LOG_VERBOSE = 2 };
enum log_progress { LOG_PROGRESS_AUTO, LOG_PROGRESS_ALWAYS, LOG_PROGRESS_NEVER };

/* Sets the level and whether this process speaks at all. */
void log_open(bool speaks, enum log_level level, enum log_progress progress);

/* "note: ..." (LOG_VERBOSE), a plain line (LOG_NORMAL), "warning: ..." (always unless quiet):
 * one line each, given without its newline; control characters are shown as '?'. */
void log_detail(const char *format, ...) ERROR_PRINTF(1, 2);
void log_line(const char *format, ...) ERROR_PRINTF(1, 2);
void log_warning(const char *format, ...) ERROR_PRINTF(1, 2);

/* From now on lines are written at once; those that waited come first. */
void log_release(void);

/* One progress line. On a terminal it replaces the last one; elsewhere it is a
 * plain line, at most one every 10 s; there it is cut at the terminal's width. The last one (`final`) always shows. */
void log_progress_line(bool final, const char *format, ...) ERROR_PRINTF(2, 3);

/* What a step does that usually is too short to speak of: shown as progress is, but not before the step, or what was
 * said before, is a second old (10 s where it isn't a terminal). */
void log_phase(const char *format, ...) ERROR_PRINTF(1, 2);

/* "phi3sat: ..." - always, whatever the level; waiting notes are dropped. */
void log_error(const struct error *e);

/* "phi3sat: LINE", for a process that must end within a signal's handler: async-signal-safe. Control characters in `line` become
 * '?'. */
void log_last_words(char *line);

#endif
