/* contrast.c - see contrast.h.
 *
 * Rejected: Bonferroni and Holm over thousands of neurons that move together would hardly ever see a difference, and a
 * plain sum of t^2 takes for granted that they don't. Tests of a variance are left out: the state has no
 * between-prompt sums of x^2.
 */
#include "contrast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/memory.h"
#include "student.h"

/* Probabilities are kept this far from 0 and 1, where the cotangent has no value. */
#define LEAST 1e-300
#define MOST (1.0 - 0x1p-30)

struct ranked {
    float value;
    size_t at;
};

static int ascending(const void *a, const void *b)
{
    float x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;
    return (x > y) - (x < y);
}

/* Replaces order[count], in the order of `at`, by ranks: equal values share the mean of theirs. */
static void rank(struct ranked *order, double *ranks, size_t count)
{
    qsort(order, count, sizeof *order, ascending);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && order[end].value == order[i].value;)
            end++;
        for (size_t k = i; k < end; k++)
            ranks[order[k].at] = 0.5 * (double)(i + end - 1);
    }
}

static double correlation(const double *x, const double *y, size_t count)
{
    double mean = 0.5 * (double)(count - 1), xy = 0.0, xx = 0.0, yy = 0.0; /* ranks 0..count-1 have this mean */
    for (size_t i = 0; i < count; i++) {
        xy += (x[i] - mean) * (y[i] - mean);
        xx += (x[i] - mean) * (x[i] - mean);
        yy += (y[i] - mean) * (y[i] - mean);
    }
    return count > 1 && xx > 0.0 && yy > 0.0 ? xy / sqrt(xx * yy) : NAN;
}

/* Room for ranks of one layer. */
struct ranking {
    struct ranked *order; /* [neurons] */
    double *x, *y;        /* [neurons] */
};

static double spearman(const struct metrics *a, const struct metrics *b, bool saturated_only, struct ranking *r)
{
    const float *x = a->value[SERIES_FFN][METRIC_VARIANCE], *y = b->value[SERIES_FFN][METRIC_VARIANCE];
    size_t count = 0, again = 0;
    for (size_t i = 0; i < a->neurons; i++)
        if ((!saturated_only || a->saturated[i] || b->saturated[i]) && !isnan(x[i]) && !isnan(y[i])) {
            r->order[count] = (struct ranked){x[i], count};
            count++;
        }
    rank(r->order, r->x, count);
    for (size_t i = 0; i < a->neurons; i++)
        if ((!saturated_only || a->saturated[i] || b->saturated[i]) && !isnan(x[i]) && !isnan(y[i])) {
            r->order[again] = (struct ranked){y[i], again};
            again++;
        }
    rank(r->order, r->y, count);
    return correlation(r->x, r->y, count);
}

static enum contrast_class class_of(const struct metrics *m, size_t i)
{
    if (m->flags[i] >> CRITERIA_SUPER_BIT & 1)
        return CONTRAST_SUPER;
    return m->saturated[i] ? CONTRAST_SATURATED : CONTRAST_ACTIVE;
}

static bool differs(const struct metrics *a, const struct metrics *b, size_t i)
{
    for (int s = 0; s < SERIES_COUNT; s++) {
        for (int k = 0; k < METRIC_COUNT; k++)
            if (memcmp(&a->value[s][k][i], &b->value[s][k][i], sizeof(float)) != 0)
                return true;
        if (a->nonfinite[s][i] != b->nonfinite[s][i])
            return true;
    }
    return false;
}

void contrast_lengths_add(struct contrast_lengths *l, uint64_t tokens, uint64_t prompts)
{
    double product = (double)prompts;
    l->prompts += product;
    for (int k = 0; k < 4; k++)
        l->power[k] += product *= (double)tokens;
}

struct contrast_sample contrast_sample(const struct contrast_lengths *l)
{
    if (l->prompts < 2.0 || l->power[0] == 0.0)
        return (struct contrast_sample){0.0, 1.0};
    double n = l->power[0], w2 = l->power[1] / n / n, w3 = l->power[2] / n / n / n;
    double freedom = l->power[1] / l->power[3] * l->power[1] - 1.0, kept = 1.0 - 2.0 * w3 / w2 + w2;
    if (freedom < 1e-6 || kept < 1e-6) /* one prompt has all the tokens but a few */
        return (struct contrast_sample){0.0, 1.0};
    return (struct contrast_sample){freedom, (l->prompts - 1.0) / l->prompts / kept};
}

/* Values without any error are told apart for certain. Equal ones say nothing (shares of few samples often are): p = 1
 * would outweigh all others. */
static void test(struct contrast_tests *tests, double change, double first, double second, const struct contrast_sample sample[2])
{
    double a = sample[0].factor * first * first, b = sample[1].factor * second * second;
    if (isnan(change) || isnan(a) || isnan(b) || change == 0.0)
        return;
    double df = (a + b) * (a + b) / (a * a / sample[0].freedom + b * b / sample[1].freedom);
    double p = a + b == 0.0 ? 0.0 : student_two_sided(change / sqrt(a + b), df);
    tests->count++;
    tests->below += p < CONTRAST_LEVEL;
    p = fmin(fmax(p, LEAST), MOST);
    tests->sum += 1.0 / tan(M_PI * p);
}

static void test_neuron(struct contrast_tests *tests, const struct metrics *a, const struct metrics *b, size_t i,
                        const struct contrast_sample sample[2])
{
    static const enum metric of[2][2] = {{METRIC_MEAN, METRIC_MEAN_STDERR},
                                         {METRIC_LOW_ACTIVITY, METRIC_LOW_ACTIVITY_STDERR}};
    for (int s = 0; s < SERIES_COUNT; s++)
        for (int k = 0; k < 2; k++)
            test(tests, (double)b->value[s][of[k][0]][i] - (double)a->value[s][of[k][0]][i],
                 (double)a->value[s][of[k][1]][i], (double)b->value[s][of[k][1]][i], sample);
}

static enum status open_ranking(struct ranking *r, size_t neurons, struct error *e)
{
    enum status s = memory_array(&r->order, neurons, sizeof *r->order, "a layer's ranks", e);
    if (s == STATUS_OK)
        s = memory_array(&r->x, neurons, sizeof *r->x, "a layer's ranks", e);
    return s == STATUS_OK ? memory_array(&r->y, neurons, sizeof *r->y, "a layer's ranks", e) : s;
}

enum status contrast_layer(struct contrast *c, const struct metrics *a, const struct metrics *b,
                           const struct contrast_sample sample[2], struct error *e)
{
    struct ranking ranking = {.order = NULL};
    memset(c, 0, sizeof *c);
    c->neurons = a->neurons;
    enum status s = open_ranking(&ranking, a->neurons, e);
    if (s == STATUS_OK) {
        c->rank_correlation = spearman(a, b, true, &ranking);
        c->rank_correlation_all = spearman(a, b, false, &ranking);
    }
    for (size_t i = 0; i < a->neurons && s == STATUS_OK; i++) {
        c->confusion[class_of(a, i)][class_of(b, i)]++;
        c->first += a->saturated[i];
        c->second += b->saturated[i];
        c->both += a->saturated[i] && b->saturated[i];
        c->differing += differs(a, b, i);
        if (sample[0].freedom > 0.0 && sample[1].freedom > 0.0)
            test_neuron(&c->tests, a, b, i, sample);
    }
    memory_free(ranking.order);
    memory_free(ranking.x);
    memory_free(ranking.y);
    return s;
}

void contrast_add(struct contrast *into, const struct contrast *from)
{
    into->neurons += from->neurons;
    for (int i = 0; i < CONTRAST_CLASSES; i++)
        for (int k = 0; k < CONTRAST_CLASSES; k++)
            into->confusion[i][k] += from->confusion[i][k];
    into->first += from->first;
    into->second += from->second;
    into->both += from->both;
    into->differing += from->differing;
    into->tests.sum += from->tests.sum;
    into->tests.count += from->tests.count;
    into->tests.below += from->tests.below;
}

double contrast_overlap(const struct contrast *c)
{
    size_t either = c->first + c->second - c->both;
    return either ? (double)c->both / (double)either : NAN;
}

double contrast_probability(const struct contrast_tests *tests)
{
    if (tests->count == 0)
        return NAN;
    return atan2(1.0, tests->sum / (double)tests->count) / M_PI; /* 1/2 - atan(T) / pi, right in the tail too */
}
