/* held_memory.h - what base/memory.c holds at a time.
 *
 * Linked with -Wl,--wrap=aligned_alloc,--wrap=free. Blocks of others (libraries, the engine) pass through uncounted.
 */
#ifndef PHI3SAT_TESTS_HELD_MEMORY_H
#define PHI3SAT_TESTS_HELD_MEMORY_H

#include <stddef.h>

struct held_memory {
    size_t blocks, bytes; /* now                                      */
    size_t peak;          /* bytes, since held_memory_begin           */
};

/* The peak is counted anew. */
void held_memory_begin(void);
struct held_memory held_memory_now(void);

#endif
