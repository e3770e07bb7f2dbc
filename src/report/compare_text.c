/* compare_text.c - see compare_text.h.
 *
 * What the words may claim depends on the prompts. The same prompts in both: every difference is the model's or the
 * arithmetic's, and sampling has no part in it. Other prompts: a difference may be the sample's. Some in common: the
 * test takes the two for independent, which makes it say "sampling" too often, never too seldom.
 */
#include "compare_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "csv.h"
#include "printing.h"
#include "shown.h"

/* More layers than this are not listed one by one. */
#define LISTED_LAYERS 128

bool compare_text_same_prompts(const struct compare_text *t)
{
    return memcmp(t->side[0].facts->prompts_fingerprint, t->side[1].facts->prompts_fingerprint,
                  sizeof t->side[0].facts->prompts_fingerprint) == 0;
}

static void print_sides(FILE *to, const struct compare_text *t)
{
    for (int i = 0; i < 2; i++) {
        const struct archive_facts *f = t->side[i].facts;
        fprintf(to, "%c: ", 'A' + i);
        shown_print(to, t->side[i].name);
        fprintf(to, ": %" PRIu64 " prompt%s, %" PRIu64 " tokens, ", f->prompts, f->prompts == 1 ? "" : "s", f->tokens);
        shown_print(to, f->precision);
        if (t->side[i].partial) {
            fputs("; partial: ", to);
            shown_print(to, t->side[i].partial);
        }
        fputc('\n', to);
    }
    if (t->difference) {
        fputs("B has ", to);
        shown_print(to, t->difference);
        fputc('\n', to);
    }
}

static void print_change(FILE *to, int width, int decimals, double change)
{
    if (isnan(change))
        fprintf(to, " %*s", width, "nan");
    else if (fabs(change) < 0.5 * pow(10.0, -decimals))
        fprintf(to, " %*s", width, change == 0.0 ? "=" : "~");
    else
        fprintf(to, " %+*.*f", width, decimals, change);
}

double compare_text_change(const struct compare_text *t, size_t layer, int column)
{
    double a[CSV_COLUMNS], b[CSV_COLUMNS];
    csv_values(&t->side[0].rows[layer], a);
    csv_values(&t->side[1].rows[layer], b);
    return b[column] - a[column];
}

static size_t listed(const struct compare_text *t)
{
    return t->layers < LISTED_LAYERS ? t->layers : LISTED_LAYERS;
}

static void print_more(FILE *to, const struct compare_text *t)
{
    if (listed(t) < t->layers)
        fprintf(to, "and %zu more layers (--output writes them all)\n", t->layers - listed(t));
}

static void print_changes(FILE *to, const struct compare_text *t)
{
    fprintf(to, "\n=== Change by layer, B - A (percentages in points; = none, ~ less than is shown) ===\nLayer");
    for (int c = 0; c < CSV_COLUMNS; c++)
        fprintf(to, " %*s", (int)strlen(csv_columns[c].name), csv_columns[c].name);
    for (size_t l = 0; l < listed(t); l++) {
        fprintf(to, "\n%5zu", l);
        for (int c = 0; c < CSV_COLUMNS; c++)
            print_change(to, (int)strlen(csv_columns[c].name), csv_columns[c].decimals, compare_text_change(t, l, c));
    }
    fputc('\n', to);
    print_more(to, t);
}

size_t compare_text_changed(const struct contrast *c)
{
    size_t kept = 0;
    for (int i = 0; i < CONTRAST_CLASSES; i++)
        kept += c->confusion[i][i];
    return c->neurons - kept;
}

static void print_confusion(FILE *to, const struct contrast *c)
{
    static const char *const name[CONTRAST_CLASSES] = {"active", "saturated", "super"};
    fprintf(to, "\n=== Neurons by class ===\n%-13s", "");
    for (int k = 0; k < CONTRAST_CLASSES; k++)
        fprintf(to, "%*s%s", 13 - (int)strlen(name[k]), "B ", name[k]);
    for (int i = 0; i < CONTRAST_CLASSES; i++) {
        fprintf(to, "\nA %-11s", name[i]);
        for (int k = 0; k < CONTRAST_CLASSES; k++)
            fprintf(to, "%13zu", c->confusion[i][k]);
    }
    fprintf(to, "\n%zu of %zu neurons change class (%.2f%%)\n", compare_text_changed(c), c->neurons,
            100.0 * (double)compare_text_changed(c) / (double)c->neurons);
}

static void print_ratio(FILE *to, int width, double value)
{
    if (isnan(value))
        fprintf(to, " %*s", width, "none");
    else
        fprintf(to, " %*.3f", width, value);
}

static void print_probability(FILE *to, const struct compare_text *t, const struct contrast_tests *tests)
{
    double p = contrast_probability(tests);
    if (compare_text_same_prompts(t) || isnan(p))
        fprintf(to, " %9s", "-");
    else if (p < 1e-4)
        fprintf(to, " %9.1e", p);
    else
        fprintf(to, " %9.4f", p);
}

static void print_sets(FILE *to, const struct compare_text *t)
{
    fprintf(to, "\n=== Saturated sets ===\n"
                "Layer  in A  in B  in both  Jaccard  rank corr.  of all  class changes         p\n");
    for (size_t l = 0; l < listed(t); l++) {
        const struct contrast *c = &t->contrast[l];
        fprintf(to, "%5zu %5zu %5zu %8zu", l, c->first, c->second, c->both);
        print_ratio(to, 8, contrast_overlap(c));
        print_ratio(to, 11, c->rank_correlation);
        print_ratio(to, 7, c->rank_correlation_all);
        fprintf(to, " %14zu", compare_text_changed(c));
        print_probability(to, t, &c->tests);
        fputc('\n', to);
    }
    print_more(to, t);
    fprintf(to, "all   %5zu %5zu %8zu", t->total.first, t->total.second, t->total.both);
    print_ratio(to, 8, contrast_overlap(&t->total));
    fprintf(to, "\nJaccard: in both over in either. Rank correlation: Spearman's, of ffn variance, over the neurons\n"
                "saturated in either, and over all.\n");
}

/* How much of what differs other prompts would change anyway. */
static void print_size(FILE *to, const struct contrast_tests *tests)
{
    if (tests->count)
        fprintf(to, "  Of %zu means and activity shares that differ, %.1f%% differ by more than other prompts of this kind\n"
                    "  would change them (5%% level).\n",
                tests->count, 100.0 * (double)tests->below / (double)tests->count);
}

bool compare_text_verdict(char *text, size_t size, const struct compare_text *t)
{
    const double p = contrast_probability(&t->total.tests);
    if (compare_text_same_prompts(t)) {
        if (t->total.differing == 0)
            snprintf(text, size, "NO difference: the same prompts, and every number of every neuron is the same");
        else
            snprintf(text, size, "the same prompts, so that the difference is not the sample's: %zu of %zu neurons have another\n"
                     "  number somewhere, however small", t->total.differing, t->total.neurons);
        return true;
    }
    if (isnan(p))
        snprintf(text, size, "Not known: standard errors need at least 2 prompts in A and in B.");
    else
        snprintf(text, size, "%s at the %g%% level (p = %.3g)",
                 p < t->level ? "the difference EXCEEDS what sampling gives" : "NO difference beyond what sampling gives",
                 100.0 * t->level, p);
    return !isnan(p);
}

struct compare_text_tested compare_text_tested(const struct compare_text *t)
{
    struct compare_text_tested n = {0, 0};
    for (size_t l = 0; l < t->layers; l++) {
        const double own = contrast_probability(&t->contrast[l].tests);
        n.tested += !isnan(own);
        n.exceed += own < t->level;
    }
    return n;
}

static void print_sampling(FILE *to, const struct compare_text *t)
{
    char verdict[COMPARE_TEXT_VERDICT];
    const bool known = compare_text_verdict(verdict, sizeof verdict, t), same = compare_text_same_prompts(t);
    const struct compare_text_tested n = compare_text_tested(t);
    fprintf(to, "\n=== Difference or sampling? ===\n");
    if (!same && t->shared_prompts)
        fprintf(to, "%" PRIu64 " prompts are in both. The test takes A and B for independent: it sees less than there is.\n",
                t->shared_prompts);
    fprintf(to, known ? "Verdict: %s\n" : "%s\n", verdict);
    if (!same && known)
        fprintf(to, "  by layer: %zu of %zu exceed it; without a difference about %.1f would\n", n.exceed, n.tested,
                t->level * (double)n.tested);
    if (same && t->total.differing)
        print_size(to, &t->total.tests);
}

enum status compare_text_print(FILE *to, const struct compare_text *t, bool follows, struct error *e)
{
    struct printing printing;
    const enum status begun = printing_begin(&printing, to, e);
    if (begun != STATUS_OK)
        return begun;
    to = printing.to;
    if (follows)
        fprintf(to, "\n\n");
    print_sides(to, t);
    print_changes(to, t);
    print_confusion(to, &t->total);
    print_sets(to, t);
    print_sampling(to, t);
    return printing_end(&printing, e);
}

void compare_text_csv_header(struct outfile *out)
{
    outfile_print(out, "Pair,Layer");
    for (int c = 0; c < CSV_COLUMNS; c++)
        outfile_print(out, ",%s", csv_columns[c].name);
    outfile_print(out, ",SaturatedA,SaturatedB,SaturatedBoth,ClassChanges,Jaccard,RankSaturated,RankAll,P\n");
}

static void csv_number(struct outfile *out, double value)
{
    if (isnan(value))
        outfile_print(out, ",nan");
    else
        outfile_print(out, ",%.9g", value);
}

void compare_text_csv(struct outfile *out, const struct compare_text *t, size_t pair)
{
    for (size_t l = 0; l < t->layers; l++) {
        const struct contrast *c = &t->contrast[l];
        outfile_print(out, "%zu,%zu", pair, l);
        for (int k = 0; k < CSV_COLUMNS; k++)
            csv_number(out, compare_text_change(t, l, k));
        outfile_print(out, ",%zu,%zu,%zu,%zu", c->first, c->second, c->both, compare_text_changed(c));
        csv_number(out, contrast_overlap(c));
        csv_number(out, c->rank_correlation);
        csv_number(out, c->rank_correlation_all);
        csv_number(out, compare_text_same_prompts(t) ? NAN : contrast_probability(&c->tests));
        outfile_print(out, "\n");
    }
}
