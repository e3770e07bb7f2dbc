/* test_utf8.c - decoding by pattern, and counting what is malformed. */
#include <string.h>

#include "text/utf8.h"
#include "tap.h"

static uint32_t decoded(const char *bytes, size_t length, size_t wanted_length, const char *claim)
{
    uint32_t code = 0xBAD;
    is_uint(utf8_decode(bytes, length, &code), wanted_length, "%s", claim);
    return code;
}

static void round_trip(void)
{
    bool same = true;
    for (uint32_t code = 0; code <= 0x10FFFF; code++) {
        char bytes[4];
        uint32_t back = 0;
        const size_t n = utf8_encode(code, bytes);
        same = same && utf8_decode(bytes, n, &back) == n && back == code &&
               n == utf8_promised((unsigned char)bytes[0]);
        same = same && utf8_malformed(bytes, n) == (code >= 0xD800 && code <= 0xDFFF ? 3 : 0);
    }
    ok(same, "every number up to U+10FFFF survives, and only surrogates are malformed");
}

static void patterns(void)
{
    is_uint(decoded("\xED\xA0\x80", 3, 3, "a surrogate is read by its pattern"), 0xD800, "as the number it spells");
    is_uint(decoded("\xC0\x80", 2, 2, "an overlong NUL too"), 0, "as NUL");
    decoded("\xF4\x90\x80\x80", 4, 0, "more than U+10FFFF is broken");
    decoded("\xF8\x88\x80\x80\x80", 5, 0, "five bytes are broken");
    decoded("\x80", 1, 0, "a continuation byte alone is broken");
    decoded("\xE2\x82", 2, 0, "a character that the end cuts off is broken");
    decoded("\xE2\x28\xA1", 3, 0, "a character with a letter inside is broken");
}

static void counting(void)
{
    /* As many as Python's bytes.decode("utf-8", "replace") writes U+FFFD. */
    static const struct {
        const char *bytes;
        size_t length;
        uint64_t malformed;
    } cases[] = {
        {"", 0, 0},
        {"plain \xC3\xA9 \xF0\x9F\x99\x82", 13, 0},
        {"\xFF\xFE", 2, 2},
        {"\xF0\x9F\x99 cut", 7, 1},
        {"\xF0\x9F\x99", 3, 1},
        {"\xC0\x80", 2, 2},
        {"\xE0\x80\x80", 3, 3},
        {"\xED\xA0\x80", 3, 3},
        {"\xF4\x90\x80\x80", 4, 4},
        {"\xE2\x82\xE2\x82\xAC", 5, 1},
        {"a\0b", 3, 0},
        {"\x80\xBF", 2, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        is_uint(utf8_malformed(cases[i].bytes, cases[i].length), cases[i].malformed, "malformed sequences, case %zu", i);
}

int main(void)
{
    round_trip();
    patterns();
    counting();
    return tap_done();
}
