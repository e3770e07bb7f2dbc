/* bench_choices.h - what the benchmarks of products can be told alike: weight types, precisions, threads. */
#ifndef PHI3SAT_COMMANDS_BENCH_CHOICES_H
#define PHI3SAT_COMMANDS_BENCH_CHOICES_H

#include "bench_lists.h"

/* Types that completion offers for --type and --types; ended by NULL. */
extern const char *const bench_choices_common_types[];

/* Rows of the table in quants.h that can be made and decoded: names, or "all". */
enum status bench_choices_types(struct bench_lists_numbers *types, const char *text, struct error *e) ERROR_MUST_USE;

/* The row of such a type; -1: there is none of that name. */
int bench_choices_find_type(const char *name);

/* By enum kernels_mode: names, or "all". */
enum status bench_choices_precisions(struct bench_lists_numbers *precisions, const char *text,
                                     struct error *e) ERROR_MUST_USE;

/* Numbers; text NULL: 1 and all cores, which may be 1 too. */
enum status bench_choices_threads(struct bench_lists_numbers *threads, const char *text, struct error *e) ERROR_MUST_USE;

#endif
