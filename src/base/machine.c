/* machine.c - see machine.h. */
#define _GNU_SOURCE 1 /* sched_getaffinity */

#include "machine.h"

#include <hwloc.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

static void without_hwloc(struct machine *m)
{
    struct machine_set all = machine_binding();
    memset(m, 0, sizeof *m);
    m->domains = 1;
    for (size_t i = 0; i < MACHINE_PROCESSORS; i++)
        if (all.word[i / 64] >> i % 64 & 1)
            m->core[i] = (uint16_t)m->cores++;
    for (size_t i = 0; i < MACHINE_PROCESSORS; i++)
        if (!(all.word[i / 64] >> i % 64 & 1))
            m->core[i] = (uint16_t)m->cores;
}

/* What the topology holds is what may be used. */
static void read_topology(struct machine *m, hwloc_topology_t t)
{
    int cores = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_CORE), domains = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_NUMANODE);
    hwloc_obj_type_t type = cores > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU; /* some virtual machines tell of no cores */
    hwloc_obj_t object = NULL;
    m->cores = m->memory = 0;
    m->domains = domains > 0 ? (size_t)domains : 1;
    for (size_t i = 0; i < MACHINE_PROCESSORS; i++)
        m->core[i] = UINT16_MAX;
    for (object = hwloc_get_next_obj_by_type(t, type, NULL); object && m->cores < MACHINE_PROCESSORS;
         object = hwloc_get_next_obj_by_type(t, type, object)) {
        int p = -1;
        while ((p = hwloc_bitmap_next(object->cpuset, p)) >= 0)
            if (p < MACHINE_PROCESSORS)
                m->core[p] = (uint16_t)m->cores;
        m->cores++;
    }
    for (size_t i = 0; i < MACHINE_PROCESSORS; i++)
        if (m->core[i] == UINT16_MAX)
            m->core[i] = (uint16_t)m->cores;
    for (object = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_NUMANODE, NULL); object;
         object = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_NUMANODE, object))
        m->memory += object->attr->numanode.local_memory;
    m->confined = hwloc_bitmap_weight(hwloc_topology_get_complete_nodeset(t)) > domains;
    if (!m->confined && hwloc_topology_is_thissystem(t)) /* some virtual machines' domains know of a part of it only */
        m->memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    m->known = true;
}

const struct machine *machine_here(void)
{
    static struct machine here;
    hwloc_topology_t t;
    if (here.cores)
        return &here;
    if (hwloc_topology_init(&t) != 0) {
        without_hwloc(&here);
        return &here;
    }
    if (hwloc_topology_load(t) == 0)
        read_topology(&here, t);
    else
        without_hwloc(&here);
    hwloc_topology_destroy(t);
    return &here;
}

struct machine_set machine_binding(void)
{
    struct machine_set set;
    memset(&set, 0, sizeof set);
    if (sched_getaffinity(0, sizeof set, (cpu_set_t *)(void *)&set) != 0)
        memset(&set, 0, sizeof set);
    return set;
}

struct machine_set machine_cores(const struct machine *m, const struct machine_set *processors)
{
    struct machine_set set;
    memset(&set, 0, sizeof set);
    for (size_t i = 0; i < MACHINE_PROCESSORS; i++)
        if ((processors->word[i / 64] >> i % 64 & 1) && m->core[i] < m->cores)
            set.word[m->core[i] / 64] |= UINT64_C(1) << m->core[i] % 64;
    return set;
}

size_t machine_count(const struct machine_set *set)
{
    size_t count = 0;
    for (size_t i = 0; i < MACHINE_PROCESSORS / 64; i++)
        count += (size_t)__builtin_popcountll(set->word[i]);
    return count;
}

bool machine_within(const struct machine_set *small, const struct machine_set *large)
{
    uint64_t outside = 0;
    for (size_t i = 0; i < MACHINE_PROCESSORS / 64; i++)
        outside |= small->word[i] & ~large->word[i];
    return outside == 0;
}
