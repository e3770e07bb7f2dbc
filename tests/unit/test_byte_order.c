/* test_byte_order.c - blocks of big-endian files.
 *
 * That the right bytes are turned round, a second description tells (tests/golden/gguf_forms.py, tests/mpi/forms.t); here:
 * every type has one, turning twice changes nothing, and ranges are parts of the whole.
 */
#include <string.h>

#include "base/random.h"
#include "quants/byte_order.h"
#include "tap.h"

#define BYTES (1200 * 8)

static void check(const struct quants_format *format)
{
    static uint8_t given[BYTES], turned[BYTES + 1], back[BYTES];
    static float whole[1200], part[1202];
    struct random_stream random = random_open(2, format->id, 0, 0);
    const size_t blocks = 1024 / format->block_elements, bytes = blocks * format->block_bytes, weights = 1024;
    size_t wrong = 0, beside = 0;
    for (size_t i = 0; i < bytes; i++)
        given[i] = (uint8_t)random_bits(&random);
    turned[bytes] = 77;
    byte_order_swap(format, given, blocks, turned);
    byte_order_swap(format, turned, blocks, back);
    ok(memcmp(given, back, bytes) == 0 && turned[bytes] == 77, "%s: turned twice, blocks are what they were", format->name);
    format->decode(given, blocks, whole);
    for (size_t first = 0; first < weights; first += 1 + random_below(&random, 60))
        for (size_t count = 0; first + count <= weights; count += 1 + random_below(&random, 300)) {
            part[0] = part[count + 1] = 12345.0f;
            byte_order_decode_range(format, turned, first, count, part + 1);
            wrong += memcmp(part + 1, whole + first, count * sizeof *part) != 0;
            beside += part[0] != 12345.0f || part[count + 1] != 12345.0f;
        }
    is_uint(wrong, 0, "%s: any range decodes to what the little-endian blocks give", format->name);
    is_uint(beside, 0, "%s: and nothing beside it is written", format->name);
}

int main(void)
{
    size_t unknown = 0;
    for (size_t i = 0; i < quants_count(); i++) {
        const struct quants_format *format = quants_at(i);
        unknown += format->decode && !byte_order_known(format);
        if (format->decode)
            check(format);
    }
    is_uint(unknown, 0, "every type that is decoded is known big-endian");
    uint8_t half[2] = {0x3c, 0x00};
    float one = 0;
    byte_order_decode_range(quants_by_id(QUANTS_F16), half, 0, 1, &one);
    ok(one == 1.0f, "the half 3c 00 is 1");
    uint8_t word[4] = {0x3f, 0x80, 0x00, 0x00};
    byte_order_decode_range(quants_by_id(QUANTS_F32), word, 0, 1, &one);
    ok(one == 1.0f, "the float 3f 80 00 00 is 1");
    return tap_done();
}
