/* test_random.c - streams that don't change, and numbers spread as they should be.
 *
 * The pinned numbers come from a separate evaluation of splitmix64's formula in Python's
 * whole numbers; moments are compared with bounds of 5 standard errors.
 */
#include <math.h>

#include "base/random.h"
#include "tap.h"

#define COUNT 200000

static float values[COUNT];

static void pinned(void)
{
    struct random_stream r = random_open(1, 2, 3, 4);
    is_uint(random_bits(&r), 0xf64817d8f9f2f25bu, "the first number of a stream");
    is_uint(random_bits(&r), 0xb02f57090749dd61u, "and the second");
    struct random_stream a = random_open(1, 2, 3, 4), b = random_open(1, 3, 2, 4), c = random_open(2, 2, 3, 4);
    ok(a.state != b.state && a.state != c.state, "another name or seed is another stream");
}

static void normal(void)
{
    struct random_stream r = random_open(7, 0, 0, 0);
    double sum = 0, square = 0, fourth = 0, largest = 0;
    size_t inside = 0;
    random_normal(&r, 2.0f, COUNT, values);
    for (size_t i = 0; i < COUNT; i++) {
        double x = values[i] / 2.0;
        sum += x;
        square += x * x;
        fourth += x * x * x * x;
        largest = fmax(largest, fabs(x));
        inside += fabs(x) < 1;
    }
    is_double(sum / COUNT, 0, 5 / sqrt(COUNT), "normal: mean 0");
    is_double(square / COUNT, 1, 5 * sqrt(2.0 / COUNT), "variance as asked");
    is_double(fourth / COUNT, 3 - 0.06, 5 * sqrt(96.0 / COUNT), "kurtosis a little below 3");
    is_double((double)inside / COUNT, 0.6827, 0.006, "68 %% within one deviation");
    ok(largest > 3.9 && largest < 5.95, "tails, but no further than six deviations");
}

static void whole(void)
{
    struct random_stream r = random_open(9, 0, 0, 0);
    size_t seen[7] = {0};
    double sum = 0;
    bool fair = true, held = true;
    for (int i = 0; i < 70000; i++) {
        seen[random_below(&r, 7)]++;
        double u = random_unit(&r);
        held &= u >= 0 && u < 1;
        sum += u;
    }
    for (int i = 0; i < 7; i++)
        fair &= seen[i] > 9500 && seen[i] < 10500;
    ok(fair, "all of 0..6 come equally often");
    ok(random_below(&r, 1) == 0, "below 1 is 0");
    ok(held && fabs(sum / 70000 - 0.5) < 0.006, "units lie in [0, 1)");
    uint32_t order[100], count[100] = {0};
    size_t fixed = 0, all = 0;
    random_order(&r, 100, order);
    for (size_t i = 0; i < 100; i++) {
        fixed += order[i] == i;
        count[order[i]]++;
    }
    for (size_t i = 0; i < 100; i++)
        all += count[i] == 1;
    ok(all == 100 && fixed < 10, "an order holds everything once");
    random_order(&r, 0, order);
}

int main(void)
{
    pinned();
    normal();
    whole();
    return tap_done();
}
