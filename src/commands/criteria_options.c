/* criteria_options.c - see criteria_options.h.
 *
 * Rows of the criteria come from criteria_table, so that a new criterion has its option in every command at once.
 */
#include "criteria_options.h"

#include <stdio.h>
#include <string.h>

static const char *const combine_names[] = {"all", "any", "ffn", NULL};
static const char *const activity_names[] = {"absolute", "signed", NULL};

#define AT(member) offsetof(struct criteria_choice, member)

static const struct options_row fixed_rows[] = {
    {.name = "Saturation", .kind = OPTIONS_HEADING},
    {.name = "activity-threshold", .kind = OPTIONS_FLOAT, .offset = AT(criteria.activity_threshold), .argument = "X",
     .min = 0, .max = 1e6, .help = "a sample is of low activity below this magnitude", .default_text = "0.1"},
    {.name = "activity", .kind = OPTIONS_CHOICE, .offset = AT(activity), .argument = "KIND", .choices = activity_names,
     .help = "low activity by |x|, or signed (x < threshold)", .default_text = "absolute"},
    {.name = "combine", .kind = OPTIONS_CHOICE, .offset = AT(combine), .argument = "RULE", .choices = combine_names,
     .help = "a neuron is saturated when all, any or the ffn of its series are", .default_text = "all"},
    {.name = "super-ratio", .kind = OPTIONS_FLOAT, .offset = AT(criteria.super_ratio), .argument = "X", .min = 1,
     .max = 1e9, .help = "max |ffn| against the layer's median that makes a super neuron", .default_text = "100"},
};

#define FIXED_COUNT (sizeof fixed_rows / sizeof *fixed_rows)
_Static_assert(FIXED_COUNT + CRITERIA_COUNT == CRITERIA_OPTIONS_COUNT, "the header counts the rows");

void criteria_options_rows(struct options_row *rows, size_t offset, const char *default_text)
{
    static char defaults[CRITERIA_COUNT][16];
    memcpy(rows, fixed_rows, sizeof fixed_rows);
    for (int i = 0; i < CRITERIA_COUNT; i++) {
        const struct criteria_row *c = &criteria_table[i];
        snprintf(defaults[i], sizeof defaults[i], "%g", (double)c->threshold);
        rows[FIXED_COUNT + (size_t)i] = (struct options_row){
            .name = c->option, .kind = OPTIONS_FLOAT, .offset = AT(criteria.threshold) + (size_t)i * sizeof(float),
            .argument = "X", .min = 0, .max = 1e12, .help = c->help, .default_text = defaults[i]};
    }
    for (size_t i = 1; i < CRITERIA_OPTIONS_COUNT; i++) {
        rows[i].offset += offset;
        if (default_text)
            rows[i].default_text = default_text;
    }
}

void criteria_options_settle(struct criteria_choice *choice)
{
    choice->criteria.activity_signed = choice->activity == 1;
    choice->criteria.combine = (enum criteria_combine)choice->combine;
}

enum status criteria_options_inherit(struct criteria_choice *choice, const struct options_table *table,
                                     const struct options_result *given, const struct criteria *archived,
                                     const char *path, struct error *e)
{
    struct criteria *c = &choice->criteria;
    if (options_given(table, given, "activity-threshold") && c->activity_threshold != archived->activity_threshold) {
        error_set(e, STATUS_USAGE, "was measured with --activity-threshold %.9g: what lies below %.9g was not counted",
                  (double)archived->activity_threshold, (double)c->activity_threshold);
        error_advice(e, "profile again with that threshold, or leave the option out");
        return error_file(e, path);
    }
    c->activity_threshold = archived->activity_threshold;
    if (!options_given(table, given, "activity"))
        choice->activity = archived->activity_signed;
    if (!options_given(table, given, "combine"))
        choice->combine = (int)archived->combine;
    if (!options_given(table, given, "super-ratio"))
        c->super_ratio = archived->super_ratio;
    for (int i = 0; i < CRITERIA_COUNT; i++)
        if (!options_given(table, given, criteria_table[i].option))
            c->threshold[i] = archived->threshold[i];
    criteria_options_settle(choice);
    return STATUS_OK;
}
