/* bench.h - `phi3sat bench`: what this machine and our kernels can do. */
#ifndef PHI3SAT_COMMANDS_BENCH_H
#define PHI3SAT_COMMANDS_BENCH_H

#include "../base/error.h"
#include "../base/options.h"

/* The options of all benchmarks' front page, for --help and the man page. */
extern const struct options_table bench_options;

/* The benchmarks, each a page of the manual; the first is the default. */
#define BENCH_COUNT 5
struct bench_page {
    const char *name; /* "bench ffn"                                                  */
    const char *does;
    enum status (*run)(int argc, char **argv, struct error *e);
    const struct options_table *table;
};
extern const struct bench_page bench_pages[BENCH_COUNT];

/* Runs it; argv[0] is the subcommand's word. Returns the exit status; `e` is filled when it isn't STATUS_OK. */
enum status bench_command(int argc, char **argv, struct error *e) ERROR_MUST_USE;

#endif
