/* lanes_integer_decode.c - 16 rows of a matrix to panels of integers; layouts in lanes_integer.h.
 *
 * int16: (q - offset) * integer scale, exact in 16 bits (at most 32 * 128). int8: quants as they are, scales apart.
 * Integers, and products of halves with integers below 2^12, are exact in float32: nothing is rounded here.
 */
#include "lanes_decode.h"
#include "lanes_integer_units.h"

/* Vector r / LANES_WIDTH of row `n` of the panel's unit that starts at `out`. */
#define AT(n) (out + ((size_t)(n)*KERNELS_PANEL + r) * sizeof(float))

INTEGER_INLINE lanes_w both_halves(lanes_i scale)
{
    return (lanes_w)((scale & 0xffff) | scale << 16);
}

/* The quants of sub-block s, 256 / subs of them. */
INTEGER_INLINE void store_int16_quants(const struct integer_unit *u, struct integer_form form, int s, size_t r,
                                       uint8_t *out)
{
    const int dwords = 64 / form.subs;
    const lanes_w offset = both_halves(integer_all(form.offset));
    lanes_w scale = both_halves(form.blocks == 1 ? u->scale[s] : integer_all(1));
#pragma GCC unroll 8
    for (int i = s * dwords; i < (s + 1) * dwords; i++) {
        lanes_w even = (lanes_w)(u->q[i] & 0x00ff00ffu), odd = (lanes_w)(u->q[i] >> 8 & 0x00ff00ffu);
        if (form.offset) {
            even -= offset;
            odd -= offset;
        }
        if (form.blocks == 1) {
            even *= scale;
            odd *= scale;
        }
        integer_store(AT(2 * i), (lanes_i)even);
        integer_store(AT(2 * i + 1), (lanes_i)odd);
    }
}

INTEGER_INLINE void store_int16(const struct integer_unit *u, struct integer_form form, size_t r, uint8_t *out)
{
    for (int s = 0; s < form.subs; s++)
        store_int16_quants(u, form, s, r, out);
    for (int b = 0; b < form.blocks; b++)
        lanes_store((float *)AT(INT16_STEPS + b), u->d[b]);
    for (int s = 0; form.minima && s < form.subs; s++) {
        lanes_f minimum = form.blocks == 1 ? -(u->m[0] * integer_floats(u->minimum[s])) : u->m[s];
        lanes_store((float *)AT(INT16_STEPS + form.blocks + s), minimum);
    }
}

/* Superblocks: pairs of minima, or of what the offset takes away, for pairs of sums. */
INTEGER_INLINE void store_int8_superblock(const struct integer_unit *u, struct integer_form form, size_t r, uint8_t *out)
{
    const int subs = form.subs;
    for (int s = 0; s < subs; s++)
        integer_store(AT(INT8_STEPS + s), integer_part_scale(u->scale[s]));
    for (int s = 0; s < subs; s += 2) {
        lanes_i first = form.minima ? u->minimum[s] : u->scale[s] * -form.offset;
        lanes_i second = form.minima ? u->minimum[s + 1] : u->scale[s + 1] * -form.offset;
        integer_store(AT(INT8_STEPS + subs + s / 2), (first & 0xffff) | second << 16);
    }
    lanes_store((float *)AT(INT8_STEPS + subs + subs / 2), u->d[0]);
    lanes_store((float *)AT(INT8_STEPS + subs + subs / 2 + 1), form.minima ? -u->m[0] : u->d[0]);
}

INTEGER_INLINE void store_int8(const struct integer_unit *u, struct integer_form form, size_t r, uint8_t *out)
{
    for (int i = 0; i < INT8_STEPS; i++)
        integer_store(AT(i), (lanes_i)u->q[i]);
    if (form.blocks == 1) {
        store_int8_superblock(u, form, r, out);
        return;
    }
    for (int b = 0; b < 8; b++) {
        lanes_store((float *)AT(INT8_STEPS + b), u->d[b]);
        lanes_store((float *)AT(INT8_STEPS + 8 + b), form.minima ? u->m[b] : u->d[b] * (float)-form.offset);
    }
}

#define DECODE(mode, type, rows, read)                                                                                 \
    LANES_INTEGER_DECODER(mode, type)                                                                                  \
    {                                                                                                                  \
        const struct integer_form form = integer_##type;                                                               \
        const size_t together = form.blocks == 1 ? 1 : 8;                                                              \
        uint8_t *out = panel;                                                                                          \
        for (size_t b = 0; b < blocks; b += together, out += (size_t)(rows) * KERNELS_PANEL * sizeof(float))           \
            for (size_t r = 0; r < KERNELS_PANEL; r += LANES_WIDTH) {                                                  \
                struct integer_unit unit;                                                                              \
                read;                                                                                                  \
                store_##mode(&unit, form, r, out);                                                                     \
            }                                                                                                          \
    }

#define READ_SUPERBLOCK(type) unit_##type(row + r, bytes + b * sizeof(struct superblocks_##type), &unit)
#define READ_BLOCKS(type)                                                                                              \
    for (size_t i = 0; i < 8; i++)                                                                                     \
        if (b + i < blocks)                                                                                            \
            unit_##type(row + r, bytes + (b + i) * sizeof(struct blocks32_##type), &unit, i);                          \
        else                                                                                                           \
            unit_none(&unit, i)

#define DECODE_BOTH(type, read)                                                                                        \
    DECODE(int16, type, INT16_PANEL_ROWS(form), read)                                                                  \
    DECODE(int8, type, INT8_PANEL_ROWS(form), read)

DECODE_BOTH(q2_k, READ_SUPERBLOCK(q2_k))
DECODE_BOTH(q3_k, READ_SUPERBLOCK(q3_k))
DECODE_BOTH(q4_k, READ_SUPERBLOCK(q4_k))
DECODE_BOTH(q5_k, READ_SUPERBLOCK(q5_k))
DECODE_BOTH(q6_k, READ_SUPERBLOCK(q6_k))
DECODE_BOTH(q4_0, READ_BLOCKS(q4_0))
DECODE_BOTH(q4_1, READ_BLOCKS(q4_1))
DECODE_BOTH(q5_0, READ_BLOCKS(q5_0))
DECODE_BOTH(q5_1, READ_BLOCKS(q5_1))
DECODE(int16, q8_0, INT16_PANEL_ROWS(form), READ_BLOCKS(q8_0))
