/* report.c - see report.h.
 *
 * Only the archive's float32 metrics are read: a run judges by the same numbers with the same code (results.h), so
 * what comes out is what it would have printed with these options. All is read before anything is written.
 */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/log.h"
#include "../cluster/ranks.h"
#include "../report/csv.h"
#include "../report/neuron_text.h"
#include "../report/sure_text.h"
#include "../report/token_lines.h"
#include "criteria_options.h"
#include "merge_run.h"
#include "pictures.h"
#include "profile_outputs.h"
#include "results.h"

struct settings {
    const char *output, *intervals, *html, *svg, *neuron, *criterion;
    bool quiet, plot;
    struct criteria_choice choice;
    struct expression rule;             /* with `criterion` */
    struct gain_text_roofs roofs;
    size_t neuron_layer, neuron_number; /* with `neuron` */
};

#define AT(member) offsetof(struct settings, member)

static const struct options_row own_rows[] = {
    {.name = "output", .kind = OPTIONS_TEXT, .offset = AT(output), .argument = "FILE", .help = "summary CSV as well",
     .letter = 'o'},
    {.name = "intervals", .kind = OPTIONS_TEXT, .offset = AT(intervals), .argument = "FILE",
     .help = "CSV of how sure each layer's shares are as well"},
    {.name = "html", .kind = OPTIONS_TEXT, .offset = AT(html), .argument = "FILE",
     .help = "a page for people as well: verdict, plots, a map of all neurons, thresholds to try"},
    {.name = "svg", .kind = OPTIONS_TEXT, .offset = AT(svg), .argument = "FOLDER",
     .help = "its plots as files in this folder, made where it isn't there"},
    {.name = "neuron", .kind = OPTIONS_TEXT, .offset = AT(neuron), .argument = "L/N",
     .help = "show neuron N of layer L instead, both from 0"},
    {.name = "criterion", .kind = OPTIONS_TEXT, .offset = AT(criterion), .argument = "RULE",
     .help = "saturated is what meets this, such as 'ffn.kurtosis > 3 and gate.variance < 0.1 * median(gate.variance)'"},
    {.name = "gflops", .kind = OPTIONS_DOUBLE, .offset = AT(roofs.gflops), .argument = "X", .min = 0, .max = 1e12,
     .help = "a machine's peak, as 'phi3sat bench roof' prints it: tells tokens a second of prompts"},
    {.name = "gbytes", .kind = OPTIONS_DOUBLE, .offset = AT(roofs.gbytes), .argument = "X", .min = 0, .max = 1e12,
     .help = "its memory's bandwidth in GB/s, likewise: tells tokens a second of decoding"},
    {.name = "plot", .kind = OPTIONS_FLAG, .offset = AT(plot),
     .help = "print saturation by layer as bars and a strip of its neurons, too"},
    {.name = "quiet", .kind = OPTIONS_FLAG, .offset = AT(quiet), .help = "print errors and the report only"},
};

#define OWN_COUNT (sizeof own_rows / sizeof *own_rows)

const struct options_table *report_options_table(void)
{
    static struct options_row rows[OWN_COUNT + CRITERIA_OPTIONS_COUNT];
    static const struct options_table table = {
        .command = "phi3sat report",
        .usage = "[OPTION]... ARCHIVE",
        .purpose = "Prints summary and recommendation of a profile again from its archive, and writes its table, without\n"
                   "model or prompts: just what the run would have given with the same options.",
        .rows = rows,
        .count = OWN_COUNT + CRITERIA_OPTIONS_COUNT,
        .operands_min = 1,
        .operands_max = 1,
        .ending = "The activity threshold is part of the measurement: another one than the archive's is refused.\n\n"
                  "Exit status: 0 done, 2 wrong usage, 3 the archive can't be read, 4 output could not be written,\n"
                  "5 done but the run met NaN or infinity among the activations.\n\n"
                  "Examples:\n"
                  "  phi3sat report r.h5 --combine ffn --variance-threshold 0.02 --output ffn.csv\n"
                  "  phi3sat report r.h5 --html r.html"};
    memcpy(rows, own_rows, sizeof own_rows);
    criteria_options_rows(rows + OWN_COUNT, AT(choice), "the archive's");
    return &table;
}

static enum status usage(struct error *e)
{
    error_advice(e, "see 'phi3sat report --help'");
    return STATUS_USAGE;
}

static enum status read_neuron(struct settings *o, struct error *e)
{
    unsigned long long layer, neuron;
    char rest;
    if (!o->neuron)
        return STATUS_OK;
    const char *other = o->output ? "output" : o->intervals ? "intervals" : o->html ? "html" : o->svg ? "svg" : NULL;
    if (other) {
        error_set(e, STATUS_USAGE, "--neuron and --%s exclude each other: one neuron makes no table", other);
        return usage(e);
    }
    if (strspn(o->neuron, "0123456789/") != strlen(o->neuron) || strlen(o->neuron) > 24 ||
        sscanf(o->neuron, "%llu/%llu%c", &layer, &neuron, &rest) != 2) {
        error_set(e, STATUS_USAGE, "--neuron '%s' is not L/N, a layer and a neuron of it", o->neuron);
        return usage(e);
    }
    o->neuron_layer = (size_t)layer;
    o->neuron_number = (size_t)neuron;
    return STATUS_OK;
}

/* A rule of one's own takes the place of what combines the series; intervals are those of the criteria. */
static enum status read_criterion(struct settings *o, const struct options_result *given, struct error *e)
{
    const char *other = options_given(report_options_table(), given, "combine") ? "combine" : o->intervals ? "intervals" : NULL;
    if (!other)
        return expression_parse(&o->rule, o->criterion, e);
    error_set(e, STATUS_USAGE, "--criterion and --%s exclude each other", other);
    return usage(e);
}

/* One layer is read and judged as the others are. */
static enum status show_neuron(struct settings *o, struct archive_reader *reader, struct metrics *m,
                               struct error *e)
{
    const struct archive_facts *facts = archive_reader_facts(reader);
    if (o->neuron_layer >= facts->layers || o->neuron_number >= facts->intermediate_size)
        return error_set(e, STATUS_USAGE, "--neuron %s: the archive has layers 0-%llu of neurons 0-%llu", o->neuron,
                         (unsigned long long)facts->layers - 1, (unsigned long long)facts->intermediate_size - 1);
    enum status s = archive_reader_metrics(reader, o->neuron_layer, m, e);
    if (s == STATUS_OK)
        s = criteria_apply(&o->choice.criteria, m, e);
    if (s == STATUS_OK && o->criterion)
        s = expression_apply(&o->rule, m, e);
    if (s == STATUS_OK)
        log_release();
    return s == STATUS_OK ? neuron_text_print(NULL, m, o->neuron_layer, o->neuron_number, e) : s;
}

/* What /run says, as the run itself had it. A sum of one archive is that archive, whose own facts are those of the sum. */
static enum status read_run(struct merge_run *run, struct archive_reader *reader, struct error *e)
{
    struct archive_sum one = {.reader = &reader, .count = 1, .facts = *archive_reader_facts(reader)};
    enum status s = merge_run_collect(run, &one, e);
    run->run.program_version = archive_reader_run_value(reader, "program_version");
    run->run.build = archive_reader_run_value(reader, "build");
    run->run.started = archive_reader_run_value(reader, "started");
    run->run.finished = archive_reader_run_value(reader, "finished");
    run->run.merged_from = archive_reader_run_value(reader, "merged_from");
    run->run.command_line = archive_reader_run_value(reader, "command_line");
    return s;
}

static enum status write_intervals(const char *path, const struct results *results, uint64_t prompts, struct error *e)
{
    struct outfile out;
    enum status s = outfile_open(&out, path, e);
    if (s != STATUS_OK)
        return s;
    sure_text_csv(&out, &results->sureness, prompts);
    return outfile_commit(&out, e);
}

static enum status write_outputs(const struct settings *o, const struct results *results, const struct archive_facts *facts,
                                 const struct archive_run *run, struct error *e)
{
    const struct plots_profile profile = results_profile(results, facts, run);
    enum status s = o->output ? csv_write(o->output, results->rows, results->layers, e) : STATUS_OK;
    if (s == STATUS_OK && o->intervals)
        s = write_intervals(o->intervals, results, facts->prompts, e);
    if (s == STATUS_OK && o->html)
        s = pictures_page(o->html, &profile, e);
    return s == STATUS_OK && o->svg ? pictures_folder(o->svg, &profile, e) : s;
}

static void tell_written(const char *path)
{
    if (path)
        log_line("written: %s", path);
}

static enum status show_all(struct settings *o, struct archive_reader *reader, struct metrics *m,
                            struct error *e)
{
    const struct archive_facts *facts = archive_reader_facts(reader);
    struct results results;
    struct merge_run run = {.text = NULL};
    uint64_t nonfinite = 0;
    enum status s = results_init(&results, (size_t)facts->layers, m->neurons, &o->choice.criteria, e);
    results.rule = o->criterion ? &o->rule : NULL;
    results.rule_text = o->criterion;
    results.roofs = o->roofs;
    results.plot = o->plot;
    if (s == STATUS_OK && (o->html || o->svg))
        s = results_pictures(&results, e);
    for (size_t layer = 0; layer < results.layers && s == STATUS_OK; layer++) {
        s = archive_reader_metrics(reader, layer, m, e);
        if (s == STATUS_OK)
            s = results_layer(&results, layer, m, e);
    }
    if (s == STATUS_OK)
        s = read_run(&run, reader, e);
    if (s == STATUS_OK)
        s = write_outputs(o, &results, facts, &run.run, e);
    if (s == STATUS_OK) {
        log_release();
        s = results_print(&results, facts, &run.run, &nonfinite, e);
    }
    if (s == STATUS_OK) {
        tell_written(o->output);
        tell_written(o->intervals);
        tell_written(o->html);
        tell_written(o->svg);
    }
    merge_run_free(&run);
    results_free(&results);
    return s == STATUS_OK && nonfinite ? STATUS_NONFINITE : s;
}

static void tell_partial(const struct archive_reader *reader, const char *path)
{
    const char *partial = archive_reader_run_value(reader, "partial");
    if (partial)
        log_warning("%s is partial: it has %s of its run, which went on", path, partial);
}

static enum status check_outputs(const struct settings *o, char *const *archive, struct error *e)
{
    const struct output {
        const char *path, *option;
    } of[] = {{o->output, "--output"}, {o->intervals, "--intervals"}, {o->html, "--html"}};
    enum status s = STATUS_OK;
    for (size_t i = 0; i < sizeof of / sizeof *of && s == STATUS_OK; i++) {
        s = profile_outputs_check_table(of[i].path, archive, 1, e);
        for (size_t k = 0; k < i && s == STATUS_OK; k++) {
            char options[40];
            snprintf(options, sizeof options, "%s and %s", of[k].option, of[i].option);
            if (of[k].path && of[i].path)
                s = profile_outputs_twins(of[k].path, of[i].path, options, e);
        }
    }
    return s == STATUS_OK && o->svg ? pictures_check(o->svg, archive, e) : s;
}

static enum status report(struct settings *o, const struct options_result *given, struct error *e)
{
    const char *path = given->operand[0];
    struct archive_reader *reader = NULL;
    struct metrics m = {.neurons = 0};
    enum status s = check_outputs(o, given->operand, e);
    if (s == STATUS_OK)
        s = archive_reader_open(&reader, path, e);
    if (s == STATUS_OK)
        s = criteria_options_inherit(&o->choice, report_options_table(), given, &archive_reader_facts(reader)->criteria,
                                     path, e);
    if (s == STATUS_OK)
        s = metrics_init(&m, (size_t)archive_reader_facts(reader)->intermediate_size, e);
    if (s == STATUS_OK) {
        tell_partial(reader, path);
        s = o->neuron ? show_neuron(o, reader, &m, e) : show_all(o, reader, &m, e);
    }
    metrics_free(&m);
    archive_reader_close(reader);
    return s;
}

enum status report_command(int argc, char **argv, struct error *e)
{
    struct settings o = {.output = NULL};
    struct options_result given;
    if (!ranks_speaks())
        return STATUS_OK;
    enum status s = options_parse(report_options_table(), argc, argv, &o, &given, e);
    if (s == STATUS_OK && given.help)
        return token_lines_help(report_options_table(), e);
    if (s == STATUS_OK)
        s = read_neuron(&o, e);
    if (s == STATUS_OK && o.criterion)
        s = read_criterion(&o, &given, e);
    if (s != STATUS_OK)
        return s;
    log_open(true, o.quiet ? LOG_QUIET : LOG_NORMAL, LOG_PROGRESS_AUTO);
    return report(&o, &given, e);
}
