/* test_escape.c - untrusted text for terminals and for JSON. */
#include <string.h>

#include "base/escape.h"
#include "base/json.h"
#include "tap.h"

static size_t width;

/* All of bytes[length] in the form. */
static const char *escaped(enum escape_form form, const char *bytes, size_t length)
{
    static char text[8192];
    size_t used = 0;
    width = 0;
    for (size_t at = 0; at < length;) {
        size_t piece, columns;
        at += escape_next(form, bytes + at, length - at, text + used, &piece, &columns);
        used += piece;
        width += columns;
    }
    text[used] = '\0';
    return text;
}

#define TERMINAL(bytes) escaped(ESCAPE_TERMINAL, bytes, sizeof(bytes) - 1)
#define HTML(bytes) escaped(ESCAPE_HTML, bytes, sizeof(bytes) - 1)
#define JSON(bytes) escaped(ESCAPE_JSON, bytes, sizeof(bytes) - 1)

/* Whatever bytes: JSON is one valid string, and a terminal sees nothing but printable ASCII or UTF-8. */
static void test_any_bytes(void)
{
    bool valid = true, tame = true;
    for (unsigned a = 0; a < 256; a++)
        for (unsigned b = 0; b < 256; b++) {
            const char bytes[4] = {(char)a, (char)b, (char)(a ^ b), 'x'};
            char text[100];
            struct json_value value;
            const char *wrong;
            size_t position;
            int n = snprintf(text, sizeof text, "\"%s\"", escaped(ESCAPE_JSON, bytes, 4));
            valid = valid && json_check(text, (size_t)n, &value, &wrong, &position) && value.length == (size_t)n;
            const unsigned char *s = (const unsigned char *)escaped(ESCAPE_TERMINAL, bytes, 4);
            for (; *s; s++)
                tame = tame && *s >= 0x20 && *s != 0x7f && !(s[0] == 0xc2 && s[1] < 0xa0);
        }
    ok(valid, "JSON is a valid string for any two bytes and what follows");
    ok(tame, "a terminal gets no control character");
}

int main(void)
{
    is_string(TERMINAL("plain text"), "plain text", "plain text stays");
    is_string(TERMINAL("a\nb\tc\r\\"), "a\\nb\\tc\\r\\\\", "line ends, tabs and backslashes are told apart");
    is_string(TERMINAL("\x1b[2J\x7f\0"), "\\x1b[2J\\x7f\\x00", "control characters, NUL too");
    is_string(TERMINAL("\xff\xe2\x82"), "\\xff\\xe2\\x82", "malformed bytes, one by one");
    is_string(TERMINAL("\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80"), "\\xc0\\x80\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80",
              "overlong forms, surrogates and what lies beyond Unicode are malformed");
    is_string(TERMINAL("\xc2\x9b" "31m"), "\\u{9b}31m", "C1 in UTF-8");
    is_string(TERMINAL("\xe2\x80\xae" "abc"), "\\u{202e}abc", "a character that turns the direction round");
    is_string(TERMINAL("\xef\xbb\xbf"), "\\u{feff}", "a BOM");
    is_string(TERMINAL("\xc3\xa9\xe2\x96\x81\xf0\x9f\x98\x80"), "\xc3\xa9\xe2\x96\x81\xf0\x9f\x98\x80", "other characters stay");
    is_uint(width, 3, "and count one column each");
    TERMINAL("\x1b");
    is_uint(width, 4, "an escape counts its own");
    is_string(JSON("\"\\\n\x01"), "\\\"\\\\\\n\\u0001", "JSON's quotes, backslashes and controls");
    is_string(JSON("a\xff" "b\xc3"), "a\xef\xbf\xbd" "b\xef\xbf\xbd", "malformed bytes become U+FFFD");
    is_string(JSON("\xe2\x80\xae\xc3\xa9"), "\xe2\x80\xae\xc3\xa9", "well-formed characters are kept as they are");
    is_string(HTML("<b a='\">&\\\n\t\x01\xff\xe2\x80\xae\xc3\xa9"),
              "&lt;b a=&#39;&quot;&gt;&amp;\\\n\t\\x01\xef\xbf\xbd\\u{202e}\xc3\xa9",
              "HTML's markup, controls, bytes that are no UTF-8 and characters that reorder; the rest stays");
    test_any_bytes();
    return tap_done();
}
