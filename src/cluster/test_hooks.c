/* test_hooks.c - see test_hooks.h. One call in four naps: some stages run ahead, others are waited for. */
#include "test_hooks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void test_hooks_open(struct test_hooks *h, int rank)
{
    const char *delay = getenv("PHI3SAT_TEST_DELAY"), *fail = getenv("PHI3SAT_TEST_FAIL_BATCH");
    const char *stall = getenv("PHI3SAT_TEST_STALL");
    unsigned long seed, milliseconds, at;
    int failing;
    memset(h, 0, sizeof *h);
    if (delay && sscanf(delay, "%lu:%lu", &seed, &milliseconds) == 2 && milliseconds <= 900) {
        h->longest = 1e-3 * (double)milliseconds;
        h->random = random_open(seed, (uint64_t)rank, 0, 0);
    }
    if (fail && sscanf(fail, "%d:%lu", &failing, &at) == 2 && failing == rank)
        h->fail_at = at;
    if (stall && sscanf(stall, "%lu", &h->stall) != 1)
        h->stall = 0;
}

void test_hooks_nap(struct test_hooks *h)
{
    if (h->longest > 0.0 && random_below(&h->random, 4) == 0) {
        const struct timespec nap = {0, (long)(1e9 * h->longest * random_unit(&h->random))};
        nanosleep(&nap, NULL);
    }
}

bool test_hooks_fail(struct test_hooks *h)
{
    const struct timespec stall = {(time_t)h->stall, 0};
    if (h->batches == 0 && h->stall)
        nanosleep(&stall, NULL);
    return ++h->batches == h->fail_at;
}
