/* bench_matvec.c - `phi3sat bench matvec`: products of a few rows with repacked weights, between two roofs.
 *
 * At few rows a product is bound by reading the weights or by making numbers of them, whichever takes longer. Both
 * roofs are measured in turn with it, on the same threads; the lower one is named, and the share is of that.
 */
#include "bench_matvec.h"

#include <stdlib.h>
#include <string.h>

#include "../base/threads.h"
#include "../bench/vectors.h"
#include "../report/figures.h"
#include "bench_choices.h"
#include "bench_lines.h"

#define MOST_ROWS 1024
#define MOST_SIZE 16777216

struct settings {
    const char *types, *rows, *shape, *precision, *threads;
    uint64_t memory /* MiB; 0: chosen */, iterations, warmup, seed;
    double seconds;
    bool json;
};

#define AT(member) offsetof(struct settings, member)

static const struct options_row rows[] = {
    {.name = "types", .kind = OPTIONS_TEXT, .offset = AT(types), .argument = "LIST",
     .choices = (const char *const[]){"Q4_K", "Q5_0", "Q8_0", "Q6_K", "F16", "BF16", "F32", NULL},
     .help = "weight types, BF16 too", .default_text = "Q4_K,Q5_0,Q8_0,Q6_K,F16,F32"},
    {.name = "rows", .kind = OPTIONS_TEXT, .offset = AT(rows), .argument = "LIST",
     .help = "rows of activations", .default_text = "1,4,16"},
    {.name = "shape", .kind = OPTIONS_TEXT, .offset = AT(shape), .argument = "NxK",
     .help = "outputs x inputs of the weight matrix", .default_text = "8192x3072"},
    {.name = "precision", .kind = OPTIONS_TEXT, .offset = AT(precision), .argument = "LIST",
     .choices = (const char *const[]){"f32", "int8", NULL},
     .help = "f32, and int8 for Q4_K", .default_text = "f32"},
    {.name = "threads", .kind = OPTIONS_TEXT, .offset = AT(threads), .argument = "LIST",
     .help = "numbers of threads", .default_text = "1 and all cores"},
    {.name = "memory", .kind = OPTIONS_UINT, .offset = AT(memory), .argument = "MIB", .min = 1, .max = 1 << 20,
     .help = "MiB of weights to go through, in copies of the matrix", .default_text = "as bench roof reads"},
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

const struct options_table bench_matvec_options = {
    .command = "phi3sat bench matvec",
    .usage = "[OPTION]...",
    .purpose = "Time products of a few rows with weights that were repacked (64 outputs side by side, no byte more), and say\n"
               "what binds them: memory or instructions. Lists are separated by commas.",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .ending = "Each run takes another copy of the weights, so that they come from memory. The roofs are measured in turn with\n"
              "the product, on the same threads: reading alone, and the instructions that no such product can do without.\n"
              "A multiply-add is 2 FLOPs. Given are medians; p10 and p90 enclose four samples of five. Error is the product's\n"
              "relative L2 distance to that of the same numbers as F32.\n\n"
              "Under mpirun every rank measures at the same time; shown are medians, the least and the most.\n\n"
              "PHI3SAT_KERNELS=reference|avx2|avx512|neon in the environment chooses an instruction set.\n"
              "PHI3SAT_CACHE=MIB says how large the last-level cache is, where a virtual machine names more than it gets.",
};

static const struct figures_column columns[] = {
    {"type", "Type", FIGURES_TEXT, 5, 0},
    {"rows", "Rows", FIGURES_COUNT, 4, 0},
    {"precision", "Precision", FIGURES_TEXT, 9, 0},
    {"threads", "Threads", FIGURES_COUNT, 7, 0},
    {"gflops", "GFLOP/s", FIGURES_REAL, 8, 1},
    {"memory_gflops", "Memory", FIGURES_REAL, 8, 1},
    {"instruction_gflops", "Instr.", FIGURES_REAL, 8, 1},
    {"bound", "Bound by", FIGURES_TEXT, 12, 0},
    {"share", "Share", FIGURES_SHARE, 7, 1},
    {"gigabytes_per_second", "GB/s", FIGURES_REAL, 7, 1},
    {"read_gigabytes_per_second", "of", FIGURES_REAL, 7, 1},
    {"milliseconds", "ms", FIGURES_REAL, 8, 3},
    {"error", "Error", FIGURES_SMALL, 7, 0},
    {"gflops_p10", "p10", FIGURES_REAL, 7, 1},
    {"gflops_p90", "p90", FIGURES_REAL, 7, 1},
    {"samples", NULL, FIGURES_COUNT, 0, 0},
    {"outputs", NULL, FIGURES_COUNT, 0, 0},
    {"inputs", NULL, FIGURES_COUNT, 0, 0},
    {"computed", NULL, FIGURES_TEXT, 0, 0},
    {"kernels", NULL, FIGURES_TEXT, 0, 0},
};

/* The settings understood. */
struct plan {
    struct bench_lists_numbers types, rows, precisions, threads; /* types: rows of the table in quants.h */
    size_t outputs, inputs, bytes;
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
    p->bytes = settings->memory ? (size_t)settings->memory << 20 : roof_memory_size();
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
    error_advice(e, "see '%s --help'", bench_matvec_options.command);
    return s;
}

static enum status show(struct bench_lines *f, const struct products_case *c, const struct vectors_result *r, double error,
                        struct error *e)
{
    const double giga = 1e-9;
    const char *const *precisions = products_precisions();
    const bool instructions = r->instructions > 0 && r->instructions < r->memory;
    const struct figures_cell cells[] = {
        {.text = c->matrix->format->name}, {.count = c->rows}, {.text = precisions[c->mode]},
        {.count = (uint64_t)c->threads}, {.real = giga * r->rate.median}, {.real = giga * r->memory},
        {.real = giga * r->instructions}, {.text = instructions ? "instructions" : "memory"}, {.real = r->share},
        {.real = giga * r->bytes_rate}, {.real = giga * r->bytes_peak}, {.real = 1e3 * r->seconds.median}, {.real = error},
        {.real = giga * r->rate.low}, {.real = giga * r->rate.high}, {.count = r->seconds.count},
        {.count = c->matrix->outputs}, {.count = c->matrix->inputs}, {.text = precisions[r->computed]},
        {.text = c->kernels->name}};
    _Static_assert(sizeof cells / sizeof *cells == sizeof columns / sizeof *columns, "a cell for each column");
    return bench_lines_row(f, cells, e);
}

static enum status time_cases(struct bench_lines *f, const struct plan *p, const struct synthetic_matrix *matrix,
                              const struct synthetic_matrix *plain, struct vectors *vectors, struct error *e)
{
    struct vectors_result result;
    double error = 0;
    enum status s = STATUS_OK;
    for (size_t mode = 0; mode < p->precisions.count && s == STATUS_OK; mode++)
        for (size_t t = 0; t < p->threads.count && s == STATUS_OK; t++)
            for (size_t r = 0; r < p->rows.count && s == STATUS_OK; r++) {
                const struct products_case one = {matrix, p->kernels, (enum kernels_mode)p->precisions.value[mode],
                                                  p->rows.value[r], (int)p->threads.value[t]};
                s = vectors_time(vectors, &one, &p->timing, &result, e);
                if (s == STATUS_OK)
                    s = vectors_error(vectors, plain, p->kernels, &error, e);
                s = bench_lines_agree(f, s, e);
                if (s == STATUS_OK && f->rows == 0) /* nothing is printed by a start that fails */
                    bench_lines_note(f, "Products with a repacked %zu x %zu weight matrix (outputs x inputs), %s kernels. Memory and "
                                        "Instr. are\nthe roofs in GFLOP/s, measured between the samples.\n",
                                     p->outputs, p->inputs, p->kernels->name);
                if (s == STATUS_OK)
                    s = show(f, &one, &result, error, e);
            }
    return s;
}

static enum status time_type(struct bench_lines *f, const struct plan *p, size_t type, const struct synthetic_matrix *plain,
                             struct error *e)
{
    struct synthetic_matrix matrix;
    struct vectors *vectors = NULL;
    threads_set(threads_available());
    enum status s = synthetic_open(&matrix, quants_at(type), p->outputs, p->inputs, p->seed, e);
    if (s == STATUS_OK)
        s = vectors_open(&vectors, &matrix, p->bytes, e);
    s = bench_lines_agree(f, s, e);
    if (s == STATUS_OK)
        s = time_cases(f, p, &matrix, plain, vectors, e);
    vectors_close(vectors);
    synthetic_close(&matrix);
    return s;
}

static enum status run(struct bench_lines *f, const struct plan *p, struct error *e)
{
    struct synthetic_matrix plain;
    threads_set(threads_available());
    enum status s = bench_lines_agree(f, synthetic_open(&plain, quants_by_id(QUANTS_F32), p->outputs, p->inputs, p->seed, e), e);
    for (size_t i = 0; i < p->types.count && s == STATUS_OK; i++)
        s = time_type(f, p, p->types.value[i], &plain, e);
    synthetic_close(&plain);
    return bench_lines_finish(f, s, e);
}

enum status bench_matvec_command(int argc, char **argv, struct error *e)
{
    struct settings settings = {.types = "Q4_K,Q5_0,Q8_0,Q6_K,F16,F32", .rows = "1,4,16", .shape = "8192x3072", .precision = "f32",
                                .warmup = 1, .seed = 1, .seconds = timing_plan().seconds};
    struct options_result result = {.help = false};
    struct bench_lines lines;
    struct plan plan;
    enum status s = options_parse(&bench_matvec_options, argc, argv, &settings, &result, e);
    if (s == STATUS_OK && !result.help)
        s = make_plan(&plan, &settings, e);
    if (bench_lines_ended(&bench_matvec_options, result.help, &s, e))
        return s;
    s = bench_lines_open(&lines, argc, argv, settings.json, columns, sizeof columns / sizeof *columns, "gflops", e);
    return s == STATUS_OK ? run(&lines, &plan, e) : s;
}
