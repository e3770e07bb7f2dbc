/* archive_sum.h - several archives as the one that a single run over all their prompts would have made.
 *
 * Flow: archives -> *sum* -> state a layer at a time, facts, prompts -> writer. Multisets are added: a text
 * that two archives hold counts twice. The order of the archives can't be seen in what comes out. No more than
 * one layer of one archive is in memory beside the sum's layer.
 */
#ifndef PHI3SAT_ARCHIVE_ARCHIVE_SUM_H
#define PHI3SAT_ARCHIVE_ARCHIVE_SUM_H

#include "../stats/accumulator.h"
#include "archive_reader.h"

struct archive_sum {
    struct archive_reader **reader;  /* [count]                                        */
    size_t count;
    struct archive_facts facts;      /* of the sum; layer_fingerprint borrowed from reader[0] */
    struct prompt_set prompts;       /* sorted                                         */
    struct accumulator layer;        /* of one layer: the sum's, then scratch          */
    struct accumulator scratch;
};

/* Opens paths[count], count >= 1, and checks that they belong together. STATUS_INPUT names the archive and what
 * differs. Zeroed on failure; else freed by archive_sum_close (zeroed struct allowed). */
enum status archive_sum_open(struct archive_sum *sum, char *const *paths, size_t count, struct error *e) ERROR_MUST_USE;
void archive_sum_close(struct archive_sum *sum);

/* sum->layer becomes the state of layer `layer` of all archives together. */
enum status archive_sum_layer(struct archive_sum *sum, size_t layer, struct error *e) ERROR_MUST_USE;

#endif
