/* bench.c - `phi3sat bench WHAT`: the list of benchmarks; each has a file of its own. */
#include "bench.h"

#include <string.h>

#include "../report/figures.h"
#include "bench_ffn.h"
#include "bench_ffn_options.h"
#include "bench_kernels.h"
#include "bench_matvec.h"
#include "bench_model.h"
#include "bench_roof.h"

#define FFN_DOES "one layer's FFN in four variants, and which is worth building (the default)"
#define KERNELS_DOES "matrix products from each weight type, with the share of the machine's peak"
#define MATVEC_DOES "products of a few rows with repacked weights, and what binds them"
#define MODEL_DOES "a whole model: prompts, single tokens, and what forms of the FFN are worth in them"
#define ROOF_DOES "the peaks: multiply-adds, integer dot products, reading of memory"

const struct bench_page bench_pages[BENCH_COUNT] = {
    {"bench ffn", "time " FFN_DOES, bench_ffn_command, &bench_ffn_options},
    {"bench kernels", "time " KERNELS_DOES, bench_kernels_command, &bench_kernels_options},
    {"bench matvec", "time " MATVEC_DOES, bench_matvec_command, &bench_matvec_options},
    {"bench model", "time " MODEL_DOES, bench_model_command, &bench_model_options},
    {"bench roof", "measure " ROOF_DOES, bench_roof_command, &bench_roof_options},
};

const struct options_table bench_options = {
    .command = "phi3sat bench",
    .usage = "[ffn|kernels|matvec|model|roof] [OPTION]...",
    .purpose = "Time this machine and phi3sat's kernels on it. Only `model` needs one.\n\n"
               "  ffn       " FFN_DOES "\n"
               "  kernels   " KERNELS_DOES "\n"
               "  matvec    " MATVEC_DOES "\n"
               "  model     " MODEL_DOES "\n"
               "  roof      " ROOF_DOES,
    .operands_min = 0,
    .operands_max = 1,
    .ending = "Each has its own --help.\n\nExit status: 0 done, 1 failed, 2 wrong usage, 3 bad input, 4 output could not be written.\n\n"
              "Example: phi3sat bench kernels --types Q4_K,Q6_K --rows 1,512 --threads 1",
};

enum status bench_command(int argc, char **argv, struct error *e)
{
    struct options_result result;
    for (size_t i = 0; argc > 1 && i < BENCH_COUNT; i++)
        if (strcmp(argv[1], strchr(bench_pages[i].name, ' ') + 1) == 0)
            return bench_pages[i].run(argc - 1, argv + 1, e);
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
