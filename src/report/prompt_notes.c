/* prompt_notes.c - see prompt_notes.h.
 *
 * The words are those of the archive's tables: a new count there shows up here.
 */
#include "prompt_notes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "shown.h"

/* Rows of archive_facts_table that tell of odd prompts; of the run's table all counts but run_others do. */
static const char *const facts_rows[] = {"prompts_cut", "prompts_repeated", NULL};
static const char *const run_others[] = {"ranks", "threads", "batch_tokens", "own_memory", "mapped_memory", NULL};

static bool among(const char *name, const char *const *list)
{
    while (*list != NULL && strcmp(*list, name) != 0)
        list++;
    return *list != NULL;
}

static void print_row(FILE *to, const struct archive_facts_row *row, const void *values)
{
    uint64_t count;
    memcpy(&count, (const char *)values + row->offset, sizeof count);
    if (count > 0)
        fprintf(to, "  %" PRIu64 " %s\n", count, row->meaning);
}

enum status prompt_notes_print(FILE *to, const struct archive_facts *facts, const struct archive_run *run,
                               struct error *e)
{
    if (to == NULL)
        to = stdout;
    fprintf(to, "\n=== Prompts ===\n  %" PRIu64 " prompt%s with %" PRIu64 " tokens\n", facts->prompts,
            facts->prompts == 1 ? "" : "s", facts->tokens);
    for (const struct archive_facts_row *row = archive_facts_table; row->name != NULL; row++)
        if (among(row->name, facts_rows))
            print_row(to, row, facts);
    for (const struct archive_facts_row *row = archive_facts_run_table; row->name != NULL; row++)
        if (row->kind == ARCHIVE_FACTS_COUNT && !among(row->name, run_others))
            print_row(to, row, run);
    if (run->partial != NULL) {
        fputs("  partial: ", to);
        shown_print(to, run->partial); /* from a file, perhaps */
        fputs("; the run went on\n", to);
    }
    if (fflush(to) == 0 && !ferror(to))
        return STATUS_OK;
    error_set(e, STATUS_OUTPUT, "can't be written: %s", strerror(errno));
    return error_file(e, "standard output");
}
