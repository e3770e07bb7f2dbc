/* bench_choices.c - see bench_choices.h. */
#include "bench_choices.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "../base/threads.h"
#include "../bench/products.h"
#include "../quants/encode.h"

#define MOST_THREADS 4096

const char *const bench_choices_common_types[] = {"Q4_K", "Q5_K", "Q6_K", "Q8_0", "Q4_0", "F16", "BF16", "F32", NULL};

static bool usable(size_t type)
{
    return quants_at(type)->decode != NULL && encode_find(quants_at(type)) != NULL;
}

int bench_choices_find_type(const char *name)
{
    const struct quants_format *format = quants_by_name(name);
    for (size_t i = 0; format != NULL && i < quants_count(); i++)
        if (quants_at(i) == format)
            return usable(i) ? (int)i : -1;
    return -1;
}

static int find_precision(const char *name)
{
    for (int i = 0; products_precisions()[i] != NULL; i++)
        if (strcmp(products_precisions()[i], name) == 0)
            return i;
    return -1;
}

enum status bench_choices_types(struct bench_lists_numbers *types, const char *text, struct error *e)
{
    if (strcmp(text, "all") != 0)
        return bench_lists_read_names(types, "types", text, bench_choices_find_type, "a weight type that phi3sat decodes", e);
    for (size_t i = 0; i < quants_count() && types->count < BENCH_LISTS_MOST; i++)
        if (usable(i))
            types->value[types->count++] = i;
    return STATUS_OK;
}

enum status bench_choices_precisions(struct bench_lists_numbers *precisions, const char *text, struct error *e)
{
    char wanted[96] = "one of";
    for (int i = 0; products_precisions()[i] != NULL; i++) {
        const size_t used = strlen(wanted);
        snprintf(wanted + used, sizeof wanted - used, " %s", products_precisions()[i]);
        if (strcmp(text, "all") == 0)
            precisions->value[precisions->count++] = (size_t)i;
    }
    return precisions->count > 0 ? STATUS_OK
                                   : bench_lists_read_names(precisions, "precision", text, find_precision, wanted, e);
}

enum status bench_choices_threads(struct bench_lists_numbers *threads, const char *text, struct error *e)
{
    if (text != NULL)
        return bench_lists_read_numbers(threads, "threads", text, MOST_THREADS, e);
    *threads = (struct bench_lists_numbers){.count = 1, .value = {1}};
    if (threads_available() > 1)
        threads->value[threads->count++] = (size_t)threads_available();
    return STATUS_OK;
}
