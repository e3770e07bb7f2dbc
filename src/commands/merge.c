/* merge.c - see merge.h.
 *
 * The archives hold the exact state and the prompts' hashes, so nothing is rounded twice: flags, summaries and
 * the table are computed from the sum as a run computes them from its own state.
 */
#include "merge.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/clock.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../cluster/ranks.h"
#include "../report/token_lines.h"
#include "build_id.h"
#include "merge_run.h"
#include "profile_outputs.h"
#include "profile_results.h"

struct settings {
    const char *output, *hdf5;
    bool quiet;
};

#define AT(member) offsetof(struct settings, member)

static const struct options_row rows[] = {
    {.name = "hdf5", .kind = OPTIONS_TEXT, .offset = AT(hdf5), .argument = "FILE", .help = "the merged archive",
     .letter = 'o'},
    {.name = "output", .kind = OPTIONS_TEXT, .offset = AT(output), .argument = "FILE", .help = "summary CSV as well"},
    {.name = "quiet", .kind = OPTIONS_FLAG, .offset = AT(quiet), .help = "print errors and the summary only"},
};

const struct options_table merge_options = {
    .command = "phi3sat merge",
    .usage = "ARCHIVE... -o FILE [--output FILE]",
    .purpose = "Adds archives, of the shards of a job array say, into the archive that one run over all their\n"
               "prompts would have made, whatever their order. Prompts are added as multisets: a text that two\n"
               "archives hold counts twice. All must come from one model, profiled with the same options.",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .operands_min = 1,
    .operands_max = SIZE_MAX,
    .ending = "Exit status: 0 done, 2 wrong usage, 3 bad input, 4 output could not be written,\n"
              "5 done but the runs met NaN or infinity among the activations.\n\n"
              "Example: phi3sat merge shard-*.h5 -o whole.h5 --output whole.csv"};

/* A file that stands twice on the command line is a mistake: its prompts would count twice. */
static enum status refuse_repeated(char *const *path, size_t count, struct error *e)
{
    struct stat *about;
    enum status s = memory_array(&about, count, sizeof *about, "archives", e);
    for (size_t i = 0; i < count && s == STATUS_OK; i++) {
        if (stat(path[i], &about[i]) != 0)
            continue; /* told by the reader */
        for (size_t k = 0; k < i && s == STATUS_OK; k++)
            if (about[i].st_ino && about[k].st_ino == about[i].st_ino && about[k].st_dev == about[i].st_dev) {
                error_set(e, STATUS_USAGE, "is the same file as '%s': its prompts would count twice", path[k]);
                error_advice(e, "name each archive once");
                s = error_file(e, path[i]);
            }
    }
    memory_free(about);
    return s;
}

static enum status join_words(char *const *word, size_t count, const char *first, char **line, struct error *e)
{
    size_t size = strlen(first) + 1, used;
    for (size_t i = 0; i < count; i++)
        size += strlen(word[i]) + 1;
    enum status s = memory_array(line, size, 1, "the command line", e);
    if (s != STATUS_OK)
        return s;
    used = (size_t)snprintf(*line, size, "%s", first);
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(*line + used, size - used, "%s%s", used ? " " : "", word[i]);
    return s;
}

static enum status write_sum(const struct settings *o, struct archive_sum *sum, const struct archive_run *run,
                             uint64_t *nonfinite, struct error *e)
{
    struct profile_results plan = {(size_t)sum->facts.layers, (size_t)sum->facts.intermediate_size,
                                   &sum->facts.criteria, o->output, o->hdf5, NULL, false};
    struct profile_results_writer *w;
    enum status s = profile_results_open(&w, &plan, e);
    for (size_t layer = 0; layer < plan.layers && s == STATUS_OK; layer++) {
        s = archive_sum_layer(sum, layer, e);
        if (s == STATUS_OK)
            s = profile_results_layer(w, layer, &sum->layer, 0, e);
    }
    if (s == STATUS_OK)
        return profile_results_finish(w, &sum->facts, run, &sum->prompts, nonfinite, e);
    profile_results_abandon(w);
    return s;
}

/* A partial archive is a valid one of the prompts that it has; who merges it should know that the run had more. */
static void tell_partial(const struct archive_sum *sum, char *const *path)
{
    for (size_t i = 0; i < sum->count; i++) {
        const char *partial = archive_reader_run_value(sum->reader[i], "partial");
        if (partial)
            log_warning("%s is partial: it has %s of its run, which went on; the sum has no more of it", path[i], partial);
    }
}

/* `names` and `line` are what /run says of the merge itself. */
static enum status merge(const struct settings *o, struct archive_sum *sum, const char *names, const char *line,
                         struct error *e)
{
    struct merge_run m;
    char started[32], finished[32];
    uint64_t nonfinite = 0;
    clock_utc(started, sizeof started);
    enum status s = merge_run_collect(&m, sum, e);
    if (s != STATUS_OK)
        return s;
    m.run.program_version = PACKAGE_VERSION;
    m.run.build = BUILD_ID;
    m.run.command_line = line;
    m.run.merged_from = names;
    m.run.started = started;
    m.run.finished = finished;
    clock_utc(finished, sizeof finished);
    s = write_sum(o, sum, &m.run, &nonfinite, e);
    merge_run_free(&m);
    if (s != STATUS_OK)
        return s;
    if (nonfinite)
        log_warning("%llu activations were NaN, infinite or beyond 2^24 in the runs that were merged",
                    (unsigned long long)nonfinite);
    if (o->output)
        log_line("written: %s", o->output);
    log_line("written: %s", o->hdf5);
    return nonfinite ? STATUS_NONFINITE : STATUS_OK;
}

static enum status run(const struct settings *o, const struct options_result *given, const char *line,
                       struct error *e)
{
    struct archive_sum sum = {.reader = NULL};
    char *names = NULL;
    enum status s = refuse_repeated(given->operand, given->operands, e);
    if (s == STATUS_OK)
        s = profile_outputs_check_merge(o->output, o->hdf5, given->operand, given->operands, e);
    if (s == STATUS_OK)
        s = archive_sum_open(&sum, given->operand, given->operands, e);
    if (s == STATUS_OK)
        s = join_words(given->operand, given->operands, "", &names, e);
    if (s == STATUS_OK) {
        log_release();
        tell_partial(&sum, given->operand);
        s = merge(o, &sum, names, line, e);
    }
    archive_sum_close(&sum);
    memory_free(names);
    return s;
}

enum status merge_command(int argc, char **argv, struct error *e)
{
    struct settings o = {.output = NULL};
    struct options_result result;
    char *line;
    if (!ranks_speaks())
        return STATUS_OK;
    enum status s = join_words(argv, (size_t)argc, "phi3sat", &line, e); /* parsing moves them */
    if (s == STATUS_OK)
        s = options_parse(&merge_options, argc, argv, &o, &result, e);
    if (s == STATUS_OK && result.help)
        s = token_lines_help(&merge_options, e);
    else if (s == STATUS_OK && !o.hdf5) {
        error_set(e, STATUS_USAGE, "no output: give -o FILE");
        s = error_advice(e, "see 'phi3sat merge --help'");
    } else if (s == STATUS_OK) {
        log_open(true, o.quiet ? LOG_QUIET : LOG_NORMAL, LOG_PROGRESS_AUTO);
        s = run(&o, &result, line, e);
    }
    memory_free(line);
    return s;
}
