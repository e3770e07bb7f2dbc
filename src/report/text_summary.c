/* text_summary.c - says in words what the run found; see text_summary.h.
 *
 * The first two parts have the layout of DESIGN section 2 to the letter, since
 * scripts read them. Then come the recommendation and what to do next, in words
 * that claim no more than was measured: thresholds are absolute, 'saturated' is a
 * suspicion, and the estimated speedup is linear and the FFN's alone.
 *
 * Two speedups are given, since they answer different questions: the average of the layers'
 * is dominated by the most saturated layers; the stack's is the time of all FFNs
 * before over after.
 */
#include "text_summary.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "printing.h"
#include "shown.h"

#define PERCENT(share) (100.0 * (share))

static void print_averages(FILE *to, const struct summary *s)
{
    fprintf(to, "=== Summary Statistics ===\n");
    fprintf(to, "Average saturated neurons: %.1f%%\n", PERCENT(s->saturated));
    fprintf(to, "Average estimated speedup: %.2fx\n", s->speedup);
    fprintf(to, "Whole FFN stack's speedup: %.2fx\n", s->stack_speedup);
    fprintf(to, "Saturated by ffn alone:    %.1f%%\n", PERCENT(s->ffn_saturated));
}

static void print_band(FILE *to, const char *name, const struct summary_band *band)
{
    char label[64];
    if (band->first == band->end) {
        snprintf(label, sizeof label, "%s layers:", name);
        fprintf(to, "%-23s%s\n", label, "none");
        return;
    }
    snprintf(label, sizeof label, "%s layers (%zu-%zu):", name, band->first, band->end - 1);
    if (isnan(band->saturated)) {
        fprintf(to, "%-22s not measured\n", label);
        return;
    }
    fprintf(to, "%-22s %.1f%% saturated\n", label, PERCENT(band->saturated));
}

const char *text_summary_interpretation(const struct summary *s)
{
    switch (s->trend) {
    case SUMMARY_TREND_NONE:
        return s->layers >= 4 ? "" : "too few layers to compare early with late ones";
    case SUMMARY_TREND_FLAT:
        return "depth says little about where neurons are saturated; treat all layers alike";
    case SUMMARY_TREND_INCREASES:
        return "late layers use fewer of their neurons on these prompts; look there first";
    case SUMMARY_TREND_DECREASES:
        return "early layers use fewer of their neurons on these prompts; look there first";
    }
    return "";
}

static void print_trend(FILE *to, const struct summary *s)
{
    static const char *const way[] = {[SUMMARY_TREND_FLAT] = "is FLAT", [SUMMARY_TREND_INCREASES] = "INCREASES",
                                      [SUMMARY_TREND_DECREASES] = "DECREASES"};
    double early = PERCENT(s->band[0].saturated), late = PERCENT(s->band[2].saturated);
    if (s->trend == SUMMARY_TREND_NONE)
        fprintf(to, "Trend: none (%s)\n",
                s->layers >= 4 ? "no finite values in the early or late layers" : "fewer than 4 layers");
    else
        fprintf(to, "Trend: Saturation %s with depth (%.1f%% -> %.1f%%)\n", way[s->trend], early, late);
    if (*text_summary_interpretation(s))
        fprintf(to, "Interpretation: %s\n", text_summary_interpretation(s));
}

static void print_depth(FILE *to, const struct summary *s)
{
    static const char *const name[3] = {"Early", "Mid", "Late"};
    fprintf(to, "\n=== Saturation by Depth ===\n");
    for (int i = 0; i < 3; i++)
        print_band(to, name[i], &s->band[i]);
    fprintf(to, "\n");
    print_trend(to, s);
}

const char *text_summary_next_steps(enum summary_recommendation recommendation)
{
    switch (recommendation) {
    case SUMMARY_LOW:
        return "removing neurons promises little here; a smaller weight format or a fused gate+up\n"
               "  product gains more. Profile prompts of your own before giving up on it.";
    case SUMMARY_MODERATE:
        return "try the most saturated layers first: remove or fold their neurons, then measure\n"
               "  perplexity and real speed before going on.";
    case SUMMARY_HIGH:
        return "check that the verdict holds on other prompts, then remove or fold saturated neurons\n"
               "  layer by layer, measuring perplexity and speed each time.";
    }
    return "";
}

const char *text_summary_combination(enum criteria_combine combine)
{
    return combine == CRITERIA_ALL ? "in gate, up and ffn alike" : combine == CRITERIA_ANY ? "in gate, up or ffn" : "in ffn";
}

static void print_meaning(FILE *to, const struct text_summary *t)
{
    if (t->rule) {
        fputs("  Saturated means on these prompts: ", to);
        shown_print(to, t->rule);
        fputc('\n', to);
        return;
    }
    fprintf(to, "  Saturated means quiet on these prompts by absolute thresholds, %s.\n",
            text_summary_combination(t->criteria->combine));
}

static void print_recommendation(FILE *to, const struct text_summary *t)
{
    static const char *const word[] = {[SUMMARY_LOW] = "LOW", [SUMMARY_MODERATE] = "MODERATE", [SUMMARY_HIGH] = "HIGH"};
    static const char *const range[] = {
        [SUMMARY_LOW] = "below 10%", [SUMMARY_MODERATE] = "10-30%", [SUMMARY_HIGH] = "above 30%"};
    const struct summary *s = t->summary;
    fprintf(to, "\n=== Recommendation ===\n");
    if (isnan(s->removable)) {
        fprintf(to, "Recommendation: none, since no layer has finite values\n");
        return;
    }
    fprintf(to, "Recommendation: %s pruning potential (%s): %.1f%% of neurons are saturated, super neurons left out\n",
            word[s->recommendation], range[s->recommendation], PERCENT(s->removable));
    fprintf(to, "Next steps: %s\n", text_summary_next_steps(s->recommendation));
    print_meaning(to, t);
    fprintf(to, "  Low variance about a mean other than 0 can be folded into a bias, not dropped. The speedup is\n"
                "  linear and for the FFN alone.\n");
}

static void print_super(FILE *to, const struct text_summary *t)
{
    size_t total = t->summary->super_neurons;
    size_t shown = t->super_count < TEXT_SUMMARY_SUPER_SHOWN ? t->super_count : TEXT_SUMMARY_SUPER_SHOWN;
    if (total == 0)
        return;
    fprintf(to, "\nSuper neurons, never to be removed (max |ffn| at least %g times the layer's median): %zu\n",
            (double)t->criteria->super_ratio, total);
    for (size_t i = 0; i < shown; i++)
        fprintf(to, "  layer %zu neuron %zu: max |ffn| %.4g\n", t->super[i].layer, t->super[i].neuron,
                (double)t->super[i].magnitude);
    if (shown < total)
        fprintf(to, "  and %zu more (bit %d of saturation/flags in the archive)\n", total - shown, CRITERIA_SUPER_BIT);
}

static void print_nonfinite(FILE *to, const struct summary *s)
{
    if (s->nonfinite == 0)
        return;
    fprintf(to, "\nNot finite: %" PRIu64 " activation%s NaN, infinite or beyond 2^24 and left out of all statistics\n"
                "  (nonfinite in the archive counts them by neuron). Treat this profile with care.\n",
            s->nonfinite, s->nonfinite == 1 ? " was" : "s were");
    if (s->unmeasured > 0)
        fprintf(to, "Not measured: %zu layer%s without a finite value of ffn: nan in the table, left out of the averages above.\n",
                s->unmeasured, s->unmeasured == 1 ? " is" : "s are");
}

enum status text_summary_print(FILE *to, const struct text_summary *t, struct error *e)
{
    struct printing printing;
    const enum status begun = printing_begin(&printing, to, e);
    if (begun != STATUS_OK)
        return begun;
    to = printing.to;
    print_averages(to, t->summary);
    print_depth(to, t->summary);
    print_recommendation(to, t);
    print_super(to, t);
    print_nonfinite(to, t->summary);
    return printing_end(&printing, e);
}

/* Belongs `a` before `b` in the list? */
static int before(const struct text_summary_super *a, const struct text_summary_super *b)
{
    if (a->magnitude != b->magnitude)
        return a->magnitude > b->magnitude;
    return a->layer != b->layer ? a->layer < b->layer : a->neuron < b->neuron;
}

size_t text_summary_collect(const struct metrics *m, size_t layer, struct text_summary_super *list, size_t count,
                            size_t capacity)
{
    const float *least = m->value[SERIES_FFN][METRIC_MIN], *most = m->value[SERIES_FFN][METRIC_MAX];
    for (size_t i = 0; i < m->neurons; i++) {
        if (!(m->flags[i] >> CRITERIA_SUPER_BIT & 1))
            continue;
        struct text_summary_super fresh = {layer, i, fmaxf(fabsf(least[i]), fabsf(most[i]))};
        size_t place = count;
        while (place > 0 && before(&fresh, &list[place - 1]))
            place--;
        if (place == capacity)
            continue;
        size_t moved = (count < capacity ? count : capacity - 1) - place;
        memmove(&list[place + 1], &list[place], moved * sizeof *list);
        list[place] = fresh;
        count += count < capacity;
    }
    return count;
}
