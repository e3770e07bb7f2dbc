/* decode.h - generation: a text goes in, logits of the next token come out, one token at a time.
 *
 * Flow: token ids -> *decode* -> logits -> the likeliest id -> decode again. A session holds the keys and values of all
 * layers, so that a step costs one row through the layers. Prompts of any length go through in chunks, all layers
 * of a chunk before the next one. It is the forward pass of profiles (forward.c) with its last layer whole and the head
 * behind it: the same kernels, the same order of sums, so that feeding tokens one by one, in chunks or all together gives
 * the same bits at each position, whatever the threads and the instruction set.
 *
 * A step of one row reads weights in their vector form (row_product.h), made when the session opens, which takes
 * the file's bytes once more; types without one go the way of the chunks. The bits are the same.
 *
 * LongRoPE: which factors apply is decided once, by the session's capacity: it is the length that the text may reach.
 */
#ifndef PHI3SAT_MODEL_DECODE_H
#define PHI3SAT_MODEL_DECODE_H

#include "../kernels/kernels.h"
#include "weights.h"

struct decode_options {
    size_t capacity;        /* tokens that prompt and answer may have together, at least 1        */
    size_t batch_tokens;    /* rows of a chunk, at least 1                                     */
    size_t window;          /* as in forward.h                                                */
    enum kernels_mode mode;
    bool repack;            /* make vector forms                                             */
    bool separate;          /* room for gate and up as two products (decode_separate), which is how it begins */
    bool half;              /* only the first half of each layer's neurons, to whole blocks of the down projection: another
                             * model, for its speed */
    size_t logit_rows;      /* rows whose logits decode_feed makes at a time; at least 1          */
    uint64_t memory;        /* bytes that may be taken; 0: not known                            */
    const struct decode *like; /* a session of the same model and mode that outlives this one: vector forms that are alike
                             * are used together. NULL: none                                 */
};

/* Where the time went since the session was opened: seconds. */
struct decode_times {
    double attention;  /* norm, query, key, value, attention, output projection                    */
    double ffn;        /* norm, gate, up, down                                              */
    double head;       /* final norm and logits                                             */
    double rest;       /* embeddings                                                        */
};

struct decode; /* opaque: one text at a time */

/* All pointers are borrowed and must outlive *decode. For threads_count() threads as set at this call. STATUS_INPUT when it
 * would take more than options.memory (nothing is allocated then); STATUS_FAILED for want of memory. Free with decode_close
 * (NULL allowed). Not thread-safe: one caller at a time. */
enum status decode_open(struct decode **decode, const struct config *config, const struct weights *weights,
                        const struct weights_head *head, const struct kernels *kernels,
                        const struct decode_options *options, struct error *e) ERROR_MUST_USE;
void decode_close(struct decode *decode);

/* Neurons of each layer's FFN that take part. */
size_t decode_neurons(const struct decode *decode);

/* Forgets the tokens from `position` on, which is at most how many were fed; 0: another text begins. */
void decode_rewind(struct decode *decode, size_t position);

/* Gate and up as two products, one after the other, or (false) together; the same bits. Only with options.separate. */
void decode_separate(struct decode *decode, bool separate);

/* Bytes of weights that a step of one token reads, and how many of them in vector form. */
struct decode_bytes {
    uint64_t all, repacked;
};

struct decode_bytes decode_bytes(const struct decode *decode);

/* Tokens fed so far. */
size_t decode_position(const struct decode *decode);

/* Who wants to see logits of more than the last token: told once for each position from `from` on that is fed, with logits
 * [vocabulary] that it may overwrite. Called from several threads at once. */
struct decode_listener {
    void (*logits)(void *context, size_t position, float *logits);
    void *context;
    size_t from;
};

/* Feeds ids [count >= 1] behind what there is. STATUS_INPUT, with nothing fed, when they pass the capacity or an id is none
 * of the model's. `listener` may be NULL. */
enum status decode_feed(struct decode *decode, const int32_t *ids, size_t count, const struct decode_listener *listener,
                        struct error *e) ERROR_MUST_USE;

/* Logits [vocabulary] of what follows the last token fed; made now, valid until the next call on this session. */
const float *decode_logits(struct decode *decode);

/* The largest of logits[count >= 1], the lowest id among equals; NaN is never the largest. */
int32_t decode_greedy(const float *logits, size_t count);

/* How an answer ends. */
struct decode_end {
    const int32_t *ids;  /* [count]: tokens that end an answer and are no part of it           */
    size_t count;
    size_t most;         /* tokens of an answer at most                                      */
};

/* The likeliest answer to what was fed, token by token, until an end, `most` or the capacity; each is fed except the last.
 * ids [most] (out), *count of them. */
enum status decode_answer(struct decode *decode, const struct decode_end *end, int32_t *ids, size_t *count,
                          struct error *e) ERROR_MUST_USE;

struct decode_times decode_times(const struct decode *decode);

#endif
