/* prompt_notes.c - see prompt_notes.h.
 *
 * The words are those of the archive's tables: a new count there shows up here.
 */
#include "prompt_notes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

/* Rows of archive_facts_table that tell of odd prompts; of the run's table all counts but two do. */
static const char *const facts_rows[] = {"prompts_cut", "prompts_repeated", NULL};
static const char *const run_others[] = {"ranks", "threads", NULL};

static bool among(const char *name, const char *const *list)
{
    while (*list != NULL && strcmp(*list, name) != 0)
        list++;
    return *list != NULL;
}

static void print_row(FILE *to, const struct archive_facts_row *row, const void *values, bool *begun)
{
    uint64_t count;
    memcpy(&count, (const char *)values + row->offset, sizeof count);
    if (count == 0)
        return;
    fprintf(to, "%s  %" PRIu64 " %s\n", *begun ? "" : "\n=== Prompts ===\n", count, row->meaning);
    *begun = true;
}

enum status prompt_notes_print(FILE *to, const struct archive_facts *facts, const struct archive_run *run,
                               struct error *e)
{
    bool begun = false;
    if (to == NULL)
        to = stdout;
    for (const struct archive_facts_row *row = archive_facts_table; row->name != NULL; row++)
        if (among(row->name, facts_rows))
            print_row(to, row, facts, &begun);
    for (const struct archive_facts_row *row = archive_facts_run_table; row->name != NULL; row++)
        if (row->kind == ARCHIVE_FACTS_COUNT && !among(row->name, run_others))
            print_row(to, row, run, &begun);
    if (fflush(to) == 0 && !ferror(to))
        return STATUS_OK;
    error_set(e, STATUS_OUTPUT, "can't be written: %s", strerror(errno));
    return error_file(e, "standard output");
}
