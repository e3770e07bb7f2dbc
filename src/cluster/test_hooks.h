/* test_hooks.h - for tests: ranks that are slow or fail in the middle of their work.
 *
 * PHI3SAT_TEST_DELAY=SEED:MILLISECONDS lets every rank nap now and then, up to so long, each in a way of its own. What comes
 * out must not depend on it. PHI3SAT_TEST_FAIL_BATCH=RANK:N lets that rank fail at its N-th batch.
 * PHI3SAT_TEST_STALL=SECONDS keeps every rank from looking at anything for so long, before its first batch.
 */
#ifndef PHI3SAT_CLUSTER_TEST_HOOKS_H
#define PHI3SAT_CLUSTER_TEST_HOOKS_H

#include <stdbool.h>

#include "../base/random.h"

struct test_hooks {
    double longest;   /* nap, in seconds; 0: none                                   */
    struct random_stream random;
    unsigned long stall;
    unsigned long fail_at, batches; /* fail_at 0: never                              */
};

void test_hooks_open(struct test_hooks *h, int rank);

/* Between pieces of work. */
void test_hooks_nap(struct test_hooks *h);

/* Before each batch: whether to fail now. */
bool test_hooks_fail(struct test_hooks *h);

#endif
