/* resources.h - memory of this process and of the machine that it runs on.
 *
 * What the Linux kernel says (procfs, cgroups of either version). Nothing that is computed may depend on it, only
 * how ranks are laid out.
 */
#ifndef PHI3SAT_BASE_RESOURCES_H
#define PHI3SAT_BASE_RESOURCES_H

#include <stdbool.h>
#include <stdint.h>

/* Memory that processes of this group could still take, cached files counted as free. */
struct resources_memory {
    uint64_t bytes;   /* 0: not known                                               */
    bool limited;     /* by a control group (a batch system, a container), not by the machine */
};

/* The least of what /proc/meminfo and each group up to the root leave. `root` stands before all paths ("" or NULL for the
 * machine's own). Thread-safe. */
struct resources_memory resources_available(const char *root);

/* What this process holds now, in bytes; 0: not known. */
struct resources_used {
    uint64_t own;     /* memory of its own that it has touched                      */
    uint64_t mapped;  /* pages of mapped files, the model above all; other processes share them */
};

struct resources_used resources_used(const char *root);

#endif
