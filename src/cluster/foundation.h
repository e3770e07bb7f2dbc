/* foundation.h - what a run stands on: prompts that an archive (--append) or a checkpoint (--resume) has already.
 *
 * Flow: intake, archive or checkpoint -> *foundation* -> prompts left to run, state to start from. In the end the
 * archive's prompts are the foundation's and those that were run.
 */
#ifndef PHI3SAT_CLUSTER_FOUNDATION_H
#define PHI3SAT_CLUSTER_FOUNDATION_H

#include "../archive/archive_facts.h"
#include "../archive/prompt_set.h"
#include "collector.h"
#include "intake.h"
#include "merge.h"

/* Zeroed: nothing, an ordinary run. The same on all ranks. */
struct foundation {
    struct prompt_set prompts;  /* sorted                                            */
    uint64_t prompts_cut;       /* of an archive                                     */
};

void foundation_free(struct foundation *f);

/* Who takes part, and how the state gets to those who need it. */
struct foundation_ways {
    const struct ranks *ranks;
    struct merge *merge;
};

/* Collective. Reads archive `path`, which must match `own` facts; items that it holds leave `in`, the first of
 * equal ones first: held twice and given three times, one stays. The archive's state is added to the ranks' (the merge's),
 * empty before. STATUS_INPUT names what differs. */
enum status foundation_append(struct foundation *f, const struct foundation_ways *ways, const char *path,
                              const struct archive_facts *own, struct intake *in, struct error *e) ERROR_MUST_USE;

/* Collective. The same with a checkpoint of a run with `own` facts, prompts as planned included: *f, of an archive or
 * empty before, becomes all prompts that are through. layers[in->count], made for the caller, is what those that are
 * left have reached. The checkpoint's state takes the place of the ranks', and on rank 0 *first becomes its first place of values
 * that were kept out. STATUS_INPUT: damaged, or of another run, with what differs. */
enum status foundation_resume(struct foundation *f, const struct foundation_ways *ways, const char *path,
                              const struct archive_facts *own, struct intake *in, struct collector_nonfinite *first,
                              uint32_t **layers, struct error *e) ERROR_MUST_USE;

/* Prompts of the foundation and of the items, all of which have been run: set (zeroed before) and the facts of
 * prompts follow. */
enum status foundation_facts(const struct foundation *f, const struct intake *in, struct prompt_set *set,
                             struct archive_facts *facts, struct error *e) ERROR_MUST_USE;

#endif
