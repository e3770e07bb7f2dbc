/* bench_roof.c - `phi3sat bench roof`: the peaks that bound every kernel here.
 *
 * Each line is measured by itself. Reading is what weights cost at one row; the cache's figure tells
 * what a packed panel may cost.
 */
#include "bench_roof.h"

#include <stdio.h>
#include <stdlib.h>

#include "../base/memory.h"
#include "../base/threads.h"
#include "../bench/roof.h"
#include "../report/figures.h"
#include "bench_lines.h"
#include "bench_lists.h"

#define MOST_THREADS 4096
#define MIB 1048576.0

struct settings {
    const char *threads;
    uint64_t memory, cache; /* MiB; 0: chosen */
    double seconds;
    bool json;
};

#define AT(member) offsetof(struct settings, member)

static const struct options_row rows[] = {
    {.name = "threads", .kind = OPTIONS_TEXT, .offset = AT(threads), .argument = "LIST",
     .help = "numbers of threads, separated by commas", .default_text = "1 and all cores"},
    {.name = "memory", .kind = OPTIONS_UINT, .offset = AT(memory), .argument = "MIB", .min = 1, .max = 1 << 20,
     .help = "MiB to read that no cache should hold", .default_text = "1024, or 8 times the last-level cache"},
    {.name = "cache", .kind = OPTIONS_UINT, .offset = AT(cache), .argument = "MIB", .min = 1, .max = 1 << 20,
     .help = "MiB to read from the last-level cache", .default_text = "12, or 3/8 of that cache"},
    {.name = "seconds", .kind = OPTIONS_DOUBLE, .offset = AT(seconds), .argument = "S", .min = 0, .max = 3600,
     .help = "time for each line", .default_text = "0.5"},
    {.name = "json", .kind = OPTIONS_FLAG, .offset = AT(json), .help = "an array of objects instead of a table"},
};

const struct options_table bench_roof_options = {
    .command = "phi3sat bench roof",
    .usage = "[OPTION]...",
    .purpose = "Measure this machine's peaks with the instruction set in use: fused multiply-adds, integer dot products of 16\n"
               "and 8 bits, reading from memory and from the last-level cache.",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .ending = "A multiply-add is 2 operations; GB are 10^9 bytes. Given are medians; p10 and p90 enclose four samples of five.\n"
              "Each thread reads its own part of the memory, all of them together the size shown.\n\n"
              "Under mpirun every rank measures at the same time; shown are medians, the least and the most.\n\n"
              "PHI3SAT_KERNELS=reference|avx2|avx512|neon in the environment chooses an instruction set.\n"
              "PHI3SAT_CACHE=MIB says how large the last-level cache is, where a virtual machine names more than it gets.",
};

static const struct figures_column columns[] = {
    {"roof", "Roof", FIGURES_TEXT, 6, 0},
    {"threads", "Threads", FIGURES_COUNT, 7, 0},
    {"value", "Median", FIGURES_REAL, 8, 1},
    {"p10", "p10", FIGURES_REAL, 8, 1},
    {"p90", "p90", FIGURES_REAL, 8, 1},
    {"unit", "Unit", FIGURES_TEXT, 7, 0},
    {"how", "How", FIGURES_TEXT, 1, 0},
    {"kernels", NULL, FIGURES_TEXT, 0, 0},
    {"samples", NULL, FIGURES_COUNT, 0, 0},
};

struct work {
    struct bench_lines lines;
    const struct kernels *kernels;
    struct timing_plan plan;
    struct timing_subject *subject;
};

static enum status show(struct work *w, const char *roof, const char *unit, const char *how, double work_done,
                        struct error *e)
{
    struct timing_subject *s = w->subject;
    const struct timing_spread rate = timing_rate(timing_spread(s->seconds, s->count), 1e-9 * work_done);
    const struct figures_cell cells[] = {{.text = roof}, {.count = (uint64_t)threads_count()}, {.real = rate.median},
                                         {.real = rate.low}, {.real = rate.high}, {.text = unit}, {.text = how},
                                         {.text = w->kernels->name}, {.count = rate.count}};
    _Static_assert(sizeof cells / sizeof *cells == sizeof columns / sizeof *columns, "a cell for each column");
    return bench_lines_row(&w->lines, cells, e);
}

static enum status time_loop(struct work *w, enum roof_kind kind, struct error *e)
{
    struct roof_run run = {roof_loop(w->kernels, kind)};
    roof_subject(w->subject, &run);
    timing_alternate(&w->plan, &w->subject, 1);
    return show(w, roof_names[kind], kind == ROOF_FMA ? "GFLOP/s" : "GOP/s", run.loop->instructions,
                roof_work(&run, threads_count()), e);
}

static enum status time_reading(struct work *w, const char *name, size_t size, struct error *e)
{
    struct roof_memory memory;
    char how[64];
    enum status s = bench_lines_agree(&w->lines, roof_memory_open(&memory, w->kernels, size, e), e);
    if (s == STATUS_OK) {
        roof_memory_subject(w->subject, &memory);
        timing_alternate(&w->plan, &w->subject, 1);
        snprintf(how, sizeof how, "read %.0f MiB again and again", roof_memory_work(&memory) / MIB);
        s = show(w, name, "GB/s", how, roof_memory_work(&memory), e);
    }
    roof_memory_close(&memory);
    return s;
}

static enum status time_all(struct work *w, const struct settings *settings, const struct bench_lists_numbers *threads,
                            struct error *e)
{
    const size_t mib = (size_t)MIB;
    const size_t memory = settings->memory ? (size_t)settings->memory * mib : roof_memory_size();
    const size_t cache = settings->cache ? (size_t)settings->cache * mib : roof_cache_size();
    enum status s = STATUS_OK;
    for (size_t t = 0; t < threads->count && s == STATUS_OK; t++) {
        threads_set((int)threads->value[t]);
        for (int kind = 0; kind < ROOF_KINDS && s == STATUS_OK; kind++)
            s = time_loop(w, (enum roof_kind)kind, e);
        if (s == STATUS_OK)
            s = time_reading(w, "memory", memory, e);
        if (s == STATUS_OK)
            s = time_reading(w, "cache", cache, e);
    }
    return s;
}

static enum status run(struct work *w, const struct settings *settings, const struct bench_lists_numbers *threads, struct error *e)
{
    w->plan = timing_plan();
    w->plan.seconds = settings->seconds;
    enum status s = bench_lines_agree(&w->lines, memory_array(&w->subject, 1, sizeof *w->subject, "a benchmark's samples", e), e);
    if (s == STATUS_OK)
        s = time_all(w, settings, threads, e);
    memory_free(w->subject);
    return bench_lines_finish(&w->lines, s, e);
}

static enum status too_large(const char *option, struct error *e)
{
    error_set(e, STATUS_USAGE, "--%s is more than half of this machine's memory", option);
    return error_advice(e, "choose a smaller size");
}

/* What the options say, checked. */
static enum status understand(const struct settings *settings, struct bench_lists_numbers *threads, const struct kernels **kernels,
                              struct error *e)
{
    const uint64_t most = roof_machine_memory() / 2 >> 20;
    enum status s = STATUS_OK;
    if (settings->memory > most || settings->cache > most)
        return too_large(settings->memory > most ? "memory" : "cache", e);
    if (settings->threads == NULL && threads_available() > 1)
        threads->value[threads->count++] = (size_t)threads_available();
    if (settings->threads != NULL)
        s = bench_lists_read_numbers(threads, "threads", settings->threads, MOST_THREADS, e);
    if (s == STATUS_OK)
        return kernels_select(getenv("PHI3SAT_KERNELS"), kernels, e);
    error_advice(e, "see '%s --help'", bench_roof_options.command);
    return s;
}

enum status bench_roof_command(int argc, char **argv, struct error *e)
{
    struct settings settings = {.seconds = timing_plan().seconds};
    struct bench_lists_numbers threads = {.count = 1, .value = {1}};
    struct options_result result = {.help = false};
    struct work work = {.subject = NULL};
    enum status s = options_parse(&bench_roof_options, argc, argv, &settings, &result, e);
    if (s == STATUS_OK && !result.help)
        s = understand(&settings, &threads, &work.kernels, e);
    if (bench_lines_ended(&bench_roof_options, result.help, &s, e))
        return s;
    s = bench_lines_open(&work.lines, argc, argv, settings.json, columns, sizeof columns / sizeof *columns, "value", e);
    return s == STATUS_OK ? run(&work, &settings, &threads, e) : s;
}
