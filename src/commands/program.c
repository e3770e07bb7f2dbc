/* program.c - the table of subcommands; see program.h. */
#include "program.h"

#include <stdlib.h>
#include <string.h>

#include "../cluster/ranks.h"
#include "../kernels/kernels.h"
#include "../report/program_text.h"
#include "bench.h"
#include "build_id.h"
#include "compare.h"
#include "inspect.h"
#include "merge.h"
#include "perplexity.h"
#include "plan.h"
#include "profile.h"
#include "prompts.h"
#include "report.h"
#include "synth.h"
#include "tokenize.h"

struct subcommand {
    const char *name, *does;
    enum status (*run)(int argc, char **argv, struct error *e);
};

static const struct subcommand subcommands[] = {
    {"bench", "time the kernels and measure the machine's peaks", bench_command},
    {"compare", "show how archives differ, by layer and neuron, and whether by more than sampling", compare_command},
    {"inspect", "print what a model file or an archive holds", inspect_command},
    {"merge", "add archives of shards into the one that a single run would have made", merge_command},
    {"perplexity", "measure how well a model foretells a text", perplexity_command},
    {"plan", "predict what a run will take on a cluster, and write its job script", plan_command},
    {"profile", "run a model over prompts and report frozen and dead neurons (the default)", profile_command},
    {"prompts", "print prompts of phi3sat's own making", prompts_command},
    {"report", "print table, summary and recommendation again from an archive, judged anew if asked", report_command},
    {"synth", "write a model file with planted neurons", synth_command},
    {"tokenize", "print the token ids of a text", tokenize_command},
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

enum status program_run(int argc, char **argv, struct error *e)
{
    const char *word = argc > 1 ? argv[1] : "";
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
        return ranks_speaks() ? help(e) : STATUS_OK;
    if (strcmp(word, "--version") == 0)
        return ranks_speaks() ? version(argc > 2 && strcmp(argv[2], "--verbose") == 0, e) : STATUS_OK;
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
