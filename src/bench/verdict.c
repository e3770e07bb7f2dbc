/* verdict.c - see verdict.h. The first rule that applies decides; rejections come first. */
#include "verdict.h"

#include <stdio.h>

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {"Approved", "Investigate", "Rejected"};
    return names[verdict];
}

enum verdict verdict_of(const struct verdict_case *c, char *reason, size_t size)
{
    if (!(c->error <= VERDICT_WRONG)) {
        snprintf(reason, size, "its output is %.1e off the baseline's, more than %.0e: that is no rounding", c->error, VERDICT_WRONG);
        return VERDICT_REJECTED;
    }
    if (c->high < 1) {
        snprintf(reason, size, "slower than the baseline, beyond the noise (%.2fx to %.2fx)", c->low, c->high);
        return VERDICT_REJECTED;
    }
    if (c->error >= VERDICT_ROUNDING) {
        snprintf(reason, size, "its output is %.1e off the baseline's; up to %.0e would be rounding", c->error, VERDICT_ROUNDING);
        return VERDICT_INVESTIGATE;
    }
    if (c->low <= 1 && c->speedup <= VERDICT_GAIN) {
        snprintf(reason, size, "as fast as the baseline: what it gains is inside the noise (%.2fx to %.2fx)", c->low, c->high);
        return VERDICT_INVESTIGATE;
    }
    if (c->low <= VERDICT_GAIN) {
        snprintf(reason, size, "no gain above %.2fx that is beyond the noise (%.2fx to %.2fx)", VERDICT_GAIN, c->low, c->high);
        return VERDICT_INVESTIGATE;
    }
    if (c->approximation && c->real) {
        snprintf(reason, size, "faster, but the layer's output is %.0f %% off: validate its accuracy on your task", 100 * c->off);
        return VERDICT_INVESTIGATE;
    }
    if (c->approximation || !c->real) {
        snprintf(reason, size, "%s", c->approximation ? "faster, but these are synthetic weights: a size experiment says nothing of accuracy"
                                                     : "faster, but on synthetic weights: repeat it with --model");
        return VERDICT_INVESTIGATE;
    }
    snprintf(reason, size, "faster beyond the noise (%.2fx to %.2fx), and its output is the baseline's", c->low, c->high);
    return VERDICT_APPROVED;
}
