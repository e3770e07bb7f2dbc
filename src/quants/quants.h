/* quants.h - the block formats of ggml: ids, sizes, exact decoders.
 *
 * Flow: model file -> tensors (formats) -> *decoded rows* -> kernels. A weight is
 * decoded to the float32 that the format's definition gives, to the bit.
 */
#ifndef PHI3SAT_QUANTS_QUANTS_H
#define PHI3SAT_QUANTS_QUANTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

#include "../base/error.h"

/* Type ids as they stand in GGUF files (the ones we decode; NOTES section 2). */
enum quants_type {
    QUANTS_F32 = 0, QUANTS_F16 = 1, QUANTS_Q4_0 = 2, QUANTS_Q4_1 = 3, QUANTS_Q5_0 = 6, QUANTS_Q5_1 = 7,
    QUANTS_Q8_0 = 8, QUANTS_Q8_1 = 9, QUANTS_Q2_K = 10, QUANTS_Q3_K = 11, QUANTS_Q4_K = 12, QUANTS_Q5_K = 13,
    QUANTS_Q6_K = 14, QUANTS_Q8_K = 15, QUANTS_IQ2_XXS = 16, QUANTS_IQ2_XS = 17, QUANTS_IQ3_XXS = 18,
    QUANTS_IQ1_S = 19, QUANTS_IQ4_NL = 20, QUANTS_IQ3_S = 21, QUANTS_IQ2_S = 22, QUANTS_IQ4_XS = 23, QUANTS_F64 = 28,
    QUANTS_IQ1_M = 29, QUANTS_BF16 = 30, QUANTS_TQ1_0 = 34, QUANTS_TQ2_0 = 35, QUANTS_MXFP4 = 39, QUANTS_NVFP4 = 40,
    QUANTS_Q1_0 = 41, QUANTS_Q2_0 = 42,
    /* No GGUF has them, safetensors files do; the numbers are ours. */
    QUANTS_F8_E4M3 = 1000, QUANTS_F8_E5M2 = 1001
};
#define QUANTS_GGUF_END 1000 /* ids from here on don't stand in files */

/* One row of the table of all known ids, those we can't decode included (so
 * that an error can name them). */
struct quants_format {
    uint32_t id;
    const char *name;         /* "Q4_K"                                          */
    uint32_t block_elements;  /* weights a block, 1 for plain types               */
    uint32_t block_bytes;
    /* Decodes `blocks` consecutive blocks to out[blocks * block_elements];
     * exact; no alignment of `bytes` needed; NULL: integers, which are no weights. */
    void (*decode)(const uint8_t *bytes, size_t blocks, float *out);
};

/* The format of a GGUF type id; NULL when the id is unknown or removed.
 * quants_by_name ignores case. Static storage; thread-safe. */
const struct quants_format *quants_by_id(uint32_t id);
const struct quants_format *quants_by_name(const char *name);

/* Number of rows in the table and row i of it, for listings and tests. */
size_t quants_count(void);
const struct quants_format *quants_at(size_t i);

/* Bytes of `elements` weights; false when elements is no multiple of the block
 * or the product does not fit. */
bool quants_bytes(const struct quants_format *format, uint64_t elements, uint64_t *bytes) ERROR_MUST_USE;

/* Decodes elements [first, first + count) of a row that starts at `row`; first
 * and count need not be multiples of the block. */
void quants_decode_range(const struct quants_format *format, const uint8_t *row, size_t first, size_t count,
                         float *out);

/* IEEE half and bfloat16 to float32, exact, NaN payloads kept as a quiet NaN. */
float quants_half(uint16_t bits);
float quants_bfloat(uint16_t bits);

#endif
