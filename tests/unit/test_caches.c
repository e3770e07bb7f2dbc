/* test_caches.c - what folders like the kernel's say about caches, and the batch sizes that follow. */
#include "../../src/base/caches.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "../../src/model/batch_size.h"
#include "../tap/tap.h"

static void entry(const char *folder, int number, const char *level, const char *type, const char *size,
                  const char *list)
{
    const char *const names[] = {"level", "type", "size", "shared_cpu_list"}, *const lines[] = {level, type, size, list};
    char path[512];
    mkdir(folder, 0700);
    snprintf(path, sizeof path, "%s/index%d", folder, number);
    mkdir(path, 0700);
    for (int i = 0; i < 4; i++) {
        if (!lines[i])
            continue;
        snprintf(path, sizeof path, "%s/index%d/%s", folder, number, names[i]);
        FILE *file = fopen(path, "w");
        if (!file || fprintf(file, "%s\n", lines[i]) < 0 || fclose(file) != 0)
            bail("can't write %s", path);
    }
}

static struct caches caches(size_t second, size_t third, size_t sharing)
{
    struct caches c = {second, third, sharing};
    return c;
}

static void sizes(void)
{
    struct config c;
    struct caches none = caches(0, 0, 1), zen3 = caches(512 << 10, 32 << 20, 2), full = caches(1 << 20, 32 << 20, 16);
    struct caches large = caches(2 << 20, 512 << 20, 8), tiny = caches(64 << 10, 1 << 20, 4);
    memset(&c, 0, sizeof c);
    c.intermediate = 8192;
    is_uint(batch_size(&none, &c, 1, 1), BATCH_SIZE_USUAL, "unknown caches: the usual number of rows");
    is_uint(batch_size(&zen3, &c, 1, 1), 512, "half a MiB of second level holds the tiles of 512 rows");
    is_uint(batch_size(&full, &c, 1, 1), BATCH_SIZE_LEAST, "a sixteenth of 32 MiB: the least number of rows");
    is_uint(batch_size(&full, &c, 16, 1), 1024, "all 32 MiB: 1024 rows of 8192 inputs");
    is_uint(batch_size(&full, &c, 64, 1), 1024, "more threads than share the cache have no more of it");
    is_uint(batch_size(&large, &c, 8, 1), BATCH_SIZE_MOST, "never more than the most");
    is_uint(batch_size(&large, &c, 8, 2), BATCH_SIZE_MOST_SHARED, "shorter chunks where ranks wait for them");
    is_uint(batch_size(&tiny, &c, 1, 1), BATCH_SIZE_LEAST, "never fewer than the least");
    c.intermediate = 16384;
    is_uint(batch_size(&full, &c, 16, 1), 512, "a wider model: fewer rows");
}

int main(void)
{
    char folder[] = "caches-test";
    struct caches c = caches_read("no such folder");
    ok(!c.second && !c.third && c.sharing_third == 1, "without a folder nothing is known");
    entry(folder, 0, "1", "Data", "32K", "0");
    entry(folder, 1, "1", "Instruction", "32K", "0");
    entry(folder, 2, "2", "Unified", "1024K", "0,64");
    entry(folder, 3, "3", "Unified", "96M", "0-7,64-71");
    c = caches_read(folder);
    is_uint(c.second, 1 << 20, "the second level's size");
    is_uint(c.third, 96 << 20, "the third level's, in mebibytes");
    is_uint(c.sharing_third, 16, "and the processors of two ranges that share it");
    const char *const odd[] = {"", "x", "-5K", "12Q", "99999999999999999999M"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        entry(folder, 2, "2", "Unified", odd[i], "0");
        is_uint(caches_read(folder).second, 0, "size '%s' counts as not known", odd[i]);
    }
    const char *const lists[] = {"", "x-y", "7-3", "0-99999999999"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        entry(folder, 3, "3", "Unified", "96M", lists[i]);
        is_uint(caches_read(folder).sharing_third, 1, "list '%s' counts as one processor", lists[i]);
    }
    c = caches_read(NULL);
    ok(c.sharing_third >= 1, "this machine's caches can be asked for");
    sizes();
    return tap_done();
}
