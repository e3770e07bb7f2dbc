/* test_decode_rows.c - types without a decoder of an instruction set: panels hold what src/quants decodes. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "kernels/decode_rows.h"
#include "quants/quants.h"
#include "tap.h"

#define WEIGHTS 1024 /* of a row                                               */

/* Weights of the panel that differ from the rows' own, NaN and zeros by their bits. */
static size_t differing(const struct quants_format *format, const float *panel, const uint8_t *const row[KERNELS_PANEL],
                        size_t bytes, size_t weights)
{
    static float own[WEIGHTS];
    size_t wrong = 0;
    for (size_t r = 0; r < KERNELS_PANEL; r++) {
        format->decode(row[r] + bytes, weights / format->block_elements, own);
        for (size_t i = 0; i < weights; i++)
            wrong += memcmp(&panel[i * KERNELS_PANEL + r], &own[i], sizeof *own) != 0;
    }
    return wrong;
}

static void check(const struct kernels *kernels, uint32_t type)
{
    static uint8_t bytes[KERNELS_PANEL][WEIGHTS * 8];
    static float panel[WEIGHTS * KERNELS_PANEL + 1];
    const struct quants_format *format = quants_by_id(type);
    const struct kernels_way *way = kernels->way(KERNELS_F32, type);
    const uint8_t *row[KERNELS_PANEL];
    struct random_stream random = random_open(1, type, 0, 0);
    for (size_t r = 0; r < KERNELS_PANEL; r++) {
        row[r] = bytes[r];
        for (size_t i = 0; i < sizeof bytes[r]; i++)
            bytes[r][i] = (uint8_t)random_bits(&random);
    }
    row[15] = row[3]; /* rows may repeat */
    panel[WEIGHTS * KERNELS_PANEL] = 12345.0f;
    way->decode(row, 0, WEIGHTS / format->block_elements, panel);
    size_t wrong = differing(format, panel, row, 0, WEIGHTS) + (panel[WEIGHTS * KERNELS_PANEL] != 12345.0f);
    const size_t part = WEIGHTS / 4 + format->block_elements % 256; /* no whole number of goes */
    way->decode(row, 2 * (size_t)format->block_bytes, part / format->block_elements, panel);
    wrong += differing(format, panel, row, 2 * (size_t)format->block_bytes, part);
    is_uint(wrong, 0, "%s, %s: a panel holds the rows' weights", kernels->name, format->name);
    ok(kernels->way(KERNELS_INT16, type) == way && kernels->way(KERNELS_INT8, type) == way,
       "%s, %s: the integer modes multiply in float32", kernels->name, format->name);
}

#define CHECK(TYPE, type) check(kernels_at(k), QUANTS_##TYPE);

int main(void)
{
    size_t without = 0;
    for (size_t k = 0; kernels_at(k); k++) {
        DECODE_ROWS_TYPES(CHECK)
        for (size_t t = 0; t < quants_count(); t++)
            without += !kernels_at(k)->way(KERNELS_F32, quants_at(t)->id) != !quants_at(t)->decode;
    }
    is_uint(without, 0, "every type that can be decoded can be multiplied, and no other");
    return tap_done();
}
