/* bench.c - `phi3sat bench WHAT`: the list of benchmarks; each has a file of its own. */
#include "bench.h"

#include <string.h>

#include "../report/figures.h"
#include "bench_ffn.h"
#include "bench_kernels.h"
#include "bench_matvec.h"
#include "bench_model.h"
#include "bench_roof.h"

static const struct {
    const char *name;
    enum status (*run)(int argc, char **argv, struct error *e);
} benchmarks[] = {
    {"ffn", bench_ffn_command},
    {"kernels", bench_kernels_command},
    {"matvec", bench_matvec_command},
    {"model", bench_model_command},
    {"roof", bench_roof_command},
};

const struct options_table bench_options = {
    .command = "phi3sat bench",
    .usage = "[ffn|kernels|matvec|model|roof] [OPTION]...",
    .purpose = "Time this machine and phi3sat's kernels on it. Only `model` needs one.\n\n"
               "  ffn       one layer's FFN in four variants, and which is worth building (the default)\n"
               "  kernels   matrix products from each weight type, with the share of the machine's peak\n"
               "  matvec    products of a few rows with repacked weights, and what binds them\n"
               "  model     a whole model: prompts, single tokens, and what forms of the FFN are worth in them\n"
               "  roof      the peaks: multiply-adds, integer dot products, reading of memory",
    .operands_min = 0,
    .operands_max = 1,
    .ending = "Each has its own --help. Exit status: 0 done, 1 failed, 2 wrong usage, 3 bad input, 4 output could not be written.\n\n"
              "Example: phi3sat bench kernels --types Q4_K,Q6_K --rows 1,512 --threads 1",
};

enum status bench_command(int argc, char **argv, struct error *e)
{
    struct options_result result;
    for (size_t i = 0; argc > 1 && i < sizeof benchmarks / sizeof *benchmarks; i++)
        if (strcmp(argv[1], benchmarks[i].name) == 0)
            return benchmarks[i].run(argc - 1, argv + 1, e);
    if (argc < 2 || (argv[1][0] == '-' && strcmp(argv[1], "--help") != 0 && strcmp(argv[1], "-h") != 0))
        return bench_ffn_command(argc, argv, e);
    const enum status s = options_parse(&bench_options, argc, argv, NULL, &result, e);
    if (s != STATUS_OK)
        return s;
    if (result.help)
        return figures_help(&bench_options, e);
    error_set(e, STATUS_USAGE, "there is no benchmark '%s'", result.operand[0]);
    return error_advice(e, "name one: phi3sat bench ffn, phi3sat bench kernels, phi3sat bench matvec, phi3sat bench model, "
                           "phi3sat bench roof");
}
