/* test_prompt_notes.c - odd prompts in the printed summary. */
#include <stdlib.h>

#include "report/prompt_notes.h"
#include "tap.h"

int main(void)
{
    struct archive_facts facts = {.prompts = 7, .tokens = 70};
    struct archive_run run = {.ranks = 4, .threads = 2};
    struct error e;
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    is_int(prompt_notes_print(to, &facts, &run, &e), STATUS_OK, "a run without odd prompts is printed");
    is_string(text, "\n=== Prompts ===\n  7 prompts with 70 tokens\n", "by their number");
    rewind(to);
    facts.prompts_repeated = 3;
    run.blank_lines = 2;
    run.broken_records = 1;
    is_int(prompt_notes_print(to, &facts, &run, &e), STATUS_OK, "and one with some");
    is_string(text,
              "\n=== Prompts ===\n  7 prompts with 70 tokens\n  3 prompts beyond the first of their hash\n  2 blank lines of the source, skipped\n"
              "  1 records that are no JSON, skipped\n",
              "by a line for each kind");
    fclose(to);
    free(text);
    to = fopen("/dev/full", "w");
    is_int(prompt_notes_print(to, &facts, &run, &e), STATUS_OUTPUT, "a full disk is a failed output");
    fclose(to);
    return tap_done();
}
