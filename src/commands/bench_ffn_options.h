/* bench_ffn_options.h - the options of `phi3sat bench ffn`. */
#ifndef PHI3SAT_COMMANDS_BENCH_FFN_OPTIONS_H
#define PHI3SAT_COMMANDS_BENCH_FFN_OPTIONS_H

#include "../base/options.h"

struct bench_ffn_options {
    const char *model, *layer, *archive, *type, *precision, *batch, *shares, *svg;
    uint64_t hidden, intermediate, layers, threads, iterations, warmup, seed; /* 0: the default, where that depends */
    double seconds;
    bool csv, json, strict;
};

extern const struct options_table bench_ffn_options;

/* Parses and checks what can be checked without a file; `help` is true when --help was given. STATUS_USAGE. */
enum status bench_ffn_options_read(struct bench_ffn_options *o, int argc, char **argv, bool *help, struct error *e) ERROR_MUST_USE;

#endif
