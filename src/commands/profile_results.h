/* profile_results.h - the end of a profile or a merge: archive, CSV, printed summary.
 *
 * Flow: merged state, layer by layer -> *results* -> files, standard output. The caller has the whole state
 * on no single rank, so layers are handed in one by one.
 */
#ifndef PHI3SAT_COMMANDS_PROFILE_RESULTS_H
#define PHI3SAT_COMMANDS_PROFILE_RESULTS_H

#include "../archive/archive_facts.h"
#include "../archive/prompt_set.h"
#include "../stats/accumulator.h"

/* Everything borrowed until the end. */
struct profile_results {
    size_t layers, neurons;
    const struct criteria *criteria;
    const char *csv_path;  /* NULL: no table                                         */
    const char *hdf5_path;
    const char *html_path; /* NULL: no page                                          */
    bool plot;             /* print plots behind the summary                         */
};

struct profile_results_writer; /* opaque */

/* Starts the archive beside its name. *w is NULL on failure; else it ends with profile_results_finish or
 * profile_results_abandon. STATUS_OUTPUT, STATUS_FAILED for want of memory. */
enum status profile_results_open(struct profile_results_writer **w, const struct profile_results *r,
                                 struct error *e) ERROR_MUST_USE;

/* Layer `layer`, which is layer `at` of `state` (a state of one layer will do); each once, in any order. Borrowed
 * for the call. */
enum status profile_results_layer(struct profile_results_writer *w, size_t layer, const struct accumulator *state,
                                  size_t at, struct error *e) ERROR_MUST_USE;

/* Writes what is left, replaces both old files once both new ones are whole, and prints the summary.
 * *nonfinite: how many values were kept out. `w` is freed in any case. STATUS_OUTPUT. */
enum status profile_results_finish(struct profile_results_writer *w, const struct archive_facts *facts,
                                   const struct archive_run *run, const struct prompt_set *prompts,
                                   uint64_t *nonfinite, struct error *e) ERROR_MUST_USE;

/* Removes what was written; NULL is allowed. */
void profile_results_abandon(struct profile_results_writer *w);

/* All of that for a state that is whole. */
enum status profile_results_write(const struct profile_results *r, const struct accumulator *state,
                                  const struct archive_facts *facts, const struct archive_run *run,
                                  const struct prompt_set *prompts, uint64_t *nonfinite,
                                  struct error *e) ERROR_MUST_USE;

#endif
