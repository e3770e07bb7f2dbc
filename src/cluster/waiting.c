/* waiting.c - see waiting.h. */
#include "waiting.h"

#include <time.h>

#include "../base/clock.h"

#define EAGER 20e-6    /* seconds */
#define LONGEST 2e-3

void waiting_until(bool (*done)(void *context), void *context)
{
    double start = clock_seconds();
    while (!done(context)) {
        double waited = clock_seconds() - start, nap = waited / 8 < LONGEST ? waited / 8 : LONGEST;
        const struct timespec time = {0, (long)(1e9 * nap)};
        if (waited > EAGER)
            nanosleep(&time, NULL);
    }
}

static bool through(void *context)
{
    int flag;
    MPI_Test(context, &flag, MPI_STATUS_IGNORE);
    return flag;
}

void waiting_request(MPI_Request *request)
{
    waiting_until(through, request);
}
