/* program_text.c - see program_text.h. */
#include "program_text.h"

#include <stdio.h>

static enum status flushed(struct error *e)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return STATUS_OK;
    return error_set(e, STATUS_OUTPUT, "standard output can't be written");
}

enum status program_text_help(const struct program_text_row *rows, size_t count, struct error *e)
{
    printf("Usage: phi3sat [COMMAND] [OPTION]...\n\n"
           "Measures which feed-forward neurons of a language model are frozen or dead\n"
           "over real prompts, and what removing them would save.\n\nCommands:\n");
    for (size_t i = 0; i < count; i++)
        printf("  %-12s%s\n", rows[i].name, rows[i].does);
    printf("\nOptions:\n"
           "  --help      print this help and stop; also after a command\n"
           "  --version   print the version and stop; with --verbose the kernels too\n\n"
           "Environment:\n"
           "  PHI3SAT_KERNELS  reference, avx2, avx512 or neon: the instruction set to use, of those\n"
           "                   that --version --verbose names [the widest]; results are the same bits\n\n"
           "Example: mpirun -np 2 phi3sat --model m.gguf --prompts p.txt --output r.csv\n");
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
