/* test_fact_sheet.c - the two forms of facts, and how they behave with texts from files. */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/fact_sheet.h"
#include "tap.h"

static char *text;
static size_t size;
static FILE *stream;

static struct fact_sheet begin(bool json, bool several)
{
    struct fact_sheet s;
    free(text);
    stream = open_memstream(&text, &size);
    if (!stream)
        bail("no memory stream");
    fact_sheet_open(&s, stream, json, several);
    return s;
}

static const char *end(struct fact_sheet *s)
{
    struct error e;
    if (fact_sheet_finish(s, &e) != STATUS_OK)
        bail("a memory stream fails");
    fclose(stream);
    return text;
}

static bool is_json(void)
{
    struct json_value value;
    const char *wrong;
    size_t position;
    return json_check(text, size, &value, &wrong, &position);
}

static const uint64_t shape[] = {3072, 32064};

static void row(const void *context, size_t i, struct fact_sheet_cell *cells)
{
    const char *const *names = context;
    cells[0] = (struct fact_sheet_cell){.text = names[i], .length = strlen(names[i])};
    cells[1] = (struct fact_sheet_cell){.shape = shape, .dimensions = i + 1};
    cells[2].count = i ? 12345 : 7;
    cells[3].count = i ? 2393231072 : 7;
}

static const char *const names[] = {"a", "long\n"};
static const struct fact_sheet_column columns[] = {{"name", "name", FACT_SHEET_TEXT}, {"shape", "shape", FACT_SHEET_SHAPE},
                                                   {"count", "count", FACT_SHEET_COUNT}, {"bytes", "size", FACT_SHEET_BYTES}};

static void say(struct fact_sheet *s)
{
    const struct fact_sheet_table table = {"rows", columns, 4, 2, row, names}, none = {"none", columns, 4, 0, row, names};
    fact_sheet_thing(s, "m\x1b.gguf");
    fact_sheet_count(s, "kv_heads", UINT64_MAX);
    fact_sheet_section(s, "part", "Part");
    fact_sheet_words(s, "name", "\"quoted\"\n");
    fact_sheet_words(s, "nothing", NULL);
    fact_sheet_bytes(s, "size", 1536);
    fact_sheet_bytes(s, "one", 1);
    fact_sheet_real(s, "real", 0.1);
    fact_sheet_real(s, "odd", NAN);
    fact_sheet_float(s, "threshold", 0.01f);
    fact_sheet_share(s, "share", 0.25);
    fact_sheet_share(s, "unmeasured", NAN);
    fact_sheet_flag(s, "flag", true);
    fact_sheet_note(s, "for %s", "people");
    fact_sheet_section_end(s);
    fact_sheet_section(s, "empty", "Empty");
    fact_sheet_section_end(s);
    fact_sheet_table(s, &table);
    fact_sheet_table(s, &none);
    fact_sheet_thing_end(s);
}

static void test_forms(void)
{
    struct fact_sheet s = begin(false, false);
    say(&s);
    is_string(end(&s),
              "m\\x1b.gguf\n"
              "  kv heads              18446744073709551615\n"
              "\nPart\n"
              "  name                  \"quoted\"\\n\n"
              "  nothing               unknown\n"
              "  size                  1.5 KiB (1536 bytes)\n"
              "  one                   1 byte\n"
              "  real                  0.1\n"
              "  odd                   nan\n"
              "  threshold             0.01\n"
              "  share                 25.0%\n"
              "  unmeasured            unknown\n"
              "  flag                  yes\n"
              "  for people\n"
              "\nEmpty\n"
              "\n  name    shape          count     size\n"
              "  a       [3072]             7  7 bytes\n"
              "  long\\n  [3072, 32064]  12345  2.2 GiB\n",
              "the text");
    s = begin(true, false);
    say(&s);
    is_string(end(&s),
              "{\n  \"file\": \"m\\u001b.gguf\",\n  \"kv_heads\": 18446744073709551615,\n  \"part\": {\n"
              "    \"name\": \"\\\"quoted\\\"\\n\",\n    \"nothing\": null,\n    \"size\": 1536,\n    \"one\": 1,\n"
              "    \"real\": 0.1,\n    \"odd\": null,\n    \"threshold\": 0.01,\n    \"share\": 0.25,\n    \"unmeasured\": null,\n    \"flag\": true\n"
              "  },\n  \"empty\": {},\n  \"rows\": [\n"
              "    {\"name\": \"a\", \"shape\": [3072], \"count\": 7, \"bytes\": 7},\n"
              "    {\"name\": \"long\\n\", \"shape\": [3072, 32064], \"count\": 12345, \"bytes\": 2393231072}\n"
              "  ],\n  \"none\": []\n}\n",
              "the JSON");
}

static void test_several(void)
{
    struct fact_sheet s = begin(true, true);
    end(&s);
    ok(is_json(), "no thing at all is an empty array");
    s = begin(true, true);
    say(&s);
    say(&s);
    end(&s);
    ok(is_json() && text[0] == '[', "several things are an array");
    s = begin(false, true);
    fact_sheet_thing(&s, "a");
    fact_sheet_thing_end(&s);
    fact_sheet_thing(&s, "b");
    fact_sheet_thing_end(&s);
    is_string(end(&s), "a\n\nb\n", "a blank line stands between them");
}

/* The longest line, in bytes (the texts here are ASCII). */
static size_t longest_line(void)
{
    size_t longest = 0;
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        longest = n > longest ? n : longest;
        line += n + (line[n] == '\n');
    }
    return longest;
}

static void test_long(void)
{
    static char words[5000], one[5000];
    memset(one, 'x', sizeof one);
    for (size_t i = 0; i < sizeof words; i++)
        words[i] = i % 7 == 6 ? ' ' : 'w';
    struct fact_sheet s = begin(false, false);
    fact_sheet_text(&s, "words", words, sizeof words);
    end(&s);
    ok(longest_line() <= 80 + 3 && size < 2000 && strstr(text, "...\n"), "a long text is folded, and cut");
    s = begin(false, false);
    fact_sheet_text(&s, "one", one, sizeof one);
    end(&s);
    ok(size < 1200 && strstr(text, "...\n"), "one endless word is cut");
    s = begin(true, false);
    fact_sheet_thing(&s, "f");
    fact_sheet_text(&s, "one", one, sizeof one);
    fact_sheet_thing_end(&s);
    end(&s);
    ok(is_json() && size > sizeof one, "JSON has all of it");
}

static void test_failure(void)
{
    struct fact_sheet s;
    struct error e;
    FILE *full = fopen("/dev/full", "w");
    if (!full) {
        skip(1, "there is no /dev/full");
        return;
    }
    fact_sheet_open(&s, full, true, false);
    say(&s);
    ok(fact_sheet_finish(&s, &e) == STATUS_OUTPUT && strstr(e.sentence, "can't be written"), "a full disk is told");
    fclose(full);
}

int main(void)
{
    test_forms();
    test_several();
    test_long();
    test_failure();
    free(text);
    return tap_done();
}
