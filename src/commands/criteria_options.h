/* criteria_options.h - the options that say what "saturated" means, alike in every command that judges neurons.
 *
 * Flow: rows for a command's option table -> parsed struct criteria_choice -> *struct criteria*.
 */
#ifndef PHI3SAT_COMMANDS_CRITERIA_OPTIONS_H
#define PHI3SAT_COMMANDS_CRITERIA_OPTIONS_H

#include "../base/options.h"
#include "../stats/criteria.h"

/* A heading, activity-threshold, activity, combine, super-ratio, and the rows of criteria_table. */
#define CRITERIA_OPTIONS_COUNT (5 + CRITERIA_COUNT)

/* What the rows fill; part of a command's settings. Defaults are set by the caller. */
struct criteria_choice {
    struct criteria criteria; /* activity_signed and combine only after criteria_options_settle */
    int combine, activity;
};

/* Fills rows[CRITERIA_OPTIONS_COUNT] for a choice at `offset` of the command's settings. `default_text`: shown for
 * all ("the archive's"); NULL: each row's own default. The texts are static; not thread-safe. */
void criteria_options_rows(struct options_row *rows, size_t offset, const char *default_text);

/* After parsing: the two words become part of the criteria. */
void criteria_options_settle(struct criteria_choice *choice);

/* Takes from `archived` whatever was not given on the command line. STATUS_USAGE when another activity threshold was
 * given than the archive was measured with: what lies below it was counted while the model ran. `path` is the
 * archive's, for that message. */
enum status criteria_options_inherit(struct criteria_choice *choice, const struct options_table *table,
                                     const struct options_result *given, const struct criteria *archived,
                                     const char *path, struct error *e) ERROR_MUST_USE;

#endif
