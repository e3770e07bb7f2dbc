/* decode_memory.h - what memory a generation session takes, known before it is opened. */
#ifndef PHI3SAT_MODEL_DECODE_MEMORY_H
#define PHI3SAT_MODEL_DECODE_MEMORY_H

#include "decode.h"

struct decode_memory {
    uint64_t weights;   /* bytes of the file's matrices, mapped                               */
    uint64_t repacked;  /* of their vector forms                                              */
    uint64_t cache;     /* keys and values of all layers                                     */
    uint64_t working;   /* activations, logits, tables: a bound                                */
};

/* Of a session as decode_open would make it, on `threads` threads; `weights` already has only the neurons that take part, and
 * `config` their number. STATUS_INPUT when a size doesn't fit 64 bits; STATUS_FAILED for want of memory. */
enum status decode_memory_of(struct decode_memory *m, const struct config *config, const struct weights *weights,
                             const struct weights_head *head, const struct kernels *kernels,
                             const struct decode_options *options, size_t threads, struct error *e) ERROR_MUST_USE;

/* STATUS_INPUT, in one sentence, when it is more than options.memory. */
enum status decode_memory_check(const struct decode_memory *m, const struct decode_options *options,
                                struct error *e) ERROR_MUST_USE;

#endif
