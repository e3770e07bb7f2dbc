/* test_spread.c - quantiles are values that are there. */
#include <math.h>

#include "stats/spread.h"
#include "tap.h"

int main(void)
{
    float values[101], scratch[101];
    struct spread s;
    for (int i = 0; i < 101; i++)
        values[i] = (float)((i * 37) % 101); /* 0 to 100, mixed */
    spread_of(&s, values, 101, scratch);
    static const float wanted[SPREAD_QUANTILES] = {0, 5, 25, 50, 75, 95, 100};
    for (int k = 0; k < SPREAD_QUANTILES; k++)
        is_double((double)s.value[k], (double)wanted[k], 0.0, "quantile %d of 0 to 100", k);
    is_uint(s.count, 101, "all are counted");
    const float few[4] = {3, NAN, 1, NAN};
    spread_of(&s, few, 4, scratch);
    ok(s.count == 2 && s.value[SPREAD_MEDIAN] == 1.0f && s.value[SPREAD_MAX] == 3.0f,
       "missing ones are left out; of an even number the median is the lower middle one");
    spread_of(&s, few + 1, 1, scratch);
    ok(s.count == 0 && isnan(s.value[SPREAD_MIN]) && isnan(s.value[SPREAD_MAX]), "none at all: NaN");
    return tap_done();
}
