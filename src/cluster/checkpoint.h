/* checkpoint.h - writes where a run is, so that it can go on later on other ranks.
 *
 * Flow: the ranks' states, what each prompt has reached -> *checkpoint* -> one HDF5 file. The state of a layer is that
 * of whole prompts; a prompt that is under way counts in the layers below the one that it has reached, and the file
 * says which those are: when it is run again, they fold nothing. So a checkpoint may be written between any two chunks
 * of work, and the run goes on from there as if nothing had been.
 */
#ifndef PHI3SAT_CLUSTER_CHECKPOINT_H
#define PHI3SAT_CLUSTER_CHECKPOINT_H

#include "foundation.h"
#include "merge.h"

struct checkpoint {
    const struct ranks *ranks;
    const char *path;                      /* NULL: none are written                  */
    const struct archive_facts *facts;     /* of the run, its prompts as planned      */
    const struct archive_run *run;
    const struct foundation *foundation;
    const struct intake *intake;           /* prompts that the foundation lacks       */
    uint32_t *layers;                      /* [items]: layers that have counted it, as far as this rank knows */
    struct collector *collector;
    struct merge *merge;
    bool written;                          /* one lies at `path`                      */
};

/* Collective, all ranks upon the same order, the batch under way settled. Afterwards `layers` is what all know, on all
 * ranks. STATUS_OUTPUT on all ranks alike; a checkpoint that was there before is then as it was. */
enum status checkpoint_write(struct checkpoint *c, struct error *e) ERROR_MUST_USE;

/* Rank 0, when the outputs are there: removes what lies at `path`, if it is of this run. */
void checkpoint_remove(const struct checkpoint *c);

#endif
