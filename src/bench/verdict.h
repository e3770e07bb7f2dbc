/* verdict.h - is a variant worth building? The rules of DESIGN section 8, with the reason in words.
 *
 * Flow: figures of a variant -> *verdict* -> bench ffn's tables, --strict.
 */
#ifndef PHI3SAT_BENCH_VERDICT_H
#define PHI3SAT_BENCH_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

/* A gain that is worth the work, and distances from the baseline that are rounding, or might be. */
#define VERDICT_GAIN 1.05
#define VERDICT_ROUNDING 1e-5
#define VERDICT_WRONG 1e-4

enum verdict { VERDICT_APPROVED, VERDICT_INVESTIGATE, VERDICT_REJECTED };

struct verdict_case {
    double speedup, low, high;   /* over the baseline; what noise may make of it                     */
    double error;                /* relative L2 distance to the baseline of the same size             */
    bool real;                   /* weights of a model, not synthetic ones                           */
    bool approximation;          /* neurons are missing                                              */
    double off;                  /* of an approximation: relative L2 distance to all neurons            */
};

/* Writes the reason into reason[size], one sentence without a full stop. A NaN is an error above all limits. */
enum verdict verdict_of(const struct verdict_case *c, char *reason, size_t size);

/* "Approved", "Investigate", "Rejected". */
const char *verdict_name(enum verdict verdict);

#endif
