/* sureness.c - see sureness.h.
 *
 * Standard errors. Of the low-activity share: the archive's. Of the variance m2 the state has no between-prompt sums;
 * it is taken from the kurtosis and a design effect D (Kish, Survey Sampling, 1965, section 5.4: how many times
 * larger clusters make a variance than independent samples would):
 *     se(m2)^2 = D m2^2 (kurtosis + 2) / N,    D = max(1, D_mean, 1 + 2 (D_low - 1)),
 * D_mean and D_low being those of the mean and of the low-activity share, each its cluster error squared over that
 * of independent samples. The 2: where prompts change a neuron's scale, the intra-cluster correlation of x^2 is about
 * twice that of |x| < t for a normal x next to the line (variance t^2). Of `inactive`: as of low_activity, by D_low.
 *
 * Distances of a variance are measured on the scale of its logarithm, those of a share on that of log(p / (1 - p)): there
 * an error is about as large on both sides of the line.
 *
 * Means near zero. |mean| < t is a window, not a line: errors that go one way push as many neurons in as out. So it
 * is left as it is found for the interval's shared part; the neurons that it decides count as independent draws,
 * each with its probability q of being inside, and add sum q (1 - q) to the variance of the count. Where errors are larger
 * than the window, fewer neurons are found inside than are: sum of q less those found is added on that side. q is
 * empirical Bayes (Efron and Morris 1973): true means of neurons with like errors are taken for normal about 0 with
 * variance a error^2; a follows from the mean square of mean / error, see struct crowd.
 */
#include "sureness.h"

#include <math.h>
#include <string.h>

#include "../base/memory.h"
#include "student.h"

/* Beyond this many times the prompts at hand nobody will go. */
#define MOST_PROMPTS 1e4

enum status sureness_init(struct sureness *s, size_t layers, size_t neurons, struct error *e)
{
    size_t total;
    memset(s, 0, sizeof *s);
    if (!memory_multiply(layers, neurons, &total))
        return error_set(e, STATUS_FAILED, "%zu layers of %zu neurons are too many", layers, neurons);
    enum status status = memory_array(&s->measured, layers, sizeof *s->measured, "intervals", e);
    for (int i = 0; i < SURENESS_SHARES && status == STATUS_OK; i++) {
        status = memory_array(&s->distance[i], total, sizeof(int16_t), "intervals", e);
        if (status == STATUS_OK)
            status = memory_array(&s->window[i], layers, sizeof(double), "intervals", e);
        if (status == STATUS_OK)
            status = memory_array(&s->drift[i], layers, sizeof(double), "intervals", e);
    }
    if (status != STATUS_OK) {
        sureness_free(s);
        return status;
    }
    s->layers = layers;
    s->neurons = neurons;
    return STATUS_OK;
}

void sureness_free(struct sureness *s)
{
    for (int i = 0; i < SURENESS_SHARES; i++) {
        memory_free(s->distance[i]);
        memory_free(s->window[i]);
        memory_free(s->drift[i]);
    }
    memory_free(s->measured);
    memset(s, 0, sizeof *s);
}

/* How many times larger clusters make the square of an error; 1 where that can't be told. */
static double design_effect(double error, double variance, double samples)
{
    double effect = error * error * samples / variance;
    return variance > 0.0 && isfinite(effect) && effect > 1.0 ? effect : 1.0;
}

/* What is known of one series of one neuron. */
struct numbers {
    double variance, variance_error; /* errors NaN: not known                          */
    double low, low_error;           /* of the share that the criterion looks at       */
    double mean, mean_error;
};

static struct numbers numbers_of(const struct metrics *m, int s, size_t i, const struct criteria *c)
{
    float *const *v = m->value[s];
    double n = (double)m->count, low = (double)v[METRIC_LOW_ACTIVITY][i];
    double low_error = (double)v[METRIC_LOW_ACTIVITY_STDERR][i];
    struct numbers x = {.variance = (double)v[METRIC_VARIANCE][i], .mean = (double)v[METRIC_MEAN][i],
                        .mean_error = (double)v[METRIC_MEAN_STDERR][i], .low = low, .low_error = low_error};
    double low_effect = design_effect(low_error, low * (1.0 - low), n);
    double effect = fmax(design_effect(x.mean_error, x.variance, n), 1.0 + 2.0 * (low_effect - 1.0));
    double shape = (double)v[METRIC_KURTOSIS][i] + 2.0;
    x.variance_error = isnan(x.mean_error) ? NAN : x.variance * sqrt(effect * (isnan(shape) ? 2.0 : shape) / n);
    if (c->activity_signed) {
        x.low = (double)v[METRIC_INACTIVE][i];
        x.low_error = isnan(low_error) ? NAN : sqrt(low_effect * x.low * (1.0 - x.low) / n);
    }
    return x;
}

/* How far beyond the line, in errors; without a known error for ever on its side. */
static double distance(double beyond, double error)
{
    if (isnan(beyond))
        return -INFINITY;
    return error > 0.0 ? beyond / error : beyond > 0.0 ? INFINITY : -INFINITY;
}

static double normal(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

/* Neurons of a layer and series whose errors of the mean are of one power of two, and |mean| / error below CROWD_LIMIT. */
#define CROWD_LIMIT 3.0
#define CROWD_LEAST 8 /* neurons; fewer tell nothing */
#define CROWDS 128

struct crowd {
    double squares, count; /* of mean / error */
};

static struct crowd *crowd_of(struct crowd crowds[CROWDS], double error)
{
    int power = ilogb(error) + CROWDS / 2;
    return &crowds[power < 0 ? 0 : power >= CROWDS ? CROWDS - 1 : power];
}

static void gather(struct crowd crowds[CROWDS], const struct metrics *m, int s)
{
    memset(crowds, 0, CROWDS * sizeof *crowds);
    for (size_t i = 0; i < m->neurons; i++) {
        double error = (double)m->value[s][METRIC_MEAN_STDERR][i], ratio = (double)m->value[s][METRIC_MEAN][i] / error;
        if (!(error > 0.0) || !(fabs(ratio) < CROWD_LIMIT))
            continue;
        struct crowd *crowd = crowd_of(crowds, error);
        crowd->squares += ratio * ratio;
        crowd->count += 1.0;
    }
}

/* a / (1 + a), by how much an observed mean shrinks. Cut off at 3, the mean square r of mean / error is 0.97 for a = 0, 3 when
 * means are anywhere (a infinite), and in between nearly as here. */
static double shrinkage(const struct crowd *crowd)
{
    double over = crowd->squares / crowd->count - 0.97, a = over / (1.0 - over / 2.03);
    if (crowd->count < CROWD_LEAST || over >= 2.03)
        return 1.0;
    return over > 0.0 ? a / (1.0 + a) : 0.0;
}

/* The probability that a mean lies inside the window. */
static double inside(const struct numbers *x, double threshold, struct crowd crowds[CROWDS])
{
    if (isnan(x->mean))
        return 0.0;
    if (!(x->mean_error > 0.0))
        return fabs(x->mean) < threshold;
    double shrink = fabs(x->mean) < CROWD_LIMIT * x->mean_error ? shrinkage(crowd_of(crowds, x->mean_error)) : 1.0;
    double mean = shrink * x->mean, error = sqrt(shrink) * x->mean_error;
    if (!(error > 0.0))
        return fabs(mean) < threshold;
    return normal((threshold - mean) / error) - normal((-threshold - mean) / error);
}

/* One series of one neuron: distances by the lines alone and with the window as it was found. */
struct standing {
    double low_variance, lines, all;
    double window; /* probability of the window; 1 where a line is met anyway */
};

static double log_scale(double x)
{
    return log(x);
}

static double logit(double p)
{
    return log(p / (1.0 - p));
}

/* How far beyond criterion k's line, in errors on the scale; `slope` is the scale's at the value. */
static double beyond(int k, double value, double error, float threshold, double (*scale)(double), double slope)
{
    double over = scale(value) - scale((double)threshold);
    if (!(error > 0.0) || !isfinite(over * slope)) { /* no error, or a threshold that the scale hasn't got */
        over = value - (double)threshold;
        slope = 1.0;
    }
    return distance(criteria_table[k].predicate == CRITERIA_BELOW ? -over : over, error * slope);
}

/* A criterion of a metric whose error isn't known stays as it was found. */
static struct standing standing_of(const struct metrics *m, int s, size_t i, const struct criteria *c,
                                   struct crowd crowds[CROWDS])
{
    const struct numbers x = numbers_of(m, s, i, c);
    struct standing r = {.low_variance = -INFINITY, .lines = -INFINITY};
    double found = -INFINITY, window = 0.0;
    for (int k = 0; k < CRITERIA_COUNT; k++) {
        const bool met = m->flags[i] >> (CRITERIA_BITS_PER_SERIES * s + k) & 1;
        double line = -INFINITY;
        if (criteria_table[k].metric == METRIC_VARIANCE)
            line = beyond(k, x.variance, x.variance_error, c->threshold[k], log_scale, 1.0 / x.variance);
        else if (criteria_table[k].metric == METRIC_LOW_ACTIVITY)
            line = beyond(k, x.low, x.low_error, c->threshold[k], logit, 1.0 / (x.low * (1.0 - x.low)));
        else if (met)
            found = INFINITY;
        if (criteria_table[k].predicate == CRITERIA_MAGNITUDE_BELOW)
            window = inside(&x, (double)c->threshold[k], crowds);
        if (k == 0)
            r.low_variance = line;
        r.lines = fmax(r.lines, line);
    }
    r.all = fmax(r.lines, found);
    r.window = r.lines > 0.0 ? 1.0 : window;
    return r;
}

/* The neuron by the rule: its distance, and in *inside the probability of its class by the windows. */
static double combine(enum criteria_combine rule, const struct standing s[SERIES_COUNT], double *inside)
{
    const struct standing *g = &s[SERIES_GATE], *u = &s[SERIES_UP], *f = &s[SERIES_FFN];
    double q = f->window, result = f->all;
    if (rule == CRITERIA_ALL) {
        q = g->window * u->window * f->window;
        result = fmin(fmin(g->all, u->all), f->all);
    } else if (rule == CRITERIA_ANY) {
        q = 1.0 - (1.0 - g->window) * (1.0 - u->window) * (1.0 - f->window);
        result = fmax(fmax(g->all, u->all), f->all);
    }
    *inside = q;
    return result;
}

/* Rounding must not put a neuron on the other side than its flag. */
static int16_t settled(double distance, bool holds)
{
    double rounded = rint(fmin(fmax(distance * SURENESS_UNIT, -INT16_MAX), INT16_MAX));
    return (int16_t)(holds ? fmax(rounded, 1.0) : fmin(rounded, 0.0));
}

static void put(struct sureness *s, enum sureness_share share, size_t layer, size_t i, int16_t distance, double inside)
{
    double n = (double)s->neurons;
    s->distance[share][layer * s->neurons + i] = distance;
    s->window[share][layer] += inside * (1.0 - inside) / (n * n);
    s->drift[share][layer] += (inside - (distance > 0)) / n;
}

void sureness_layer(struct sureness *s, size_t layer, const struct metrics *m, const struct criteria *c)
{
    struct crowd crowds[SERIES_COUNT][CROWDS];
    for (int k = 0; k < SERIES_COUNT; k++)
        gather(crowds[k], m, k);
    for (size_t i = 0; i < s->neurons; i++) {
        struct standing series[SERIES_COUNT];
        double inside, ffn_inside;
        bool super = m->flags[i] >> CRITERIA_SUPER_BIT & 1;
        for (int k = 0; k < SERIES_COUNT; k++) {
            bool low = m->flags[i] >> (CRITERIA_BITS_PER_SERIES * k) & 1;
            series[k] = standing_of(m, k, i, c, crowds[k]);
            put(s, (enum sureness_share)(SURENESS_LOW_GATE + k), layer, i, settled(series[k].low_variance, low), low);
            s->measured[layer] |= k == SERIES_FFN && !isnan(m->value[k][METRIC_VARIANCE][i]);
        }
        int16_t own = settled(combine(c->combine, series, &inside), m->saturated[i]);
        int16_t ffn = settled(combine(CRITERIA_FFN, series, &ffn_inside), criteria_series_saturated(m->flags[i], SERIES_FFN));
        put(s, SURENESS_SATURATED, layer, i, own, inside);
        put(s, SURENESS_FFN, layer, i, ffn, ffn_inside);
        put(s, SURENESS_REMOVABLE, layer, i, super ? -INT16_MAX : own, super ? 0.0 : inside);
    }
}

/* The share of layer `layer` when every error is `shift` towards saturation. */
static double shifted(const struct sureness *s, enum sureness_share share, size_t layer, double shift)
{
    const int16_t *distance = s->distance[share] + layer * s->neurons;
    double line = fmin(fmax(-shift * SURENESS_UNIT, 1 - INT16_MAX), INT16_MAX - 1); /* the farthest stay */
    size_t count = 0;
    for (size_t i = 0; i < s->neurons; i++)
        count += (double)distance[i] > line;
    return (double)count / (double)s->neurons;
}

struct sureness_interval sureness_of(const struct sureness *s, enum sureness_share share, size_t first, size_t end,
                                     double z)
{
    struct sureness_interval r = {0.0, 0.0, 0.0};
    double window = 0.0, drift = 0.0, layers = 0.0;
    for (size_t l = first; l < end; l++) {
        if (!s->measured[l])
            continue;
        r.low += shifted(s, share, l, -z);
        r.share += shifted(s, share, l, 0.0);
        r.high += shifted(s, share, l, z);
        window += s->window[share][l];
        drift += s->drift[share][l];
        layers += 1.0;
    }
    if (layers == 0.0 || isnan(z))
        return (struct sureness_interval){NAN, layers == 0.0 ? NAN : r.share / layers, NAN};
    r.share /= layers;
    double own = z * sqrt(window) / layers; /* layers' windows are independent too */
    double below = hypot(r.share - r.low / layers, own), above = hypot(r.high / layers - r.share, own);
    drift /= layers;
    r.low = fmax(r.share - below - fmax(-drift, 0.0), 0.0);
    r.high = fmin(r.share + above + fmax(drift, 0.0), 1.0);
    return r;
}

double sureness_width(uint64_t prompts)
{
    return prompts < 2 ? NAN : student_quantile(SURENESS_LEVEL, (double)(prompts - 1));
}

size_t sureness_undecided(const struct sureness *s, double z)
{
    size_t count = 0;
    for (size_t l = 0; l < s->layers; l++)
        for (size_t i = 0; i < s->neurons; i++)
            count += fabs((double)s->distance[SURENESS_SATURATED][l * s->neurons + i]) < z * SURENESS_UNIT;
    return count;
}

/* With errors as `times` as many prompts would leave them, do both ends recommend the same? */
static bool settles(const struct sureness *s, double prompts, double times)
{
    double z = student_quantile(SURENESS_LEVEL, prompts * times - 1.0) / sqrt(times);
    struct sureness_interval r = sureness_of(s, SURENESS_REMOVABLE, 0, s->layers, z);
    return summary_recommend(r.low) == summary_recommend(r.high);
}

uint64_t sureness_prompts(const struct sureness *s, uint64_t prompts)
{
    double low = 1.0, high = 1.0, own = (double)prompts;
    if (settles(s, own, 1.0))
        return prompts;
    while (high < MOST_PROMPTS && !settles(s, own, high)) {
        low = high;
        high *= 2.0;
    }
    if (high >= MOST_PROMPTS)
        return 0;
    while (high / low > 1.01) {
        double middle = sqrt(low * high);
        if (settles(s, own, middle))
            high = middle;
        else
            low = middle;
    }
    return (uint64_t)ceil(own * high);
}
