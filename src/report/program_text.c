/* program_text.c - see program_text.h. */
#include "program_text.h"

#include <stdio.h>
#include <string.h>

static enum status flushed(struct error *e)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return STATUS_OK;
    return error_set(e, STATUS_OUTPUT, "standard output can't be written");
}

static const struct options_row rows[] = {
    {.name = "version", .kind = OPTIONS_FLAG, .help = "print the version and stop; with --verbose the kernels too"},
    {.name = "manual", .kind = OPTIONS_TEXT, .argument = "[COMMAND]",
     .help = "print the manual page of the program or of a command in mdoc, for 'man -l -'"},
    {.name = "completion", .kind = OPTIONS_TEXT, .argument = "bash",
     .help = "print what makes bash complete commands, options and values, for 'eval'"},
};

const struct options_table program_text_table = {
    .command = "phi3sat",
    .usage = "[COMMAND] [OPTION]...",
    .purpose = "Measures which feed-forward neurons of a language model are frozen or dead\n"
               "over real prompts, and what removing them would save.",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .ending = "Example: mpirun -np 2 phi3sat --model m.gguf --prompts p.txt --output r.csv",
};

const struct program_text_row program_text_environment[] = {
    {"PHI3SAT_KERNELS", "reference, avx2, avx512 or neon: the instruction set to use, of those\n"
                        "that --version --verbose names [the widest]; results are the same bits"},
    {NULL, NULL},
};

const struct program_text_row program_text_statuses[] = {
    {"0", "done"},
    {"1", "the run failed"},
    {"2", "wrong usage"},
    {"3", "bad input: model, prompts or archive"},
    {"4", "an output could not be written"},
    {"5", "done, but with NaN or infinity among the activations"},
    {"6", "a verdict asked to be strict was negative"},
    {"75", "stopped by SIGUSR1, with a checkpoint left"},
    {"130", "stopped by SIGINT, with a checkpoint left"},
    {"143", "stopped by SIGTERM, with a checkpoint left"},
    {NULL, NULL},
};

/* `text` with what follows each line end set off by so many columns. */
static void set_off(const char *text, int columns)
{
    for (const char *end = strchr(text, '\n'); end; text = end + 1, end = strchr(text, '\n'))
        printf("%.*s\n%*s", (int)(end - text), text, columns, "");
    printf("%s\n", text);
}

enum status program_text_help(const struct program_text_row *commands, size_t count, struct error *e)
{
    const struct options_table *t = &program_text_table;
    printf("Usage: %s %s\n\n%s\n\nCommands:\n", t->command, t->usage, t->purpose);
    for (size_t i = 0; i < count; i++)
        printf("  %-12s%s\n", commands[i].name, commands[i].does);
    printf("\nOptions:\n  %-25s%s\n", "--help", "print this help and stop; also after a command");
    for (size_t i = 0; i < t->count; i++) {
        char left[64];
        snprintf(left, sizeof left, "--%s %s", rows[i].name, rows[i].argument ? rows[i].argument : "");
        printf("  %-25s%s\n", left, rows[i].help);
    }
    printf("\nEnvironment:\n");
    for (const struct program_text_row *row = program_text_environment; row->name; row++) {
        printf("  %-25s", row->name);
        set_off(row->does, 27);
    }
    printf("\n%s\n", t->ending);
    return flushed(e);
}

enum status program_text_version(const char *build, const struct program_text_kernels *kernels, struct error *e)
{
    printf("phi3sat %s\n", build);
    for (size_t i = 0; i < kernels->count; i++)
        printf("%s%s%s", i ? " " : "kernels: ", kernels->name[i], i + 1 == kernels->count ? "\n" : "");
    if (kernels->chosen)
        printf("chosen: %s\n", kernels->chosen);
    return flushed(e);
}
