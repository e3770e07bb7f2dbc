/* profile_options.c - the option table of the profiler and what follows from it. */
#include "profile_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../text/prompt_maker.h"

static const char *const overlong_names[] = {"truncate", "split", "skip", "error", NULL};
/* In the order of enum kernels_mode. */
const char *const profile_options_precisions[] = {"f32", "int16", "int8", NULL};
static const char *const progress_names[] = {"auto", "always", "never", NULL};

#define AT(member) offsetof(struct profile_options, member)

static const struct options_row fixed_rows[] = {
    {.name = "Input", .kind = OPTIONS_HEADING},
    {.name = "model", .kind = OPTIONS_TEXT, .offset = AT(model), .argument = "FILE", .help = "model: a GGUF, or a Hugging Face folder"},
    {.name = "knot", .kind = OPTIONS_TEXT, .offset = AT(model), .argument = "FILE",
     .help = "the same; what a file is, its content tells"},
    {.name = "prompts", .kind = OPTIONS_TEXT, .offset = AT(prompts), .argument = "FILE",
     .help = "prompts: text, one a line, or JSON; a folder of such files; .gz, .zst; - is standard input"},
    {.name = "tokens", .kind = OPTIONS_TEXT, .offset = AT(tokens), .argument = "FILE",
     .help = "token ids instead, one sequence a line, taken as they are"},
    {.name = "num-prompts", .kind = OPTIONS_UINT, .offset = AT(num_prompts), .argument = "N", .min = 1, .max = 1e15,
     .help = "how many prompts to make [100]; of those given, only the first N", .default_text = NULL},
    {.name = "seed", .kind = OPTIONS_UINT, .offset = AT(seed), .argument = "S", .min = 0, .max = 9007199254740992.0,
     .help = "makes other prompts for each S, where none are given", .default_text = "1"},
    {.name = "input-format", .kind = OPTIONS_CHOICE, .offset = AT(input_format), .argument = "WHAT",
     .choices = recognise_wishes, .help = "what --prompts is: auto, text or json", .default_text = "auto"},
    {.name = "chat", .kind = OPTIONS_FLAG, .offset = AT(chat),
     .help = "put texts and messages into the model's chat format"},
    {.name = "shard", .kind = OPTIONS_TEXT, .offset = AT(shard), .argument = "K/N",
     .help = "only prompts whose index modulo N is K"},
    {.name = "context", .kind = OPTIONS_UINT, .offset = AT(context), .argument = "N", .min = 1, .max = 16777216,
     .help = "longest prompt in tokens", .default_text = "the model's"},
    {.name = "overlong", .kind = OPTIONS_CHOICE, .offset = AT(overlong), .argument = "WHAT", .choices = overlong_names,
     .help = "longer prompts: truncate, split, skip or error", .default_text = "truncate"},
    {.name = "window", .kind = OPTIONS_TEXT, .offset = AT(window), .argument = "N",
     .choices = (const char *const[]){"off", NULL},
     .help = "tokens that attention looks back, itself included, or off", .default_text = "the file's"},
    {.name = "no-bos", .kind = OPTIONS_FLAG, .offset = AT(no_bos), .help = "add no special tokens to prompts"},
    {.name = "Output", .kind = OPTIONS_HEADING},
    {.name = "output", .kind = OPTIONS_TEXT, .offset = AT(output), .argument = "FILE", .help = "summary CSV",
     .default_text = "phi3-saturation-report.csv"},
    {.name = "hdf5", .kind = OPTIONS_TEXT, .offset = AT(hdf5), .argument = "FILE",
     .help = "archive with all arrays", .default_text = "the output's name with .h5"},
    {.name = "html", .kind = OPTIONS_TEXT, .offset = AT(html), .argument = "FILE",
     .help = "a page for people as well: verdict, plots, a map of all neurons, thresholds to try"},
    {.name = "append", .kind = OPTIONS_TEXT, .offset = AT(append), .argument = "FILE",
     .help = "run the prompts that this archive does not hold yet, and add them to it"},
    {.name = "checkpoint", .kind = OPTIONS_TEXT, .offset = AT(checkpoint), .argument = "FILE",
     .help = "keep what has been done here, now and then and upon SIGTERM, SIGINT and SIGUSR1; it goes once the "
             "results are written", .default_text = "with the next two the archive's name with .ckpt, else none"},
    {.name = "checkpoint-every", .kind = OPTIONS_DOUBLE, .offset = AT(checkpoint_every), .argument = "MIN", .min = 0,
     .max = 1e6, .help = "minutes from one to the next; 0: upon signals only", .default_text = "10"},
    {.name = "resume", .kind = OPTIONS_TEXT, .offset = AT(resume), .argument = "FILE|auto",
     .choices = (const char *const[]){"auto", NULL},
     .help = "go on from a checkpoint; auto: from --checkpoint's file where it is there"},
    {.name = "partial-every", .kind = OPTIONS_DOUBLE, .offset = AT(partial_every), .argument = "MIN", .min = 0,
     .max = 1e6, .help = "minutes from one archive of what is done so far to the next, with the archive's name and "
                         ".partial.h5; it goes once the results are written; 0: none", .default_text = "0"},
    {.name = "plot", .kind = OPTIONS_FLAG, .offset = AT(plot),
     .help = "print saturation by layer as bars and a strip of its neurons, too"},
    {.name = "progress", .kind = OPTIONS_CHOICE, .offset = AT(progress), .argument = "WHEN", .choices = progress_names,
     .help = "auto, always or never", .default_text = "auto"},
    {.name = "quiet", .kind = OPTIONS_FLAG, .offset = AT(quiet), .help = "print errors and the summary only"},
    {.name = "verbose", .kind = OPTIONS_FLAG, .offset = AT(verbose), .help = "say more about what is done"},
    {.name = "Computation", .kind = OPTIONS_HEADING},
    {.name = "grid", .kind = OPTIONS_TEXT, .offset = AT(grid), .argument = "PxS",
     .choices = (const char *const[]){"auto", NULL},
     .help = "P groups of ranks share the prompts, S ranks of each the layers; auto: the fewest stages that the memory "
             "allows",
     .default_text = "auto"},
    {.name = "batch-tokens", .kind = OPTIONS_UINT, .offset = AT(batch_tokens), .argument = "N", .min = 1, .max = 65536,
     .help = "tokens that go through a layer together", .default_text = "from cache sizes: 256 to 1024, to 512 with several ranks"},
    {.name = "threads", .kind = OPTIONS_UINT, .offset = AT(threads), .argument = "N", .min = 1, .max = 4096,
     .help = "threads of each rank", .default_text = "OMP_NUM_THREADS, else the rank's cores"},
    {.name = "watch-seconds", .kind = OPTIONS_DOUBLE, .offset = AT(watch_seconds), .argument = "S", .min = 0, .max = 1e6,
     .help = "end the job when a host of several has not been heard of for so long; 0: never", .default_text = "60"},
    {.name = "precision", .kind = OPTIONS_CHOICE, .offset = AT(precision), .argument = "NAME",
     .choices = profile_options_precisions,
     .help = "f32: exact weights, float32 arithmetic; int16, int8: faster, activations rounded to 16 or 8 bits",
     .default_text = "f32"},
    {.name = "skip-first", .kind = OPTIONS_UINT, .offset = AT(skip_first), .argument = "N", .min = 0, .max = 16777216,
     .help = "leave the first N positions of each prompt out of the statistics", .default_text = "0"},
};

#define FIXED_COUNT (sizeof fixed_rows / sizeof *fixed_rows)

const struct options_table *profile_options_table(void)
{
    static struct options_row rows[FIXED_COUNT + CRITERIA_OPTIONS_COUNT];
    static struct options_table table = {
        .command = "phi3sat profile",
        .usage = "--model FILE [--prompts FILE] [OPTION]...",
        .purpose = "Runs the model over prompts (its own, where none are given: see 'phi3sat prompts') and reports\n"
                   "which feed-forward neurons are frozen or dead.\n"
                   "Runs alone or under mpirun or srun; the results are the same.",
        .rows = rows,
        .count = FIXED_COUNT + CRITERIA_OPTIONS_COUNT,
        .ending = "Exit status: 0 done, 1 failed, 2 wrong usage, 3 bad input, 4 output could not be written,\n"
                  "5 done but with NaN or infinity among the activations; with a checkpoint left: 75 stopped by\n"
                  "SIGUSR1, 130 by SIGINT, 143 by SIGTERM.\n\n"
                  "Example: mpirun -np 2 phi3sat --model m.gguf --prompts p.txt --output r.csv"};
    memcpy(rows, fixed_rows, sizeof fixed_rows);
    criteria_options_rows(rows + FIXED_COUNT, AT(choice), NULL);
    return &table;
}

static enum status usage(struct error *e)
{
    error_advice(e, "see 'phi3sat profile --help'");
    return STATUS_USAGE;
}

static enum status read_shard(struct profile_options *o, struct error *e)
{
    unsigned long long k, n;
    char rest;
    o->shard_count = 1;
    if (!o->shard)
        return STATUS_OK;
    if (sscanf(o->shard, "%llu/%llu%c", &k, &n, &rest) != 2 || n == 0 || k >= n || n > 1000000 ||
        strchr(o->shard, '-')) {
        error_set(e, STATUS_USAGE, "--shard '%s' is not K/N with K from 0 to N-1", o->shard);
        return usage(e);
    }
    o->shard_index = (size_t)k;
    o->shard_count = (size_t)n;
    return STATUS_OK;
}

static enum status read_window(struct profile_options *o, struct error *e)
{
    if (!o->window)
        return STATUS_OK;
    o->window_given = true;
    if (strcmp(o->window, "off") == 0)
        return STATUS_OK;
    char *end;
    unsigned long long n = strtoull(o->window, &end, 10);
    if (*o->window < '0' || *o->window > '9' || *end || n == 0 || n > 16777216) {
        error_set(e, STATUS_USAGE, "--window '%s' is neither a number of tokens from 1 to 16777216 nor off", o->window);
        return usage(e);
    }
    o->window_size = (size_t)n;
    return STATUS_OK;
}

static enum status too_long(size_t limit, struct error *e)
{
    error_set(e, STATUS_USAGE, "an output's name is longer than %zu bytes", limit);
    return usage(e);
}

static enum status read_grid(struct profile_options *o, struct error *e)
{
    if (!o->grid || grid_parse(o->grid, &o->grid_wish))
        return STATUS_OK;
    error_set(e, STATUS_USAGE, "--grid '%s' is neither PxS, groups x stages of layers, nor auto", o->grid);
    return usage(e);
}

/* R.csv -> R.h5; any other name gets .h5 behind it. */
static enum status name_outputs(struct profile_options *o, struct error *e)
{
    size_t length = strlen(o->output), stem = length;
    if (length > 4 && strcmp(o->output + length - 4, ".csv") == 0)
        stem = length - 4;
    if (length + 4 > sizeof o->csv_path || (o->hdf5 && strlen(o->hdf5) + 1 > sizeof o->hdf5_path) ||
        (o->append && strlen(o->append) + 1 > sizeof o->hdf5_path))
        return too_long(sizeof o->csv_path - 4, e);
    snprintf(o->csv_path, sizeof o->csv_path, "%s", o->output);
    if (o->append)
        snprintf(o->hdf5_path, sizeof o->hdf5_path, "%s", o->append);
    else if (o->hdf5)
        snprintf(o->hdf5_path, sizeof o->hdf5_path, "%s", o->hdf5);
    else
        snprintf(o->hdf5_path, sizeof o->hdf5_path, "%.*s.h5", (int)stem, o->output);
    return STATUS_OK;
}

/* Without a name of its own the checkpoint that is gone on from is the next one's too, else A.h5 gives A.ckpt. */
static enum status name_checkpoint(struct profile_options *o, bool every_given, struct error *e)
{
    size_t length = strlen(o->hdf5_path), stem = length;
    o->resume_auto = o->resume && strcmp(o->resume, "auto") == 0;
    o->checkpoints = o->checkpoint || o->resume || every_given;
    const char *name = o->checkpoint ? o->checkpoint : o->resume && !o->resume_auto ? o->resume : NULL;
    if (length > 3 && strcmp(o->hdf5_path + length - 3, ".h5") == 0)
        stem = length - 3;
    if ((name ? strlen(name) : stem + 5) + 1 > sizeof o->checkpoint_path)
        return too_long(sizeof o->checkpoint_path - 6, e);
    if (name)
        snprintf(o->checkpoint_path, sizeof o->checkpoint_path, "%s", name);
    else
        snprintf(o->checkpoint_path, sizeof o->checkpoint_path, "%.*s.ckpt", (int)stem, o->hdf5_path);
    return STATUS_OK;
}

/* A.h5 -> A.partial.h5. */
static enum status name_partial(struct profile_options *o, struct error *e)
{
    size_t length = strlen(o->hdf5_path), stem = length;
    if (length > 3 && strcmp(o->hdf5_path + length - 3, ".h5") == 0)
        stem = length - 3;
    if (stem + sizeof ".partial.h5" > sizeof o->partial_path)
        return too_long(sizeof o->partial_path - sizeof ".partial.h5", e);
    snprintf(o->partial_path, sizeof o->partial_path, "%.*s.partial.h5", (int)stem, o->hdf5_path);
    return STATUS_OK;
}

static enum status check(struct profile_options *o, struct error *e)
{
    const char *wrong = NULL;
    if (!o->model)
        wrong = "no model: give --model FILE";
    else if (o->prompts && o->tokens)
        wrong = "--prompts and --tokens exclude each other";
    else if (o->append && o->hdf5)
        wrong = "--append and --hdf5 exclude each other: the archive is added to in its place";
    else if (o->tokens && o->chat)
        wrong = "--tokens and --chat exclude each other: ids are taken as they are";
    else if (o->quiet && o->verbose)
        wrong = "--quiet and --verbose exclude each other";
    if (!wrong)
        return STATUS_OK;
    error_set(e, STATUS_USAGE, "%s", wrong);
    return usage(e);
}

enum status profile_options_input(struct profile_options *o, bool count_given, bool seed_given, struct error *e)
{
    const bool given = o->prompts || o->tokens;
    o->limit = given && count_given ? (size_t)o->num_prompts : PROMPTS_ALL;
    if (given && seed_given) {
        error_set(e, STATUS_USAGE, "--seed has no use where prompts are given");
        return usage(e);
    }
    enum status s = check(o, e);
    if (s == STATUS_OK)
        s = read_shard(o, e);
    return s == STATUS_OK ? read_window(o, e) : s;
}

enum status profile_options_read(struct profile_options *o, int argc, char **argv, bool *help, struct error *e)
{
    const struct options_table *table = profile_options_table();
    struct options_result result;
    memset(o, 0, sizeof *o);
    o->output = "phi3-saturation-report.csv";
    o->num_prompts = PROMPT_MAKER_COUNT;
    o->seed = PROMPT_MAKER_SEED;
    o->checkpoint_every = 10.0;
    o->watch_seconds = 60.0;
    o->choice.criteria = criteria_defaults();
    enum status s = options_parse(table, argc, argv, o, &result, e);
    *help = s == STATUS_OK && result.help;
    if (s != STATUS_OK || *help)
        return s;
    criteria_options_settle(&o->choice);
    s = profile_options_input(o, options_given(table, &result, "num-prompts"), options_given(table, &result, "seed"), e);
    if (s == STATUS_OK)
        s = read_grid(o, e);
    if (s == STATUS_OK)
        s = name_outputs(o, e);
    if (s == STATUS_OK && o->partial_every > 0.0)
        s = name_partial(o, e);
    return s == STATUS_OK ? name_checkpoint(o, options_given(table, &result, "checkpoint-every"), e) : s;
}
