/* bench_lists.c - see bench_lists.h. */
#include "bench_lists.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copies the next word of *text up to a comma or the end; *text moves behind it, to NULL at the end. */
static bool next_word(const char **text, char *word, size_t size)
{
    const size_t length = strcspn(*text, ",");
    const bool fits = length > 0 && length < size;
    snprintf(word, size, "%.*s", (int)(length < size ? length : size - 1), *text);
    *text = (*text)[length] == ',' ? *text + length + 1 : NULL;
    return fits;
}

/* A whole number from 1 to most at *text, which moves behind it. */
static bool read_number(const char **text, size_t most, size_t *value)
{
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(*text, &end, 10);
    if (**text < '0' || **text > '9' || errno != 0 || number < 1 || number > most)
        return false;
    *value = (size_t)number;
    *text = end;
    return true;
}

static enum status wrong(struct error *e, const char *option, const char *text, const char *wanted)
{
    return error_set(e, STATUS_USAGE, "--%s '%s' is not %s", option, text, wanted);
}

static enum status too_many(struct error *e, const char *option)
{
    return error_set(e, STATUS_USAGE, "--%s has more than %d entries", option, BENCH_LISTS_MOST);
}

enum status bench_lists_read_numbers(struct bench_lists_numbers *list, const char *option, const char *text, size_t most,
                                     struct error *e)
{
    const char *whole = text;
    char wanted[96], word[32];
    snprintf(wanted, sizeof wanted, "a list of whole numbers from 1 to %zu, separated by commas", most);
    for (list->count = 0; text != NULL; list->count++) {
        const char *at = word;
        if (list->count == BENCH_LISTS_MOST)
            return too_many(e, option);
        if (!next_word(&text, word, sizeof word) || !read_number(&at, most, &list->value[list->count]) || *at)
            return wrong(e, option, whole, wanted);
    }
    return STATUS_OK;
}

enum status bench_lists_read_names(struct bench_lists_numbers *list, const char *option, const char *text,
                                   int (*find)(const char *name), const char *wanted, struct error *e)
{
    char word[32];
    for (list->count = 0; text != NULL; list->count++) {
        if (list->count == BENCH_LISTS_MOST)
            return too_many(e, option);
        const int found = next_word(&text, word, sizeof word) ? find(word) : -1;
        if (found < 0)
            return wrong(e, option, word, wanted);
        list->value[list->count] = (size_t)found;
    }
    return STATUS_OK;
}

enum status bench_lists_read_shape(size_t *outputs, size_t *inputs, const char *option, const char *text, size_t most,
                                   struct error *e)
{
    const char *at = text;
    char wanted[96];
    snprintf(wanted, sizeof wanted, "OUTPUTSxINPUTS, each from 1 to %zu, as 8192x3072", most);
    if (!read_number(&at, most, outputs) || (*at != 'x' && *at != 'X'))
        return wrong(e, option, text, wanted);
    at++;
    return read_number(&at, most, inputs) && *at == '\0' ? STATUS_OK : wrong(e, option, text, wanted);
}
