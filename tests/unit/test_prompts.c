/* test_prompts.c - lines of text, lines of token ids, and the name of a prompt. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "text/prompts.h"
#include "tap.h"

static struct error fault;

/* The prompts of bytes[size] as text, joined by `|`; "!" and the sentence when refused. */
static const char *listed(const char *bytes, size_t size, size_t limit, struct prompt_source *source)
{
    static char got[1024];
    got[0] = '\0';
    if (prompts_open_text(source, bytes, size, limit, "file", &fault) != STATUS_OK) {
        snprintf(got, sizeof got, "!%s", fault.sentence);
        return got;
    }
    size_t used = 0;
    for (size_t i = 0; i < source->count; i++) {
        size_t length;
        const char *text = prompts_text(source, i, &length);
        used += (size_t)snprintf(got + used, sizeof got - used, "%s", i > 0 ? "|" : "");
        memcpy(got + used, text, length);
        used += length;
    }
    got[used] = '\0';
    return got;
}

#define BYTES(literal) literal, sizeof literal - 1

static void texts(void)
{
    struct prompt_source s = {0};
    is_string(listed(BYTES("one\ntwo\nthree"), PROMPTS_ALL, &s), "one|two|three", "the last line needs no newline");
    is_uint(s.lines, 3, "three lines are counted");
    is_uint(s.items[2].line, 3, "a prompt knows its line");
    prompts_close(&s);
    is_string(listed(BYTES("\xEF\xBB\xBFone\r\n\r\n \t \ntwo \r\n"), PROMPTS_ALL, &s), "one|two ",
              "a BOM and carriage returns at line ends are dropped, white space in lines is not");
    is_uint(s.blank, 2, "blank lines are counted");
    is_uint(s.items[1].line, 4, "and count as lines");
    prompts_close(&s);
    is_string(listed(BYTES("a\rb\n\r\r\nc\xC2\xA0"), PROMPTS_ALL, &s), "a\rb|c\xC2\xA0",
              "a carriage return inside is text, a line of them is blank");
    prompts_close(&s);
    is_string(listed(BYTES("one\ntwo\n\nthree\n"), 2, &s), "one|two", "a limit takes the first ones");
    is_uint(s.count, 2, "and no more");
    prompts_close(&s);
    listed(BYTES("a\0b\nc"), PROMPTS_ALL, &s);
    size_t length;
    const char *text = prompts_text(&s, 0, &length);
    ok(length == 3 && memcmp(text, "a\0b", 3) == 0, "NUL bytes are kept");
    prompts_close(&s);
    is_string(listed("", 0, PROMPTS_ALL, &s), "!the file holds no prompts", "an empty file is refused");
    is_string(listed(BYTES("\xEF\xBB\xBF\n \r\n"), PROMPTS_ALL, &s), "!the file holds no prompts",
              "a file of blank lines too");
    ok(fault.status == STATUS_INPUT && strcmp(fault.file, "file") == 0, "as bad input, by its name");
    ok(s.items == NULL && s.count == 0, "and leaves an empty source");
    is_int(prompts_open_raw(&s, BYTES("\xEF\xBB\xBF\n\r\n"), &fault), STATUS_OK, "raw takes it as it is");
    is_uint(s.items[0].length, 6, "every byte of it");
    prompts_close(&s);
}

/* The refusal of a file of ids: "where: sentence", or "" when it is taken. */
static const char *refusal(const char *bytes, size_t size)
{
    static char got[2048];
    struct prompt_source s = {0};
    const enum status status = prompts_open_tokens(&s, bytes, size, PROMPTS_ALL, 100, "file", &fault);
    prompts_close(&s);
    if (status == STATUS_OK)
        return "";
    snprintf(got, sizeof got, "%s: %s", fault.where, fault.sentence);
    return got;
}

static void tokens(void)
{
    static const int32_t wanted[] = {1, 0, 99};
    struct prompt_source s = {0};
    struct token_list ids = {0};
    is_int(prompts_open_tokens(&s, BYTES("\xEF\xBB\xBF 1  0\t99 \r\n\n007\n"), PROMPTS_ALL, 100, "file", &fault),
           STATUS_OK, "lines of ids are taken");
    is_uint(s.count, 2, "one sequence a line");
    is_uint(s.blank, 1, "blank lines skipped");
    ok(prompts_tokens(&s, 0, &ids, &fault) == STATUS_OK && ids.count == 3, "three ids stand on the first");
    is_bytes(ids.ids, wanted, sizeof wanted, "as they are, without BOS");
    ids.count = 0;
    ok(prompts_tokens(&s, 1, &ids, &fault) == STATUS_OK && ids.count == 1 && ids.ids[0] == 7, "zeros may lead");
    prompts_close(&s);
    token_list_free(&ids);

    is_string(refusal(BYTES("1 2\n3 x4\n")), "line 2: token id 'x4' is not a number", "letters are refused");
    is_string(refusal(BYTES("1 2\n\n-3\n")), "line 3: token id '-3' is negative", "negative ids are refused");
    is_string(refusal(BYTES("100")), "line 1: token id '100' is outside the vocabulary", "ids past the end too");
    is_string(refusal(BYTES("99999999999999999999999999")),
              "line 1: token id '99999999999999999999999999' is outside the vocabulary", "whatever their length");
    is_string(refusal(BYTES("18446744073709551617")),
              "line 1: token id '18446744073709551617' is outside the vocabulary", "no wrapping around");
    is_string(refusal(BYTES("1,2")), "line 1: token id '1,2' is not a number", "commas are refused");
    is_string(refusal(BYTES("1.0")), "line 1: token id '1.0' is not a number", "fractions too");
    is_string(refusal(BYTES("+1")), "line 1: token id '+1' is not a number", "signs too");
    is_string(refusal(BYTES("1 2\r3")), "line 1: token id '2\r3' is not a number", "lone carriage returns too");
    is_string(refusal(BYTES("  \n")), "1 lines, all blank: the file holds no prompts", "no sequence at all too");
}

static void hash(void)
{
    /* XXH3_128bits of no bytes is a published constant; the second is of 01 00 00 00 02 00 00 00,
     * by the Python package xxhash. */
    uint64_t h[2], other[2];
    prompts_hash(NULL, 0, h);
    ok(h[1] == 0x99aa06d3014798d8u && h[0] == 0x6001c324468d497fu, "the hash of no ids is XXH3's of nothing");
    prompts_hash((const int32_t[]){1, 2}, 2, h);
    prompts_hash((const int32_t[]){2, 1}, 2, other);
    ok(h[0] != other[0] || h[1] != other[1], "order matters");
    is_uint(h[0], 0x657ce6e8d8ff657fu, "the hash of 1 2, low half");
    is_uint(h[1], 0x9cb99f86ae035f85u, "the hash of 1 2, high half");
}

int main(void)
{
    texts();
    tokens();
    hash();
    return tap_done();
}
