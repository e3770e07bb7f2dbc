/* pack.h - a model of any kind of file into a .knot file (docs/knot.md).
 *
 * Flow: model file, weights -> *pack* -> formats/knot_writer. Rows go over as they are, in canonical order; vectors
 * become float32. Private memory: a row, and the head of the file that is written, whatever the model's size.
 */
#ifndef PHI3SAT_MODEL_PACK_H
#define PHI3SAT_MODEL_PACK_H

#include "weights.h"

struct pack_watch {
    /* Told before each section is written (NULL: nobody): 0 is the embedding, 1 + L layer L. */
    void (*section)(void *context, size_t section, size_t count);
    void *context;
};

/* What became of it. */
struct pack_result {
    uint64_t bytes;
    size_t nested_keys; /* arrays of arrays, left out                               */
};

/* Writes `path`, which may not be a file that `file` consists of. `w` was opened by weights_open. STATUS_OUTPUT, STATUS_FAILED;
 * an old file of that name is then as it was. */
enum status pack_write(const char *path, const struct model_file *file, const struct config *c, const struct weights *w,
                       const struct pack_watch *watch, struct pack_result *result, struct error *e) ERROR_MUST_USE;

#endif
