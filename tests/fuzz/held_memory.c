/* held_memory.c - see held_memory.h.
 *
 * Blocks are known by their address in a table of a fixed size: a header in front of each block would hide what a
 * sanitizer looks for. Deleted places are marked, so that a search ends at the first one that was never used.
 */
#include "held_memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PLACES ((size_t)1 << 17)
#define DELETED ((void *)1)

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *block);
void __wrap_free(void *block);

static struct {
    void *block;
    size_t size;
} table[PLACES];
static size_t used; /* places that were ever taken */
static struct held_memory now;
static atomic_flag busy = ATOMIC_FLAG_INIT;

static void lock(void)
{
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        continue;
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&busy, memory_order_release);
}

static size_t place_of(const void *block)
{
    return (size_t)(((uintptr_t)block >> 4) * 0x9E3779B97F4A7C15u >> 40) % PLACES;
}

/* The block's place; PLACES when it isn't there. */
static size_t find(const void *block)
{
    for (size_t i = place_of(block), n = 0; n < PLACES && table[i].block; i = (i + 1) % PLACES, n++)
        if (table[i].block == block)
            return i;
    return PLACES;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    void *block = __real_aligned_alloc(alignment, size);
    if (!block)
        return NULL;
    lock();
    size_t i = place_of(block);
    while (table[i].block && table[i].block != DELETED)
        i = (i + 1) % PLACES;
    used += table[i].block == NULL;
    table[i].block = block;
    table[i].size = size;
    now.blocks++;
    now.bytes += size;
    now.peak = now.bytes > now.peak ? now.bytes : now.peak;
    const bool full = used > PLACES / 2 && now.blocks > PLACES / 4;
    unlock();
    if (full) {
        fprintf(stderr, "fuzz: more than %zu blocks are held at a time\n", PLACES / 4);
        abort();
    }
    return block;
}

void __wrap_free(void *block)
{
    lock();
    const size_t i = block ? find(block) : PLACES;
    if (i < PLACES) {
        now.blocks--;
        now.bytes -= table[i].size;
        table[i].block = DELETED;
    }
    unlock();
    __real_free(block);
}

void held_memory_begin(void)
{
    lock();
    if (now.blocks == 0 && used > PLACES / 8) { /* sweep out the marks */
        for (size_t i = 0; i < PLACES; i++)
            table[i].block = NULL;
        used = 0;
    }
    now.peak = now.bytes;
    unlock();
}

struct held_memory held_memory_now(void)
{
    lock();
    const struct held_memory copy = now;
    unlock();
    return copy;
}
