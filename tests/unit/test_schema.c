/* test_schema.c - docs/archive.md says what the tables say, and phi3sat.h the same bits. */
#include <stdlib.h>
#include <string.h>

#include "archive/archive_facts.h"
#include "archive/schema.h"
#include "phi3sat.h"
#include "tap.h"

static char *page;

static void read_page(void)
{
    char *path = tap_source("docs/archive.md");
    size_t size = 1 << 18;
    FILE *f = fopen(path, "rb");
    page = calloc(size, 1);
    if (!f || !page || fread(page, 1, size - 1, f) == 0)
        bail("can't read %s", path);
    fclose(f);
    free(path);
}

/* The text of the section with this heading. */
static char *section(const char *heading)
{
    char line[64];
    snprintf(line, sizeof line, "\n### %s\n", heading);
    const char *start = strstr(page, line);
    if (!start)
        return strdup("");
    const char *end = strstr(start + 1, "\n##");
    return strndup(start, end ? (size_t)(end - start) : strlen(start));
}

static void test_row(const struct schema_row *row)
{
    static const char *const type[] = {"uint8", "int32", "uint32", "uint64", "float32", "float64"};
    char line[256];
    char *text = section(row->group[0] ? row->group : "gate, up, ffn");
    int length = snprintf(line, sizeof line, "\n| `%s` | %s | ", row->name, type[row->type]);
    for (int i = 0; i < schema_rank(row); i++)
        length += snprintf(line + length, sizeof line - (size_t)length, "%s%s", i ? ", " : "",
                           schema_dimension_name[row->dimension[i]]);
    snprintf(line + length, sizeof line - (size_t)length, " | ");
    const char *found = strstr(text, line);
    ok(found, "the page has %s/%s with its type and dimensions", row->group, row->name);
    const char *end = found ? strchr(found + 1, '\n') : NULL;
    char *rest = end ? strndup(found, (size_t)(end - found)) : strdup("");
    bool nan_said = strstr(rest, "NaN: missing") != NULL, none_said = strstr(rest, "-1: none") != NULL;
    ok(nan_said == (row->fill == SCHEMA_MISSING_NAN) && none_said == (row->fill == SCHEMA_MISSING_MINUS_ONE),
       "and says of %s what is missing", row->name);
    if (row->csv_column)
        ok(strstr(rest, row->csv_column), "and names %s's column of the CSV", row->name);
    free(rest);
    free(text);
}

static void test_attributes(const struct archive_facts_row *row)
{
    static const char *const type[] = {[ARCHIVE_FACTS_TEXT] = "text", [ARCHIVE_FACTS_POINTER] = "text",
                                       [ARCHIVE_FACTS_COUNT] = "uint64", [ARCHIVE_FACTS_REAL] = "float64",
                                       [ARCHIVE_FACTS_HASH] = "text, 32 hex digits"};
    char line[256];
    for (; row->name; row++) {
        snprintf(line, sizeof line, "\n| `%s` | %s | %s |\n", row->name, type[row->kind], row->meaning);
        ok(strstr(page, line), "the page has the attribute %s", row->name);
    }
}

int main(void)
{
    char line[128];
    read_page();
    for (const struct schema_row *row = schema_table; row->name; row++)
        test_row(row);
    test_attributes(archive_facts_table);
    test_attributes(archive_facts_run_table);
    test_attributes(archive_facts_checkpoint_table);
    for (int i = 0; i < CRITERIA_COUNT; i++) {
        snprintf(line, sizeof line, "\n| `%s", criteria_table[i].option);
        for (char *s = line; *s; s++)
            if (*s == '-')
                *s = '_';
        ok(strstr(page, line), "the page has the threshold of %s", criteria_table[i].name);
    }
    for (int s = 0; s < SERIES_COUNT; s++)
        ok(PHI3SAT_FLAG(s, 0) == UINT32_C(1) << (CRITERIA_BITS_PER_SERIES * s), "phi3sat.h has series %d's bits", s);
    ok(PHI3SAT_FLAG_SUPER == UINT32_C(1) << CRITERIA_SUPER_BIT, "and the super neurons'");
    is_string(criteria_table[PHI3SAT_CRITERION_LOW_VARIANCE].name, "low_variance", "and the criteria's numbers");
    is_string(criteria_table[PHI3SAT_CRITERION_ZERO_GRADIENT].name, "zero_gradient", "all of them");
    is_string(criteria_table[PHI3SAT_CRITERION_LOW_ACTIVITY].name, "low_activity", "three");
    ok((int)PHI3SAT_EXIT_INPUT == STATUS_INPUT && (int)PHI3SAT_EXIT_OUTPUT == STATUS_OUTPUT &&
           (int)PHI3SAT_EXIT_NONFINITE == STATUS_NONFINITE && (int)PHI3SAT_EXIT_CHECKPOINT == STATUS_CHECKPOINT &&
           (int)PHI3SAT_EXIT_USAGE == STATUS_USAGE && (int)PHI3SAT_EXIT_VERDICT == STATUS_VERDICT,
       "exit statuses are those of the program");
    free(page);
    return tap_done();
}
