/* test_resources.c - what folders like the kernel's say about memory. */
#include "../../src/base/resources.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../tap/tap.h"

/* Writes `text` to root/path, with the folders on the way. */
static void put(const char *path, const char *text)
{
    char name[512];
    snprintf(name, sizeof name, "root%s", path);
    for (char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(name, 0700);
        *slash = '/';
    }
    FILE *file = fopen(name, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        bail("can't write %s", name);
}

static void available(uint64_t bytes, bool limited, const char *claim)
{
    struct resources_memory m = resources_available("root");
    is_uint(m.bytes, bytes, "%s", claim);
    ok(m.limited == limited, "%s", limited ? "a group's limit" : "the machine's own");
}

int main(void)
{
    if (chdir(tap_folder()) != 0)
        bail("no folder of its own");
    available(0, false, "where nothing is told, nothing is known");
    put("/proc/meminfo", "MemTotal:       1000 kB\nMemFree:         300 kB\n");
    available(300 * 1024, false, "old kernels: free memory");
    put("/proc/meminfo", "MemTotal:       1000 kB\nMemFree:         300 kB\nMemAvailable:    700 kB\n");
    available(700 * 1024, false, "others: what could be made free");

    put("/proc/self/cgroup", "0::/slurm/job_7/step_0\n");
    available(700 * 1024, false, "a group without files limits nothing");
    put("/sys/fs/cgroup/slurm/job_7/memory.max", "max\n");
    available(700 * 1024, false, "so does one whose limit is max");
    put("/sys/fs/cgroup/slurm/job_7/memory.max", "600000\n");
    put("/sys/fs/cgroup/slurm/job_7/memory.current", "200000\n");
    put("/sys/fs/cgroup/slurm/job_7/memory.stat", "anon 50000\nfile_mapped 1\nfile 150000\n");
    available(550000, true, "a limit, less what is used, cached files apart");
    put("/sys/fs/cgroup/slurm/job_7/step_0/memory.max", "100000\n");
    available(100000, true, "the least of a group and those above it");
    put("/sys/fs/cgroup/memory.max", "5\n");
    put("/sys/fs/cgroup/memory.current", "9\n");
    available(1, true, "a group that has used all leaves next to nothing");

    put("/proc/self/cgroup", "9:name=systemd:/\n4:memory:/box/a\n0::/nowhere\n");
    put("/sys/fs/cgroup/memory.max", "max\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "400000\n");
    put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "390000\n");
    put("/sys/fs/cgroup/memory/memory.stat", "cache 1\ntotal_cache 290000\n");
    available(300000, true, "the first version's files, under a shorter path than is named");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    available(700 * 1024, false, "its word for no limit");

    put("/proc/self/status", "Name:\tx\nVmRSS:\t 99 kB\nRssAnon:\t      40 kB\nRssFile:\t      50 kB\n");
    struct resources_used used = resources_used("root");
    is_uint(used.own, 40 * 1024, "own memory is that without a file");
    is_uint(used.mapped, 50 * 1024, "mapped memory that of files");
    used = resources_used("root/nowhere");
    ok(used.own == 0 && used.mapped == 0, "where nothing is told, nothing is known");
    used = resources_used(NULL);
    struct resources_memory real = resources_available(NULL);
    ok(used.own < (uint64_t)1 << 50 && (real.bytes == 0 || real.bytes > 4096), "this machine's figures make sense");
    return tap_done();
}
