/* test_archive_match.c - whatever differs between two archives' facts is named; what describes the prompts may. */
#include <stdio.h>
#include <string.h>

#include "archive/archive_match.h"
#include "tap.h"

#define LAYERS 2

static uint64_t hashes[LAYERS][2] = {{1, 2}, {3, 4}}, others[LAYERS][2] = {{1, 2}, {3, 5}};

static struct archive_facts facts_of(void)
{
    struct archive_facts f;
    memset(&f, 0, sizeof f);
    f.layers = LAYERS;
    f.layer_fingerprint = hashes;
    f.criteria = criteria_defaults();
    snprintf(f.precision, sizeof f.precision, "f32");
    return f;
}

static void every_row(void)
{
    static const char *const free_rows[] = {"prompts_fingerprint", "prompts", "tokens", "prompts_cut", "prompts_repeated"};
    char words[ARCHIVE_MATCH_WORDS];
    for (const struct archive_facts_row *row = archive_facts_table; row->name; row++) {
        struct archive_facts a = facts_of(), b = facts_of();
        bool may = false;
        for (size_t i = 0; i < sizeof free_rows / sizeof *free_rows; i++)
            may = may || strcmp(row->name, free_rows[i]) == 0;
        ((char *)&b)[row->offset] ^= 1;
        a.layers = b.layers == LAYERS ? a.layers : LAYERS;
        bool match = archive_match(&a, &b, words);
        if (may)
            ok(match, "%s may differ", row->name);
        else
            ok(!match && strncmp(words, row->name, strlen(row->name)) == 0, "%s may not, and is named", row->name);
    }
}

static void differs(struct archive_facts b, const char *wanted)
{
    char words[ARCHIVE_MATCH_WORDS] = "";
    struct archive_facts a = facts_of();
    ok(!archive_match(&a, &b, words), "%s: no match", wanted);
    is_string(words, wanted, "and said so");
}

int main(void)
{
    char words[ARCHIVE_MATCH_WORDS];
    struct archive_facts a = facts_of(), b = facts_of();
    ok(archive_match(&a, &b, words), "equal facts match");
    every_row();
    b.layer_fingerprint = NULL;
    ok(archive_match(&a, &b, words), "unknown layers' hashes match");
    b.layer_fingerprint = others;
    differs(b, "another model/layer_fingerprint");
    b = facts_of();
    memset(b.architecture, 'a', sizeof b.architecture - 1);
    differs(b, "architecture '', not 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'");
    b = facts_of();
    b.criteria.activity_threshold = 0.25f;
    differs(b, "--activity-threshold 0.100000001, not 0.25");
    for (int i = 0; i < CRITERIA_COUNT; i++) {
        b = facts_of();
        b.criteria.threshold[i] = 0.75f;
        ok(!archive_match(&a, &b, words) && strstr(words, criteria_table[i].option), "threshold %d is named", i);
    }
    b = facts_of();
    b.criteria.activity_signed = true;
    differs(b, "--activity absolute, not signed");
    b = facts_of();
    b.criteria.combine = CRITERIA_ANY;
    differs(b, "--combine all, not any");
    b = facts_of();
    b.criteria.super_ratio = 7.0f;
    differs(b, "--super-ratio 100, not 7");
    return tap_done();
}
