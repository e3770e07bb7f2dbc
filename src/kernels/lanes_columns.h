/* lanes_columns.h - bytes of neighbouring rows of a weight matrix, one row a lane.
 *
 * The decoders (lanes_decode*.c) read 16 bytes of LANES_WIDTH rows at once and turn them round, so
 * that all that follows is elementwise: lane r belongs to row r, as in a panel. Row pointers need
 * no alignment; nothing beyond the bytes asked for is read.
 */
#ifndef PHI3SAT_KERNELS_LANES_COLUMNS_H
#define PHI3SAT_KERNELS_LANES_COLUMNS_H

#include "lanes.h"

#if defined(__AVX512F__)
static inline __m512i lanes_four_rows(const uint8_t *const *row, size_t offset)
{
    __m512i v = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i_u *)(row[0] + offset)));
    v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i_u *)(row[4] + offset)), 1);
    v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i_u *)(row[8] + offset)), 2);
    return _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i_u *)(row[12] + offset)), 3);
}
#elif defined(__AVX2__) && defined(__FMA__)
static inline __m256i lanes_two_rows(const uint8_t *const *row, size_t offset)
{
    __m256i v = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i_u *)(row[0] + offset)));
    return _mm256_inserti128_si256(v, _mm_loadu_si128((const __m128i_u *)(row[4] + offset)), 1);
}
#endif

/* column[c], lane r = bytes offset + 4c .. offset + 4c + 3 of row[r], little-endian, c = 0..3. */
static inline void lanes_columns(const uint8_t *const *row, size_t offset, lanes_u column[4])
{
#if defined(__AVX512F__)
    __m512i a = lanes_four_rows(row, offset), b = lanes_four_rows(row + 1, offset);
    __m512i c = lanes_four_rows(row + 2, offset), d = lanes_four_rows(row + 3, offset);
    __m512i ab_low = _mm512_unpacklo_epi32(a, b), ab_high = _mm512_unpackhi_epi32(a, b);
    __m512i cd_low = _mm512_unpacklo_epi32(c, d), cd_high = _mm512_unpackhi_epi32(c, d);
    column[0] = (lanes_u)_mm512_unpacklo_epi64(ab_low, cd_low);
    column[1] = (lanes_u)_mm512_unpackhi_epi64(ab_low, cd_low);
    column[2] = (lanes_u)_mm512_unpacklo_epi64(ab_high, cd_high);
    column[3] = (lanes_u)_mm512_unpackhi_epi64(ab_high, cd_high);
#elif defined(__AVX2__) && defined(__FMA__)
    __m256i a = lanes_two_rows(row, offset), b = lanes_two_rows(row + 1, offset);
    __m256i c = lanes_two_rows(row + 2, offset), d = lanes_two_rows(row + 3, offset);
    __m256i ab_low = _mm256_unpacklo_epi32(a, b), ab_high = _mm256_unpackhi_epi32(a, b);
    __m256i cd_low = _mm256_unpacklo_epi32(c, d), cd_high = _mm256_unpackhi_epi32(c, d);
    column[0] = (lanes_u)_mm256_unpacklo_epi64(ab_low, cd_low);
    column[1] = (lanes_u)_mm256_unpackhi_epi64(ab_low, cd_low);
    column[2] = (lanes_u)_mm256_unpacklo_epi64(ab_high, cd_high);
    column[3] = (lanes_u)_mm256_unpackhi_epi64(ab_high, cd_high);
#elif defined(__aarch64__)
    uint32x4_t r[4];
    for (int i = 0; i < 4; i++)
        r[i] = vreinterpretq_u32_u8(vld1q_u8(row[i] + offset));
    uint32x4_t ab_low = vzip1q_u32(r[0], r[1]), ab_high = vzip2q_u32(r[0], r[1]);
    uint32x4_t cd_low = vzip1q_u32(r[2], r[3]), cd_high = vzip2q_u32(r[2], r[3]);
    column[0] = (lanes_u)vzip1q_u64(vreinterpretq_u64_u32(ab_low), vreinterpretq_u64_u32(cd_low));
    column[1] = (lanes_u)vzip2q_u64(vreinterpretq_u64_u32(ab_low), vreinterpretq_u64_u32(cd_low));
    column[2] = (lanes_u)vzip1q_u64(vreinterpretq_u64_u32(ab_high), vreinterpretq_u64_u32(cd_high));
    column[3] = (lanes_u)vzip2q_u64(vreinterpretq_u64_u32(ab_high), vreinterpretq_u64_u32(cd_high));
#else
    uint32_t turned[4][LANES_WIDTH];
    for (int r = 0; r < LANES_WIDTH; r++)
        for (size_t c = 0; c < 4; c++)
            memcpy(&turned[c][r], row[r] + offset + 4 * c, 4);
    memcpy(column, turned, sizeof turned);
#endif
}

/* Lane r = the two or four bytes at row[r] + offset. */
static inline lanes_u lanes_pairs(const uint8_t *const *row, size_t offset)
{
    uint32_t word[LANES_WIDTH];
    for (int r = 0; r < LANES_WIDTH; r++) {
        uint16_t pair;
        memcpy(&pair, row[r] + offset, sizeof pair);
        word[r] = pair;
    }
    lanes_u v;
    memcpy(&v, word, sizeof v);
    return v;
}

static inline lanes_u lanes_words(const uint8_t *const *row, size_t offset)
{
    uint32_t word[LANES_WIDTH];
    for (int r = 0; r < LANES_WIDTH; r++)
        memcpy(&word[r], row[r] + offset, sizeof *word);
    lanes_u v;
    memcpy(&v, word, sizeof v);
    return v;
}

static inline lanes_f lanes_number(lanes_u v)
{
    return __builtin_convertvector((lanes_i)v, lanes_f);
}

/* Bits shift .. shift + 3 as a number: 0..15. */
static inline lanes_f lanes_nibble(lanes_u v, int shift)
{
#if defined(__AVX512F__)
    const __m512 table = _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return (lanes_f)_mm512_permutexvar_ps((__m512i)(v >> shift), table); /* looks at four bits only */
#else
    return lanes_number(v >> shift & 15);
#endif
}

/* Byte t as a signed number. */
static inline lanes_f lanes_signed_byte(lanes_u v, int t)
{
    return __builtin_convertvector((lanes_i)(v << (24 - 8 * t)) >> 24, lanes_f);
}

/* Bit n, moved to bit 4: what a fifth bit is worth. */
static inline lanes_u lanes_sixteen(lanes_u v, int n)
{
    return (n >= 4 ? v >> (n - 4) : v << (4 - n)) & 16;
}

/* The lower two bytes, a half, as float32: exact; a NaN becomes quiet. */
static inline lanes_f lanes_half(lanes_u bits)
{
#if defined(__AVX512F__)
    return (lanes_f)_mm512_cvtph_ps(_mm512_cvtepi32_epi16((__m512i)bits));
#elif defined(__AVX2__) && defined(__FMA__)
    __m256i low = _mm256_and_si256((__m256i)bits, _mm256_set1_epi32(0xffff));
    __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(low, low), 0x08);
    return (lanes_f)_mm256_cvtph_ps(_mm256_castsi256_si128(packed));
#else
    lanes_u sign = (bits & 0x8000u) << 16, rest = bits & 0x7fffu;
    lanes_u normal = (rest << 13) + ((127u - 15u) << 23);
    lanes_u subnormal = (lanes_u)(lanes_number(rest) * 0x1p-24f);
    lanes_u special = rest << 13 | 0x7f800000u | ((lanes_u)(rest > 0x7c00u) & 0x00400000u);
    lanes_u is_small = (lanes_u)(rest < 0x0400u), is_special = (lanes_u)(rest >= 0x7c00u);
    lanes_u finite = (subnormal & is_small) | (normal & ~is_small);
    return (lanes_f)(sign | (special & is_special) | (finite & ~is_special));
#endif
}

/* The lower two bytes, a bfloat16. */
static inline lanes_f lanes_bfloat(lanes_u bits)
{
    lanes_u quiet = (lanes_u)((bits & 0x7fffu) > 0x7f80u) & 0x00400000u;
    return (lanes_f)(bits << 16 | quiet);
}

#endif
