/* test_codebooks.c - what can be told of the codebooks without a second copy of them.
 *
 * That they are the right points is tested by decoding (tests/golden/quants.bin, tests/quants/live.t); here, that
 * the tables are sets in ascending order, of numbers that their formats can hold.
 */
#include "quants/codebooks.h"
#include "tap.h"

static void check(const char *name, const uint16_t *book, size_t points, int coordinates, int bits, int levels)
{
    size_t falls = 0, strange = 0;
    for (size_t p = 0; p < points; p++) {
        falls += p > 0 && book[p] <= book[p - 1];
        for (int j = 0; j < coordinates; j++)
            strange += (book[p] >> bits * j & ((1 << bits) - 1)) >= levels;
        strange += (uint32_t)book[p] >> bits * coordinates != 0;
    }
    is_uint(falls, 0, "%s: points ascend, so none is there twice", name);
    is_uint(strange, 0, "%s: every coordinate is one of %d levels", name, levels);
    is_uint(book[0], 0, "%s: the first point has the lowest levels", name);
}

int main(void)
{
    check("iq1", codebooks_iq1, 2048, 8, 2, 3);
    check("iq2_xxs", codebooks_iq2_xxs, 256, 8, 2, 3);
    check("iq2_xs", codebooks_iq2_xs, 512, 8, 2, 3);
    check("iq2_s", codebooks_iq2_s, 1024, 8, 2, 3);
    check("iq3_xxs", codebooks_iq3_xxs, 256, 4, 3, 8);
    check("iq3_s", codebooks_iq3_s, 512, 4, 3, 8);
    return tap_done();
}
