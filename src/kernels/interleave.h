/* interleave.h - the vector form of a weight matrix: 64 rows side by side, block by block.
 *
 * Flow: rows of a model file -> *interleave*, once -> vector products (kernels.h), which then load one
 * quantity of many outputs at a time, from addresses that only rise. The form is the same on every machine
 * and for every instruction set, takes as many bytes as the blocks did, and gives them back
 * unchanged: it may be stored. All numbers are little-endian.
 *
 * A matrix [outputs, inputs] is ceil(outputs / 64) groups of 64 rows; rows past the last are all zero
 * bytes. A group is its blocks along the inputs, and a block of a group is
 *
 *     | half 0 of rows 0..63 | half 1 of rows 0..63 | .. | word 0 of rows 0..63 | word 1 of rows 0..63 | ..
 *
 * with these 16-bit halves and 32-bit words of each row's block. Within a block, weights stand so that
 * neighbouring inputs sit at one position of successive words: one mask serves a run of them.
 *
 *   F16, BF16   half 0: the weight
 *   F32         word 0: the weight
 *   Q8_0        half 0: d. Words c = 0..7: byte t is q[8 t + c]
 *   Q5_0        half 0: d. Words i = 0..4: bits 5f + 4 .. 5f (f = 0..5) are weight 5 f + i. Weight 30 has its
 *               bits 0, 1 at the top of word 0, bits 2, 3 at the top of word 1 and bit 4 at bit 30 of word 2; weight
 *               31 likewise in words 3 and 4 and at bit 31 of word 2
 *   Q4_K        halves: d, dmin. Words 0..2: the 12 bytes of scales as they were. Words 3 + 8 p + c
 *               (p = 0..3, c = 0..7): byte t is q[32 p + 8 t + c], so weights 64 p + 8 t + c and 64 p + 32 + 8 t + c
 *   Q6_K        half 0: d. Words 0..3: the 16 scales. Words 4 + i (i = 0..47): bits 6f + 5 .. 6f (f = 0..4) are
 *               weight 48 f + i. Weight 240 + i has bits 0, 1 at the top of word 4 + i, bits 2, 3
 *               at the top of word 20 + i, bits 4, 5 at the top of word 36 + i (i = 0..15)
 *
 * where a weight's bits are the unsigned ones of quants/blocks32.h and superblocks.h.
 */
#ifndef PHI3SAT_KERNELS_INTERLEAVE_H
#define PHI3SAT_KERNELS_INTERLEAVE_H

#include <stddef.h>
#include <stdint.h>

#define INTERLEAVE_ROWS 64

struct interleave_form {
    uint32_t type;        /* a quants_type                                          */
    size_t weights;       /* of a block                                              */
    size_t halves, words; /* of a row's block: 2 halves + 4 words are its bytes         */
    /* From a row's block and back. */
    void (*take)(const uint8_t *block, uint16_t *halves, uint32_t *words);
    void (*give)(const uint16_t *halves, const uint32_t *words, uint8_t *block);
};

/* The form of a type's blocks; NULL for types that have none. Static storage. */
const struct interleave_form *interleave_form(uint32_t type);

/* Bytes of one group of rows of `blocks` blocks. */
size_t interleave_bytes(const struct interleave_form *form, size_t blocks);

/* Fills one group, interleave_bytes long, from 64 rows; a row of NULL becomes zero bytes. Rows need no alignment. */
void interleave_group(const struct interleave_form *form, const uint8_t *const row[INTERLEAVE_ROWS], size_t blocks,
                      uint8_t *group);

/* The original bytes of blocks [first, first + count) of row `row` of a group. */
void interleave_row(const struct interleave_form *form, const uint8_t *group, size_t row, size_t first, size_t count,
                    uint8_t *bytes);

#endif
