/* json.c - checks and walks JSON in place; see json.h.
 *
 * The checker is a loop over tokens with one bit of memory for each level (array or
 * object): untrusted input must not be able to exhaust the stack. The walkers
 * rely on the check and only skip from one token to the next.
 */
#include "json.h"

#include <stdint.h>
#include <string.h>

/* The state of a check. */
struct check {
    const char *bytes;
    size_t size, at;
    uint8_t level[JSON_DEPTH]; /* '{' or '[' */
    size_t depth;
    const char *wrong;
};

static bool space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_space(struct check *c)
{
    while (c->at < c->size && space(c->bytes[c->at]))
        c->at++;
}

static bool fail(struct check *c, const char *wrong)
{
    if (c->wrong == NULL)
        c->wrong = c->at < c->size ? wrong : "it ends too early";
    return false;
}

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool check_escape(struct check *c)
{
    c->at++; /* the backslash */
    if (c->at >= c->size)
        return fail(c, "");
    const char kind = c->bytes[c->at];
    if (kind != '\0' && strchr("\"\\/bfnrt", kind) != NULL) {
        c->at++;
        return true;
    }
    if (kind != 'u')
        return fail(c, "there is no such escape in a string");
    c->at++;
    for (int i = 0; i < 4; i++, c->at++)
        if (c->at >= c->size || hex(c->bytes[c->at]) < 0)
            return fail(c, "\\u wants four hexadecimal digits");
    return true;
}

static bool check_string(struct check *c)
{
    c->at++; /* the quote */
    while (c->at < c->size) {
        const unsigned char byte = (unsigned char)c->bytes[c->at];
        if (byte == '"') {
            c->at++;
            return true;
        }
        if (byte < 0x20)
            return fail(c, "a control character stands in a string");
        if (byte != '\\')
            c->at++;
        else if (!check_escape(c))
            return false;
    }
    return fail(c, "");
}

static bool digits(struct check *c)
{
    const size_t start = c->at;
    while (c->at < c->size && c->bytes[c->at] >= '0' && c->bytes[c->at] <= '9')
        c->at++;
    return c->at > start || fail(c, "a digit is missing");
}

static bool check_number(struct check *c)
{
    if (c->bytes[c->at] == '-')
        c->at++;
    if (c->at < c->size && c->bytes[c->at] == '0')
        c->at++;
    else if (!digits(c))
        return false;
    if (c->at < c->size && c->bytes[c->at] == '.') {
        c->at++;
        if (!digits(c))
            return false;
    }
    if (c->at < c->size && (c->bytes[c->at] == 'e' || c->bytes[c->at] == 'E')) {
        c->at++;
        if (c->at < c->size && (c->bytes[c->at] == '+' || c->bytes[c->at] == '-'))
            c->at++;
        return digits(c);
    }
    return true;
}

static bool check_word(struct check *c)
{
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++) {
        const size_t length = strlen(words[i]);
        if (c->size - c->at >= length && memcmp(c->bytes + c->at, words[i], length) == 0) {
            c->at += length;
            return true;
        }
    }
    return fail(c, "a value is missing");
}

/* "name" and its colon, at the cursor. */
static bool check_key(struct check *c)
{
    skip_space(c);
    if (c->at >= c->size || c->bytes[c->at] != '"')
        return fail(c, "a name in quotes is missing");
    if (!check_string(c))
        return false;
    skip_space(c);
    if (c->at >= c->size || c->bytes[c->at] != ':')
        return fail(c, "a colon is missing");
    c->at++;
    return true;
}

/* Begins a value; *open: it is a container that isn't closed yet. */
static bool begin_value(struct check *c, bool *open)
{
    skip_space(c);
    *open = false;
    if (c->at >= c->size)
        return fail(c, "");
    const char first = c->bytes[c->at];
    if (first == '"')
        return check_string(c);
    if (first == '-' || (first >= '0' && first <= '9'))
        return check_number(c);
    if (first != '{' && first != '[')
        return check_word(c);
    if (c->depth == JSON_DEPTH)
        return fail(c, "it is nested too deeply");
    c->level[c->depth++] = (uint8_t)first;
    c->at++;
    skip_space(c);
    *open = !(c->at < c->size && c->bytes[c->at] == (first == '{' ? '}' : ']'));
    if (!*open) {
        c->at++;
        c->depth--;
    }
    return !*open || first == '[' || check_key(c);
}

/* After a value: closes containers up to one that goes on. */
static bool end_values(struct check *c)
{
    while (c->depth > 0) {
        const bool object = c->level[c->depth - 1] == '{';
        skip_space(c);
        if (c->at < c->size && c->bytes[c->at] == ',') {
            c->at++;
            return !object || check_key(c);
        }
        if (c->at >= c->size || c->bytes[c->at] != (object ? '}' : ']'))
            return fail(c, object ? "a comma or } is missing" : "a comma or ] is missing");
        c->at++;
        c->depth--;
    }
    return true;
}

bool json_check(const char *bytes, size_t size, struct json_value *value, const char **wrong, size_t *position)
{
    struct check c = {.bytes = bytes, .size = size};
    bool open = false, fine;
    skip_space(&c);
    const size_t start = c.at;
    do {
        fine = begin_value(&c, &open);
        if (fine && !open)
            fine = end_values(&c);
    } while (fine && c.depth > 0);
    if (fine) {
        *value = (struct json_value){bytes + start, c.at - start};
        skip_space(&c);
        fine = c.at == size || fail(&c, "something follows the value");
    }
    *wrong = c.wrong;
    *position = c.at;
    return fine;
}

enum json_kind json_kind(struct json_value value)
{
    switch (value.bytes[0]) {
    case '"':
        return JSON_STRING;
    case '{':
        return JSON_OBJECT;
    case '[':
        return JSON_ARRAY;
    case 't':
    case 'f':
        return JSON_BOOL;
    case 'n':
        return JSON_NULL;
    default:
        return JSON_NUMBER;
    }
}

/* The byte behind the string that begins at `at`. */
static const char *behind_string(const char *at)
{
    for (at++; *at != '"'; at++)
        at += *at == '\\';
    return at + 1;
}

/* The byte behind the checked value that begins at `at`, which ends before `end`. */
static const char *behind(const char *at, const char *end)
{
    if (*at == '"')
        return behind_string(at);
    if (*at != '{' && *at != '[') {
        while (at < end && !space(*at) && strchr(",]}", *at) == NULL)
            at++;
        return at;
    }
    size_t depth = 0;
    do {
        const char c = *at;
        at = c == '"' ? behind_string(at) : at + 1;
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
    } while (depth > 0);
    return at;
}

struct json_walk json_begin(struct json_value container)
{
    const enum json_kind kind = json_kind(container);
    struct json_walk walk = {container.bytes, container.bytes, kind == JSON_OBJECT};
    if (kind == JSON_OBJECT || kind == JSON_ARRAY)
        walk = (struct json_walk){container.bytes + 1, container.bytes + container.length - 1, kind == JSON_OBJECT};
    return walk;
}

static const char *past(const char *at, const char *end, char mark)
{
    while (at < end && (space(*at) || *at == mark))
        at++;
    return at;
}

bool json_next(struct json_walk *walk, struct json_value *key, struct json_value *value)
{
    const char *at = past(walk->at, walk->end, ',');
    if (at >= walk->end)
        return false;
    if (walk->object) {
        const char *after = behind_string(at);
        if (key != NULL)
            *key = (struct json_value){at, (size_t)(after - at)};
        at = past(after, walk->end, ':');
    }
    walk->at = behind(at, walk->end);
    *value = (struct json_value){at, (size_t)(walk->at - at)};
    return true;
}

bool json_find(struct json_value object, const char *name, struct json_value *value)
{
    struct json_value key, candidate;
    bool found = false;
    if (json_kind(object) != JSON_OBJECT)
        return false;
    struct json_walk walk = json_begin(object);
    while (json_next(&walk, &key, &candidate))
        if (json_is(key, name)) {
            *value = candidate;
            found = true;
        }
    return found;
}

static uint32_t four(const char *at)
{
    uint32_t code = 0;
    for (int i = 0; i < 4; i++)
        code = code << 4 | (uint32_t)hex(at[i]);
    return code;
}

static size_t put(uint32_t code, char *out)
{
    size_t n = 0;
    if (code < 0x80) {
        out[n++] = (char)code;
    } else if (code < 0x800) {
        out[n++] = (char)(0xC0 | code >> 6);
    } else {
        if (code >= 0x10000)
            out[n++] = (char)(0xF0 | code >> 18);
        out[n++] = (char)(code >= 0x10000 ? 0x80 | (code >> 12 & 63) : 0xE0 | code >> 12);
        out[n++] = (char)(0x80 | (code >> 6 & 63));
    }
    if (code >= 0x80)
        out[n++] = (char)(0x80 | (code & 63));
    return n;
}

/* Decodes the \u escape at `at` (behind the u), and the low half of a pair that follows. */
static const char *decode_unicode(const char *at, char *out, size_t *used)
{
    uint32_t code = four(at);
    at += 4;
    if (code >= 0xD800 && code < 0xDC00 && at[0] == '\\' && at[1] == 'u') {
        const uint32_t low = four(at + 2);
        if (low >= 0xDC00 && low < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10 | (low - 0xDC00));
            at += 6;
        }
    }
    *used += put(code, out + *used);
    return at;
}

size_t json_decode(struct json_value value, char *out)
{
    static const char escape[] = "bfnrt", meaning[] = "\b\f\n\r\t";
    const char *at = value.bytes + 1, *end = value.bytes + value.length - 1;
    size_t used = 0;
    while (at < end) {
        const char *backslash = memchr(at, '\\', (size_t)(end - at));
        const size_t plain = (size_t)((backslash == NULL ? end : backslash) - at);
        memcpy(out + used, at, plain);
        used += plain;
        if (backslash == NULL)
            break;
        at = backslash + 2;
        const char *known = strchr(escape, backslash[1]);
        if (backslash[1] == 'u')
            at = decode_unicode(at, out, &used);
        else
            out[used++] = known != NULL ? meaning[known - escape] : backslash[1];
    }
    return used;
}

bool json_is(struct json_value value, const char *text)
{
    const size_t length = strlen(text);
    char small[64];
    if (value.length == length + 2 && memchr(value.bytes, '\\', value.length) == NULL)
        return memcmp(value.bytes + 1, text, length) == 0;
    if (value.length > sizeof small || value.length <= length + 2)
        return false; /* names are short; escapes only make them longer */
    return json_decode(value, small) == length && memcmp(small, text, length) == 0;
}
