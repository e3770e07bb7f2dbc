/* plan_options.c - the option table of plan and what follows from it. */
#include "plan_options.h"

#include <stdio.h>
#include <string.h>

#include "../text/prompt_maker.h"

static const char *const overlong_names[] = {"truncate", "split", "skip", "error", NULL};

#define MOST_RANKS 1048576
#define AT(member) offsetof(struct plan_options, member)
#define INPUT(member) offsetof(struct plan_options, input.member)

static const struct options_row rows[] = {
    {.name = "Input, as for profile", .kind = OPTIONS_HEADING},
    {.name = "model", .kind = OPTIONS_TEXT, .offset = INPUT(model), .argument = "FILE", .help = "model file"},
    {.name = "knot", .kind = OPTIONS_TEXT, .offset = INPUT(model), .argument = "FILE", .help = "the same"},
    {.name = "prompts", .kind = OPTIONS_TEXT, .offset = INPUT(prompts), .argument = "FILE",
     .help = "prompts: a file or a folder"},
    {.name = "tokens", .kind = OPTIONS_TEXT, .offset = INPUT(tokens), .argument = "FILE",
     .help = "token ids instead, one sequence a line"},
    {.name = "num-prompts", .kind = OPTIONS_UINT, .offset = INPUT(num_prompts), .argument = "N", .min = 1, .max = 1e9,
     .help = "how many prompts would be made [100]; of those given, only the first N", .default_text = NULL},
    {.name = "seed", .kind = OPTIONS_UINT, .offset = INPUT(seed), .argument = "S", .min = 0, .max = 9007199254740992.0,
     .help = "of made prompts", .default_text = "1"},
    {.name = "input-format", .kind = OPTIONS_CHOICE, .offset = INPUT(input_format), .argument = "WHAT",
     .choices = recognise_wishes, .help = "what --prompts is: auto, text or json", .default_text = "auto"},
    {.name = "chat", .kind = OPTIONS_FLAG, .offset = INPUT(chat), .help = "prompts are put into the model's chat format"},
    {.name = "shard", .kind = OPTIONS_TEXT, .offset = INPUT(shard), .argument = "K/N",
     .help = "only prompts whose index modulo N is K"},
    {.name = "context", .kind = OPTIONS_UINT, .offset = INPUT(context), .argument = "N", .min = 1, .max = 16777216,
     .help = "longest prompt in tokens", .default_text = "the model's"},
    {.name = "overlong", .kind = OPTIONS_CHOICE, .offset = INPUT(overlong), .argument = "WHAT", .choices = overlong_names,
     .help = "longer prompts: truncate, split, skip or error", .default_text = "truncate"},
    {.name = "window", .kind = OPTIONS_TEXT, .offset = INPUT(window), .argument = "N",
     .choices = (const char *const[]){"off", NULL},
     .help = "tokens that attention looks back, or off", .default_text = "the file's"},
    {.name = "no-bos", .kind = OPTIONS_FLAG, .offset = INPUT(no_bos), .help = "no special tokens are added to prompts"},
    {.name = "batch-tokens", .kind = OPTIONS_UINT, .offset = INPUT(batch_tokens), .argument = "N", .min = 1, .max = 65536,
     .help = "tokens that go through a layer together", .default_text = "from this machine's caches: 256 to 1024, to 512 with several ranks"},
    {.name = "precision", .kind = OPTIONS_CHOICE, .offset = INPUT(precision), .argument = "NAME",
     .choices = profile_options_precisions, .help = "f32, int16 or int8", .default_text = "f32"},
    {.name = "threads", .kind = OPTIONS_UINT, .offset = INPUT(threads), .argument = "N", .min = 1, .max = 4096,
     .help = "threads of each rank", .default_text = "the cores of a node by its ranks, else 1"},
    {.name = "Cluster", .kind = OPTIONS_HEADING},
    {.name = "ranks", .kind = OPTIONS_UINT, .offset = AT(ranks), .argument = "N", .min = 1, .max = MOST_RANKS,
     .help = "ranks of the run", .default_text = "those that plan runs on"},
    {.name = "ranks-per-node", .kind = OPTIONS_UINT, .offset = AT(ranks_per_node), .argument = "N", .min = 1,
     .max = MOST_RANKS, .help = "ranks of a node", .default_text = "all"},
    {.name = "grid", .kind = OPTIONS_TEXT, .offset = AT(grid), .argument = "PxS",
     .help = "plan this grid only: P groups of S stages"},
    {.name = "cores", .kind = OPTIONS_DOUBLE, .offset = AT(cores), .argument = "N", .min = 0.1, .max = 1e6,
     .help = "cores of a node, for ranks that share them", .default_text = "one for each thread"},
    {.name = "memory", .kind = OPTIONS_DOUBLE, .offset = AT(memory), .argument = "GIB", .min = 0.001, .max = 1e9,
     .help = "memory of a node", .default_text = "this machine's"},
    {.name = "bandwidth", .kind = OPTIONS_DOUBLE, .offset = AT(bandwidth), .argument = "GB/S", .min = 1e-6, .max = 1e6,
     .help = "between nodes, each way; 10^9 bytes", .default_text = "measured between hosts, else 1.25"},
    {.name = "latency", .kind = OPTIONS_DOUBLE, .offset = AT(latency), .argument = "US", .min = 0, .max = 1e9,
     .help = "of a message between nodes, microseconds", .default_text = "measured between hosts, else 30"},
    {.name = "Speed", .kind = OPTIONS_HEADING},
    {.name = "gflops", .kind = OPTIONS_DOUBLE, .offset = AT(gflops), .argument = "N", .min = 1e-6, .max = 1e9,
     .help = "of a rank; nothing is measured then", .default_text = "measured"},
    {.name = "seconds", .kind = OPTIONS_DOUBLE, .offset = AT(seconds), .argument = "S", .min = 0, .max = 3600,
     .help = "for the measurement, about", .default_text = "2"},
    {.name = "Output", .kind = OPTIONS_HEADING},
    {.name = "json", .kind = OPTIONS_FLAG, .offset = AT(json), .help = "an object instead of tables"},
    {.name = "sbatch", .kind = OPTIONS_FLAG, .offset = AT(sbatch),
     .help = "print a Slurm script for the best grid instead"},
};

const struct options_table plan_options_table = {
    .command = "phi3sat plan",
    .usage = "--model FILE [--prompts FILE] [--ranks N] [OPTION]...",
    .purpose = "Predict what a run of profile will take: time, memory and network for the best few grids of P groups of\n"
               "prompts times S stages of layers.",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .ending = "Some batches of the prompts are run here through the model's last layers, and the schedule that profile works by\n"
              "is simulated at that pace. Under 'mpirun -np 2' both ranks measure at the same time, and what messages between\n"
              "them take is measured too: start it on two nodes that are like the others.\n\n"
              "Example: phi3sat plan --model m.gguf --prompts p.txt --ranks 4096 --ranks-per-node 64",
};

static enum status read_grid(struct plan_options *o, struct error *e)
{
    unsigned long long groups, stages;
    char rest;
    if (!o->grid || strcmp(o->grid, "auto") == 0)
        return STATUS_OK;
    if (sscanf(o->grid, "%llux%llu%c", &groups, &stages, &rest) != 2 || strchr(o->grid, '-') || groups == 0 ||
        stages == 0 || groups > MOST_RANKS || stages > MOST_RANKS || groups * stages > MOST_RANKS)
        return error_set(e, STATUS_USAGE, "--grid '%s' is neither PxS, such as 8x2, nor auto", o->grid);
    if (o->ranks && groups * stages != o->ranks)
        return error_set(e, STATUS_USAGE, "--grid %s has %llu ranks, and --ranks says %llu", o->grid, groups * stages,
                         (unsigned long long)o->ranks);
    o->groups = (size_t)groups;
    o->stages = (size_t)stages;
    o->ranks = groups * stages;
    return STATUS_OK;
}

enum status plan_options_read(struct plan_options *o, int argc, char **argv, bool *help, struct error *e)
{
    const struct options_table *table = &plan_options_table;
    struct options_result result;
    memset(o, 0, sizeof *o);
    o->input.num_prompts = PROMPT_MAKER_COUNT;
    o->input.seed = PROMPT_MAKER_SEED;
    o->bandwidth = o->latency = -1.0;
    o->seconds = 2.0;
    enum status s = options_parse(table, argc, argv, o, &result, e);
    *help = s == STATUS_OK && result.help;
    if (s != STATUS_OK || *help)
        return s;
    s = profile_options_input(&o->input, options_given(table, &result, "num-prompts"),
                              options_given(table, &result, "seed"), e);
    if (s == STATUS_OK && o->json && o->sbatch)
        s = error_set(e, STATUS_USAGE, "--json and --sbatch exclude each other");
    if (s == STATUS_OK)
        s = read_grid(o, e);
    if (s != STATUS_OK)
        error_advice(e, "see 'phi3sat plan --help'");
    return s;
}
