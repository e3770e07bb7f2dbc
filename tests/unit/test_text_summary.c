/* test_text_summary.c - the printed summary, whole, for models of 1 to 32 layers.
 *
 * The 32 layers are those of the design's example: 8.2 %, 18.5 % and 38.1 % in the
 * three bands.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/text_summary.h"
#include "tap.h"

static struct criteria criteria;

/* Rows with these saturated shares, none of them super. */
static void make_rows(struct summary_row *rows, const double *saturated, size_t layers)
{
    memset(rows, 0, layers * sizeof *rows);
    for (size_t l = 0; l < layers; l++) {
        rows[l].neurons = 1000;
        rows[l].saturated = rows[l].removable = saturated[l];
        rows[l].ffn_saturated = saturated[l] / 2;
        rows[l].speedup = saturated[l] < 0.95 ? 1.0 / (1.0 - saturated[l]) : SUMMARY_SPEEDUP_LIMIT;
    }
}

/* The caller frees it. */
static char *print_rows(const struct summary_row *rows, size_t layers, const struct text_summary_super *super,
                        size_t supers)
{
    char *text = NULL;
    size_t size;
    struct summary s;
    struct error e;
    FILE *to = open_memstream(&text, &size);
    summary_of_model(&s, rows, layers);
    struct text_summary t = {&s, &criteria, super, supers, NULL};
    is_int(text_summary_print(to, &t, &e), STATUS_OK, "%zu layers are summed up", layers);
    fclose(to);
    return text;
}

static void expect(const double *saturated, size_t layers, const char *wanted)
{
    struct summary_row rows[32];
    make_rows(rows, saturated, layers);
    char *text = print_rows(rows, layers, NULL, 0);
    is_string(text, wanted, "%zu layers: every line", layers);
    free(text);
}

#define LOW_STEPS \
    "Next steps: removing neurons promises little here; a smaller weight format or a fused gate+up\n" \
    "  product gains more. Profile prompts of your own before giving up on it.\n"
#define MODERATE_STEPS \
    "Next steps: try the most saturated layers first: remove or fold their neurons, then measure\n" \
    "  perplexity and real speed before going on.\n"
#define HIGH_STEPS \
    "Next steps: check that the verdict holds on other prompts, then remove or fold saturated neurons\n" \
    "  layer by layer, measuring perplexity and speed each time.\n"
#define CAVEAT \
    "  Saturated means quiet on these prompts by absolute thresholds, in gate, up and ffn alike.\n" \
    "  Low variance about a mean other than 0 can be folded into a bias, not dropped. The speedup is\n" \
    "  linear and for the FFN alone.\n"

static void test_example(void)
{
    double saturated[32];
    for (int l = 0; l < 32; l++)
        saturated[l] = l < 8 ? 0.082 : l < 16 ? 0.185 : 0.381;
    expect(saturated, 32,
           "=== Summary Statistics ===\n"
           "Average saturated neurons: 25.7%\n"
           "Average estimated speedup: 1.39x\n"
           "Whole FFN stack's speedup: 1.35x\n"
           "Saturated by ffn alone:    12.9%\n"
           "\n"
           "=== Saturation by Depth ===\n"
           "Early layers (0-7):    8.2% saturated\n"
           "Mid layers (8-15):     18.5% saturated\n"
           "Late layers (16-31):   38.1% saturated\n"
           "\n"
           "Trend: Saturation INCREASES with depth (8.2% -> 38.1%)\n"
           "Interpretation: late layers use fewer of their neurons on these prompts; look there first\n"
           "\n"
           "=== Recommendation ===\n"
           "Recommendation: MODERATE pruning potential (10-30%): 25.7% of neurons are saturated, super neurons left out\n"
           MODERATE_STEPS CAVEAT);
}

static void test_few_layers(void)
{
    static const double five[] = {0.9, 0.5, 0.4, 0.1, 0.0};
    expect(five, 1,
           "=== Summary Statistics ===\n"
           "Average saturated neurons: 90.0%\n"
           "Average estimated speedup: 10.00x\n"
           "Whole FFN stack's speedup: 10.00x\n"
           "Saturated by ffn alone:    45.0%\n"
           "\n"
           "=== Saturation by Depth ===\n"
           "Early layers:          none\n"
           "Mid layers:            none\n"
           "Late layers (0-0):     90.0% saturated\n"
           "\n"
           "Trend: none (fewer than 4 layers)\n"
           "Interpretation: too few layers to compare early with late ones\n"
           "\n"
           "=== Recommendation ===\n"
           "Recommendation: HIGH pruning potential (above 30%): 90.0% of neurons are saturated, super neurons left out\n"
           HIGH_STEPS CAVEAT);
    expect(five + 3, 2,
           "=== Summary Statistics ===\n"
           "Average saturated neurons: 5.0%\n"
           "Average estimated speedup: 1.06x\n"
           "Whole FFN stack's speedup: 1.05x\n"
           "Saturated by ffn alone:    2.5%\n"
           "\n"
           "=== Saturation by Depth ===\n"
           "Early layers:          none\n"
           "Mid layers (0-0):      10.0% saturated\n"
           "Late layers (1-1):     0.0% saturated\n"
           "\n"
           "Trend: none (fewer than 4 layers)\n"
           "Interpretation: too few layers to compare early with late ones\n"
           "\n"
           "=== Recommendation ===\n"
           "Recommendation: LOW pruning potential (below 10%): 5.0% of neurons are saturated, super neurons left out\n"
           LOW_STEPS CAVEAT);
    expect(five + 2, 3,
           "=== Summary Statistics ===\n"
           "Average saturated neurons: 16.7%\n"
           "Average estimated speedup: 1.26x\n"
           "Whole FFN stack's speedup: 1.20x\n"
           "Saturated by ffn alone:    8.3%\n"
           "\n"
           "=== Saturation by Depth ===\n"
           "Early layers:          none\n"
           "Mid layers (0-0):      40.0% saturated\n"
           "Late layers (1-2):     5.0% saturated\n"
           "\n"
           "Trend: none (fewer than 4 layers)\n"
           "Interpretation: too few layers to compare early with late ones\n"
           "\n"
           "=== Recommendation ===\n"
           "Recommendation: MODERATE pruning potential (10-30%): 16.7% of neurons are saturated, super neurons left out\n"
           MODERATE_STEPS CAVEAT);
    expect(five, 5,
           "=== Summary Statistics ===\n"
           "Average saturated neurons: 38.0%\n"
           "Average estimated speedup: 3.16x\n"
           "Whole FFN stack's speedup: 1.61x\n"
           "Saturated by ffn alone:    19.0%\n"
           "\n"
           "=== Saturation by Depth ===\n"
           "Early layers (0-0):    90.0% saturated\n"
           "Mid layers (1-1):      50.0% saturated\n"
           "Late layers (2-4):     16.7% saturated\n"
           "\n"
           "Trend: Saturation DECREASES with depth (90.0% -> 16.7%)\n"
           "Interpretation: early layers use fewer of their neurons on these prompts; look there first\n"
           "\n"
           "=== Recommendation ===\n"
           "Recommendation: HIGH pruning potential (above 30%): 38.0% of neurons are saturated, super neurons left out\n"
           HIGH_STEPS CAVEAT);
}

/* Four layers: flat, super neurons, non-finite values. */
static void test_super(void)
{
    static const double saturated[] = {0.305, 0.2, 0.31, 0.31};
    static const struct text_summary_super super[] = {{2, 808, 1234.5678f}, {3, 1, 99.5f}};
    struct summary_row rows[4];
    make_rows(rows, saturated, 4);
    rows[2].removable = 0.3;
    rows[2].super_neurons = 2;
    rows[3].super_neurons = 1;
    rows[1].nonfinite = 7;
    char *text = print_rows(rows, 4, super, 2);
    is_string(text,
              "=== Summary Statistics ===\n"
              "Average saturated neurons: 28.1%\n"
              "Average estimated speedup: 1.40x\n"
              "Whole FFN stack's speedup: 1.39x\n"
              "Saturated by ffn alone:    14.1%\n"
              "\n"
              "=== Saturation by Depth ===\n"
              "Early layers (0-0):    30.5% saturated\n"
              "Mid layers (1-1):      20.0% saturated\n"
              "Late layers (2-3):     31.0% saturated\n"
              "\n"
              "Trend: Saturation is FLAT with depth (30.5% -> 31.0%)\n"
              "Interpretation: depth says little about where neurons are saturated; treat all layers alike\n"
              "\n"
              "=== Recommendation ===\n"
              "Recommendation: MODERATE pruning potential (10-30%): 27.9% of neurons are saturated, "
              "super neurons left out\n"
              MODERATE_STEPS CAVEAT
              "\n"
              "Super neurons, never to be removed (max |ffn| at least 100 times the layer's median): 3\n"
              "  layer 2 neuron 808: max |ffn| 1235\n"
              "  layer 3 neuron 1: max |ffn| 99.5\n"
              "  and 1 more (bit 24 of saturation/flags in the archive)\n"
              "\n"
              "Not finite: 7 activations were NaN, infinite or beyond 2^24 and left out of all statistics\n"
              "  (nonfinite in the archive counts them by neuron). Treat this profile with care.\n",
              "4 layers with super neurons and non-finite values: every line");
    free(text);
}

static void test_collect(void)
{
    struct metrics m;
    struct error e;
    struct text_summary_super list[3];
    size_t count = 0;
    if (metrics_init(&m, 6, &e) != STATUS_OK)
        bail("no memory");
    for (int i = 0; i < 6; i++) {
        m.value[SERIES_FFN][METRIC_MIN][i] = -100.0f * (float)i;
        m.value[SERIES_FFN][METRIC_MAX][i] = 250.0f;
        m.flags[i] = i == 0 ? 0 : (uint32_t)1 << CRITERIA_SUPER_BIT;
    }
    count = text_summary_collect(&m, 1, list, count, 3);
    is_uint(count, 3, "a list of 3 holds 3 of 5 super neurons");
    ok(list[0].neuron == 5 && list[1].neuron == 4 && list[2].neuron == 3, "the largest, largest first");
    is_double((double)list[0].magnitude, 500.0, 0.0, "by the larger side of their values");
    count = text_summary_collect(&m, 0, list, count, 3);
    ok(list[0].layer == 0 && list[0].neuron == 5 && list[1].layer == 1 && list[1].neuron == 5 && list[2].layer == 0,
       "of equals the lower layer comes first");
    metrics_free(&m);
    is_uint(count, 3, "and the list stays as long as it may");
}

static void test_failure(void)
{
    static const double half = 0.5;
    struct summary_row row;
    struct summary s;
    struct error e;
    FILE *full = fopen("/dev/full", "w");
    if (!full) {
        skip(1, "no /dev/full");
        return;
    }
    make_rows(&row, &half, 1);
    summary_of_model(&s, &row, 1);
    struct text_summary t = {&s, &criteria, NULL, 0, NULL};
    is_int(text_summary_print(full, &t, &e), STATUS_OUTPUT, "a summary that can't be printed is a failed output");
    fclose(full);
}

int main(void)
{
    criteria = criteria_defaults();
    test_example();
    test_few_layers();
    test_super();
    test_collect();
    test_failure();
    return tap_done();
}
