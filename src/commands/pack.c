/* pack.c - `phi3sat pack`: writes a model file of any kind as a .knot file.
 *
 * What profile would refuse is refused here, in the same words and before anything is written: a file that can be packed
 * can be run. What is written and why is docs/knot.md's.
 */
#include "pack.h"

#include "../base/clock.h"
#include "../base/log.h"
#include "../base/outfile.h"
#include "../model/pack.h"
#include "../report/token_lines.h"

struct settings {
    const char *output;
    bool quiet;
};

static const struct options_row rows[] = {
    {.name = "output", .kind = OPTIONS_TEXT, .offset = offsetof(struct settings, output), .argument = "FILE", .letter = 'o',
     .help = "the .knot file"},
    {.name = "quiet", .kind = OPTIONS_FLAG, .offset = offsetof(struct settings, quiet), .help = "print errors only"},
};

const struct options_table pack_options = {
    .command = "phi3sat pack",
    .usage = "MODEL -o FILE [OPTION]...",
    .purpose = "Write a model as a .knot file: its layers one after the other, aligned for pages and huge pages, rows in the\n"
               "order in which they are used, tokenizer and keys inside, and every byte under a checksum. A run from\n"
               "it gives the same archive and starts without reading the whole model.",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .operands_min = 1,
    .operands_max = 1,
    .ending = "Weights keep their type and their values. 'phi3sat inspect --verify FILE' checks all of it.\n\n"
              "Exit status: 0 done, 1 failed, 2 wrong usage, 3 the model is bad or can't be run, 4 FILE can't be written.\n\n"
              "Example: phi3sat pack phi3.gguf -o phi3.knot && mpirun -np 8 phi3sat --model phi3.knot --prompts p.txt",
};

static void tell_section(void *context, size_t section, size_t count)
{
    (void)context;
    log_phase("packing section %zu of %zu", section + 1, count);
}

static enum status refuse_input(const struct model_file *file, const char *path, struct error *e)
{
    for (size_t i = 0; i < model_file_part_count(file); i++) {
        const struct mapping *map = model_file_part(file, i);
        if (!map->bytes || !outfile_is_input(path, map->device, map->inode))
            continue;
        error_set(e, STATUS_USAGE, "the output is a file of the model itself");
        error_file(e, path);
        return error_advice(e, "give another name to -o");
    }
    return STATUS_OK;
}

static enum status pack(const struct settings *o, const char *path, struct error *e)
{
    const struct pack_watch watch = {.section = o->quiet ? NULL : tell_section};
    const double start = clock_seconds();
    struct model_file *file;
    struct config config;
    struct weights weights = {0};
    struct pack_result result;
    enum status s = model_file_open(&file, path, e);
    if (s != STATUS_OK)
        return s;
    s = refuse_input(file, o->output, e);
    if (s == STATUS_OK)
        s = outfile_probe(o->output, e);
    if (s == STATUS_OK)
        s = config_read(&config, file, e);
    if (s == STATUS_OK)
        s = weights_open(&weights, &config, file, e);
    if (s == STATUS_OK) {
        log_release();
        s = pack_write(o->output, file, &config, &weights, &watch, &result, e);
    }
    if (s == STATUS_OK && result.nested_keys)
        log_warning("%zu keys hold arrays of arrays, which phi3sat never reads: left out", result.nested_keys);
    if (s == STATUS_OK)
        log_line("%s: %.1f MB in %.1f s", o->output, 1e-6 * (double)result.bytes, clock_seconds() - start);
    weights_free(&weights);
    model_file_close(file);
    return s;
}

enum status pack_command(int argc, char **argv, struct error *e)
{
    struct settings o = {NULL, false};
    struct options_result result;
    enum status s = options_parse(&pack_options, argc, argv, &o, &result, e);
    if (s != STATUS_OK)
        return s;
    if (result.help)
        return token_lines_help(&pack_options, e);
    log_open(true, o.quiet ? LOG_QUIET : LOG_NORMAL, LOG_PROGRESS_AUTO);
    if (!o.output) {
        error_set(e, STATUS_USAGE, "no output: give -o FILE");
        error_advice(e, "see 'phi3sat pack --help'");
        return STATUS_USAGE;
    }
    return pack(&o, result.operand[0], e);
}
