/* memory.c - the only place that calls the C library's allocator.
 *
 * One door for every allocation, so that a test can make the nth one fail. Blocks
 * carry no header: memory_grow is told the old capacity by its caller.
 */
#include "memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ALIGNMENT 64
/* Blocks of this size and more ask for huge pages: packed rows and the exact state are read all over, and
 * each small page of theirs would take an entry of the processor's table of pages. */
#define HUGE_PAGE ((size_t)2 << 20)
#define HUGE_LEAST (2 * HUGE_PAGE)

bool memory_multiply(size_t a, size_t b, size_t *product)
{
    size_t result;
    if (__builtin_mul_overflow(a, b, &result))
        return false;
    *product = result;
    return true;
}

bool memory_add(size_t a, size_t b, size_t *sum)
{
    size_t result;
    if (__builtin_add_overflow(a, b, &result))
        return false;
    *sum = result;
    return true;
}

/* `block` is the address of a pointer of any type; memcpy keeps that legal C. */
static void store_pointer(void *block, void *value)
{
    memcpy(block, &value, sizeof value);
}

enum status memory_uninitialised(void *block, size_t count, size_t size, const char *what, struct error *e)
{
    size_t bytes, rounded;
    store_pointer(block, NULL);
    if (!memory_multiply(count, size, &bytes) || !memory_add(bytes, ALIGNMENT, &rounded) || rounded > PTRDIFF_MAX) {
        error_set(e, STATUS_FAILED, "%zu x %zu bytes for %s are more than memory can address", count, size, what);
        return STATUS_FAILED;
    }
    rounded = bytes ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
    /* C wants a multiple of the alignment; what is past the end is never touched. */
    const size_t whole = rounded < HUGE_LEAST ? rounded : rounded / HUGE_PAGE * HUGE_PAGE + (rounded % HUGE_PAGE ? HUGE_PAGE : 0);
    void *memory = aligned_alloc(whole < HUGE_LEAST ? ALIGNMENT : HUGE_PAGE, whole);
#ifdef MADV_HUGEPAGE
    if (memory && rounded >= HUGE_LEAST)
        (void)madvise(memory, rounded / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE); /* a wish: without it all works as well */
#endif
    if (!memory) {
        error_set(e, STATUS_FAILED, "no memory for %s (%zu bytes)", what, bytes);
        error_advice(e, "use fewer ranks on this node, or a smaller --batch-tokens");
        return STATUS_FAILED;
    }
    store_pointer(block, memory);
    return STATUS_OK;
}

enum status memory_array(void *block, size_t count, size_t size, const char *what, struct error *e)
{
    enum status status = memory_uninitialised(block, count, size, what, e);
    if (status != STATUS_OK)
        return status;
    void *memory;
    memcpy(&memory, block, sizeof memory);
    memset(memory, 0, count * size);
    return STATUS_OK;
}

size_t memory_grown(size_t capacity, size_t wanted)
{
    size_t grown = capacity < 8 ? 8 : capacity;
    while (grown < wanted) {
        if (grown > SIZE_MAX / 2)
            return wanted;
        grown *= 2;
    }
    return grown;
}

static enum status grow(void *block, size_t *capacity, size_t wanted, size_t size, bool zeroed, const char *what,
                        struct error *e)
{
    if (wanted <= *capacity)
        return STATUS_OK;
    size_t grown = memory_grown(*capacity, wanted);
    char *fresh, *old;
    enum status status = memory_uninitialised(&fresh, grown, size, what, e);
    if (status != STATUS_OK)
        return status;
    memcpy(&old, block, sizeof old);
    if (old)
        memcpy(fresh, old, *capacity * size);
    if (zeroed)
        memset(fresh + *capacity * size, 0, (grown - *capacity) * size);
    memory_free(old);
    store_pointer(block, fresh);
    *capacity = grown;
    return STATUS_OK;
}

enum status memory_grow(void *block, size_t *capacity, size_t wanted, size_t size, const char *what, struct error *e)
{
    return grow(block, capacity, wanted, size, true, what, e);
}

enum status memory_grow_uninitialised(void *block, size_t *capacity, size_t wanted, size_t size, const char *what,
                                      struct error *e)
{
    return grow(block, capacity, wanted, size, false, what, e);
}

enum status memory_bytes(char **copy, const char *s, size_t length, struct error *e)
{
    size_t with_end;
    *copy = NULL;
    if (!memory_add(length, 1, &with_end))
        return error_set(e, STATUS_FAILED, "a string of %zu bytes is too long", length);
    enum status status = memory_array(copy, with_end, 1, "a string", e);
    if (status == STATUS_OK && length)
        memcpy(*copy, s, length);
    return status;
}

enum status memory_string(char **copy, const char *s, struct error *e)
{
    return memory_bytes(copy, s, strlen(s), e);
}

void memory_free(void *block)
{
    free(block);
}
