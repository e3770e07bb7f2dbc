/* synthetic.h - weights and activations to time products with: seeded, of any block type and shape.
 *
 * Flow: seed -> *matrix* -> products. Weights are normal numbers of deviation 1 / sqrt(inputs), encoded by our own
 * encoders, so they are what a file of that type may hold. Each row is a stream of its own (base/random.h): threads
 * make them in any order, and a smaller matrix has the first rows of a larger one.
 */
#ifndef PHI3SAT_BENCH_SYNTHETIC_H
#define PHI3SAT_BENCH_SYNTHETIC_H

#include "../base/error.h"
#include "../quants/quants.h"

struct synthetic_matrix {
    const struct quants_format *format;
    size_t outputs, inputs;
    size_t padded;    /* inputs up to the end of the last block; weights past `inputs` are about 0 (a format with minima
                       * may not have 0 itself), and meet activations of 0 */
    size_t row_bytes;
    uint8_t *bytes;   /* [outputs, row_bytes]                                         */
};

/* Makes a matrix of a type that can be decoded. STATUS_USAGE when it doesn't fit this machine's memory. Free with
 * synthetic_close (zeroed allowed). */
enum status synthetic_open(struct synthetic_matrix *m, const struct quants_format *format, size_t outputs, size_t inputs,
                           uint64_t seed, struct error *e) ERROR_MUST_USE;
void synthetic_close(struct synthetic_matrix *m);

/* x [rows, padded], normal of deviation 1, zeros past `inputs`; freed by the caller. */
enum status synthetic_rows(const struct synthetic_matrix *m, size_t rows, uint64_t seed, float **x,
                           struct error *e) ERROR_MUST_USE;

#endif
