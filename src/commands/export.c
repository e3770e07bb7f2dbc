/* export.c - see export.h.
 *
 * Each form is a row of `forms`: its option, the endings that mean it with -o, and what writes it. Outputs are
 * checked before the archive is read, all of them, and each is whole or not there.
 */
#include "export.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "../archive/archive_reader.h"
#include "../base/log.h"
#include "../cluster/ranks.h"
#include "../report/export_imatrix.h"
#include "../report/export_long.h"
#include "../report/export_npz.h"
#include "../report/token_lines.h"
#include "export_gguf.h"
#include "profile_outputs.h"

enum form { FORM_NPZ = 0, FORM_LONG, FORM_IMATRIX, FORM_COUNT };

struct settings {
    const char *path[FORM_COUNT];
    const char *output;
    bool state, compress, quiet;
};

#define AT(member) offsetof(struct settings, member)

static const struct options_row rows[] = {
    {.name = "output", .kind = OPTIONS_TEXT, .offset = AT(output), .argument = "FILE",
     .help = "one of the forms below, by the ending: .npz, .csv, .imatrix, .dat, .gguf", .letter = 'o'},
    {.name = "npz", .kind = OPTIONS_TEXT, .offset = AT(path[FORM_NPZ]), .argument = "FILE",
     .help = "NumPy's arrays: every data set and attribute by its name"},
    {.name = "state", .kind = OPTIONS_FLAG, .offset = AT(state), .help = "exact sums and prompts go into it too"},
    {.name = "compress", .kind = OPTIONS_FLAG, .offset = AT(compress), .help = "compress it: smaller, slower"},
    {.name = "long", .kind = OPTIONS_TEXT, .offset = AT(path[FORM_LONG]), .argument = "FILE",
     .help = "CSV with a row for each layer, neuron and series"},
    {.name = "imatrix", .kind = OPTIONS_TEXT, .offset = AT(path[FORM_IMATRIX]), .argument = "FILE",
     .help = "importance matrix of the down projections for llama-quantize: GGUF if it ends so, else the older form"},
    {.name = "quiet", .kind = OPTIONS_FLAG, .offset = AT(quiet), .help = "print errors only"},
};

const struct options_table *export_options_table(void)
{
    static const struct options_table table = {
        .command = "phi3sat export",
        .usage = "[OPTION]... ARCHIVE",
        .purpose = "Writes an archive in other forms: arrays for NumPy, one long table, or the importance matrix that\n"
                   "llama-quantize takes with --imatrix.",
        .rows = rows,
        .count = sizeof rows / sizeof *rows,
        .operands_min = 1,
        .operands_max = 1,
        .ending = "Exit status: 0 done, 2 wrong usage, 3 the archive can't be read, 4 output could not be written.\n\n"
                  "Example: phi3sat export r.h5 --npz r.npz --imatrix r.imatrix"};
    return &table;
}

static const struct {
    const char *ending;
    enum form form;
} endings[] = {
    {".npz", FORM_NPZ}, {".csv", FORM_LONG}, {".imatrix", FORM_IMATRIX}, {".dat", FORM_IMATRIX}, {".gguf", FORM_IMATRIX},
};

static bool ends(const char *text, const char *ending)
{
    const size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

static const char *option_of(enum form form)
{
    return form == FORM_NPZ ? "--npz" : form == FORM_LONG ? "--long" : "--imatrix";
}

static enum status usage(struct error *e)
{
    error_advice(e, "see 'phi3sat export --help'");
    return STATUS_USAGE;
}

/* --output is one of the others, by its ending. */
static enum status settle_output(struct settings *o, struct error *e)
{
    for (size_t i = 0; o->output && i < sizeof endings / sizeof *endings; i++) {
        const char **path = &o->path[endings[i].form];
        if (!ends(o->output, endings[i].ending))
            continue;
        if (*path) {
            error_set(e, STATUS_USAGE, "--output %s and %s are one form, which is written once", o->output,
                      option_of(endings[i].form));
            return usage(e);
        }
        *path = o->output;
        o->output = NULL;
    }
    if (!o->output)
        return STATUS_OK;
    error_set(e, STATUS_USAGE, "--output %s: the ending tells no form; there are .npz, .csv, .imatrix, .dat and .gguf",
              o->output);
    return usage(e);
}

static enum status check_options(struct settings *o, struct error *e)
{
    enum status s = settle_output(o, e);
    if (s != STATUS_OK)
        return s;
    const char *needs_npz = o->state ? "--state" : o->compress ? "--compress" : NULL;
    if (!o->path[FORM_NPZ] && !o->path[FORM_LONG] && !o->path[FORM_IMATRIX])
        error_set(e, STATUS_USAGE, "nothing to write: give --npz, --long, --imatrix or --output");
    else if (needs_npz && !o->path[FORM_NPZ])
        error_set(e, STATUS_USAGE, "%s is about --npz, which is not given", needs_npz);
    else
        return STATUS_OK;
    return usage(e);
}

/* A ZIP file's headers are completed behind the writer's back, which a pipe has no way for. */
static enum status refuse_pipe(const char *path, struct error *e)
{
    struct stat about;
    if (!path || stat(path, &about) != 0 || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode))
        return STATUS_OK;
    error_set(e, STATUS_USAGE, "is a device or a pipe, which an .npz file can't be written to");
    error_advice(e, "name a file");
    return error_file(e, path);
}

static enum status check_outputs(const struct settings *o, const struct options_result *given, struct error *e)
{
    enum status s = refuse_pipe(o->path[FORM_NPZ], e);
    for (int i = 0; i < FORM_COUNT && s == STATUS_OK; i++) {
        s = profile_outputs_check_table(o->path[i], given->operand, 1, e);
        for (int k = 0; k < i && o->path[i] && s == STATUS_OK; k++) {
            char both[40];
            snprintf(both, sizeof both, "%s and %s", option_of((enum form)k), option_of((enum form)i));
            s = o->path[k] ? profile_outputs_twins(o->path[k], o->path[i], both, e) : STATUS_OK;
        }
    }
    return s;
}

static enum status write_imatrix(const char *path, struct archive_reader *reader, struct error *e)
{
    struct export_imatrix x;
    enum status s = export_imatrix_read(&x, reader, e);
    if (s == STATUS_OK && x.entries < x.layers)
        log_warning("%zu layers have no finite sample and get no entry in %s", x.layers - x.entries, path);
    if (s == STATUS_OK && x.guessed)
        log_warning("%zu neurons have no finite sample: %s has their layer's mean for them", x.guessed, path);
    if (s == STATUS_OK)
        s = ends(path, ".gguf") ? export_gguf_write(&x, path, e) : export_imatrix_write(&x, path, e);
    export_imatrix_free(&x);
    return s;
}

static enum status write_form(const struct settings *o, enum form form, struct archive_reader *reader, struct error *e)
{
    const char *path = o->path[form];
    enum status s = STATUS_OK;
    if (!path)
        return STATUS_OK;
    if (form == FORM_NPZ)
        s = export_npz_write(path, reader, o->state, o->compress, e);
    else
        s = form == FORM_LONG ? export_long_write(path, reader, e) : write_imatrix(path, reader, e);
    if (s == STATUS_OK)
        log_line("written: %s", path);
    return s;
}

static enum status export_forms(const struct settings *o, const struct options_result *given, struct error *e)
{
    struct archive_reader *reader = NULL;
    const char *path = given->operand[0];
    enum status s = check_outputs(o, given, e);
    if (s == STATUS_OK)
        s = archive_reader_open(&reader, path, e);
    if (s == STATUS_OK) {
        const char *partial = archive_reader_run_value(reader, "partial");
        if (partial)
            log_warning("%s is partial: it has %s of its run, which went on", path, partial);
    }
    for (int form = 0; form < FORM_COUNT && s == STATUS_OK; form++)
        s = write_form(o, (enum form)form, reader, e);
    if (s == STATUS_OK)
        log_release();
    else if (s == STATUS_INPUT && !e->file[0]) /* what is wrong with the numbers, not with the file */
        error_file(e, path);
    archive_reader_close(reader);
    return s;
}

enum status export_command(int argc, char **argv, struct error *e)
{
    struct settings o = {.output = NULL};
    struct options_result given;
    if (!ranks_speaks())
        return STATUS_OK;
    enum status s = options_parse(export_options_table(), argc, argv, &o, &given, e);
    if (s == STATUS_OK && given.help)
        return token_lines_help(export_options_table(), e);
    if (s == STATUS_OK)
        s = check_options(&o, e);
    if (s != STATUS_OK)
        return s;
    log_open(true, o.quiet ? LOG_QUIET : LOG_NORMAL, LOG_PROGRESS_AUTO);
    return export_forms(&o, &given, e);
}
