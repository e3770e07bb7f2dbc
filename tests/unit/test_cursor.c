/* test_cursor.c - bounded reads: values, both byte orders, and every short end. */
#include <string.h>

#include "base/cursor.h"
#include "tap.h"

static const uint8_t bytes[] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f};
static struct error e;

static void values(bool swap, uint64_t u16, uint64_t u32, uint64_t u64)
{
    struct cursor c = cursor_over(bytes, sizeof bytes);
    uint8_t a = 0;
    uint16_t b = 0;
    uint32_t d = 0;
    uint64_t f = 0;
    c.swap = swap;
    bool read = cursor_u8(&c, &a, "a", &e) == STATUS_OK && cursor_u16(&c, &b, "b", &e) == STATUS_OK &&
                cursor_u32(&c, &d, "d", &e) == STATUS_OK && cursor_u64(&c, &f, "f", &e) == STATUS_OK;
    const char *order = swap ? "big" : "little";
    ok(read && a == 1, "one byte, %s-endian", order);
    is_uint(b, u16, "two bytes, %s-endian, unaligned", order);
    is_uint(d, u32, "four bytes, %s-endian, unaligned", order);
    is_uint(f, u64, "eight bytes, %s-endian, unaligned", order);
    is_uint(cursor_remaining(&c), 0, "all is read");
}

static void short_ends(void)
{
    for (size_t size = 0; size < 8; size++) {
        struct cursor c = cursor_over(bytes, size + 3);
        uint8_t a = 9;
        uint16_t b = 9;
        uint32_t d = 9;
        uint64_t f = 9;
        if (cursor_seek(&c, 3, "start", &e) != STATUS_OK)
            bail("%s", e.sentence);
        bool held = cursor_u64(&c, &f, "the count", &e) == STATUS_INPUT && f == 0;
        if (size < 4)
            held &= cursor_u32(&c, &d, "the count", &e) == STATUS_INPUT && d == 0;
        if (size < 2)
            held &= cursor_u16(&c, &b, "the count", &e) == STATUS_INPUT && b == 0;
        if (size < 1)
            held &= cursor_u8(&c, &a, "the count", &e) == STATUS_INPUT && a == 0;
        ok(held && c.position == 3 && e.position == 3 && strstr(e.sentence, "the count"),
           "%zu bytes left: refused by name and position, nothing moved", size);
    }
}

static void pieces(void)
{
    struct cursor c = cursor_over(bytes, sizeof bytes);
    const uint8_t *piece = NULL;
    ok(cursor_take(&c, 3, 5, &piece, "rows", &e) == STATUS_OK && piece == bytes && c.position == 15,
       "all bytes may be taken");
    ok(cursor_take(&c, 0, 8, &piece, "rows", &e) == STATUS_OK && cursor_take(&c, UINT64_MAX, 0, &piece, "rows", &e) == STATUS_OK,
       "nothing may be taken at the end");
    ok(cursor_take(&c, 1, 1, &piece, "rows", &e) == STATUS_INPUT, "one more may not");
    ok(cursor_seek(&c, 0, "start", &e) == STATUS_OK && cursor_seek(&c, 15, "end", &e) == STATUS_OK, "both ends can be sought");
    ok(cursor_seek(&c, 16, "data", &e) == STATUS_INPUT && c.position == 15 && e.position == 15, "past the end can't");
    const struct {
        uint64_t count;
        size_t size;
    } absurd[] = {{16, 1}, {1, 16}, {4, 4}, {UINT64_MAX, 1}, {UINT64_MAX, SIZE_MAX}, {(uint64_t)1 << 63, 2},
                  {(uint64_t)1 << 61, 8}, {1, SIZE_MAX}};
    c = cursor_over(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof absurd / sizeof absurd[0]; i++)
        ok(cursor_take(&c, absurd[i].count, absurd[i].size, &piece, "rows", &e) == STATUS_INPUT && c.position == 0,
           "%llu x %zu bytes are not there", (unsigned long long)absurd[i].count, absurd[i].size);
    is_int(cursor_take(&c, 16, 1, &piece, "rows", NULL), STATUS_INPUT, "the status needs no error to go to");
    is_int(cursor_seek(&c, 16, "rows", NULL), STATUS_INPUT, "nor does that of seeking");
    c = cursor_over(NULL, 0);
    is_int(cursor_take(&c, 1, 1, &piece, "rows", &e), STATUS_INPUT, "an empty cursor has nothing");
}

int main(void)
{
    values(false, 0x0302, 0x07060504, 0x8f8e8d8c8b8a8908);
    values(true, 0x0203, 0x04050607, 0x08898a8b8c8d8e8f);
    short_ends();
    pieces();
    return tap_done();
}
