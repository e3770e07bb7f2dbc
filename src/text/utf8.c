/* utf8.c - UTF-8 helpers of the tokenizers.
 *
 * Two decoders, for two questions. utf8_decode answers "which code point does
 * the tokenizer see": by bit pattern alone, because the engines whose token ids
 * we have to match (llama.cpp) do so, and CESU surrogates or overlong forms
 * then still come out byte for byte. utf8_malformed answers "is this UTF-8", by
 * the table of well-formed sequences (The Unicode Standard, table 3-7), and is
 * only ever used for counting.
 */
#include "utf8.h"

size_t utf8_promised(unsigned char lead)
{
    if (lead < 0xC0)
        return 1;
    if (lead < 0xE0)
        return 2;
    return lead < 0xF0 ? 3 : 4;
}

static bool continues(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

size_t utf8_decode(const char *bytes, size_t length, uint32_t *code)
{
    const unsigned char lead = (unsigned char)bytes[0];
    if (lead < 0x80) {
        *code = lead;
        return 1;
    }
    if (lead < 0xC0 || lead > 0xF7)
        return 0;
    const size_t n = utf8_promised(lead);
    if (n > length)
        return 0;
    uint32_t value = lead & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++) {
        if (!continues(bytes[i]))
            return 0;
        value = value << 6 | ((unsigned char)bytes[i] & 0x3Fu);
    }
    if (value > 0x10FFFF)
        return 0;
    *code = value;
    return n;
}

size_t utf8_encode(uint32_t code, char out[4])
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    const size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3F));
    out[0] = (char)((0xF00u >> n & 0xFF) | code);
    return n;
}

/* Length of the well-formed sequence at the start of bytes[length], as a
 * positive number, or minus the length of the maximal malformed subpart. */
static int sequence(const unsigned char *bytes, size_t length)
{
    const unsigned char lead = bytes[0];
    if (lead < 0x80)
        return 1;
    if (lead < 0xC2 || lead > 0xF4)
        return -1;
    const int n = (int)utf8_promised(lead);
    /* Only the second byte has a range that depends on the lead byte. */
    const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    for (int i = 1; i < n; i++) {
        if ((size_t)i >= length)
            return -i;
        if (i == 1 ? bytes[i] < low || bytes[i] > high : (bytes[i] & 0xC0) != 0x80)
            return -i;
    }
    return n;
}

uint64_t utf8_malformed(const char *bytes, size_t length)
{
    const unsigned char *b = (const unsigned char *)bytes;
    uint64_t malformed = 0;
    for (size_t at = 0; at < length;) {
        const int n = sequence(b + at, length - at);
        malformed += n < 0;
        at += (size_t)(n < 0 ? -n : n);
    }
    return malformed;
}
