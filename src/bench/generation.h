/* generation.h - the time of a whole model: a prompt in, the first token out, then one token at a time.
 *
 * Flow: sessions (model/decode.h) -> *generation* -> seconds and where they went. Variants of one model take turns,
 * so that their ratio stays when the clock drifts.
 */
#ifndef PHI3SAT_BENCH_GENERATION_H
#define PHI3SAT_BENCH_GENERATION_H

#include "../model/decode.h"
#include "timing.h"

/* A variant: a session (several may share one), and how it makes gate and up. */
struct generation_variant {
    struct decode *decode;
    bool separate;
};

struct generation_result {
    struct timing_spread first;  /* seconds from an empty session to the id behind the prompt        */
    struct timing_spread step;   /* seconds from one id to the next, that many tokens being there     */
    double ffn, attention, head, rest; /* shares of a step; rest: embedding, choice of the id           */
};

/* Times `count` variants on the prompt ids[tokens]; each session has room for one token more. results [count]. Fails for want
 * of memory, or when a session refuses the ids. */
enum status generation_time(const struct generation_variant *variants, size_t count, const int32_t *ids, size_t tokens,
                            size_t vocabulary, const struct timing_plan *plan, struct generation_result *results,
                            struct error *e) ERROR_MUST_USE;

#endif
