/* caches.h - the sizes of this machine's data caches, for the choice of block sizes.
 *
 * What the kernel says about the first processor (Linux, sysfs). Nothing that is computed may depend on it,
 * only how fast.
 */
#ifndef PHI3SAT_BASE_CACHES_H
#define PHI3SAT_BASE_CACHES_H

#include <stddef.h>

/* Bytes; 0: not known or not there. */
struct caches {
    size_t second;          /* a core's                                             */
    size_t third;           /* shared                                               */
    size_t sharing_third;   /* processors that share it, at least 1                 */
};

/* Reads what `folder` (NULL: the kernel's own for processor 0) says: entries indexN with the files level,
 * type, size and shared_cpu_list. What is missing or makes no sense counts as not known. Thread-safe. */
struct caches caches_read(const char *folder);

#endif
