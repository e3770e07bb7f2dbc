/* bench_lists.h - option values that are lists: "1,16,64", "Q4_K,Q6_K", "8192x3072". */
#ifndef PHI3SAT_COMMANDS_BENCH_LISTS_H
#define PHI3SAT_COMMANDS_BENCH_LISTS_H

#include <stddef.h>

#include "../base/error.h"

/* Entries of a list at most. */
#define BENCH_LISTS_MOST 64

struct bench_lists_numbers {
    size_t count;
    size_t value[BENCH_LISTS_MOST];
};

/* Whole numbers from 1 to `most`, separated by commas. `option` names the option in a sentence
 * of STATUS_USAGE. */
enum status bench_lists_read_numbers(struct bench_lists_numbers *list, const char *option, const char *text, size_t most,
                                     struct error *e) ERROR_MUST_USE;

/* Names, each given to `find`, which returns a number for it, or -1 when it is unknown. `wanted` says what the
 * names are ("a type that phi3sat decodes"). */
enum status bench_lists_read_names(struct bench_lists_numbers *list, const char *option, const char *text,
                                   int (*find)(const char *name), const char *wanted, struct error *e) ERROR_MUST_USE;

/* "8192x3072": outputs and inputs, each from 1 to `most`. */
enum status bench_lists_read_shape(size_t *outputs, size_t *inputs, const char *option, const char *text, size_t most,
                                   struct error *e) ERROR_MUST_USE;

#endif
