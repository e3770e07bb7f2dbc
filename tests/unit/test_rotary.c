/* test_rotary.c - the tables of cosines and sines against long double. */
#include "failing_memory.h"
#include "model/rotary.h"
#include "reference_sums.h"
#include "tap.h"

static struct config config_of(size_t rotary, double base, double divisor)
{
    return (struct config){.rotary = rotary, .rope_base = base, .rope_divisor = divisor, .attention_factor = 1.0,
                           .original_context = 100};
}

/* Largest distance, in float32 ulps of 1, from the formula. */
static double worst_of(const struct rotary_table *t, const struct config *c, const float *factors)
{
    size_t half = c->rotary / 2;
    double worst = 0.0;
    for (size_t p = 0; p < t->positions; p++)
        for (size_t i = 0; i < half; i++) {
            long double frequency = powl((long double)c->rope_base, -2.0L * (long double)i / (long double)c->rotary);
            long double angle = (long double)p * frequency / (long double)c->rope_divisor;
            angle /= factors ? (long double)factors[i] : 1.0L;
            double cosine = (double)(cosl(angle) * (long double)c->attention_factor);
            double sine = (double)(sinl(angle) * (long double)c->attention_factor);
            worst = fmax(worst, fabs((double)t->cosine[p * half + i] - cosine));
            worst = fmax(worst, fabs((double)t->sine[p * half + i] - sine));
        }
    return worst / 0x1p-23;
}

static const struct rotary_table *prepare(struct rotary *r, size_t length)
{
    const struct rotary_table *t;
    struct error e;
    if (rotary_prepare(r, length, &t, &e) != STATUS_OK)
        bail("no tables for %zu tokens", length);
    return t;
}

static void plain(void)
{
    static const struct config cases[] = {{.rotary = 96, .rope_base = 1e4, .rope_divisor = 1.0},
                                          {.rotary = 128, .rope_base = 5e5, .rope_divisor = 4.0},
                                          {.rotary = 2, .rope_base = 1.0, .rope_divisor = 1.0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct config c = config_of(cases[i].rotary, cases[i].rope_base, cases[i].rope_divisor);
        struct weights w = {0};
        struct rotary r;
        struct error e;
        if (rotary_init(&r, &c, &w, &e) != STATUS_OK)
            bail("no rotary tables");
        const struct rotary_table *t = prepare(&r, 1500);
        double worst = worst_of(t, &c, NULL);
        ok(t->positions == 1500 && worst <= 0.5, "%zu dimensions, base %g: %.2f ulp of 1 from the formula", c.rotary,
           c.rope_base, worst);
        rotary_free(&r);
    }
}

static void longrope(void)
{
    float factors[2][8] = {{1, 1.02f, 1.04f, 1.1f, 1.2f, 1.3f, 1.4f, 2}, {1, 2, 4, 8, 16, 32, 64, 64.5f}};
    struct config c = config_of(16, 1e4, 1.0);
    struct weights w = {.factors_short = factors[0], .factors_long = factors[1], .longrope = true};
    struct rotary r;
    struct error e;
    c.attention_factor = (float)1.19;
    if (rotary_init(&r, &c, &w, &e) != STATUS_OK)
        bail("no rotary tables");
    const struct rotary_table *brief = prepare(&r, 100), *longer = prepare(&r, 101);
    ok(brief != longer, "a prompt longer than the original context has a table of its own");
    ok(prepare(&r, 1) == brief && prepare(&r, 99) == brief && prepare(&r, 4000) == longer, "by its length alone");
    ok(worst_of(brief, &c, factors[0]) <= 1.0, "short prompts use the short factors");
    ok(worst_of(longer, &c, factors[1]) <= 1.0, "long prompts use the long factors, at all positions");
    ok(brief->positions == 100 && longer->positions == 4000, "tables grow when they must");
    rotary_free(&r);
    rotary_free(&r);
}

/* Peng et al., YaRN, sections 3.2 to 3.4, as turns r of a pair in the original context: below `slow` turns the frequency is divided
 * by the factor, above `fast` it stays, in between linear in the pair's number. The ends are whole numbers of pairs. */
static double yarn_frequency(const struct config *c, size_t i)
{
    long double turns[2] = {c->yarn_fast, c->yarn_slow}, end[2], d = (long double)c->rotary;
    for (int k = 0; k < 2; k++)
        end[k] = d * logl((long double)c->original_context / (turns[k] * 2.0L * acosl(-1.0L))) / (2.0L * logl(c->rope_base));
    end[0] = fmaxl(floorl(end[0]), 0.0L);
    end[1] = fminl(ceill(end[1]), d - 1.0L);
    long double frequency = powl((long double)c->rope_base, -2.0L * (long double)i / d);
    long double share = fminl(fmaxl(((long double)i - end[0]) / (end[1] - end[0]), 0.0L), 1.0L);
    return (double)(frequency * (1.0L - share) + frequency / (long double)c->rope_divisor * share);
}

static void yarn(void)
{
    static const struct config cases[] = {
        {.rotary = 128, .rope_base = 1e6, .rope_divisor = 4.0, .original_context = 32768, .yarn_fast = 32, .yarn_slow = 1},
        {.rotary = 64, .rope_base = 1e4, .rope_divisor = 16.0, .original_context = 4096, .yarn_fast = 16, .yarn_slow = 2},
        {.rotary = 8, .rope_base = 1e4, .rope_divisor = 2.0, .original_context = 8, .yarn_fast = 32, .yarn_slow = 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct config c = cases[k];
        struct weights w = {0};
        struct rotary r;
        struct error e;
        double worst = 0.0;
        c.yarn = true;
        c.attention_factor = 1.0;
        if (rotary_init(&r, &c, &w, &e) != STATUS_OK)
            bail("no rotary tables");
        for (size_t i = 0; i < c.rotary / 2; i++)
            worst = fmax(worst, fabs(r.frequency[0][i] / yarn_frequency(&c, i) - 1.0));
        ok(worst < 1e-14, "YaRN, %zu dimensions: frequencies are the paper's (%.2g)", c.rotary, worst);
        rotary_free(&r);
    }
}

static void nothing_rotates(void)
{
    struct config c = config_of(0, 1e4, 1.0);
    struct weights w = {0};
    struct rotary r;
    struct error e;
    ok(rotary_init(&r, &c, &w, &e) == STATUS_OK && prepare(&r, 50)->positions == 50, "a model may rotate nothing");
    rotary_free(&r);
}

static void no_memory(void)
{
    struct config c = config_of(8, 1e4, 1.0);
    struct weights w = {0};
    struct rotary r;
    struct error e;
    const struct rotary_table *t;
    for (long left = 0; left < 2; left++) {
        failing_memory_left = left;
        is_int(rotary_init(&r, &c, &w, &e), STATUS_FAILED, "allocation %ld fails: told", left);
        is_int(failing_memory_held, 0, "and nothing stays behind");
    }
    failing_memory_left = -1;
    if (rotary_init(&r, &c, &w, &e) != STATUS_OK)
        bail("no rotary tables");
    for (long left = 0; left < 2; left++) {
        failing_memory_left = left;
        is_int(rotary_prepare(&r, 10, &t, &e), STATUS_FAILED, "no memory for table %ld: told", left);
    }
    failing_memory_left = -1;
    ok(rotary_prepare(&r, SIZE_MAX / 2, &t, &e) == STATUS_FAILED, "a length beyond memory is told");
    ok(rotary_prepare(&r, 10, &t, &e) == STATUS_OK && worst_of(t, &c, NULL) <= 0.5, "then it works again");
    rotary_free(&r);
    is_int(failing_memory_held, 0, "all is given back");
}

int main(void)
{
    plain();
    longrope();
    yarn();
    nothing_rotates();
    no_memory();
    return tap_done();
}
