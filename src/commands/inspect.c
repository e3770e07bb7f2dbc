/* inspect.c - `phi3sat inspect`: files in, facts out.
 *
 * What a file is, its content tells: HDF5's signature makes it an archive, anything else has to be a
 * model file, whose reader names what it is if it is neither. A file that can't be read doesn't keep
 * the others from being shown; each fault is one line, and the status is 3 in the end.
 */
#include "inspect.h"

#include "../archive/archive_reader.h"
#include "../base/log.h"
#include "../base/mapping.h"
#include "../report/token_lines.h"
#include "inspect_archive.h"
#include "inspect_model.h"

struct settings {
    bool json, tensors, verify;
};

static const struct options_row rows[] = {
    {.name = "tensors", .kind = OPTIONS_FLAG, .offset = offsetof(struct settings, tensors),
     .help = "list every tensor of a model, every data set of an archive"},
    {.name = "verify", .kind = OPTIONS_FLAG, .offset = offsetof(struct settings, verify),
     .help = "read every byte of .knot files and compare with their checksums"},
    {.name = "json", .kind = OPTIONS_FLAG, .offset = offsetof(struct settings, json),
     .help = "one JSON object, an array of them for several files"},
};

const struct options_table inspect_options = {
    .command = "phi3sat inspect",
    .usage = "[OPTION]... FILE...",
    .purpose = "Print what model files and archives hold: sizes, weight types, tokenizer, chat format, what profile\n"
               "would do with a model and how much memory it would take; what an archive measured, and how.",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .operands_min = 1,
    .operands_max = SIZE_MAX,
    .ending = "What a file is, its content tells, not its name. Texts from files are shown with control characters\n"
              "escaped. A model that phi3sat can't run is shown too, with the reason.\n\n"
              "Exit status: 0 all files were read, 2 wrong usage, 3 a file can't be read or isn't what its\n"
              "checksums say.\n\n"
              "Example: phi3sat inspect --json m.gguf r.h5",
};

static enum status inspect_file(struct fact_sheet *sheet, const char *path, const struct settings *o, struct error *e)
{
    struct mapping map;
    if (mapping_is_folder(path))
        return inspect_model(sheet, path, o->tensors, o->verify, e);
    enum status s = mapping_open(&map, path, e);
    if (s != STATUS_OK)
        return s;
    bool archive = archive_reader_matches(map.bytes, map.size);
    uint64_t size = map.size;
    mapping_close(&map);
    return archive ? inspect_archive(sheet, path, size, o->tensors, e)
                   : inspect_model(sheet, path, o->tensors, o->verify, e);
}

/* In an array of things a file that can't be read has its place too. */
static void show_fault(struct fact_sheet *sheet, const char *path, const struct error *e)
{
    char line[2560];
    if (!sheet->json || !sheet->several)
        return;
    error_format(e, line, sizeof line);
    fact_sheet_thing(sheet, path);
    fact_sheet_words(sheet, "error", line);
    fact_sheet_thing_end(sheet);
}

static enum status inspect_all(struct fact_sheet *sheet, const struct options_result *files, const struct settings *o,
                               struct error *e)
{
    enum status worst = STATUS_OK;
    for (size_t i = 0; i < files->operands; i++) {
        if (e->status != STATUS_OK) /* another fault may follow: this one is said now */
            log_error(e);
        error_clear(e);
        enum status s = inspect_file(sheet, files->operand[i], o, e);
        if (s != STATUS_OK)
            show_fault(sheet, files->operand[i], e);
        worst = worst == STATUS_OK ? s : worst;
    }
    return worst;
}

enum status inspect_command(int argc, char **argv, struct error *e)
{
    struct settings settings = {false, false, false};
    struct options_result result;
    struct fact_sheet sheet;
    enum status s = options_parse(&inspect_options, argc, argv, &settings, &result, e);
    if (s != STATUS_OK)
        return s;
    if (result.help)
        return token_lines_help(&inspect_options, e);
    fact_sheet_open(&sheet, NULL, settings.json, result.operands > 1);
    s = inspect_all(&sheet, &result, &settings, e);
    struct error output;
    if (fact_sheet_finish(&sheet, &output) == STATUS_OK)
        return s;
    *e = output;
    return STATUS_OUTPUT;
}
