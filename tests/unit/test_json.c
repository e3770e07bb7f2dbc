/* test_json.c - what is JSON and what isn't, and how it is walked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "tap.h"

/* "" when text[size] is one value, else what is wrong with it and where. */
static const char *wrong_with(const char *text, size_t size)
{
    static char said[256];
    struct json_value value;
    const char *wrong;
    size_t position;
    /* A copy of exactly this size: reading beyond it is seen by sanitizers. */
    char *copy = malloc(size > 0 ? size : 1);
    memcpy(copy, text, size);
    const bool fine = json_check(copy, size, &value, &wrong, &position);
    snprintf(said, sizeof said, "%s @%zu", fine ? "" : wrong, position);
    free(copy);
    return fine ? "" : said;
}

#define WRONG(literal) wrong_with(literal, sizeof literal - 1)

static void judged(void)
{
    static const char *const fine[] = {
        "{}", "[]", " [ ] ", "0", "-0", "-0.5e-10", "1E+2", "\"\"", "true", "null", "false", "123456789012345678901234567890",
        "1e999", "[1,[2,{\"a\":[]}],\"b\"]", "{\"a\":1,\"a\":2}", "\"\\u0000\\ud800\\\"\\\\\\/\\b\"", "\"\xff\xfe\"", "{\"\":{}}"};
    static const char *const bad[] = {
        "", " ", "{", "[", "]", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}", "[1 2]", "01", "1.", ".5", "+1",
        "-", "1e", "0x1", "tru", "nul", "NaN", "\"", "\"\\", "\"\\u12", "\"\\u12G4\"", "\"\\x\"", "\"a\nb\"", "\"a\tb\"",
        "[1]]", "{} {}", "'a'", "[\"a\" \"b\"]", "{\"a\":1 \"b\":2}", "{1:2}", "[1}", "{\"a\":1]", "\xef\xbb\xbf{}"};
    int odd = 0;
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        if (*wrong_with(fine[i], strlen(fine[i])) != '\0') {
            diag("%s: %s", fine[i], wrong_with(fine[i], strlen(fine[i])));
            odd++;
        }
    is_int(odd, 0, "what RFC 8259 allows is taken");
    odd = 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (*wrong_with(bad[i], strlen(bad[i])) == '\0') {
            diag("taken: %s", bad[i]);
            odd++;
        }
    is_int(odd, 0, "what it does not allow is refused");
    is_string(WRONG("{\"a\" 1}"), "a colon is missing @5", "the fault and its place are told");
    is_string(WRONG("{\"a\": \"b"), "it ends too early @8", "as is an early end");
    is_string(WRONG("{\"a\": 1} x"), "something follows the value @9", "and what follows");
    is_string(WRONG("\"a\0b\""), "a control character stands in a string @2", "NUL bytes end nothing");
    is_string(WRONG("[\0]"), "a value is missing @1", "wherever they stand");
}

static void depth(void)
{
    char deep[2 * JSON_DEPTH + 3];
    memset(deep, '[', JSON_DEPTH);
    memset(deep + JSON_DEPTH, ']', JSON_DEPTH);
    is_string(wrong_with(deep, 2 * JSON_DEPTH), "", "the greatest depth is taken");
    memset(deep, '[', JSON_DEPTH + 1);
    memset(deep + JSON_DEPTH + 1, ']', JSON_DEPTH + 1);
    is_string(wrong_with(deep, sizeof deep - 1), "it is nested too deeply @512", "one more is not");
}

/* Decodes the string that is all of `json`. */
static const char *decoded(const char *json, size_t *length)
{
    static char out[256];
    struct json_value value;
    const char *wrong;
    size_t position;
    if (!json_check(json, strlen(json), &value, &wrong, &position))
        return wrong;
    *length = json_decode(value, out);
    out[*length] = '\0';
    return out;
}

static void walked(void)
{
    const char *text = " {\"a\\u0062\" : [1, {\"x\":\"}]\"} ,null], \"n\":-1.5e3,\"s\":\"q\\\"\",\"o\":{ } , \"s\":\"last\"} ";
    struct json_value value, found, key, element;
    const char *wrong;
    size_t position, length;
    ok(json_check(text, strlen(text), &value, &wrong, &position), "an object is taken");
    is_int(json_kind(value), JSON_OBJECT, "and is one");
    ok(json_find(value, "ab", &found) && json_kind(found) == JSON_ARRAY, "a key with an escape is found");
    struct json_walk walk = json_begin(found);
    int kinds[4] = {-1, -1, -1, -1}, count = 0;
    while (count < 4 && json_next(&walk, NULL, &element))
        kinds[count++] = (int)json_kind(element);
    ok(count == 3 && kinds[0] == JSON_NUMBER && kinds[1] == JSON_OBJECT && kinds[2] == JSON_NULL,
       "an array is walked, brackets in strings and all");
    ok(json_find(value, "s", &found) && json_is(found, "last"), "the last of two equal names counts");
    ok(!json_find(value, "x", &found), "a name further down is not found");
    ok(!json_find(element, "x", &found), "nothing is found in a null");
    walk = json_begin(value);
    ok(json_next(&walk, &key, &element) && json_is(key, "ab") && json_next(&walk, &key, &element) &&
           json_is(key, "n") && element.length == 6,
       "members are walked with their names");
    is_string(decoded("\"\\u00e9\\ud83d\\ude00\\n\\/\"", &length), "\xC3\xA9\xF0\x9F\x98\x80\n/", "escapes are decoded");
    is_string(decoded("\"\\ud800x\\udc00\"", &length), "\xED\xA0\x80x\xED\xB0\x80", "lone surrogates are spelled out");
    is_string(decoded("\"\\ud800\\ud83d\\ude00\"", &length), "\xED\xA0\x80\xF0\x9F\x98\x80", "a pair behind one is a pair");
    decoded("\"a\\u0000b\"", &length);
    is_uint(length, 3, "NUL is a character");
}

int main(void)
{
    judged();
    depth();
    walked();
    return tap_done();
}
