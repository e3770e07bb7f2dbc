/* mutate_json.c - changes of JSON texts that stay JSON most times; see mutate.h.
 *
 * Values are found by a scan of their own: quotes, brackets and commas, not the program's reader.
 */
#include <stdio.h>
#include <string.h>

#include "mutate.h"

#define MOST 4096 /* values that are looked at */

/* A value, or a member's name with its value. */
struct piece {
    size_t from, to;
};

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t end_of_text(const uint8_t *data, size_t size, size_t at)
{
    for (at++; at < size && data[at] != '"'; at++)
        at += data[at] == '\\';
    return at < size ? at + 1 : size;
}

/* Behind the value that begins at `at`. */
static size_t end_of_value(const uint8_t *data, size_t size, size_t at)
{
    size_t depth = 0;
    if (data[at] == '"')
        return end_of_text(data, size, at);
    while (at < size) {
        const uint8_t c = data[at];
        if (depth == 0 && (c == ',' || c == ':' || c == '}' || c == ']' || is_space(c)))
            return at;
        depth += c == '{' || c == '[';
        depth -= (c == '}' || c == ']') && depth > 0;
        at = c == '"' ? end_of_text(data, size, at) : at + 1;
        if (depth == 0 && (c == '}' || c == ']'))
            return at;
    }
    return size;
}

static bool begins_value(uint8_t c)
{
    return c == '"' || c == '{' || c == '[' || c == '-' || (c >= '0' && c <= '9') || c == 't' || c == 'f' || c == 'n';
}

/* A value of data[size] at random: which ones are inside others doesn't matter. A text's inside is passed over. */
static bool pick(const uint8_t *data, size_t size, struct mutate_random *r, struct piece *p)
{
    static size_t starts[MOST];
    size_t count = 0, at = mutate_below(r, size);
    /* Begin anywhere, at a line or a comma: long texts have more values than MOST. */
    if (size <= 4096 || mutate_one_in(r, 4))
        at = 0;
    while (at && data[at] != ',' && data[at] != '{')
        at--;
    for (; at < size && count < MOST; at++) {
        if (!begins_value(data[at]))
            continue;
        starts[count++] = at;
        if (data[at] == '"')
            at = end_of_text(data, size, at) - 1;
        else if (data[at] != '{' && data[at] != '[')
            while (at + 1 < size && !is_space(data[at + 1]) && !strchr(",:]}", data[at + 1]))
                at++;
    }
    if (!count)
        return false;
    p->from = starts[mutate_below(r, count)];
    p->to = end_of_value(data, size, p->from);
    return p->to > p->from;
}

static size_t put_number(uint8_t *data, size_t size, size_t max, struct piece p, struct mutate_random *r)
{
    static const char *const odd[] = {"0", "-0", "-1", "1e999", "-1e999", "1e-999", "0.5", "18446744073709551615", "18446744073709551616",
                                      "9223372036854775807", "9223372036854775808", "-9223372036854775809", "4294967295", "4294967296",
                                      "2147483647", "2147483648", "3.402823467e38", "1e39", "100000000000000000000000000000000000000000",
                                      "00", "+1", "1.", ".5", "0x10", "NaN", "Infinity", "1e", "true", "null", "\"1\"", "[]", "{}"};
    char text[32];
    if (mutate_one_in(r, 2)) {
        const char *word = odd[mutate_below(r, sizeof odd / sizeof *odd)];
        return mutate_replace(data, size, max, p.from, p.to - p.from, word, strlen(word));
    }
    uint64_t old = 0;
    for (size_t i = p.from; i < p.to && data[i] >= '0' && data[i] <= '9'; i++)
        old = old * 10 + (uint64_t)(data[i] - '0');
    const int length = snprintf(text, sizeof text, "%llu", (unsigned long long)mutate_number(old, size, r));
    return mutate_replace(data, size, max, p.from, p.to - p.from, text, (size_t)length);
}

/* Inside of a text, or the text. */
static size_t change_text(uint8_t *data, size_t size, size_t max, struct piece p, const char *const *words, size_t count,
                          struct mutate_random *r)
{
    static const char *const odd[] = {"\\u0000", "\\ud800", "\\udc00\\ud800", "\\ud83d\\ude00", "\\uFFFF", "\\x", "\\u12", "\\", "\\\"", "\xff",
                                      "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80", "\xe2\x96\x81", "../", "/", "\\n", "%s%n", "\x01", ""};
    if (count && !mutate_one_in(r, 3)) {
        char text[200];
        const int length = snprintf(text, sizeof text, "\"%s\"", words[mutate_below(r, count)]);
        return mutate_replace(data, size, max, p.from, p.to - p.from, text, (size_t)length);
    }
    const size_t inside = p.to - p.from < 2 ? 0 : p.to - p.from - 2;
    const size_t at = p.from + 1 + (inside ? mutate_below(r, inside) : 0);
    if (mutate_one_in(r, 4))
        return mutate_resize(data, size, max, at, 0, 1 + mutate_below(r, 300), 'a');
    const char *word = odd[mutate_below(r, sizeof odd / sizeof *odd)];
    return mutate_replace(data, size, max, at, inside && mutate_one_in(r, 2) ? 1 : 0, word, strlen(word));
}

/* In brackets many times over, the deepest as often as not left open. */
static size_t nest(uint8_t *data, size_t size, size_t max, struct piece p, struct mutate_random *r)
{
    const size_t depth = 1 + mutate_below(r, mutate_one_in(r, 4) ? 3000 : 40);
    const size_t changed = mutate_resize(data, size, max, p.to, 0, mutate_one_in(r, 4) ? 0 : depth, ']');
    return mutate_resize(data, changed, max, p.from, 0, depth, '[');
}

/* The value with the name before it, and the comma behind it. */
static struct piece whole_member(const uint8_t *data, size_t size, struct piece p)
{
    size_t at = p.from;
    while (at && is_space(data[at - 1]))
        at--;
    if (at && data[at - 1] == ':') {
        at--;
        while (at && is_space(data[at - 1]))
            at--;
        if (at && data[at - 1] == '"')
            for (at--; at && data[at - 1] != '"'; at--)
                continue;
        p.from = at ? at - 1 : 0;
    }
    while (p.to < size && is_space(data[p.to]))
        p.to++;
    if (p.to < size && data[p.to] == ',')
        p.to++;
    return p;
}

static size_t put_copy(uint8_t *data, size_t size, size_t max, struct piece from, struct piece to)
{
    static uint8_t copy[1 << 16];
    const size_t length = from.to - from.from;
    if (length > sizeof copy)
        return size;
    memcpy(copy, data + from.from, length);
    return mutate_replace(data, size, max, to.from, to.to - to.from, copy, length);
}

size_t mutate_json(uint8_t *data, size_t size, size_t max, const char *const *words, size_t count, struct mutate_random *r)
{
    struct piece p, other;
    if (size == 0 || !pick(data, size, r, &p) || !pick(data, size, r, &other))
        return mutate_bytes(data, size, max, r);
    const uint8_t first = data[p.from];
    const struct piece whole = whole_member(data, size, p);
    switch (mutate_below(r, 10)) {
    case 0: return nest(data, size, max, p, r);
    case 1: return mutate_resize(data, size, max, whole.from, whole.to - whole.from, 0, 0);
    case 2: return put_copy(data, size, max, whole, (struct piece){whole.to, whole.to});
    case 3: return put_copy(data, size, max, other, p);
    case 4: return mutate_bytes(data, size, max, r);
    default: break;
    }
    if (first == '"')
        return change_text(data, size, max, p, words, count, r);
    if (first == '{' || first == '[')
        return put_copy(data, size, max, other, p);
    return put_number(data, size, max, p, r);
}
