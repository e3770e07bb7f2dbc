/* sure_text.c - see sure_text.h.
 *
 * "About how many" supposes that the share stays where it is, and
 * that errors shrink with the root of the number of prompts: an order of magnitude, no promise.
 */
#include "sure_text.h"

#include <inttypes.h>
#include <math.h>

#include "printing.h"

static void print_interval(FILE *to, const char *name, const struct sureness_interval *x)
{
    char label[64];
    snprintf(label, sizeof label, "%s:", name);
    if (isnan(x->share))
        fprintf(to, "%-27snot measured\n", label);
    else
        fprintf(to, "%-27s%.1f%% (%.1f%% to %.1f%%)\n", label, 100.0 * x->share, 100.0 * x->low, 100.0 * x->high);
}

static void print_shares(FILE *to, const struct sureness *s, double z)
{
    static const char *const name[SURENESS_SHARES] = {
        "Low variance of gate", "Low variance of up", "Low variance of ffn", "Saturated neurons", "Saturated by ffn alone",
        "Without super neurons"};
    static const enum sureness_share order[SURENESS_SHARES] = {SURENESS_SATURATED, SURENESS_REMOVABLE, SURENESS_FFN,
                                                               SURENESS_LOW_GATE, SURENESS_LOW_UP, SURENESS_LOW_FFN};
    for (int i = 0; i < SURENESS_SHARES; i++) {
        struct sureness_interval x = sureness_of(s, order[i], 0, s->layers, z);
        print_interval(to, name[order[i]], &x);
    }
}

static void print_bands(FILE *to, const struct sureness *s, const struct summary *summary, double z)
{
    static const char *const name[3] = {"Early", "Mid", "Late"};
    char label[64];
    for (int i = 0; i < 3; i++) {
        const struct summary_band *b = &summary->band[i];
        if (b->first == b->end)
            continue;
        struct sureness_interval x = sureness_of(s, SURENESS_SATURATED, b->first, b->end, z);
        snprintf(label, sizeof label, "%s layers (%zu-%zu)", name[i], b->first, b->end - 1);
        print_interval(to, label, &x);
    }
}

bool sure_text_verdict(char *text, size_t size, const struct sureness *s, uint64_t prompts)
{
    static const char *const word[] = {[SUMMARY_LOW] = "LOW", [SUMMARY_MODERATE] = "MODERATE", [SUMMARY_HIGH] = "HIGH"};
    struct sureness_interval x = sureness_of(s, SURENESS_REMOVABLE, 0, s->layers, sureness_width(prompts));
    *text = '\0';
    if (isnan(x.low))
        return false;
    enum summary_recommendation low = summary_recommend(x.low), high = summary_recommend(x.high);
    if (low == high) {
        snprintf(text, size, "%s all over the interval; more prompts of this kind would hardly change it", word[low]);
        return true;
    }
    uint64_t wanted = sureness_prompts(s, prompts);
    int used = snprintf(text, size, "more prompts could change it, it may be %s%s or %s; ", word[low],
                        low == SUMMARY_LOW && high == SUMMARY_HIGH ? ", MODERATE" : "", word[high]);
    if (wanted)
        snprintf(text + used, size - (size_t)used, "about %" PRIu64 " in all (now %" PRIu64 ")\n  would tell, if the share stays where it is",
                 wanted, prompts);
    else
        snprintf(text + used, size - (size_t)used, "the share lies on the edge, so that\n  no number of prompts would tell");
    return true;
}

static void print_all(FILE *to, const struct sureness *s, const struct summary *summary, uint64_t prompts)
{
    const double z = sureness_width(prompts);
    char verdict[SURE_TEXT_VERDICT];
    fprintf(to, "\n=== How sure ===\n");
    if (isnan(z)) {
        fprintf(to, "Not known: it takes at least 2 prompts to see how much they differ\n");
        return;
    }
    size_t undecided = sureness_undecided(s, z), neurons = s->layers * s->neurons;
    fprintf(to, "%g%% intervals: what other prompts of this kind may give, by how much these %" PRIu64 " differ\n",
            100.0 * SURENESS_LEVEL, prompts);
    print_shares(to, s, z);
    print_bands(to, s, summary, z);
    fprintf(to, "Neurons within their error of a threshold: %zu of %zu (%.1f%%)\n", undecided, neurons,
            100.0 * (double)undecided / (double)neurons);
    if (sure_text_verdict(verdict, sizeof verdict, s, prompts))
        fprintf(to, "Verdict: %s\n", verdict);
}

enum status sure_text_print(FILE *to, const struct sureness *s, const struct summary *summary, uint64_t prompts,
                            struct error *e)
{
    struct printing printing;
    const enum status begun = printing_begin(&printing, to, e);
    if (begun != STATUS_OK)
        return begun;
    to = printing.to;
    print_all(to, s, summary, prompts);
    return printing_end(&printing, e);
}

void sure_text_csv(struct outfile *out, const struct sureness *s, uint64_t prompts)
{
    static const char *const name[SURENESS_SHARES] = {"LowVarGate%", "LowVarUp%", "LowVarFFN%",
                                                      "Saturated%",  "ByFFN%",    "Removable%"};
    const double z = sureness_width(prompts);
    outfile_print(out, "Layer");
    for (int i = 0; i < SURENESS_SHARES; i++)
        outfile_print(out, ",%s,%sLow,%sHigh", name[i], name[i], name[i]);
    for (size_t l = 0; l < s->layers; l++) {
        outfile_print(out, "\n%zu", l);
        for (int i = 0; i < SURENESS_SHARES; i++) {
            struct sureness_interval x = sureness_of(s, (enum sureness_share)i, l, l + 1, z);
            const double values[3] = {x.share, x.low, x.high};
            for (int k = 0; k < 3; k++)
                if (isnan(values[k]))
                    outfile_print(out, ",nan");
                else
                    outfile_print(out, ",%.2f", 100.0 * values[k]);
        }
    }
    outfile_print(out, "\n");
}
