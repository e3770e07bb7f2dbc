/* bench_ffn_options.c - see bench_ffn_options.h. */
#include "bench_ffn_options.h"

#include <string.h>

#include "../bench/timing.h"
#include "bench_choices.h"
#include "generator.h"

#define AT(member) offsetof(struct bench_ffn_options, member)
#define MOST_SIZE 1048576

static const struct options_row rows[] = {
    {.name = "What is measured", .kind = OPTIONS_HEADING},
    {.name = "hidden", .kind = OPTIONS_UINT, .offset = AT(hidden), .argument = "N", .min = 1, .max = MOST_SIZE,
     .help = "hidden size", .default_text = "3072"},
    {.name = "intermediate", .kind = OPTIONS_UINT, .offset = AT(intermediate), .argument = "N", .min = 1, .max = MOST_SIZE,
     .help = "neurons", .default_text = "8192"},
    {.name = "type", .kind = OPTIONS_TEXT, .offset = AT(type), .argument = "TYPE",
     .choices = bench_choices_common_types,
     .help = "weight type of synthetic weights, as F32, F16, Q8_0, Q5_0, Q6_K", .default_text = "Q4_K"},
    {.name = "seed", .kind = OPTIONS_UINT, .offset = AT(seed), .argument = "S", .min = 0, .max = 9007199254740992.0 / 4,
     .help = "other synthetic weights and activations for each S", .default_text = "1"},
    {.name = "layers", .kind = OPTIONS_UINT, .offset = AT(layers), .argument = "N", .min = 1, .max = 100000,
     .help = "layers that a token passes, for the saving per token", .default_text = "the model's, or 32"},
    {.name = "model", .kind = OPTIONS_TEXT, .offset = AT(model), .argument = "FILE",
     .help = "weights and inputs of a model instead of synthetic ones"},
    {.name = "layer", .kind = OPTIONS_TEXT, .offset = AT(layer), .argument = "N|all",
     .choices = (const char *const[]){"all", NULL},
     .help = "layer of the model, from 0 on", .default_text = "0"},
    {.name = "archive", .kind = OPTIONS_TEXT, .offset = AT(archive), .argument = "FILE",
     .help = "archive of that model: keep the neurons that it shows to matter, and judge the share it calls saturated"},
    {.name = "shares", .kind = OPTIONS_TEXT, .offset = AT(shares), .argument = "LIST",
     .help = "with --model and one layer: percentages of neurons to keep, each way to choose them in turn",
     .default_text = "100,90,75,50,25"},
    {.name = "svg", .kind = OPTIONS_TEXT, .offset = AT(svg), .argument = "FILE",
     .help = "draw latency against accuracy of those shares"},
    {.name = "How", .kind = OPTIONS_HEADING},
    {.name = "batch", .kind = OPTIONS_TEXT, .offset = AT(batch), .argument = "LIST",
     .help = "tokens at a time", .default_text = "1,8,16,512"},
    {.name = "threads", .kind = OPTIONS_UINT, .offset = AT(threads), .argument = "N", .min = 1, .max = 4096,
     .help = "number of threads (of each rank)", .default_text = "all cores"},
    {.name = "precision", .kind = OPTIONS_TEXT, .offset = AT(precision), .argument = "NAME",
     .choices = generator_precisions,
     .help = "f32, int16 or int8", .default_text = "f32"},
    {.name = "iterations", .kind = OPTIONS_UINT, .offset = AT(iterations), .argument = "N", .min = 0, .max = TIMING_MOST,
     .help = "rounds; 0: as many as --seconds takes, at least 5", .default_text = "0"},
    {.name = "seconds", .kind = OPTIONS_DOUBLE, .offset = AT(seconds), .argument = "S", .min = 0, .max = 3600,
     .help = "time for each batch size", .default_text = "4"},
    {.name = "warmup", .kind = OPTIONS_UINT, .offset = AT(warmup), .argument = "N", .min = 0, .max = 1000,
     .help = "runs of each variant before the clock counts", .default_text = "1"},
    {.name = "What comes out", .kind = OPTIONS_HEADING},
    {.name = "csv", .kind = OPTIONS_FLAG, .offset = AT(csv), .help = "CSV instead of tables, a line for each variant and batch size"},
    {.name = "json", .kind = OPTIONS_FLAG, .offset = AT(json), .help = "the same as an array of objects"},
    {.name = "strict", .kind = OPTIONS_FLAG, .offset = AT(strict), .help = "end with exit status 6 when a variant is rejected"},
};

const struct options_table bench_ffn_options = {
    .command = "phi3sat bench ffn",
    .usage = "[OPTION]...",
    .purpose = "Measure one layer's FFN in four variants, and say which is worth building: three products, gate and up fused,\n"
               "half the neurons, and both. At Phi-3-mini's shape on synthetic Q4_K weights, unless sizes or a model are given.",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .ending = "All variants take turns with each other and with the machine's roofs; the baseline takes two turns a round, and what\n"
              "they differ by is the noise. A multiply-add is 2 FLOPs. Up to 8 tokens at a time, weights are repacked once before;\n"
              "more go through the code that profile runs. Under mpirun every rank measures at the same time.\n\n"
              "Exit status: 0 done, 1 failed, 2 wrong usage, 3 bad input, 4 output could not be written, 6 rejected (--strict).\n\n"
              "PHI3SAT_KERNELS=reference|avx2|avx512|neon in the environment chooses an instruction set.\n"
              "PHI3SAT_CACHE=MIB says how large the last-level cache is, where a virtual machine names more than it gets.\n\n"
              "Example: phi3sat bench ffn --model m.gguf --layer 12 --archive r.h5 --svg layer12.svg",
};

static enum status refuse(struct error *e, const char *option, const char *other)
{
    error_set(e, STATUS_USAGE, "--%s is there only %s", option, other);
    return error_advice(e, "see '%s --help'", bench_ffn_options.command);
}

static enum status check(const struct bench_ffn_options *o, const struct options_result *given, struct error *e)
{
    static const char *const synthetic[] = {"hidden", "intermediate", "type"}, *const model[] = {"layer", "archive", "shares", "svg"};
    for (size_t i = 0; i < sizeof synthetic / sizeof *synthetic; i++)
        if (o->model && options_given(&bench_ffn_options, given, synthetic[i]))
            return refuse(e, synthetic[i], "without --model, whose own counts");
    for (size_t i = 0; i < sizeof model / sizeof *model; i++)
        if (!o->model && options_given(&bench_ffn_options, given, model[i]))
            return refuse(e, model[i], "with --model");
    if (o->svg && strcmp(o->layer, "all") == 0)
        return refuse(e, "svg", "for one layer");
    return o->csv && o->json ? refuse(e, "csv", "without --json") : STATUS_OK;
}

enum status bench_ffn_options_read(struct bench_ffn_options *o, int argc, char **argv, bool *help, struct error *e)
{
    struct options_result result;
    *o = (struct bench_ffn_options){.type = "Q4_K", .precision = "f32", .batch = "1,8,16,512", .shares = "100,90,75,50,25",
                                    .layer = "0", .hidden = 3072, .intermediate = 8192, .warmup = 1, .seed = 1, .seconds = 4};
    const enum status s = options_parse(&bench_ffn_options, argc, argv, o, &result, e);
    *help = s == STATUS_OK && result.help;
    return s == STATUS_OK && !result.help ? check(o, &result, e) : s;
}
