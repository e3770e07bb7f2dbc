/* test_options.c - a table that has every kind of row, and every way to get it wrong. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "tap.h"

struct values {
    bool loud;
    const char *file;
    uint64_t count, any;
    float share, huge;
    double minutes;
    int colour;
};

static const char *const colours[] = {"red", "green", NULL};
#define AT(member) offsetof(struct values, member)
static const struct options_row rows[] = {
    {.name = "Inputs", .kind = OPTIONS_HEADING},
    {.name = "loud", .kind = OPTIONS_FLAG, .offset = AT(loud), .help = "say more"},
    {.name = "file", .kind = OPTIONS_TEXT, .offset = AT(file), .argument = "FILE", .help = "read it",
     .letter = 'f'},
    {.name = "count", .kind = OPTIONS_UINT, .offset = AT(count), .argument = "N", .help = "how many",
     .default_text = "3", .min = 1, .max = 10},
    {.name = "any", .kind = OPTIONS_UINT, .offset = AT(any), .argument = "N", .help = "all numbers",
     .max = 18446744073709551615.0},
    {.name = "share", .kind = OPTIONS_FLOAT, .offset = AT(share), .argument = "X", .help = "a share", .max = 1},
    {.name = "huge", .kind = OPTIONS_FLOAT, .offset = AT(huge), .argument = "X", .help = "any size", .max = 1e300},
    {.name = "minutes", .kind = OPTIONS_DOUBLE, .offset = AT(minutes), .argument = "MIN", .help = "how long",
     .min = -1, .max = 100},
    {.name = "a-name-that-is-rather-long", .kind = OPTIONS_CHOICE, .offset = AT(colour), .argument = "red|green",
     .help = "which", .choices = colours},
};
static const struct options_table table = {.command = "phi3sat try", .usage = "[OPTIONS] [FILE]",
                                           .purpose = "Tries.", .rows = rows, .count = sizeof rows / sizeof rows[0],
                                           .operands_max = 2, .ending = "Examples follow."};

static struct values v;
static struct options_result result;
static struct error e;

/* Words separated by blanks; "_" stands for an empty one. */
static enum status parse_as(const struct options_table *t, const char *line)
{
    static char text[400];
    static char *argv[32];
    int argc = 1;
    argv[0] = "try";
    snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        argv[argc++] = strcmp(word, "_") == 0 ? word + 1 : word;
    memset(&v, 0, sizeof v);
    return options_parse(t, argc, argv, &v, &result, &e);
}

static enum status parse(const char *line)
{
    return parse_as(&table, line);
}

static void good(void)
{
    ok(parse("") == STATUS_OK && result.operands == 0 && result.seen == 0 && !v.file, "nothing given, nothing set");
    is_int(parse("--loud --file a.txt --count 7 x --share=0.1 --minutes -0.5 --a-name-that-is-rather-long green y"), STATUS_OK,
           "every kind of option");
    ok(v.loud && strcmp(v.file, "a.txt") == 0 && v.count == 7 && v.share == 0.1f && v.minutes == -0.5 && v.colour == 1,
       "has its value");
    ok(result.operands == 2 && strcmp(result.operand[0], "x") == 0 && strcmp(result.operand[1], "y") == 0,
       "operands are found between options");
    ok(options_given(&table, &result, "count") && !options_given(&table, &result, "any") &&
           !options_given(&table, &result, "none") && !options_given(&table, &result, "Inputs"),
       "what was given is known");
    ok(parse("--count=1 --count 10") == STATUS_OK && v.count == 10, "the last one counts; both ends are in the range");
    ok(parse("--any 18446744073709551615") == STATUS_OK && v.any == UINT64_MAX, "the largest number");
    ok(parse("--file --loud") == STATUS_OK && strcmp(v.file, "--loud") == 0 && !v.loud, "a value may begin with dashes");
    ok(parse("--file a=b") == STATUS_OK && strcmp(v.file, "a=b") == 0 && parse("--file=a=b") == STATUS_OK &&
           strcmp(v.file, "a=b") == 0,
       "and hold an equals sign");
    ok(parse("-f a.txt x") == STATUS_OK && strcmp(v.file, "a.txt") == 0 && result.operands == 1 &&
           options_given(&table, &result, "file"), "a letter stands for its option");
    ok(parse("- -- --loud") == STATUS_OK && result.operands == 2 && strcmp(result.operand[0], "-") == 0 &&
           strcmp(result.operand[1], "--loud") == 0 && !v.loud,
       "a dash is an operand; after two dashes all is");
    ok(parse("--share 0.3") == STATUS_OK && v.share == 0.3f, "a float is rounded once from its decimal");
    ok(parse("a b c --help") == STATUS_OK && result.help && parse("-h") == STATUS_OK && result.help,
       "help is help, whatever else is there");
}

static void bad(const char *line, const char *sentence)
{
    enum status status = parse(line);
    ok(status == STATUS_USAGE && e.status == STATUS_USAGE && strcmp(e.sentence, sentence) == 0 &&
           strcmp(e.advice, "see 'phi3sat try --help'") == 0,
       "'%s': %s", line, sentence) ||
        (diag("%s", e.sentence), false);
}

static void faults(void)
{
    bad("--lou", "unknown option '--lou'");
    bad("--loudly=3", "unknown option '--loudly'");
    bad("--Inputs x", "unknown option '--Inputs'");
    bad("--help=3", "unknown option '--help'");
    bad("-x", "unknown option '-x'");
    bad("-fa.txt", "unknown option '-fa.txt'");
    bad("-f", "--file needs a value (FILE)");
    bad("--loud=yes", "--loud takes no value");
    bad("--file", "--file needs a value (FILE)");
    bad("--file=", "--file is empty");
    bad("--file _", "--file is empty");
    bad("a b c", "unexpected word 'c'");
    const char *numbers[] = {"0", "11", "-1", "+1", "1.5", "1x", "0x1", "ten", "99999999999999999999999", "1e1"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char line[100], sentence[200];
        snprintf(line, sizeof line, "--count %s", numbers[i]);
        snprintf(sentence, sizeof sentence, "--count '%s' is not a whole number from 1 to 10", numbers[i]);
        bad(line, sentence);
    }
    bad("--count _", "--count '' is not a whole number from 1 to 10");
    bad("--any 18446744073709551616", "--any '18446744073709551616' is not a whole number from 0 to 18446744073709551615");
    bad("--share 1.1", "--share '1.1' is not a number from 0 to 1");
    bad("--share -0.1", "--share '-0.1' is not a number from 0 to 1");
    bad("--share nan", "--share 'nan' is not a number from 0 to 1");
    bad("--share 0,5", "--share '0,5' is not a number from 0 to 1");
    bad("--share _", "--share '' is not a number from 0 to 1");
    bad("--huge inf", "--huge 'inf' is not a number from 0 to 1e+300");
    bad("--huge 1e39", "--huge '1e39' is not a number from 0 to 1e+300");
    bad("--minutes 100.5", "--minutes '100.5' is not a number from -1 to 100");
    bad("--a-name-that-is-rather-long blue", "--a-name-that-is-rather-long 'blue' is not one of red green");
}

static void operands(void)
{
    struct options_table two = table;
    two.operands_min = 2;
    ok(parse_as(&two, "a") == STATUS_USAGE && strcmp(e.sentence, "files are missing") == 0, "two operands wanted");
    two.operands_min = 1;
    ok(parse_as(&two, "") == STATUS_USAGE && strcmp(e.sentence, "a file is missing") == 0, "one operand wanted");
    ok(parse_as(&two, "--help") == STATUS_OK && result.help, "none needed for help");
    two.count = 0;
    ok(parse_as(&two, "a") == STATUS_OK && parse_as(&two, "--loud") == STATUS_USAGE, "a table may be empty");
}

static void help(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        bail("no memory");
    options_help(&table, stream);
    fclose(stream);
    is_string(text,
              "Usage: phi3sat try [OPTIONS] [FILE]\n\nTries.\n\nInputs:\n"
              "  --loud                      say more\n"
              "  -f, --file FILE             read it\n"
              "  --count N                   how many [3]\n"
              "  --any N                     all numbers\n"
              "  --share X                   a share\n"
              "  --huge X                    any size\n"
              "  --minutes MIN               how long\n"
              "  --a-name-that-is-rather-long red|green\n"
              "                              which\n"
              "  --help                      print this help and stop\n"
              "\nExamples follow.\n",
              "help follows from the table");
    free(text);
}

int main(void)
{
    good();
    faults();
    operands();
    help();
    return tap_done();
}
