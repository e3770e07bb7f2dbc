/* test_sure_text.c - how sure, in words: what the verdict may be, and when more prompts would tell. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare_text.h"
#include "report/gain_text.h"
#include "report/neuron_text.h"
#include "report/sure_text.h"
#include "tap.h"

#define LAYERS 4
#define NEURONS 100

static struct sureness sure;
static struct summary_row rows[LAYERS];
static struct summary summary;
static struct error e;

/* `saturated` neurons of each layer, the k-th of which stands 0.1 k errors beyond the line, the others as far before it. */
static void fill(size_t saturated)
{
    sureness_free(&sure);
    if (sureness_init(&sure, LAYERS, NEURONS, &e) != STATUS_OK)
        bail("%s", e.sentence);
    for (size_t l = 0; l < LAYERS; l++) {
        sure.measured[l] = true;
        for (size_t i = 0; i < NEURONS; i++)
            for (int s = 0; s < SURENESS_SHARES; s++)
                sure.distance[s][l * NEURONS + i] =
                    (int16_t)(0.1 * SURENESS_UNIT * (i < saturated ? (double)i + 1.0 : (double)saturated - (double)i - 1.0));
        rows[l] = (struct summary_row){.neurons = NEURONS, .saturated = (double)saturated / NEURONS, .speedup = 1.0,
                                       .removable = (double)saturated / NEURONS};
    }
    summary_of_model(&summary, rows, LAYERS);
}

static char *text_of(uint64_t prompts)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    is_int(sure_text_print(to, &sure, &summary, prompts, &e), STATUS_OK, "%d prompts are spoken of", (int)prompts);
    fclose(to);
    return text;
}

static void has(uint64_t prompts, const char *words, const char *claim)
{
    char *text = text_of(prompts);
    if (!ok(strstr(text, words) != NULL, "%s", claim))
        diag("%s", text);
    free(text);
}

static void verdicts(void)
{
    fill(60); /* 1.96 errors: 19 neurons of each 100 either way */
    has(1000000, "Saturated neurons:         60.0% (41.0% to 79.0%)\n", "the interval stands behind the share");
    has(1000000, "Late layers (2-3):         60.0% (41.0% to 79.0%)\n", "bands have theirs");
    has(1000000, "Verdict: HIGH all over the interval;", "a verdict that is sure is said to be");
    has(1000000, "threshold: 152 of 400 (38.0%)", "neurons near the line are counted");
    fill(35);
    has(1000000, "it may be MODERATE or HIGH; about ", "one that isn't names both");
    has(1000000, "in all (now 1000000)\n", "and how many prompts would tell");
    fill(20);
    has(20, "it may be LOW, MODERATE or HIGH; about ", "or all three");
    fill(30);
    for (size_t i = 0; i < LAYERS * NEURONS; i++) /* the 31st as near as can be */
        sure.distance[SURENESS_REMOVABLE][i] = i % NEURONS == 30 ? 0 : sure.distance[SURENESS_REMOVABLE][i];
    has(1000000, "lies on the edge, so that\n  no number of prompts would tell", "on the edge none would");
    has(1, "Not known: it takes at least 2 prompts", "one prompt tells nothing");
    for (size_t l = 0; l < LAYERS; l++)
        sure.measured[l] = false;
    has(100, "Saturated neurons:         not measured\n", "what was not measured is not known");
}

/* Everything that prints fails alike where nothing can be written. */
static void full_disk(void)
{
    struct metrics m;
    struct contrast contrast[LAYERS];
    struct archive_facts facts = {.layers = LAYERS, .intermediate_size = NEURONS, .prompts = 3, .precision = "f32"};
    const struct gain_text_roofs roofs = {0.0, 0.0};
    struct compare_text t = {.side = {{"a.h5", &facts, NULL, rows}, {"b.h5", &facts, NULL, rows}}, .layers = LAYERS,
                             .contrast = contrast, .level = 0.05};
    FILE *full = fopen("/dev/full", "w");
    if (!full) {
        skip(4, "no /dev/full");
        return;
    }
    memset(contrast, 0, sizeof contrast);
    if (metrics_init(&m, NEURONS, &e) != STATUS_OK)
        bail("%s", e.sentence);
    is_int(sure_text_print(full, &sure, &summary, 100, &e), STATUS_OUTPUT, "a full disk: how sure");
    is_int(gain_text_print(full, &facts, rows, &roofs, &e), STATUS_OUTPUT, "a full disk: gains");
    is_int(neuron_text_print(full, &m, 0, 0, &e), STATUS_OUTPUT, "a full disk: a neuron");
    is_int(compare_text_print(full, &t, false, &e), STATUS_OUTPUT, "a full disk: a comparison");
    fclose(full);
    metrics_free(&m);
}

int main(void)
{
    verdicts();
    full_disk();
    sureness_free(&sure);
    return tap_done();
}
