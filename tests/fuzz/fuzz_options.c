/* fuzz_options.c - command lines: words of an input, each a line, parsed by the table of every command and what is behind it.
 * Nothing is run. */
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "cluster/grid.h"
#include "commands/bench.h"
#include "commands/bench_lists.h"
#include "commands/compare.h"
#include "commands/export.h"
#include "commands/inspect.h"
#include "commands/merge.h"
#include "commands/pack.h"
#include "commands/perplexity.h"
#include "commands/plan_options.h"
#include "commands/profile_options.h"
#include "commands/prompts.h"
#include "commands/report.h"
#include "commands/synth.h"
#include "commands/tokenize.h"
#include "fuzz.h"
#include "mutate.h"

#define WORDS 64       /* of a command line */
#define LONGEST 20000  /* of all of them    */
#define VALUES 65536   /* of a command's struct */

static const struct options_table *tables[32];
static size_t table_count;

/* Those that have options. */
static void gather(void)
{
    const struct options_table *const fixed[] = {&bench_options,     &inspect_options,    &merge_options, &pack_options,   &perplexity_options,
                                                 &plan_options_table, &prompts_options,   &synth_options, &tokenize_options,
                                                 compare_options_table(), export_options_table(), profile_options_table(), report_options_table()};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (fixed[i]->count)
            tables[table_count++] = fixed[i];
    for (size_t i = 0; i < BENCH_COUNT; i++)
        if (bench_pages[i].table && bench_pages[i].table->count)
            tables[table_count++] = bench_pages[i].table;
}

/* What the table promises of a value that was given. */
static void check_value(const struct options_row *row, const char *values, const char *text, size_t length)
{
    const void *at = values + row->offset;
    const char *word;
    uint64_t count;
    double number = 0.0;
    float single;
    int choice, choices = 0;
    switch (row->kind) {
    case OPTIONS_UINT:
        memcpy(&count, at, sizeof count);
        number = (double)count;
        break;
    case OPTIONS_FLOAT:
        memcpy(&single, at, sizeof single);
        number = (double)single;
        break;
    case OPTIONS_DOUBLE:
        memcpy(&number, at, sizeof number);
        break;
    case OPTIONS_TEXT:
        memcpy(&word, at, sizeof word);
        fuzz_claim(word >= text && word <= text + length, "--%s points into the command line", row->name);
        return;
    case OPTIONS_CHOICE:
        memcpy(&choice, at, sizeof choice);
        while (row->choices[choices])
            choices++;
        fuzz_claim(choice >= 0 && choice < choices, "--%s is one of its words", row->name);
        return;
    default:
        return;
    }
    fuzz_claim(number >= (double)(float)row->min - FLT_EPSILON && number <= (double)(float)row->max * (1 + 1e-6) + FLT_EPSILON,
               "--%s is in its range: %g", row->name, number);
}

static enum status parse(const struct options_table *table, int argc, char *const *argv, const char *text, size_t length, struct error *e)
{
    static _Alignas(16) char values[VALUES];
    char *copy[WORDS + 2];
    struct options_result result;
    memset(values, 0, sizeof values);
    memcpy(copy, argv, ((size_t)argc + 1) * sizeof *copy); /* the parser moves operands to the front */
    error_clear(e);
    const enum status s = options_parse(table, argc, copy, values, &result, e);
    if (s != STATUS_OK) {
        fuzz_claim(s == STATUS_USAGE, "a wrong command line is named so");
        return s;
    }
    fuzz_claim(result.help || (result.operands >= table->operands_min && result.operands <= table->operands_max), "operands are as many as may be");
    for (size_t i = 0; i < table->count; i++)
        if (result.seen >> i & 1)
            check_value(&table->rows[i], values, text, length);
    return s;
}

/* Values that have a grammar of their own. */
static void parse_word(const char *word)
{
    struct bench_lists_numbers list;
    struct grid_wish wish;
    struct error e;
    size_t rows, columns;
    error_clear(&e);
    if (bench_lists_read_numbers(&list, "--x", word, 4096, &e) == STATUS_OK)
        for (size_t i = 0; i < list.count; i++)
            fuzz_claim(list.count <= BENCH_LISTS_MOST && list.value[i] >= 1 && list.value[i] <= 4096, "a list holds what it may");
    if (bench_lists_read_shape(&rows, &columns, "--x", word, 1 << 20, &e) == STATUS_OK)
        fuzz_claim(rows >= 1 && columns >= 1 && rows <= 1 << 20 && columns <= 1 << 20, "a shape is in its range");
    (void)!grid_parse(word, &wish);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[LONGEST + 1];
    static struct profile_options profile;
    char *argv[WORDS + 2] = {"x"};
    struct error e, first;
    int argc = 1;
    bool help;
    if (!table_count)
        gather();
    const size_t length = size < LONGEST ? size : LONGEST;
    memcpy(text, data, length);
    text[length] = '\0';
    fuzz_begin(data, size);
    for (size_t at = 0; at <= length && argc <= WORDS; at += strlen(text + at) + 1) {
        char *end = memchr(text + at, '\n', length - at);
        if (end)
            *end = '\0';
        argv[argc++] = text + at;
    }
    argv[argc] = NULL;
    size_t taken = 0;
    for (size_t i = 0; i < table_count; i++) {
        taken += parse(tables[i], argc, argv, text, length, &e) == STATUS_OK;
        if (i == 0)
            first = e;
    }
    error_clear(&e);
    taken += profile_options_read(&profile, argc, argv, &help, &e) == STATUS_OK;
    for (int i = 1; i < argc; i++)
        parse_word(argv[i]);
    if (taken)
        fuzz_accepted();
    else
        fuzz_refused(&first);
    return fuzz_end();
}

/* A line: an option of some table with a value, or a value. */
static size_t make_line(char line[512], struct mutate_random *r)
{
    static const char *const values[] = {"0", "1", "-1", "64", "4294967296", "18446744073709551615", "18446744073709551616", "1e308", "1e309",
                                         "nan", "inf", "0.5", "0x10", "1,2,3", "4x2", "0x0", "auto", "off", "0/4", "3/4", "", "a.csv", "a.h5", "-", "--",
                                         "--help", "-h", "-o", "--=", "all", "any", "ffn", "1:5", "8192x3072"};
    const struct options_table *table = tables[mutate_below(r, table_count)];
    const struct options_row *row = &table->rows[mutate_below(r, table->count)];
    const char *value = values[mutate_below(r, sizeof values / sizeof *values)];
    if (row->choices && mutate_one_in(r, 2)) {
        size_t n = 0;
        while (row->choices[n])
            n++;
        value = n ? row->choices[mutate_below(r, n)] : value;
    }
    int n;
    if (mutate_one_in(r, 4))
        n = snprintf(line, 512, "%s\n", value);
    else if (row->kind == OPTIONS_FLAG && !mutate_one_in(r, 8))
        n = snprintf(line, 512, "--%s\n", row->name);
    else
        n = snprintf(line, 512, "--%s%c%s\n", row->name, mutate_one_in(r, 2) ? '=' : '\n', value);
    return n < 0 ? 0 : (size_t)n < 512 ? (size_t)n : 511;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct mutate_random r = mutate_random(seed);
    char line[512];
    if (!table_count)
        gather();
    if (!size || mutate_one_in(&r, 4))
        return LLVMFuzzerMutate(data, size, max);
    size_t at = mutate_below(&r, size), old = 0;
    while (at > 0 && data[at - 1] != '\n')
        at--;
    if (mutate_one_in(&r, 2))
        while (at + old < size && data[at + old++] != '\n')
            continue;
    const size_t length = make_line(line, &r);
    return mutate_replace(data, size, max, at, old, line, length);
}
