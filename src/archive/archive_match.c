/* archive_match.c - walks the table of facts and the criteria over two archives; see archive_match.h.
 *
 * A new fact is compared without a change here; only what describes the prompts is left out, by name.
 * Numbers are compared as bits: a NaN from a file equals itself.
 */
#include "archive_match.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Of the prompts: these add up. */
static const char *const of_prompts[] = {"prompts_fingerprint", "prompts", "tokens", "prompts_cut", "prompts_repeated"};

static bool about_prompts(const char *name)
{
    for (size_t i = 0; i < sizeof of_prompts / sizeof *of_prompts; i++)
        if (strcmp(name, of_prompts[i]) == 0)
            return true;
    return false;
}

/* A fact as a message shows it. */
static void show(const struct archive_facts_row *row, const char *field, char text[130])
{
    uint64_t count;
    double real;
    switch (row->kind) {
    case ARCHIVE_FACTS_TEXT:
        snprintf(text, 130, "'%.100s'", field);
        break;
    case ARCHIVE_FACTS_COUNT:
        memcpy(&count, field, sizeof count);
        snprintf(text, 130, "%" PRIu64, count);
        break;
    case ARCHIVE_FACTS_REAL:
        memcpy(&real, field, sizeof real);
        snprintf(text, 130, "%.17g", real);
        break;
    case ARCHIVE_FACTS_HASH:
        archive_facts_hash_text((const uint64_t *)(const void *)field, text);
        break;
    case ARCHIVE_FACTS_POINTER:
        *text = '\0'; /* of the run only */
    }
}

static bool equal(const struct archive_facts_row *row, const char *x, const char *y)
{
    return row->kind == ARCHIVE_FACTS_TEXT ? strcmp(x, y) == 0 : memcmp(x, y, row->size) == 0;
}

/* Compares two criteria values; the name is the option's, as the user typed it. */
static bool same_number(const char *name, float x, float y, char words[ARCHIVE_MATCH_WORDS])
{
    if (memcmp(&x, &y, sizeof x) == 0)
        return true;
    snprintf(words, ARCHIVE_MATCH_WORDS, "--%s %.9g, not %.9g", name, (double)x, (double)y);
    return false;
}

static bool same_criteria(const struct criteria *a, const struct criteria *b, char words[ARCHIVE_MATCH_WORDS])
{
    if (!same_number("activity-threshold", a->activity_threshold, b->activity_threshold, words))
        return false;
    for (int i = 0; i < CRITERIA_COUNT; i++)
        if (!same_number(criteria_table[i].option, a->threshold[i], b->threshold[i], words))
            return false;
    if (a->activity_signed != b->activity_signed) {
        static const char *const name[] = {"absolute", "signed"};
        snprintf(words, ARCHIVE_MATCH_WORDS, "--activity %s, not %s", name[a->activity_signed], name[b->activity_signed]);
        return false;
    }
    if (a->combine != b->combine) {
        snprintf(words, ARCHIVE_MATCH_WORDS, "--combine %s, not %s", criteria_combine_name(a->combine),
                 criteria_combine_name(b->combine));
        return false;
    }
    return same_number("super-ratio", a->super_ratio, b->super_ratio, words);
}

bool archive_match(const struct archive_facts *a, const struct archive_facts *b, char words[ARCHIVE_MATCH_WORDS])
{
    char x[130], y[130];
    for (const struct archive_facts_row *row = archive_facts_table; row->name; row++) {
        const char *one = (const char *)a + row->offset, *other = (const char *)b + row->offset;
        if (about_prompts(row->name) || equal(row, one, other))
            continue;
        show(row, one, x);
        show(row, other, y);
        snprintf(words, ARCHIVE_MATCH_WORDS, "%.24s %.100s, not %.100s", row->name, x, y);
        return false;
    }
    if (a->layer_fingerprint && b->layer_fingerprint &&
        memcmp(a->layer_fingerprint, b->layer_fingerprint, a->layers * sizeof *a->layer_fingerprint) != 0) {
        snprintf(words, ARCHIVE_MATCH_WORDS, "another model/layer_fingerprint");
        return false;
    }
    return same_criteria(&a->criteria, &b->criteria, words);
}
