/* decode_blocks.c - decodes a file of blocks of one type to a file of float32: `decode_blocks TYPE IN OUT`.
 *
 * For live.py, which compares with other decoders. TYPE is the id of GGUF.
 */
#include <stdio.h>
#include <stdlib.h>

#include "quants/quants.h"

#define BLOCKS 64 /* at a time */

int main(int count, char **given)
{
    static uint8_t blocks[BLOCKS * 512];
    static float weights[BLOCKS * 256];
    if (count != 4)
        return 2;
    const struct quants_format *format = quants_by_id((uint32_t)strtoul(given[1], NULL, 10));
    FILE *in = fopen(given[2], "rb"), *out = fopen(given[3], "wb");
    if (!format || !format->decode || !in || !out)
        return 1;
    for (;;) {
        const size_t read = fread(blocks, format->block_bytes, BLOCKS, in), elements = read * format->block_elements;
        if (read == 0)
            break;
        format->decode(blocks, read, weights);
        if (fwrite(weights, sizeof *weights, elements, out) != elements)
            return 1;
    }
    return fclose(out) == 0 && !ferror(in) ? 0 : 1;
}
