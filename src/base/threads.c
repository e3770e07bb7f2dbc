/* threads.c - see threads.h. */
#include "threads.h"

#include <omp.h>
#include <pthread.h>

static int wanted = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void threads_set(int count)
{
    wanted = count < 1 ? 1 : count;
}

int threads_count(void)
{
    return wanted;
}

int threads_available(void)
{
    int count = omp_get_num_procs();
    return count < 1 ? 1 : count;
}

void threads_run(size_t pieces, void (*piece)(void *context, size_t i, int thread), void *context)
{
    int team = (size_t)wanted > pieces ? (int)pieces : wanted;
    if (team <= 1) {
        for (size_t i = 0; i < pieces; i++)
            piece(context, i, 0);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(team)
    for (size_t i = 0; i < pieces; i++)
        piece(context, i, omp_get_thread_num());
}

void threads_run_uneven(size_t pieces, void (*piece)(void *context, size_t i, int thread), void *context)
{
    int team = (size_t)wanted > pieces ? (int)pieces : wanted;
    if (team <= 1) {
        threads_run(pieces, piece, context);
        return;
    }
#pragma omp parallel for schedule(guided) num_threads(team)
    for (size_t i = 0; i < pieces; i++)
        piece(context, i, omp_get_thread_num());
}

void threads_lock(void)
{
    pthread_mutex_lock(&lock);
}

void threads_unlock(void)
{
    pthread_mutex_unlock(&lock);
}
