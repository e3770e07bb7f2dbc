/* options.c - parses a command line by its table and words its help.
 *
 * Hand-made rather than getopt_long: ranges, choices and the one error type
 * follow from the rows, and getopt prints by itself, on every rank. Numbers are read by strtod and
 * strtoull in the C locale (the program never calls setlocale), so that a
 * decimal comma in the user's locale changes nothing.
 */
#include "options.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HELP_COLUMN 30

static enum status usage(const struct options_table *t, struct error *e)
{
    error_advice(e, "see '%s --help'", t->command);
    return STATUS_USAGE;
}

static const struct options_row *find(const struct options_table *t, const char *name, size_t length)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->rows[i].kind != OPTIONS_HEADING && strlen(t->rows[i].name) == length &&
            strncmp(t->rows[i].name, name, length) == 0)
            return &t->rows[i];
    return NULL;
}

static enum status bad_value(const struct options_row *row, const char *text, const char *wanted, struct error *e)
{
    return error_set(e, STATUS_USAGE, "--%s '%s' is not %s", row->name, text, wanted);
}

static enum status set_uint(const struct options_row *row, const char *text, void *value, struct error *e)
{
    char *end, wanted[96];
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    unsigned long long max = row->max < 0x1p64 ? (unsigned long long)row->max : UINT64_MAX;
    snprintf(wanted, sizeof wanted, "a whole number from %.0f to %llu", row->min, max);
    if (*text < '0' || *text > '9' || *end || errno || (double)number < row->min || number > max)
        return bad_value(row, text, wanted, e);
    *(uint64_t *)value = number;
    return STATUS_OK;
}

static enum status set_real(const struct options_row *row, const char *text, void *value, struct error *e)
{
    char *end, wanted[96];
    double number = strtod(text, &end);
    snprintf(wanted, sizeof wanted, "a number from %g to %g", row->min, row->max);
    if (end == text || *end || !isfinite(number) || number < row->min || number > row->max)
        return bad_value(row, text, wanted, e);
    if (row->kind == OPTIONS_DOUBLE) {
        *(double *)value = number;
        return STATUS_OK;
    }
    float rounded = strtof(text, NULL); /* one rounding, from the decimal text */
    if (!isfinite(rounded))
        return bad_value(row, text, wanted, e);
    *(float *)value = rounded;
    return STATUS_OK;
}

static enum status set_choice(const struct options_row *row, const char *text, void *value, struct error *e)
{
    char wanted[256] = "one of";
    for (int i = 0; row->choices[i]; i++) {
        if (strcmp(row->choices[i], text) == 0) {
            *(int *)value = i;
            return STATUS_OK;
        }
        size_t used = strlen(wanted);
        snprintf(wanted + used, sizeof wanted - used, " %s", row->choices[i]);
    }
    return bad_value(row, text, wanted, e);
}

static enum status set_value(const struct options_row *row, const char *text, void *values, struct error *e)
{
    void *value = (char *)values + row->offset;
    switch (row->kind) {
    case OPTIONS_TEXT:
        if (!*text)
            return error_set(e, STATUS_USAGE, "--%s is empty", row->name);
        *(const char **)value = text;
        return STATUS_OK;
    case OPTIONS_UINT:
        return set_uint(row, text, value, e);
    case OPTIONS_FLOAT:
    case OPTIONS_DOUBLE:
        return set_real(row, text, value, e);
    case OPTIONS_CHOICE:
        return set_choice(row, text, value, e);
    case OPTIONS_FLAG:
    case OPTIONS_HEADING:
        break;
    }
    return STATUS_OK;
}

/* A command line under way. */
struct parse {
    const struct options_table *table;
    int argc, i; /* argv[i] is being looked at */
    char **argv;
    void *values;
    struct options_result *result;
};

/* Sets what `row` stands for; `given` is the value behind an =, or NULL: the next word is it. */
static enum status take_value(struct parse *p, const struct options_row *row, const char *given, struct error *e)
{
    p->result->seen |= (uint64_t)1 << (row - p->table->rows);
    if (row->kind == OPTIONS_FLAG) {
        if (given)
            return error_set(e, STATUS_USAGE, "--%s takes no value", row->name);
        *(bool *)((char *)p->values + row->offset) = true;
        return STATUS_OK;
    }
    if (!given && p->i + 1 >= p->argc)
        return error_set(e, STATUS_USAGE, "--%s needs a value (%s)", row->name, row->argument);
    return set_value(row, given ? given : p->argv[++p->i], p->values, e);
}

/* argv[i] begins with "--". */
static enum status long_option(struct parse *p, struct error *e)
{
    const char *name = p->argv[p->i] + 2;
    const char *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    if (length == 4 && strncmp(name, "help", 4) == 0 && !equals) {
        p->result->help = true;
        return STATUS_OK;
    }
    const struct options_row *row = find(p->table, name, length);
    if (!row)
        return error_set(e, STATUS_USAGE, "unknown option '--%.*s'", (int)length, name);
    return take_value(p, row, equals ? equals + 1 : NULL, e);
}

/* argv[i] begins with one dash: a letter, its value in the next word. */
static enum status short_option(struct parse *p, struct error *e)
{
    const char *word = p->argv[p->i];
    if (strcmp(word, "-h") == 0) {
        p->result->help = true;
        return STATUS_OK;
    }
    for (size_t i = 0; i < p->table->count && word[2] == '\0'; i++)
        if (p->table->rows[i].kind != OPTIONS_HEADING && p->table->rows[i].letter == word[1])
            return take_value(p, &p->table->rows[i], NULL, e);
    return error_set(e, STATUS_USAGE, "unknown option '%s'", word);
}

enum status options_parse(const struct options_table *table, int argc, char **argv, void *values,
                          struct options_result *result, struct error *e)
{
    struct parse p = {.table = table, .argc = argc, .argv = argv, .values = values, .result = result};
    bool ended = false;
    assert(table->count <= 64); /* bits of `seen` */
    memset(result, 0, sizeof *result);
    result->operand = argv + 1;
    for (p.i = 1; p.i < argc; p.i++) {
        char *word = argv[p.i];
        if (ended || word[0] != '-' || word[1] == '\0') {
            result->operand[result->operands++] = word; /* operands <= i: never overtakes */
            continue;
        }
        if (strcmp(word, "--") == 0) {
            ended = true;
            continue;
        }
        if ((word[1] == '-' ? long_option(&p, e) : short_option(&p, e)) != STATUS_OK)
            return usage(table, e);
    }
    if (result->help)
        return STATUS_OK;
    if (result->operands > table->operands_max)
        error_set(e, STATUS_USAGE, "unexpected word '%s'", result->operand[table->operands_max]);
    else if (result->operands < table->operands_min)
        error_set(e, STATUS_USAGE, "%s", table->operands_min == 1 ? "a file is missing" : "files are missing");
    else
        return STATUS_OK;
    return usage(table, e);
}

bool options_given(const struct options_table *table, const struct options_result *result, const char *name)
{
    const struct options_row *row = find(table, name, strlen(name));
    return row && (result->seen >> (row - table->rows) & 1);
}

static void help_row(const struct options_row *row, FILE *stream)
{
    char left[128];
    if (row->kind == OPTIONS_HEADING) {
        fprintf(stream, "\n%s:\n", row->name);
        return;
    }
    int used = row->letter ? snprintf(left, sizeof left, "  -%c, ", row->letter) : snprintf(left, sizeof left, "  ");
    snprintf(left + used, sizeof left - (size_t)used, "--%s%s%s", row->name, row->argument ? " " : "",
             row->argument ? row->argument : "");
    fprintf(stream, "%-*s", HELP_COLUMN, left);
    if (strlen(left) >= HELP_COLUMN)
        fprintf(stream, "\n%*s", HELP_COLUMN, "");
    fprintf(stream, "%s", row->help);
    if (row->default_text)
        fprintf(stream, " [%s]", row->default_text);
    fputc('\n', stream);
}

void options_help(const struct options_table *table, FILE *stream)
{
    fprintf(stream, "Usage: %s %s\n\n%s\n", table->command, table->usage, table->purpose);
    if (table->count == 0 || table->rows[0].kind != OPTIONS_HEADING)
        fprintf(stream, "\nOptions:\n");
    for (size_t i = 0; i < table->count; i++)
        help_row(&table->rows[i], stream);
    fprintf(stream, "%-*sprint this help and stop\n", HELP_COLUMN, "  --help");
    if (table->ending)
        fprintf(stream, "\n%s\n", table->ending);
}
