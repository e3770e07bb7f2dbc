/* program.c - the table of subcommands; see program.h. */
#include "program.h"

#include <stdlib.h>
#include <string.h>

#include "../cluster/ranks.h"
#include "../kernels/kernels.h"
#include "../report/completion.h"
#include "../report/manual.h"
#include "../report/program_text.h"
#include "bench.h"
#include "build_id.h"
#include "compare.h"
#include "export.h"
#include "inspect.h"
#include "merge.h"
#include "pack.h"
#include "perplexity.h"
#include "plan.h"
#include "plan_options.h"
#include "profile.h"
#include "profile_options.h"
#include "prompts.h"
#include "report.h"
#include "synth.h"
#include "tokenize.h"

struct subcommand {
    const char *name, *does;
    enum status (*run)(int argc, char **argv, struct error *e);
    const struct options_table *table;             /* its options, or                  */
    const struct options_table *(*table_of)(void); /* what makes them                  */
};

static const struct subcommand subcommands[] = {
    {"bench", "time the kernels and measure the machine's peaks", bench_command,
     &bench_options, NULL},
    {"compare", "show how archives differ, by layer and neuron, and whether by more than sampling", compare_command,
     NULL, compare_options_table},
    {"export", "write an archive in other forms: for NumPy, as a long table, for llama-quantize", export_command,
     NULL, export_options_table},
    {"inspect", "print what a model file or an archive holds", inspect_command,
     &inspect_options, NULL},
    {"merge", "add archives of shards into the one that a single run would have made", merge_command,
     &merge_options, NULL},
    {"pack", "write a model as a .knot file, which opens at once and knows when it is damaged", pack_command,
     &pack_options, NULL},
    {"perplexity", "measure how well a model foretells a text", perplexity_command,
     &perplexity_options, NULL},
    {"plan", "predict what a run will take on a cluster, and write its job script", plan_command,
     &plan_options_table, NULL},
    {"profile", "run a model over prompts and report frozen and dead neurons (the default)", profile_command,
     NULL, profile_options_table},
    {"prompts", "print prompts of phi3sat's own making", prompts_command,
     &prompts_options, NULL},
    {"report", "print table, summary and recommendation again from an archive, judged anew if asked", report_command,
     NULL, report_options_table},
    {"synth", "write a model file with planted neurons", synth_command,
     &synth_options, NULL},
    {"tokenize", "print the token ids of a text", tokenize_command,
     &tokenize_options, NULL},
};

#define COUNT (sizeof subcommands / sizeof *subcommands)

static enum status help(struct error *e)
{
    struct program_text_row rows[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        rows[i] = (struct program_text_row){subcommands[i].name, subcommands[i].does};
    return program_text_help(rows, COUNT, e);
}

static enum status version(bool verbose, struct error *e)
{
    const char *kernels[8];
    const struct kernels *chosen = NULL;
    size_t count = 0;
    for (; verbose && count < 8 && kernels_at(count); count++)
        kernels[count] = kernels_at(count)->name;
    const enum status s = verbose ? kernels_select(getenv("PHI3SAT_KERNELS"), &chosen, e) : STATUS_OK;
    const struct program_text_kernels all = {kernels, count, chosen ? chosen->name : NULL};
    return s == STATUS_OK ? program_text_version(BUILD_ID, &all, e) : s;
}

/* Pages of all commands, each followed by those of its own words. */
static enum status document(const char *what, const char *name, struct error *e)
{
    struct manual_page pages[COUNT + BENCH_COUNT];
    struct manual m = {.page = pages, .version = BUILD_VERSION, .date = BUILD_DATE};
    for (size_t i = 0; i < COUNT; i++) {
        const struct subcommand *c = &subcommands[i];
        pages[m.count++] = (struct manual_page){c->name, c->does, c->table ? c->table : c->table_of()};
        for (size_t k = 0; c->run == bench_command && k < BENCH_COUNT; k++)
            pages[m.count++] = (struct manual_page){bench_pages[k].name, bench_pages[k].does, bench_pages[k].table};
    }
    if (strcmp(what, "--manual") == 0)
        return name && strcmp(name, "--list") == 0 ? manual_names(&m, e) : manual_print(&m, name ? name : "", e);
    if (name && strcmp(name, "bash") == 0)
        return completion_print(&m, e);
    error_set(e, STATUS_USAGE, "there is completion for bash only");
    error_advice(e, "give --completion bash");
    return ranks_fail_together(STATUS_USAGE, e);
}

enum status program_run(int argc, char **argv, struct error *e)
{
    const char *word = argc > 1 ? argv[1] : "";
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
        return ranks_speaks() ? help(e) : STATUS_OK;
    if (strcmp(word, "--version") == 0)
        return ranks_speaks() ? version(argc > 2 && strcmp(argv[2], "--verbose") == 0, e) : STATUS_OK;
    if (strcmp(word, "--manual") == 0 || strcmp(word, "--completion") == 0)
        return ranks_speaks() ? document(word, argc > 2 ? argv[2] : NULL, e) : STATUS_OK;
    for (size_t i = 0; i < COUNT; i++)
        if (strcmp(word, subcommands[i].name) == 0)
            return subcommands[i].run(argc - 1, argv + 1, e);
    if (*word && *word != '-') {
        error_set(e, STATUS_USAGE, "unknown command '%s'", word);
        error_advice(e, "see 'phi3sat --help'");
        return ranks_fail_together(STATUS_USAGE, e);
    }
    return profile_command(argc, argv, e);
}
