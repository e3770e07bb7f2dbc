/* machine.h - cores, NUMA domains and memory of this machine, as far as this process may use them.
 *
 * Flow: hwloc, the kernel -> *machine* -> how ranks are laid out, and warnings about that. Nothing that is computed may
 * depend on it. Control groups that keep a job to some processors and domains (cpusets) are respected; limits of memory are
 * resources.h's. hwloc's variables of the environment work: HWLOC_SYNTHETIC="numa:2(memory=8GB) core:4 pu:2" makes a
 * machine up.
 */
#ifndef PHI3SAT_BASE_MACHINE_H
#define PHI3SAT_BASE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MACHINE_PROCESSORS 4096 /* numbers that the kernel may give to processors, hardware threads each */

struct machine {
    size_t cores, domains;
    uint64_t memory;                          /* bytes in those domains, used or not; 0: not known */
    bool confined;                            /* there are domains that it may not use */
    bool known;                               /* false: hwloc has failed; each processor counts as a core, in one domain */
    uint16_t core[MACHINE_PROCESSORS];        /* of each processor, from 0; cores: none that may be used */
};

/* A set of processors or of cores, by number. */
struct machine_set {
    uint64_t word[MACHINE_PROCESSORS / 64];
};

/* Asks hwloc the first time, which takes tens of milliseconds: one rank of a host is enough. Not thread-safe. */
const struct machine *machine_here(void);

/* Processors that this process may run on: its binding. Empty where that can't be told. */
struct machine_set machine_binding(void);

/* The cores of processors. */
struct machine_set machine_cores(const struct machine *m, const struct machine_set *processors);

size_t machine_count(const struct machine_set *set);
bool machine_within(const struct machine_set *small, const struct machine_set *large);

#endif
