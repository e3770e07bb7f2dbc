/* test_verdict.c - the rules that say whether a variant is worth building, at their edges. */
#include <math.h>
#include <string.h>

#include "bench/verdict.h"
#include "tap.h"

static void rule(struct verdict_case c, enum verdict wanted, const char *words, const char *what)
{
    char reason[200];
    const enum verdict got = verdict_of(&c, reason, sizeof reason);
    ok(got == wanted, "%s: %s", what, verdict_name(wanted));
    ok(strstr(reason, words) != NULL, "... since it is '%s'", words);
    if (!strstr(reason, words))
        diag("%s", reason);
}

int main(void)
{
    const struct verdict_case good = {.speedup = 1.2, .low = 1.15, .high = 1.25, .real = true};
    struct verdict_case c = good;
    rule(c, VERDICT_APPROVED, "faster beyond the noise", "real weights, faster, the same output");
    c.real = false;
    rule(c, VERDICT_INVESTIGATE, "synthetic", "the same on synthetic weights");
    c = good, c.error = 9.9e-6;
    rule(c, VERDICT_APPROVED, "faster", "an error below 1e-5");
    c.error = 1e-5;
    rule(c, VERDICT_INVESTIGATE, "off the baseline's", "an error of 1e-5");
    c.error = 1e-4;
    rule(c, VERDICT_INVESTIGATE, "off the baseline's", "an error of 1e-4");
    c.error = 1.01e-4;
    rule(c, VERDICT_REJECTED, "no rounding", "an error above 1e-4");
    c.error = NAN;
    rule(c, VERDICT_REJECTED, "no rounding", "an output that is no number");
    c = good, c.low = 1.05;
    rule(c, VERDICT_INVESTIGATE, "beyond the noise", "a gain of 1.05 at worst");
    c = good, c.low = 0.9, c.speedup = 1.04, c.high = 1.1;
    rule(c, VERDICT_INVESTIGATE, "inside the noise", "a gain inside the noise");
    c.speedup = 0.9, c.low = 0.8, c.high = 0.99;
    rule(c, VERDICT_REJECTED, "slower than the baseline", "slower, whatever the noise");
    c.high = 1;
    rule(c, VERDICT_INVESTIGATE, "inside the noise", "slower, perhaps");
    c = good, c.approximation = true, c.off = 0.37;
    rule(c, VERDICT_INVESTIGATE, "37 % off", "fewer neurons of a model");
    c.real = false;
    rule(c, VERDICT_INVESTIGATE, "size experiment", "fewer neurons of no model");
    return tap_done();
}
