/* coverage.c - coverage TRIALS PROMPTS SEED: how often the intervals of sureness.h hold what they should, and how often
 * contrast.h calls sampling a difference.
 *
 * A world has 256 neurons: gate and up are normal with a mean and a scale of each neuron's own, ffn = silu(gate) up. A
 * prompt multiplies the scales by exp(0.2 g), g normal: a part of g is the prompt's alone and moves all neurons alike
 * ("shared"), the rest is drawn for each neuron. The truth is what 3,000 prompts give. There are 10 worlds. Each trial draws prompts of 10 to
 * 70 tokens, folds them into the real accumulator, and asks whether the interval of each share holds the truth; two
 * trials in a row are compared. Output: one line for each part that is shared, columns as the first line says.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "stats/contrast.h"
#include "stats/sureness.h"

#define NEURONS 256
#define TOKENS 70
#define SPREAD 0.2
#define TRUTH 3000
#define WORLDS 10

struct world {
    float mean[2][NEURONS], scale[2][NEURONS]; /* of gate and up */
    struct criteria criteria;
    double shared;                             /* part of a prompt's effect that all neurons feel */
};

struct trial {
    struct accumulator state;
    struct metrics metrics;
    struct sureness sureness;
};

static void must(enum status status, const struct error *e)
{
    if (status == STATUS_OK)
        return;
    fprintf(stderr, "coverage: %s\n", e->sentence);
    exit(1);
}

static void make_world(struct world *w, struct random_stream *r)
{
    float both[NEURONS], own[NEURONS]; /* a neuron's two scales are alike in part */
    random_normal(r, 0.9f, NEURONS, both);
    for (int s = 0; s < 2; s++) {
        random_normal(r, 0.05f, NEURONS, w->mean[s]);
        random_normal(r, 0.5f, NEURONS, own);
        for (int i = 0; i < NEURONS; i++)
            w->scale[s][i] = 0.15f * expf(both[i] + own[i]);
    }
    w->criteria = criteria_defaults();
}

/* Sums about zero of x[tokens], as a kernel leaves them with a centre of 0. */
static void add_up(struct sums *sums, int lane, const float *x, int tokens, float threshold)
{
    for (int t = 0; t < tokens; t++) {
        double v = (double)x[t], square = v * v;
        sums->high[0][lane] += v;
        sums->high[1][lane] += square;
        sums->high[2][lane] += square * v;
        sums->high[3][lane] += square * square;
        sums->min[lane] = fminf(sums->min[lane], x[t]);
        sums->max[lane] = fmaxf(sums->max[lane], x[t]);
        sums->low_activity[lane] += fabsf(x[t]) < threshold;
        sums->inactive[lane] += x[t] < threshold;
    }
}

static void draw_neuron(const struct world *w, struct random_stream *r, int i, double common, int tokens,
                        float x[SERIES_COUNT][TOKENS])
{
    for (int s = 0; s < 2; s++) {
        float own;
        random_normal(r, 1.0f, 1, &own);
        double g = sqrt(w->shared) * common + sqrt(1.0 - w->shared) * (double)own;
        float scale = w->scale[s][i] * (float)exp(SPREAD * g);
        random_normal(r, scale, (size_t)tokens, x[s]);
        for (int t = 0; t < tokens; t++)
            x[s][t] += w->mean[s][i];
    }
    for (int t = 0; t < tokens; t++)
        x[SERIES_FFN][t] = x[SERIES_GATE][t] / (1.0f + expf(-x[SERIES_GATE][t])) * x[SERIES_UP][t];
}

static void draw_prompt(const struct world *w, struct random_stream *r, struct trial *t)
{
    static struct sums sums[SERIES_COUNT];
    float x[SERIES_COUNT][TOKENS], common;
    int tokens = 10 + (int)random_below(r, TOKENS - 9);
    random_normal(r, 1.0f, 1, &common);
    for (int first = 0; first < NEURONS; first += SUMS_LANES) {
        for (int s = 0; s < SERIES_COUNT; s++)
            sums_start(&sums[s]);
        for (int lane = 0; lane < SUMS_LANES; lane++) {
            draw_neuron(w, r, first + lane, (double)common, tokens, x);
            for (int s = 0; s < SERIES_COUNT; s++)
                add_up(&sums[s], lane, x[s], tokens, w->criteria.activity_threshold);
        }
        for (int s = 0; s < SERIES_COUNT; s++)
            accumulator_block_fold(accumulator_blocks(&t->state, 0, (enum series)s) + first / SUMS_LANES, &sums[s],
                                   (uint64_t)tokens);
    }
    accumulator_layer_fold(t->state.layer, (uint64_t)tokens);
}

static void draw(const struct world *w, struct random_stream *r, int prompts, struct trial *t)
{
    struct error e;
    for (int s = 0; s < SERIES_COUNT; s++)
        for (size_t b = 0; b < t->state.blocks; b++)
            accumulator_block_clear(accumulator_blocks(&t->state, 0, (enum series)s) + b);
    accumulator_layer_clear(t->state.layer);
    for (int p = 0; p < prompts; p++)
        draw_prompt(w, r, t);
    sureness_free(&t->sureness);
    must(sureness_init(&t->sureness, 1, NEURONS, &e), &e);
    metrics_compute(&t->metrics, &t->state, 0);
    must(criteria_apply(&w->criteria, &t->metrics, &e), &e);
    sureness_layer(&t->sureness, 0, &t->metrics, &w->criteria);
}

static void open_trial(struct trial *t)
{
    struct error e;
    memset(t, 0, sizeof *t);
    must(accumulator_init(&t->state, 1, NEURONS, &e), &e);
    must(metrics_init(&t->metrics, NEURONS, &e), &e);
}

static void close_trial(struct trial *t)
{
    accumulator_free(&t->state);
    metrics_free(&t->metrics);
    sureness_free(&t->sureness);
}

/* What a line of the table counts. */
struct tally {
    int trials, pairs, held[SURENESS_SHARES], called;
    double width, truth; /* of the saturated share, summed up */
};

static void judge(struct tally *tally, const struct trial *t, const struct trial *truth, double z)
{
    for (int s = 0; s < SURENESS_SHARES; s++) {
        double right = sureness_of(&truth->sureness, (enum sureness_share)s, 0, 1, 0.0).share;
        struct sureness_interval x = sureness_of(&t->sureness, (enum sureness_share)s, 0, 1, z);
        tally->held[s] += x.low - 1e-12 <= right && right <= x.high + 1e-12;
        if (s == SURENESS_SATURATED) {
            tally->width += x.high - x.low;
            tally->truth += right;
        }
    }
    tally->trials++;
}

static void run_world(struct tally *tally, const struct world *w, struct random_stream *r, int trials, int prompts)
{
    struct trial truth, pair[2];
    const double z = sureness_width((uint64_t)prompts);
    const struct contrast_sample one = {(double)prompts - 1.0, 1.0}, both[2] = {one, one};
    open_trial(&truth);
    open_trial(&pair[0]);
    open_trial(&pair[1]);
    draw(w, r, TRUTH, &truth);
    for (int i = 0; i < trials; i++) {
        struct contrast c;
        struct error e;
        draw(w, r, prompts, &pair[i & 1]);
        judge(tally, &pair[i & 1], &truth, z);
        if (!(i & 1))
            continue;
        must(contrast_layer(&c, &pair[0].metrics, &pair[1].metrics, both, &e), &e);
        tally->called += contrast_probability(&c.tests) < CONTRAST_LEVEL;
        tally->pairs++;
    }
    close_trial(&truth);
    close_trial(&pair[0]);
    close_trial(&pair[1]);
}

static void run(double shared, uint64_t seed, int trials, int prompts)
{
    struct tally tally = {.trials = 0};
    for (uint64_t i = 0; i < WORLDS; i++) {
        struct random_stream r = random_open(seed, i, 0, 0);
        struct world w = {.shared = shared};
        make_world(&w, &r);
        run_world(&tally, &w, &r, trials / WORLDS, prompts);
    }
    printf("%.2f", shared);
    for (int s = 0; s < SURENESS_SHARES; s++)
        printf(" %.1f", 100.0 * tally.held[s] / tally.trials);
    printf(" %.1f %.1f %.1f\n", 100.0 * tally.truth / tally.trials, 100.0 * tally.width / tally.trials,
           100.0 * tally.called / tally.pairs);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const double parts[] = {1.0, 0.5, 0.0};
    if (argc != 4 || atoi(argv[1]) < 2 * WORLDS || atoi(argv[2]) < 2) {
        fprintf(stderr, "usage: coverage TRIALS PROMPTS SEED, with at least %d trials\n", 2 * WORLDS);
        return 2;
    }
    printf("shared low_gate low_up low_ffn saturated by_ffn removable true_saturated mean_width called_different\n");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        run(parts[i], strtoull(argv[3], NULL, 10), atoi(argv[1]), atoi(argv[2]));
    return 0;
}
