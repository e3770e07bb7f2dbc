/* lanes_matvec_int8.c - products of a few rows with a matrix in its vector form (interleave.h), activations in 8 bits.
 *
 * The bits are those of lanes_int8.c: the same integers, the same float operations for each 256 inputs. A word of the
 * vector form has four quants of one output in its low nibbles and four in its high ones, so a mask makes a step of
 * 8-bit products; activations are packed in the order of the words. Weights are read once from memory, and for each
 * row from the first-level cache.
 *
 * Only Q4_K has such bytes: the fields of Q5_0 and Q6_K are 5 and 6 bits wide, and the types without an integer form
 * multiply in float32 anyway.
 */
#include "lanes_integer.h"
#include "lanes_matvec.h"
#include "lanes_table.h"

/* Units of all rows that are packed at a time. */
#define UNITS 8
#define TOGETHER 4
#define BLOCK_BYTES ((size_t)INTERLEAVE_ROWS * (2 * 2 + 4 * 35))

/* How far ahead bytes are asked for, as in lanes_matvec.c. */
#define AHEAD 6144

struct packed_unit {
    uint32_t step[64];  /* 16 p + c: inputs 64 p + c + {0, 8, 16, 24}; 16 p + 8 + c: 32 further on */
    uint32_t pair[4];   /* sums of 32 activations, two of 16 bits                              */
    float scale;
};

typedef struct packed_unit packed_rows[KERNELS_VECTOR_ROWS][UNITS];

/* Turns a unit of the tiled form, packed for one row, into the order of the words. */
static void pack_unit(const float *x, size_t inputs, struct packed_unit *u)
{
    uint32_t tiled[INT8_ROW];
    uint8_t byte[INTEGER_UNIT];
    LANES(lanes_pack_int8)(1, inputs, x, inputs, tiled);
    memcpy(byte, tiled, sizeof byte); /* kernels run on little-endian processors only */
    for (size_t p = 0; p < 4; p++)
        for (size_t c = 0; c < 16; c++) {
            const uint8_t *from = byte + 64 * p + 32 * (c / 8) + c % 8;
            u->step[16 * p + c] = from[0] | (uint32_t)from[8] << 8 | (uint32_t)from[16] << 16 | (uint32_t)from[24] << 24;
        }
    memcpy(u->pair, tiled + INT8_PAIRS32, sizeof u->pair);
    memcpy(&u->scale, tiled + INT8_SCALE, sizeof u->scale);
}

/* Scales and minima of 64 outputs, as products want them. */
struct header {
    lanes_i scale[8][MATVEC_VECTORS], pair[4][MATVEC_VECTORS];
    lanes_f d[MATVEC_VECTORS], m[MATVEC_VECTORS];
};

static void read_header(const uint8_t *block, struct header *h)
{
    const uint8_t *words = block + 4 * INTERLEAVE_ROWS;
    for (int v = 0; v < MATVEC_VECTORS; v++) {
        const int at = v * (int)sizeof(lanes_f);
        lanes_u a = matvec_words(words + at), b = matvec_words(words + 4 * INTERLEAVE_ROWS + at);
        lanes_u c = matvec_words(words + 8 * INTERLEAVE_ROWS + at), minimum[8];
        h->d[v] = matvec_halves(block + at / 2);
        h->m[v] = -matvec_halves(block + 2 * INTERLEAVE_ROWS + at / 2);
        for (int s = 0; s < 8; s++) {
            const int byte = s % 4 * 8;
            lanes_u scale = s < 4 ? a >> byte & 63 : (c >> byte & 15) | (a >> byte >> 2 & 48);
            minimum[s] = s < 4 ? b >> byte & 63 : (c >> byte >> 4 & 15) | (b >> byte >> 2 & 48);
            h->scale[s][v] = integer_part_scale((lanes_i)scale);
        }
        for (int s = 0; s < 4; s++)
            h->pair[s][v] = (lanes_i)(minimum[2 * s] | minimum[2 * s + 1] << 16);
    }
}

/* Vectors [first, first + TOGETHER) of one row and one block. */
MATVEC_INLINE void one_row(const uint8_t *words, const char *ahead, int first, const struct header *h,
                           const struct packed_unit *u, float *sums, int add)
{
    lanes_i total[TOGETHER], minima[TOGETHER];
    for (int v = 0; v < TOGETHER; v++)
        total[v] = minima[v] = (lanes_i){0};
    for (int p = 0; p < 4; p++) {
        const uint8_t *word = words + 4 * INTERLEAVE_ROWS * (3 + 8 * p) + first * (int)sizeof(lanes_f);
        lanes_i low[TOGETHER], high[TOGETHER];
        for (int v = 0; v < TOGETHER; v++)
            low[v] = high[v] = (lanes_i){0};
        for (int c = 0; c < 8; c++, word += 4 * INTERLEAVE_ROWS) {
            lanes_i x = integer_all((int32_t)u->step[16 * p + c]), y = integer_all((int32_t)u->step[16 * p + 8 + c]);
            if (ahead)
                matvec_ask(ahead + (8 * p + c) * 288, 288);
#pragma GCC unroll 4
            for (int v = 0; v < TOGETHER; v++) {
                lanes_u q = matvec_words(word + v * (int)sizeof(lanes_f));
                low[v] = integer_part_add(low[v], (lanes_i)(q & 0x0f0f0f0fu), x);
                high[v] = integer_part_add(high[v], (lanes_i)(q >> 4 & 0x0f0f0f0fu), y);
            }
        }
        for (int v = 0; v < TOGETHER; v++) {
            total[v] = integer_part_total(total[v], low[v], h->scale[2 * p][first + v]);
            total[v] = integer_part_total(total[v], high[v], h->scale[2 * p + 1][first + v]);
            minima[v] = integer_add_pairs(minima[v], h->pair[p][first + v], integer_all((int32_t)u->pair[p]));
        }
    }
    for (int v = 0; v < TOGETHER; v++) {
        float *to = sums + v * LANES_WIDTH;
        lanes_f t = lanes_fma(integer_floats(total[v]), h->d[first + v], integer_floats(minima[v]) * h->m[first + v]);
        lanes_store(to, lanes_fma(t, lanes_all(u->scale), add ? lanes_load(to) : (lanes_f){0}));
    }
}

/* `units` blocks of a group times packed rows. */
static void group(size_t rows, size_t units, packed_rows packed, const uint8_t *block,
                  float tile[KERNELS_VECTOR_ROWS][INTERLEAVE_ROWS], int add)
{
    for (size_t n = 0; n < units; n++, block += BLOCK_BYTES) {
        struct header h;
        read_header(block, &h);
        for (size_t r = 0; r < rows; r++)
            for (int first = 0; first < MATVEC_VECTORS; first += TOGETHER)
                one_row(block + 4 * INTERLEAVE_ROWS, r == 0 && first == 0 ? (const char *)block + AHEAD : NULL, first, &h,
                        &packed[r][n], tile[r] + first * LANES_WIDTH, add || n);
    }
}

static void some_rows(size_t rows, size_t inputs, const float *x, size_t x_stride, const uint8_t *weights,
                      size_t outputs, float *y, size_t y_stride)
{
    const size_t units = (inputs + INTEGER_UNIT - 1) / INTEGER_UNIT;
    packed_rows packed;
    float tile[KERNELS_VECTOR_ROWS][INTERLEAVE_ROWS] __attribute__((aligned(64)));
    for (size_t n = 0, some; n < units; n += some) {
        some = units - n < UNITS ? units - n : UNITS;
        for (size_t r = 0; r < rows; r++)
            for (size_t i = 0; i < some; i++)
                pack_unit(x + r * x_stride + (n + i) * INTEGER_UNIT, INTEGER_UNIT, &packed[r][i]);
        for (size_t o = 0; o < outputs; o += INTERLEAVE_ROWS) {
            const size_t count = (outputs - o < INTERLEAVE_ROWS ? outputs - o : INTERLEAVE_ROWS) * sizeof *y;
            const uint8_t *block = weights + (o / INTERLEAVE_ROWS * units + n) * BLOCK_BYTES;
            for (size_t r = 0; r < rows && n; r++)
                memcpy(tile[r], y + r * y_stride + o, count);
            group(rows, some, packed, block, tile, n > 0);
            for (size_t r = 0; r < rows; r++)
                memcpy(y + r * y_stride + o, tile[r], count);
        }
    }
}

void LANES(lanes_matvec_int8_q4_k)(size_t rows, size_t inputs, const float *x, size_t x_stride, const void *weights,
                                   size_t outputs, float *y, size_t y_stride)
{
    for (size_t r = 0; r < rows; r += KERNELS_VECTOR_ROWS)
        some_rows(rows - r < KERNELS_VECTOR_ROWS ? rows - r : KERNELS_VECTOR_ROWS, inputs, x + r * x_stride, x_stride,
                  weights, outputs, y + r * y_stride, y_stride);
}
