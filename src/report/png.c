/* png.c - see png.h.
 *
 * PNG (W3C, second edition): signature, IHDR, PLTE, tRNS, IDAT, IEND, each chunk with its CRC-32. The zlib stream within IDAT is
 * made of stored blocks, so that no library is needed: a thousand by a hundred shades are 100 KB.
 */
#include "png.h"

#include <string.h>

#define BLOCK 65535 /* bytes of a stored block */

struct chunk {
    struct html_base64 *to;
    uint32_t crc;
};

static void put(struct chunk *c, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    for (size_t i = 0; i < size; i++) {
        c->crc ^= from[i];
        for (int bit = 0; bit < 8; bit++)
            c->crc = c->crc >> 1 ^ (c->crc & 1 ? 0xedb88320u : 0);
    }
    html_base64_add(c->to, bytes, size);
}

static void put_number(struct chunk *c, uint32_t value)
{
    const uint8_t bytes[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value};
    put(c, bytes, sizeof bytes);
}

static void begin(struct chunk *c, const char *kind, uint32_t length)
{
    put_number(c, length);
    c->crc = 0xffffffffu;
    put(c, kind, 4);
}

static void end(struct chunk *c)
{
    put_number(c, c->crc ^ 0xffffffffu);
}

static void write_palette(struct chunk *c, uint32_t colour)
{
    begin(c, "PLTE", 3 * 256);
    for (int i = 0; i < 256; i++) {
        const uint32_t shade = i == 255 ? 0x888888 : colour;
        const uint8_t rgb[3] = {(uint8_t)(shade >> 16), (uint8_t)(shade >> 8), (uint8_t)shade};
        put(c, rgb, sizeof rgb);
    }
    end(c);
    begin(c, "tRNS", 256);
    for (int i = 0; i < 256; i++) { /* what isn't empty is seen to be so */
        const uint8_t alpha = (uint8_t)(i == 0 ? 0 : i == 255 ? 70 : 40 + i * 215 / 254);
        put(c, &alpha, 1);
    }
    end(c);
}

/* The image's bytes, with Adler's sum and in blocks. */
struct stream {
    struct chunk *chunk;
    size_t left, in_block;   /* bytes of the image, of the block under way           */
    uint32_t a, b;
};

static void stream_put(struct stream *s, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        if (s->in_block == 0) {
            s->in_block = s->left < BLOCK ? s->left : BLOCK;
            const unsigned length = (unsigned)s->in_block;
            const uint8_t head[5] = {s->left <= BLOCK, (uint8_t)length, (uint8_t)(length >> 8), (uint8_t)~length,
                                     (uint8_t)(~length >> 8)};
            put(s->chunk, head, sizeof head);
        }
        const size_t piece = size < s->in_block ? size : s->in_block;
        for (size_t i = 0; i < piece; i++) {
            s->a = (s->a + bytes[i]) % 65521;
            s->b = (s->b + s->a) % 65521;
        }
        put(s->chunk, bytes, piece);
        bytes += piece;
        size -= piece;
        s->in_block -= piece;
        s->left -= piece;
    }
}

static void write_pixels(struct chunk *c, const uint8_t *pixels, size_t width, size_t height)
{
    static const uint8_t head[2] = {0x78, 0x01}, no_filter = 0;
    const size_t bytes = (width + 1) * height, blocks = (bytes + BLOCK - 1) / BLOCK;
    struct stream s = {c, bytes, 0, 1, 0};
    begin(c, "IDAT", (uint32_t)(2 + bytes + 5 * blocks + 4));
    put(c, head, sizeof head);
    for (size_t y = 0; y < height; y++) {
        stream_put(&s, &no_filter, 1);
        stream_put(&s, pixels + y * width, width);
    }
    put_number(c, s.b << 16 | s.a);
    end(c);
}

void png_shades(struct html_base64 *to, const uint8_t *pixels, size_t width, size_t height, uint32_t colour)
{
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    static const uint8_t format[5] = {8, 3, 0, 0, 0}; /* bits, palette, deflate, filters, no interlace */
    struct chunk c = {to, 0};
    put(&c, signature, sizeof signature);
    begin(&c, "IHDR", 13);
    put_number(&c, (uint32_t)width);
    put_number(&c, (uint32_t)height);
    put(&c, format, sizeof format);
    end(&c);
    write_palette(&c, colour);
    write_pixels(&c, pixels, width, height);
    begin(&c, "IEND", 0);
    end(&c);
    html_base64_end(to);
}
