/* test_prompts.c - sources in memory: text, JSON, token ids; counts, index, and the name of a prompt. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "text/prompts.h"
#include "tap.h"

static struct error fault;

/* All prompts of an open source, joined by `|`. */
static const char *joined(const struct prompt_source *source)
{
    static char got[1024];
    struct prompts_reader reader = prompts_reader_begin(source);
    struct text_buffer text = {0};
    size_t used = 0;
    for (size_t i = 0; i < source->count; i++) {
        if (prompts_read(&reader, i, NULL, false, &text, &fault) != STATUS_OK)
            return fault.sentence;
        used += (size_t)snprintf(got + used, sizeof got - used, "%s", i > 0 ? "|" : "");
        memcpy(got + used, text.bytes, text.count);
        used += text.count;
    }
    got[used] = '\0';
    text_buffer_free(&text);
    prompts_reader_close(&reader);
    return got;
}

/* The prompts of bytes[size] as text, joined by `|`; "!" and the sentence when refused. */
static const char *listed(const char *bytes, size_t size, size_t limit, struct prompt_source *source)
{
    static char refused[1024];
    if (prompts_open_text(source, bytes, size, limit, "file", &fault) == STATUS_OK)
        return joined(source);
    snprintf(refused, sizeof refused, "!%s", fault.sentence);
    return refused;
}

/* The same for whatever the bytes are, by name. */
static const char *guessed(const char *bytes, const char *name, struct prompt_source *source)
{
    static char refused[1024];
    const struct prompts_options options = prompts_defaults();
    if (prompts_open_bytes(source, bytes, strlen(bytes), name, &options, &fault) == STATUS_OK)
        return joined(source);
    snprintf(refused, sizeof refused, "!%s (%.200s)", fault.sentence, fault.where);
    return refused;
}

#define BYTES(literal) literal, sizeof literal - 1

static void texts(void)
{
    struct prompt_source s = {0};
    is_string(listed(BYTES("one\ntwo\nthree"), PROMPTS_ALL, &s), "one|two|three", "the last line needs no newline");
    is_uint(s.counts.lines, 3, "three lines are counted");
    is_uint(s.index[2].line, 3, "a prompt knows its line");
    prompts_close(&s);
    is_string(listed(BYTES("\xEF\xBB\xBFone\r\n\r\n \t \ntwo \r\n"), PROMPTS_ALL, &s), "one|two ",
              "a BOM and carriage returns at line ends are dropped, white space in lines is not");
    is_uint(s.counts.blank, 2, "blank lines are counted");
    is_uint(s.index[1].line, 4, "and count as lines");
    prompts_close(&s);
    is_string(listed(BYTES("a\rb\n\r\r\nc\xC2\xA0"), PROMPTS_ALL, &s), "a\rb|c\xC2\xA0",
              "a carriage return inside is text, a line of them is blank");
    prompts_close(&s);
    is_string(listed(BYTES("one\ntwo\n\nthree\n"), 2, &s), "one|two", "a limit takes the first ones");
    is_uint(s.count, 2, "and no more");
    prompts_close(&s);
    const char *text = listed(BYTES("a\0b\nc"), PROMPTS_ALL, &s);
    is_bytes(text, "a\0b|c", 6, "NUL bytes are kept");
    is_uint(s.counts.nul, 1, "and counted");
    prompts_close(&s);
    is_string(listed("", 0, PROMPTS_ALL, &s), "!the file holds no prompts", "an empty file is refused");
    is_string(listed(BYTES("\xEF\xBB\xBF\n \r\n"), PROMPTS_ALL, &s), "!the file holds no prompts",
              "a file of blank lines too");
    ok(fault.status == STATUS_INPUT && strcmp(fault.file, "file") == 0, "as bad input, by its name");
    ok(s.index == NULL && s.count == 0, "and leaves an empty source");
}

static void json(void)
{
    struct prompt_source s = {0};
    const char *lines = "\xEF\xBB\xBF{\"text\":\"one\"}\r\n\n{\"prompt\":\"two\\n2\"}\n{bad\n{\"x\":1}\n{\"content\":\" \"}\n"
                        "{\"messages\":[{\"role\":\"system\",\"content\":\"S\"},{\"role\":\"user\",\"content\":"
                        "[{\"type\":\"text\",\"text\":\"U\"},\"V\"]}]}\n{\"conversations\":[{\"from\":\"human\",\"value\":"
                        "\"H\"},{\"from\":\"gpt\",\"value\":\"G\"}]}\n{\"instruction\":\"I\",\"input\":\"N\",\"output\":\"O\"}";
    is_string(guessed(lines, "x", &s), "one|two\n2|S\nUV|H\nG|I\n\nN\nO", "JSON Lines of five kinds are known by content");
    is_string(s.form, "JSON Lines", "and called so");
    ok(s.counts.blank == 2 && s.counts.broken == 1 && s.counts.missing == 1 && s.counts.boms == 1 &&
           s.counts.returns == 1,
       "what was skipped or dropped is counted by kind");
    is_string(s.first_fault, "line 4: it is no JSON: a name in quotes is missing (column 2)", "the first fault is kept");
    prompts_close(&s);
    is_string(guessed("[\n{\"text\":\"a]\"},\n\"b\", {\"text\":\"c\"}\n]\n", "x", &s), "a]|b|c", "an array too");
    is_uint(s.index[2].line, 3, "with the lines where records begin");
    prompts_close(&s);
    is_string(guessed("{\n \"text\": \"a\"\n}\n{\"text\": \"b\"}", "x", &s), "a|b", "and records over several lines");
    prompts_close(&s);
    is_string(guessed("[INST] hi\n[[Link]] x\n{ok\n", "x", &s), "[INST] hi|[[Link]] x|{ok", "brackets alone are text");
    prompts_close(&s);
    is_string(guessed("{\"text\":\"a\"}\n", "x.TXT", &s), "{\"text\":\"a\"}", "a name in .txt is text");
    prompts_close(&s);
    is_string(guessed("\"a\"\n\"b\"\n", "x.jsonl.gz", &s), "a|b", "a name in .jsonl is JSON Lines");
    prompts_close(&s);
    is_string(guessed("[{\"text\":\"a\"},", "x", &s),
              "!the JSON array isn't closed: the file is cut short, or a quote or bracket is missing (line 1)",
              "an array cut short is refused");
    is_string(guessed("[\"a\"]\nb", "x", &s), "!something follows the JSON array (line 2)", "and one with a tail");
    is_string(guessed("{\"x\":1}\n", "x", &s),
              "!the file holds no prompts: of 1 records 0 are blank, 0 no JSON, 1 without a known field; the first of these: "
              "line 1: it has none of messages, conversations, text, prompt, content or instruction ()",
              "fields that are missing are told");
    is_string(guessed("{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\"}]}]}\n\"b\"", "x", &s), "b",
              "an image makes no prompt");
    ok(strstr(s.first_fault, "part that is no text") != NULL, "which is told");
    prompts_close(&s);
    is_string(guessed("{\"text\":\"a\"}\n\xEF\xBB\xBF{\"text\":\"b\"}\n", "x", &s), "a|b", "a BOM of joined files is dropped");
    ok(s.counts.boms == 1 && s.counts.broken == 0, "and counted");
    prompts_close(&s);
    is_string(guessed("[\"a\",{\"x\":1}]", "x", &s), "a", "an array on one line");
    is_string(s.first_fault, "line 1, byte 4: it has none of messages, conversations, text, prompt, content or instruction",
              "its faults are told by their bytes");
    prompts_close(&s);
    is_string(guessed("{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"I\"}]},"
                      "{\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"O\"}]}]}", "x", &s),
              "I\nO", "OpenAI's newer parts are text too");
    prompts_close(&s);
}

/* 101 faulty records are one too many. */
static void faults(void)
{
    char lines[4096] = "{\"text\":\"a\"}\n";
    struct prompt_source s = {0};
    for (int i = 0; i < 100; i++)
        strncat(lines, "{\n", sizeof lines - strlen(lines) - 1);
    is_string(guessed(lines, "x", &s), "a", "a hundred faulty records are skipped");
    is_uint(s.counts.broken, 100, "and counted");
    prompts_close(&s);
    strncat(lines, "{\n", sizeof lines - strlen(lines) - 1);
    is_string(guessed(lines, "x", &s), "!more than 100 records are no prompts; this one: it is no JSON: it ends too early "
                                       "(column 2) (line 102)", "one more is an error that names its line");
}

static void encodings(void)
{
    struct prompt_source s = {0};
    guessed("caf\xE9 au lait\nna\xEFve\n", "x", &s);
    is_uint(s.counts.latin1, 1, "Latin-1 is seen");
    prompts_close(&s);
    guessed("caf\xC3\xA9\nna\xC3\xAFve \xFF\n", "x", &s);
    is_uint(s.counts.latin1, 0, "UTF-8 with one bad byte isn't taken for it");
    prompts_close(&s);
    guessed("\x80\x81\x82 \x90\n", "x", &s);
    is_uint(s.counts.latin1, 0, "nor are bytes that it has no letters for");
    prompts_close(&s);
    is_string(listed(BYTES("\xFF\xFEh\0i\0"), PROMPTS_ALL, &s), "!is UTF-16 text", "UTF-16 is refused by name");
    is_string(listed(BYTES("GGUF\3\0\0\0"), PROMPTS_ALL, &s), "!is a model file", "a model too");
    is_string(listed(BYTES("h\0i\0 \0y\0o\0u\0\n\0"), PROMPTS_ALL, &s), "!is UTF-16 text without a byte order mark",
              "also without its mark");
    is_string(fault.advice, "convert it with 'iconv -f UTF-16LE -t UTF-8'", "and its byte order told");
    is_string(listed(BYTES("\0h\0i\0 \0y\0o\0u"), PROMPTS_ALL, &s), "!is UTF-16 text without a byte order mark", "either one");
    is_string(fault.advice, "convert it with 'iconv -f UTF-16BE -t UTF-8'", "by its name");
    is_string(listed(BYTES("a\0b\0c\0 some text"), PROMPTS_ALL, &s), "a", "a few NUL bytes are text");
    prompts_close(&s);
    is_string(listed(BYTES("%PDF-1.4\n"), PROMPTS_ALL, &s), "!is a PDF document", "a PDF is no text");
    is_string(listed(BYTES("PK\3\4zip"), PROMPTS_ALL, &s), "!is a zip archive", "a zip archive too");
    is_string(listed(BYTES("BZh is a word"), PROMPTS_ALL, &s), "BZh is a word", "a word that begins like bzip2 is text");
    prompts_close(&s);
}

/* An index that holds few places, and any order of reading. */
static void thinned(void)
{
    char lines[8192] = "";
    struct prompt_source s = {0}, other = {0};
    struct prompts_options options = prompts_defaults();
    options.index_limit = 7;
    for (int i = 0; i < 500; i++)
        snprintf(lines + strlen(lines), sizeof lines - strlen(lines), i % 5 == 0 ? "{\"text\":\"%d\"}\n\n" : "\"%d\"\n", i);
    is_int(prompts_open_bytes(&s, lines, strlen(lines), "x", &options, &fault), STATUS_OK, "500 prompts are opened");
    ok(s.index_count <= 7 && s.stride == 128 && s.count == 500, "with an index of %zu places", s.index_count);
    char *packed;
    size_t size;
    ok(prompts_pack(&s, &packed, &size, &fault) == STATUS_OK && prompts_unpack(&other, packed, size, &fault) == STATUS_OK,
       "the index can be sent");
    memory_free(packed);
    other.spool = spool_over(lines, strlen(lines));
    struct prompts_reader reader = prompts_reader_begin(&other);
    struct text_buffer text = {0};
    int odd = 0;
    for (size_t i = 0, at = 3; i < 2000; i++, at = (at * 7 + i) % 500) {
        char wanted[16];
        snprintf(wanted, sizeof wanted, "%zu", at);
        odd += prompts_read(&reader, at, NULL, false, &text, &fault) != STATUS_OK || text.count != strlen(wanted) ||
               memcmp(text.bytes, wanted, text.count) != 0;
    }
    is_int(odd, 0, "and every prompt is found by it, in any order");
    prompts_reader_close(&reader);
    text_buffer_free(&text);
    prompts_close(&other);
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
    is_uint(s.counts.blank, 1, "blank lines skipped");
    struct prompts_reader reader = prompts_reader_begin(&s);
    ok(prompts_read_tokens(&reader, 0, &ids, &fault) == STATUS_OK && ids.count == 3, "three ids stand on the first");
    is_bytes(ids.ids, wanted, sizeof wanted, "as they are, without BOS");
    ids.count = 0;
    ok(prompts_read_tokens(&reader, 1, &ids, &fault) == STATUS_OK && ids.count == 1 && ids.ids[0] == 7, "zeros may lead");
    prompts_reader_close(&reader);
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
    json();
    faults();
    encodings();
    thinned();
    tokens();
    hash();
    return tap_done();
}
