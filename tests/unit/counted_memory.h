/* counted_memory.h - adds up what is allocated, and the most of it at a time.
 *
 * Linked with -Wl,--wrap=aligned_alloc,--wrap=free: base/memory.c calls nothing else.
 */
#ifndef PHI3SAT_TESTS_COUNTED_MEMORY_H
#define PHI3SAT_TESTS_COUNTED_MEMORY_H

#include <stdlib.h>

#include "tap.h"

/* Blocks in use and their sizes. */
static struct {
    struct {
        void *block;
        size_t size;
    } held[4096];
    size_t now, peak;
} counted_memory;

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *block);
void __wrap_free(void *block);

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    void *block = __real_aligned_alloc(alignment, size);
    size_t i = 0;
    while (i < 4096 && counted_memory.held[i].block)
        i++;
    if (!block || i == 4096)
        bail("no memory for a test");
    counted_memory.held[i].block = block;
    counted_memory.held[i].size = size;
    counted_memory.now += size;
    counted_memory.peak = counted_memory.now > counted_memory.peak ? counted_memory.now : counted_memory.peak;
    return block;
}

void __wrap_free(void *block)
{
    for (size_t i = 0; block && i < 4096; i++)
        if (counted_memory.held[i].block == block) {
            counted_memory.now -= counted_memory.held[i].size;
            counted_memory.held[i].block = NULL;
            break;
        }
    __real_free(block);
}

#endif
