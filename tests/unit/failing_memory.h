/* failing_memory.h - makes the nth allocation fail, and counts what is not given back.
 *
 * Linked with -Wl,--wrap=aligned_alloc,--wrap=free: base/memory.c calls nothing else.
 */
#ifndef PHI3SAT_TESTS_FAILING_MEMORY_H
#define PHI3SAT_TESTS_FAILING_MEMORY_H

#include <stddef.h>

static long failing_memory_left = -1; /* allocations that still succeed; -1: all */
static long failing_memory_held;      /* blocks allocated and not freed           */

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *block);
void __wrap_free(void *block);

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    if (failing_memory_left == 0)
        return NULL;
    if (failing_memory_left > 0)
        failing_memory_left--;
    failing_memory_held++;
    return __real_aligned_alloc(alignment, size);
}

void __wrap_free(void *block)
{
    if (block)
        failing_memory_held--;
    __real_free(block);
}

#endif
