/* decode_rows.h - panels of the weight types that no instruction set has a decoder of its own for.
 *
 * Flow: 16 rows of a matrix -> the exact decoder of src/quants, row by row -> a float32 panel. One code for all
 * instruction sets, so the bits are the same by construction; the products behind it are each set's own.
 */
#ifndef PHI3SAT_KERNELS_DECODE_ROWS_H
#define PHI3SAT_KERNELS_DECODE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "kernels.h"

/* Every such type: its name in enum quants_type and in the names of functions. */
#define DECODE_ROWS_TYPES(X)                                                                                           \
    X(Q8_1, q8_1) X(Q8_K, q8_k) X(IQ2_XXS, iq2_xxs) X(IQ2_XS, iq2_xs) X(IQ3_XXS, iq3_xxs) X(IQ1_S, iq1_s)              \
    X(IQ4_NL, iq4_nl) X(IQ3_S, iq3_s) X(IQ2_S, iq2_s) X(IQ4_XS, iq4_xs) X(F64, f64) X(IQ1_M, iq1_m) X(TQ1_0, tq1_0)    \
    X(TQ2_0, tq2_0) X(MXFP4, mxfp4) X(NVFP4, nvfp4) X(Q1_0, q1_0) X(Q2_0, q2_0)                            \
    X(F8_E4M3, f8_e4m3) X(F8_E5M2, f8_e5m2)

/* As kernels_way.decode wants them: `blocks` blocks (F64: single weights) from byte `bytes` on of each row, to
 * panel [weights][16]. */
#define DECODE_ROWS_DECLARE(TYPE, type)                                                                                \
    void decode_rows_##type(const uint8_t *const row[KERNELS_PANEL], size_t bytes, size_t blocks, void *panel);
DECODE_ROWS_TYPES(DECODE_ROWS_DECLARE)

#endif
