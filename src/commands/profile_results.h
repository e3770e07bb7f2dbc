/* profile_results.h - rank 0's part at the end: archive, CSV, printed summary.
 *
 * Flow: merged accumulator, facts -> *results* -> files, standard output.
 */
#ifndef PHI3SAT_COMMANDS_PROFILE_RESULTS_H
#define PHI3SAT_COMMANDS_PROFILE_RESULTS_H

#include "../archive/archive_facts.h"
#include "../archive/prompt_set.h"
#include "../stats/accumulator.h"

/* Everything borrowed. */
struct profile_results {
    const struct accumulator *state;
    const struct archive_facts *facts;
    const struct archive_run *run;
    const struct prompt_set *prompts;
    const char *csv_path, *hdf5_path;
};

/* Writes both files (neither replaces an old one until both are whole) and prints the summary. *nonfinite: how many values were kept out. STATUS_OUTPUT. */
enum status profile_results_write(const struct profile_results *r, uint64_t *nonfinite,
                                  struct error *e) ERROR_MUST_USE;

#endif
