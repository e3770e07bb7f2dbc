/* test_timing.c - the statistics of samples, and the order in which things take turns. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "bench/timing.h"
#include "tap.h"

static char order[4096];

/* Notes its letter. */
static void note(void *context)
{
    const size_t used = strlen(order);
    if (used + 1 < sizeof order)
        memcpy(order + used, context, 1);
}

/* Takes at least two milliseconds. */
static void slow(void *context)
{
    const double end = clock_seconds() + 0.002;
    note(context);
    while (clock_seconds() < end)
        continue;
}

static void turns(const struct timing_plan *plan, void (*run)(void *context), const char *wanted, const char *claim)
{
    static struct timing_subject a, b;
    a = (struct timing_subject){.run = run, .context = "a"};
    b = (struct timing_subject){.run = run, .context = "b"};
    memset(order, 0, sizeof order);
    timing_alternate(plan, (struct timing_subject *[]){&a, &b}, 2);
    is_string(order, wanted, "%s", claim);
    ok(a.count == b.count, "with as many samples of each");
}

static void quantiles(void)
{
    const double sorted[] = {1, 2, 4, 8, 16};
    ok(timing_quantile(sorted, 5, 0) == 1 && timing_quantile(sorted, 5, 1) == 16, "quantiles 0 and 1 are the ends");
    ok(timing_quantile(sorted, 5, 0.5) == 4, "the median of five is the third");
    ok(timing_quantile(sorted, 4, 0.5) == 3, "of four, the middle between the second and the third");
    ok(timing_quantile(sorted, 1, 0.9) == 1, "of one, that one");
    ok(timing_quantile(sorted, 2, 0.25) == 1.25, "between neighbours a straight line");
    double ranks[] = {8, 1, 4, 2}, unknown[] = {1, NAN, 2};
    const struct timing_range range = timing_range(ranks, 4), none = timing_range(unknown, 3);
    ok(range.least == 1 && range.median == 3 && range.most == 8, "the range of four ranks");
    ok(isnan(none.least) && isnan(none.median) && isnan(none.most), "no range where a rank has no figure");
}

static void spreads(void)
{
    double samples[11], none[1] = {7};
    for (int i = 0; i < 11; i++)
        samples[i] = (double)((i * 7) % 11); /* 0 to 10, shuffled */
    struct timing_spread s = timing_spread(samples, 11);
    ok(s.low == 1 && s.median == 5 && s.high == 9 && s.count == 11, "the spread is the 10th to the 90th percentile");
    s = timing_spread(none, 0);
    ok(s.low == 0 && s.median == 0 && s.high == 0 && s.count == 0, "no sample has no spread");
    s = timing_rate((struct timing_spread){.median = 2, .low = 1, .high = 4, .count = 3}, 8);
    ok(s.low == 2 && s.median == 4 && s.high == 8 && s.count == 3, "a rate's spread stands the other way round");
    s = timing_rate((struct timing_spread){.median = 0}, 8);
    ok(s.median == 0, "no time gives no rate, rather than infinity");
}

static void rounds(void)
{
    struct timing_plan plan = {.warmup = 0, .rounds = 3, .shortest = 0.005};
    turns(&plan, note, "abbaab", "three rounds take turns, every other one backwards; nothing repeats without a warm-up");
    plan.warmup = 2;
    plan.shortest = 0;
    turns(&plan, note, "aabbabbaab", "warm-ups come first");
    plan = (struct timing_plan){.warmup = 0, .rounds = 0, .seconds = 0, .shortest = 0};
    turns(&plan, note, "abbaabbaab", "without a number there are five rounds at least");
}

static void repeats(void)
{
    static struct timing_subject s;
    const struct timing_plan plan = {.warmup = 1, .rounds = 2, .shortest = 0.009};
    s = (struct timing_subject){.run = slow, .context = "s"};
    memset(order, 0, sizeof order);
    timing_alternate(&plan, (struct timing_subject *[]){&s}, 1);
    ok(s.repeat >= 1 && s.repeat <= 5, "a run is repeated until a sample is long enough");
    ok(strlen(order) == 1 + 2 * s.repeat, "in each sample");
    ok(s.seconds[0] >= 0.002 && s.seconds[1] >= 0.002, "and a sample is the time of one run");
}

static void most(void)
{
    static struct timing_subject s;
    const struct timing_plan plan = {.warmup = 0, .rounds = 10 * TIMING_MOST, .shortest = 0};
    s = (struct timing_subject){.run = note, .context = "m"};
    timing_alternate(&plan, (struct timing_subject *[]){&s}, 1);
    ok(s.count == TIMING_MOST, "more samples than there is room for are not taken");
}

int main(void)
{
    quantiles();
    spreads();
    rounds();
    repeats();
    most();
    return tap_done();
}
