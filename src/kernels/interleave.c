/* interleave.c - repacks rows for vector products, and restores them; see interleave.h.
 *
 * Done once for a matrix, so it's written to be read: one row's block at a time is taken apart into
 * halves and words, which are then stored 64 rows apart.
 */
#include "interleave.h"

#include <string.h>

#include "../quants/blocks32.h"
#include "../quants/half.h"
#include "../quants/quants.h"
#include "../quants/superblocks.h"

#define MOST_HALVES 2
#define MOST_WORDS 52

static uint32_t load_word(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void store_word(uint8_t *bytes, uint32_t word)
{
    for (int t = 0; t < 4; t++)
        bytes[t] = (uint8_t)(word >> 8 * t);
}

static void take_half(const uint8_t *block, uint16_t *halves, uint32_t *words)
{
    (void)words;
    halves[0] = half_load(block);
}

static void give_half(const uint16_t *halves, const uint32_t *words, uint8_t *block)
{
    (void)words;
    half_store(block, halves[0]);
}

static void take_word(const uint8_t *block, uint16_t *halves, uint32_t *words)
{
    (void)halves;
    words[0] = load_word(block);
}

static void give_word(const uint16_t *halves, const uint32_t *words, uint8_t *block)
{
    (void)halves;
    store_word(block, words[0]);
}

/* 32 bytes to 8 words: byte t of word c is byte 8 t + c. */
static void take_bytes(const uint8_t *bytes, uint32_t *words)
{
    for (int c = 0; c < 8; c++) {
        words[c] = 0;
        for (int t = 0; t < 4; t++)
            words[c] |= (uint32_t)bytes[8 * t + c] << 8 * t;
    }
}

static void give_bytes(const uint32_t *words, uint8_t *bytes)
{
    for (int c = 0; c < 8; c++)
        for (int t = 0; t < 4; t++)
            bytes[8 * t + c] = (uint8_t)(words[c] >> 8 * t);
}

static void take_q8_0(const uint8_t *block, uint16_t *halves, uint32_t *words)
{
    halves[0] = half_load(block);
    take_bytes(block + 2, words);
}

static void give_q8_0(const uint16_t *halves, const uint32_t *words, uint8_t *block)
{
    half_store(block, halves[0]);
    give_bytes(words, block + 2);
}

static void take_q4_k(const uint8_t *block, uint16_t *halves, uint32_t *words)
{
    halves[0] = half_load(block);
    halves[1] = half_load(block + 2);
    for (int i = 0; i < 3; i++)
        words[i] = load_word(block + 4 + 4 * i);
    for (int p = 0; p < 4; p++)
        take_bytes(block + 16 + 32 * p, words + 3 + 8 * p);
}

static void give_q4_k(const uint16_t *halves, const uint32_t *words, uint8_t *block)
{
    half_store(block, halves[0]);
    half_store(block + 2, halves[1]);
    for (int i = 0; i < 3; i++)
        store_word(block + 4 + 4 * i, words[i]);
    for (int p = 0; p < 4; p++)
        give_bytes(words + 3 + 8 * p, block + 16 + 32 * p);
}

/* Two bits of q, from bit `at` on, to or from the two highest bits of a word. */
static uint32_t to_top(uint32_t q, int at)
{
    return (q >> at & 3) << 30;
}

static void take_q5_0(const uint8_t *block, uint16_t *halves, uint32_t *words)
{
    uint32_t high = load_word(block + 2), q[BLOCKS32_ELEMENTS];
    for (int j = 0; j < 16; j++) {
        q[j] = (block[6 + j] & 15u) | (high >> j & 1) << 4;
        q[j + 16] = block[6 + j] >> 4 | (high >> (j + 16) & 1) << 4;
    }
    halves[0] = half_load(block);
    memset(words, 0, 5 * sizeof *words);
    for (int k = 0; k < 30; k++)
        words[k % 5] |= q[k] << 5 * (k / 5);
    words[0] |= to_top(q[30], 0);
    words[1] |= to_top(q[30], 2);
    words[3] |= to_top(q[31], 0);
    words[4] |= to_top(q[31], 2);
    words[2] |= (q[30] >> 4) << 30 | (q[31] >> 4) << 31;
}

static void give_q5_0(const uint16_t *halves, const uint32_t *words, uint8_t *block)
{
    uint32_t high = 0, q[BLOCKS32_ELEMENTS];
    for (int k = 0; k < 30; k++)
        q[k] = words[k % 5] >> 5 * (k / 5) & 31;
    q[30] = words[0] >> 30 | words[1] >> 30 << 2 | (words[2] >> 30 & 1) << 4;
    q[31] = words[3] >> 30 | words[4] >> 30 << 2 | words[2] >> 31 << 4;
    half_store(block, halves[0]);
    for (int j = 0; j < 16; j++)
        block[6 + j] = (uint8_t)((q[j] & 15) | (q[j + 16] & 15) << 4);
    for (int k = 0; k < BLOCKS32_ELEMENTS; k++)
        high |= q[k] >> 4 << k;
    store_word(block + 2, high);
}

/* Where weight i of a Q6_K block has its bits; see superblocks.h. */
struct q6_place {
    int low, low_shift, high, high_shift;
};

static struct q6_place q6_place(int i)
{
    int h = i / 128, j = i / 32 % 4, l = i % 32;
    return (struct q6_place){64 * h + 32 * (j % 2) + l, j / 2 * 4, 128 + 32 * h + l, 2 * j};
}

static void take_q6_k(const uint8_t *block, uint16_t *halves, uint32_t *words)
{
    uint32_t *quants = words + 4;
    halves[0] = half_load(block + 208);
    for (int i = 0; i < 4; i++)
        words[i] = load_word(block + 192 + 4 * i);
    memset(quants, 0, 48 * sizeof *quants);
    for (int i = 0; i < SUPERBLOCKS_ELEMENTS; i++) {
        struct q6_place at = q6_place(i);
        uint32_t q = (block[at.low] >> at.low_shift & 15u) | (block[at.high] >> at.high_shift & 3u) << 4;
        if (i < 240)
            quants[i % 48] |= q << 6 * (i / 48);
        else
            for (int part = 0; part < 3; part++)
                quants[i - 240 + 16 * part] |= to_top(q, 2 * part);
    }
}

static void give_q6_k(const uint16_t *halves, const uint32_t *words, uint8_t *block)
{
    const uint32_t *quants = words + 4;
    memset(block, 0, 192);
    for (int i = 0; i < SUPERBLOCKS_ELEMENTS; i++) {
        struct q6_place at = q6_place(i);
        uint32_t q = i < 240 ? quants[i % 48] >> 6 * (i / 48) & 63
                             : quants[i - 240] >> 30 | quants[i - 224] >> 30 << 2 | quants[i - 208] >> 30 << 4;
        block[at.low] = (uint8_t)(block[at.low] | (q & 15) << at.low_shift);
        block[at.high] = (uint8_t)(block[at.high] | (q >> 4) << at.high_shift);
    }
    for (int i = 0; i < 4; i++)
        store_word(block + 192 + 4 * i, words[i]);
    half_store(block + 208, halves[0]);
}

static const struct interleave_form forms[] = {
    {QUANTS_F32, 1, 0, 1, take_word, give_word},
    {QUANTS_F16, 1, 1, 0, take_half, give_half},
    {QUANTS_BF16, 1, 1, 0, take_half, give_half},
    {QUANTS_Q5_0, BLOCKS32_ELEMENTS, 1, 5, take_q5_0, give_q5_0},
    {QUANTS_Q8_0, BLOCKS32_ELEMENTS, 1, 8, take_q8_0, give_q8_0},
    {QUANTS_Q4_K, SUPERBLOCKS_ELEMENTS, 2, 35, take_q4_k, give_q4_k},
    {QUANTS_Q6_K, SUPERBLOCKS_ELEMENTS, 1, MOST_WORDS, take_q6_k, give_q6_k},
};

const struct interleave_form *interleave_form(uint32_t type)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].type == type)
            return &forms[i];
    return NULL;
}

static size_t row_block_bytes(const struct interleave_form *form)
{
    return 2 * form->halves + 4 * form->words;
}

size_t interleave_bytes(const struct interleave_form *form, size_t blocks)
{
    return blocks * row_block_bytes(form) * INTERLEAVE_ROWS;
}

void interleave_group(const struct interleave_form *form, const uint8_t *const row[INTERLEAVE_ROWS], size_t blocks,
                      uint8_t *group)
{
    uint16_t halves[MOST_HALVES];
    uint32_t words[MOST_WORDS];
    for (size_t b = 0; b < blocks; b++, group += interleave_bytes(form, 1))
        for (size_t r = 0; r < INTERLEAVE_ROWS; r++) {
            uint8_t *to = group + 2 * r;
            if (row[r]) {
                form->take(row[r] + b * row_block_bytes(form), halves, words);
            } else {
                memset(halves, 0, sizeof halves);
                memset(words, 0, sizeof words);
            }
            for (size_t i = 0; i < form->halves; i++, to += 2 * INTERLEAVE_ROWS)
                half_store(to, halves[i]);
            to += 2 * r;
            for (size_t i = 0; i < form->words; i++, to += 4 * INTERLEAVE_ROWS)
                store_word(to, words[i]);
        }
}

void interleave_row(const struct interleave_form *form, const uint8_t *group, size_t row, size_t first, size_t count,
                    uint8_t *bytes)
{
    uint16_t halves[MOST_HALVES];
    uint32_t words[MOST_WORDS];
    group += interleave_bytes(form, first);
    for (size_t b = 0; b < count; b++, group += interleave_bytes(form, 1)) {
        const uint8_t *from = group + 2 * row;
        for (size_t i = 0; i < form->halves; i++, from += 2 * INTERLEAVE_ROWS)
            halves[i] = half_load(from);
        from += 2 * row;
        for (size_t i = 0; i < form->words; i++, from += 4 * INTERLEAVE_ROWS)
            words[i] = load_word(from);
        form->give(halves, words, bytes + b * row_block_bytes(form));
    }
}
