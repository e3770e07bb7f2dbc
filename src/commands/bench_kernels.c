/* bench_kernels.c - `phi3sat bench kernels`: products from block types, each beside the peak of its instructions.
 *
 * One line for each type, precision, number of threads and number of rows. The peak is measured on the same threads,
 * with the same instruction set, in turn with the product: the share holds where clocks drift, and a
 * machine that is busy shows in the spread of both.
 */
#include "bench_kernels.h"

#include <stdlib.h>
#include <string.h>

#include "../base/threads.h"
#include "../bench/products.h"
#include "../report/figures.h"
#include "bench_choices.h"
#include "bench_lines.h"
#include "bench_lists.h"
#include "generator.h"

#define MOST_ROWS 65536
#define MOST_SIZE 16777216

struct settings {
    const char *types, *rows, *shape, *precision, *threads;
    uint64_t iterations, warmup, seed;
    double seconds;
    bool json;
};

#define AT(member) offsetof(struct settings, member)

static const struct options_row rows[] = {
    {.name = "types", .kind = OPTIONS_TEXT, .offset = AT(types), .argument = "LIST",
     .choices = bench_choices_common_types,
     .help = "weight types, or all", .default_text = "Q4_K"},
    {.name = "rows", .kind = OPTIONS_TEXT, .offset = AT(rows), .argument = "LIST",
     .help = "rows of activations (tokens of a batch)", .default_text = "1,16,64,512"},
    {.name = "shape", .kind = OPTIONS_TEXT, .offset = AT(shape), .argument = "NxK",
     .help = "outputs x inputs of the weight matrix", .default_text = "8192x3072"},
    {.name = "precision", .kind = OPTIONS_TEXT, .offset = AT(precision), .argument = "LIST",
     .choices = generator_precisions,
     .help = "precisions of profile, or all", .default_text = "f32"},
    {.name = "threads", .kind = OPTIONS_TEXT, .offset = AT(threads), .argument = "LIST",
     .help = "numbers of threads", .default_text = "1 and all cores"},
    {.name = "iterations", .kind = OPTIONS_UINT, .offset = AT(iterations), .argument = "N", .min = 0, .max = TIMING_MOST,
     .help = "samples of each; 0: as many as --seconds takes, at least 5", .default_text = "0"},
    {.name = "seconds", .kind = OPTIONS_DOUBLE, .offset = AT(seconds), .argument = "S", .min = 0, .max = 3600,
     .help = "time for each line", .default_text = "0.5"},
    {.name = "warmup", .kind = OPTIONS_UINT, .offset = AT(warmup), .argument = "N", .min = 0, .max = 1000,
     .help = "runs before the clock counts", .default_text = "1"},
    {.name = "seed", .kind = OPTIONS_UINT, .offset = AT(seed), .argument = "S", .min = 0, .max = 9007199254740992.0,
     .help = "other weights for each S", .default_text = "1"},
    {.name = "json", .kind = OPTIONS_FLAG, .offset = AT(json), .help = "an array of objects instead of a table"},
};

const struct options_table bench_kernels_options = {
    .command = "phi3sat bench kernels",
    .usage = "[OPTION]...",
    .purpose = "Time matrix products [rows, inputs] x [inputs, outputs] from random weights of each type, and say what\n"
               "share of the machine's peak they reach. Lists are separated by commas.",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .ending = "Timed is what profile does with a batch: packing the rows, decoding the weights, multiplying. A multiply-add\n"
              "is 2 FLOPs; where inputs don't fill the last block of a type, what pads it isn't counted. The peak is\n"
              "measured in turn with the product: on the same threads, with the same instruction set, the fused multiply-adds\n"
              "of f32 or the integer dot products of int16 and int8. A weight type without a form for a precision runs in\n"
              "the next more exact one (JSON: computed): F32, F16 and BF16 in f32, Q8_0 in int16. Given are medians; p10 and p90 enclose four samples of five.\n\n"
              "Under mpirun every rank measures at the same time; shown are medians, the least and the most.\n\n"
              "PHI3SAT_KERNELS=reference|avx2|avx512|neon in the environment chooses an instruction set.",
};

static const struct figures_column columns[] = {
    {"type", "Type", FIGURES_TEXT, 5, 0},
    {"rows", "Rows", FIGURES_COUNT, 5, 0},
    {"precision", "Precision", FIGURES_TEXT, 9, 0},
    {"threads", "Threads", FIGURES_COUNT, 7, 0},
    {"gflops", "GFLOP/s", FIGURES_REAL, 8, 1},
    {"peak_gflops", "Peak", FIGURES_REAL, 8, 1},
    {"share", "Share", FIGURES_SHARE, 7, 1},
    {"milliseconds", "ms", FIGURES_REAL, 10, 3},
    {"gflops_p10", "p10", FIGURES_REAL, 7, 1},
    {"gflops_p90", "p90", FIGURES_REAL, 7, 1},
    {"peak_gflops_p10", NULL, FIGURES_REAL, 0, 0},
    {"peak_gflops_p90", NULL, FIGURES_REAL, 0, 0},
    {"samples", NULL, FIGURES_COUNT, 0, 0},
    {"outputs", NULL, FIGURES_COUNT, 0, 0},
    {"inputs", NULL, FIGURES_COUNT, 0, 0},
    {"computed", NULL, FIGURES_TEXT, 0, 0},
    {"kernels", NULL, FIGURES_TEXT, 0, 0},
    {"peak_instructions", NULL, FIGURES_TEXT, 0, 0},
};

/* The settings understood. */
struct plan {
    struct bench_lists_numbers types, rows, precisions, threads; /* types: rows of the table in quants.h */
    size_t outputs, inputs;
    const struct kernels *kernels;
    struct timing_plan timing;
    uint64_t seed;
};

static enum status make_plan(struct plan *p, const struct settings *settings, struct error *e)
{
    *p = (struct plan){.timing = timing_plan(), .seed = settings->seed};
    p->timing.rounds = (size_t)settings->iterations;
    p->timing.warmup = (size_t)settings->warmup;
    p->timing.seconds = settings->seconds;
    enum status s = bench_choices_types(&p->types, settings->types, e);
    if (s == STATUS_OK)
        s = bench_lists_read_numbers(&p->rows, "rows", settings->rows, MOST_ROWS, e);
    if (s == STATUS_OK)
        s = bench_lists_read_shape(&p->outputs, &p->inputs, "shape", settings->shape, MOST_SIZE, e);
    if (s == STATUS_OK)
        s = bench_choices_precisions(&p->precisions, settings->precision, e);
    if (s == STATUS_OK)
        s = bench_choices_threads(&p->threads, settings->threads, e);
    if (s == STATUS_OK)
        return kernels_select(getenv("PHI3SAT_KERNELS"), &p->kernels, e);
    error_advice(e, "see '%s --help'", bench_kernels_options.command);
    return s;
}

static enum status show(struct bench_lines *f, const struct products_case *c, const struct products_result *r,
                        struct error *e)
{
    const double giga = 1e-9;
    const char *const *precisions = products_precisions();
    const struct figures_cell cells[] = {
        {.text = c->matrix->format->name}, {.count = c->rows}, {.text = precisions[c->mode]},
        {.count = (uint64_t)c->threads}, {.real = giga * r->rate.median}, {.real = giga * r->peak.median},
        {.real = r->share}, {.real = 1e3 * r->seconds.median}, {.real = giga * r->rate.low},
        {.real = giga * r->rate.high}, {.real = giga * r->peak.low}, {.real = giga * r->peak.high},
        {.count = r->seconds.count}, {.count = c->matrix->outputs}, {.count = c->matrix->inputs},
        {.text = precisions[r->computed]}, {.text = c->kernels->name}, {.text = r->roof->instructions}};
    _Static_assert(sizeof cells / sizeof *cells == sizeof columns / sizeof *columns, "a cell for each column");
    return bench_lines_row(f, cells, e);
}

static void show_heading(struct bench_lines *f, const struct plan *p)
{
    bench_lines_note(f, "Products with a %zu x %zu weight matrix (outputs x inputs), %s kernels; packing of rows and decoding "
                        "of\nweights included. Medians, p10 to p90 beside them; the peak was measured between the samples.\n",
                     p->outputs, p->inputs, p->kernels->name);
}

/* All lines of one weight type. */
static enum status time_type(struct bench_lines *f, const struct plan *p, size_t type, struct error *e)
{
    struct synthetic_matrix matrix;
    struct products_result result;
    threads_set(threads_available());
    enum status s = bench_lines_agree(f, synthetic_open(&matrix, quants_at(type), p->outputs, p->inputs, p->seed, e), e);
    if (s == STATUS_OK && f->rows == 0) /* nothing is printed by a start that fails */
        show_heading(f, p);
    for (size_t mode = 0; mode < p->precisions.count && s == STATUS_OK; mode++)
        for (size_t t = 0; t < p->threads.count && s == STATUS_OK; t++)
            for (size_t r = 0; r < p->rows.count && s == STATUS_OK; r++) {
                const struct products_case one = {&matrix, p->kernels, (enum kernels_mode)p->precisions.value[mode],
                                                  p->rows.value[r], (int)p->threads.value[t]};
                s = bench_lines_agree(f, products_time(&one, &p->timing, &result, e), e);
                if (s == STATUS_OK)
                    s = show(f, &one, &result, e);
            }
    synthetic_close(&matrix);
    return s;
}

static enum status run(struct bench_lines *f, const struct plan *p, struct error *e)
{
    enum status s = STATUS_OK;
    for (size_t i = 0; i < p->types.count && s == STATUS_OK; i++)
        s = time_type(f, p, p->types.value[i], e);
    return bench_lines_finish(f, s, e);
}

enum status bench_kernels_command(int argc, char **argv, struct error *e)
{
    struct settings settings = {.types = "Q4_K", .rows = "1,16,64,512", .shape = "8192x3072", .precision = "f32",
                                .warmup = 1, .seed = 1, .seconds = timing_plan().seconds};
    struct options_result result = {.help = false};
    struct bench_lines lines;
    struct plan plan;
    enum status s = options_parse(&bench_kernels_options, argc, argv, &settings, &result, e);
    if (s == STATUS_OK && !result.help)
        s = make_plan(&plan, &settings, e);
    if (bench_lines_ended(&bench_kernels_options, result.help, &s, e))
        return s;
    s = bench_lines_open(&lines, argc, argv, settings.json, columns, sizeof columns / sizeof *columns, "gflops", e);
    return s == STATUS_OK ? run(&lines, &plan, e) : s;
}
