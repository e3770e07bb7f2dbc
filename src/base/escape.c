/* escape.c - one character of untrusted text at a time; see escape.h.
 *
 * Well-formed UTF-8 is The Unicode Standard's table 3-7. A malformed sequence is taken a byte at a
 * time: a terminal then shows each byte, JSON has one U+FFFD for each. src/text/utf8.h has the
 * tokenizers' own, more lenient idea of a character; this room stands below it.
 */
#include "escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Length of the well-formed sequence at s[length > 0] and its code point; 0: malformed. */
static size_t decode(const unsigned char *s, size_t length, uint32_t *code)
{
    *code = s[0];
    if (s[0] < 0x80)
        return 1;
    size_t n = s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    if (n == 0 || n > length)
        return 0;
    *code = s[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (s[i] & 0x3fu);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    bool surrogate = *code >= 0xd800 && *code < 0xe000;
    return *code < least[n] || surrogate || *code > 0x10ffff ? 0 : n;
}

/* Characters that are not shown, or move what stands around them. */
static bool is_hidden(uint32_t code)
{
    return (code >= 0x80 && code < 0xa0) || code == 0x61c || (code >= 0x200b && code <= 0x200f) ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
}

/* The letter of a short escape, or 0. */
static char short_escape(uint32_t code, enum escape_form form)
{
    switch (code) {
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    case '\\': return '\\';
    case '"': return form == ESCAPE_JSON ? '"' : '\0';
    default: return '\0';
    }
}

/* What would be markup, or NULL. */
static const char *entity_of(uint32_t code)
{
    switch (code) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

size_t escape_next(enum escape_form form, const char *bytes, size_t length, char out[ESCAPE_LONGEST], size_t *used,
                   size_t *columns)
{
    char text[ESCAPE_LONGEST + 1];
    uint32_t code;
    size_t n = decode((const unsigned char *)bytes, length, &code), width = 1;
    const char *entity = n && form == ESCAPE_HTML ? entity_of(code) : NULL;
    char letter = n && form != ESCAPE_HTML ? short_escape(code, form) : '\0';
    const bool plain = form == ESCAPE_HTML && (code == '\n' || code == '\t');
    int written = 0;
    if (entity)
        written = snprintf(text, sizeof text, "%s", entity);
    else if (letter)
        written = snprintf(text, sizeof text, "\\%c", letter);
    else if (n == 0)
        written = snprintf(text, sizeof text, form == ESCAPE_TERMINAL ? "\\x%02x" : "\xef\xbf\xbd",
                           (unsigned)(unsigned char)bytes[0]);
    else if ((code < 0x20 && !plain) || code == 0x7f)
        written = snprintf(text, sizeof text, form == ESCAPE_JSON ? "\\u%04x" : "\\x%02x", (unsigned)code);
    else if (form != ESCAPE_JSON && (is_hidden(code) || code == 0xfffe || code == 0xffff))
        written = snprintf(text, sizeof text, "\\u{%x}", (unsigned)code);
    if (written > 0) {
        width = (size_t)written;
        memcpy(out, text, (size_t)written);
    } else {
        memcpy(out, bytes, n);
        written = (int)n;
    }
    *used = (size_t)written;
    if (columns)
        *columns = width;
    return n ? n : 1;
}
