/* failing_allocations.c - phi3sat whose nth allocation fails on one rank, for tests.
 *
 * Linked with -Wl,--wrap=aligned_alloc: base/memory.c asks nothing else for memory.
 *     PHI3SAT_TEST_FAIL=RANK:N    allocation N of that rank, from 0, fails; the others succeed
 *     PHI3SAT_TEST_COUNT=FILE     each rank writes how many there were to FILE.RANK
 */
#include <stdio.h>
#include <stdlib.h>

static long made; /* by any thread */

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static long own_rank(void)
{
    const char *text = getenv("OMPI_COMM_WORLD_RANK");
    text = text ? text : getenv("PMI_RANK");
    return text ? strtol(text, NULL, 10) : 0;
}

static void write_count(void)
{
    char name[4096];
    snprintf(name, sizeof name, "%s.%ld", getenv("PHI3SAT_TEST_COUNT"), own_rank());
    FILE *file = fopen(name, "w");
    if (file) {
        fprintf(file, "%ld\n", made);
        fclose(file);
    }
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    static long failing = -2; /* -1: none */
    long number = __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
    if (failing == -2) { /* the first allocation of all is made by one thread */
        char *end;
        const char *text = getenv("PHI3SAT_TEST_FAIL");
        failing = -1;
        if (text && strtol(text, &end, 10) == own_rank())
            failing = strtol(end + 1, NULL, 10);
        if (getenv("PHI3SAT_TEST_COUNT"))
            atexit(write_count);
    }
    return number == failing ? NULL : __real_aligned_alloc(alignment, size);
}
