/* resources.c - see resources.h.
 *
 * A group's files are looked for under the path that /proc/self/cgroup names and, since containers show another part of
 * the tree than they name, under each shorter path up to the mount point. A limit that nobody set is a huge number
 * or the word "max", and then says nothing.
 */
#include "resources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 4096
#define NO_LIMIT ((uint64_t)1 << 60)

/* The number behind `key` at the start of a line, separated by blanks or a colon; key "": the file's first word. False
 * when there is none. */
static bool number_in(const char *root, const char *path, const char *key, uint64_t *value)
{
    char name[PATH_SIZE], line[512];
    int length = snprintf(name, sizeof name, "%s%s", root, path);
    FILE *file = length > 0 && (size_t)length < sizeof name ? fopen(name, "r") : NULL;
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        size_t at = strlen(key);
        if (strncmp(line, key, at) != 0)
            continue;
        at += line[at] == ':';
        if (at > 0 && line[at] != ' ' && line[at] != '\t')
            continue;
        at += strspn(line + at, " \t");
        found = line[at] >= '0' && line[at] <= '9';
        *value = found ? strtoull(line + at, NULL, 10) : 0;
        if (!found)
            break;
    }
    if (file)
        fclose(file);
    return found;
}

/* What one version of control groups calls its files. */
struct names {
    const char *mount, *limit, *usage, *cached;
};

/* What group `path` below the mount point leaves; UINT64_MAX: it has no limit. */
static uint64_t group_leaves(const char *root, const struct names *n, const char *path)
{
    char name[PATH_SIZE];
    uint64_t limit, usage = 0, cached = 0;
    snprintf(name, sizeof name, "%s%s/%s", n->mount, path, n->limit);
    if (!number_in(root, name, "", &limit) || limit >= NO_LIMIT)
        return UINT64_MAX;
    snprintf(name, sizeof name, "%s%s/%s", n->mount, path, n->usage);
    (void)number_in(root, name, "", &usage);
    snprintf(name, sizeof name, "%s%s/memory.stat", n->mount, path);
    (void)number_in(root, name, n->cached, &cached);
    usage -= cached < usage ? cached : usage;
    return limit > usage ? limit - usage : 1;
}

/* The least that the group at `path` and those above it leave. */
static uint64_t tree_leaves(const char *root, const struct names *n, char *path)
{
    uint64_t least = UINT64_MAX;
    for (;;) {
        uint64_t left = group_leaves(root, n, path);
        least = left < least ? left : least;
        char *slash = strrchr(path, '/');
        if (!slash)
            return least;
        *slash = '\0';
    }
}

/* Lines are "0::/path" in version 2, "4:memory:/path" in version 1. */
static uint64_t groups_leave(const char *root)
{
    static const struct names second = {"/sys/fs/cgroup", "memory.max", "memory.current", "file"};
    static const struct names first = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                                       "total_cache"};
    char line[PATH_SIZE / 2], name[PATH_SIZE];
    uint64_t least = UINT64_MAX;
    snprintf(name, sizeof name, "%s/proc/self/cgroup", root);
    FILE *file = fopen(name, "r");
    while (file && fgets(line, sizeof line, file)) {
        char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        const struct names *n = controllers[1] == '\0' ? &second : strcmp(controllers + 1, "memory") == 0 ? &first : NULL;
        uint64_t left = n ? tree_leaves(root, n, path) : UINT64_MAX;
        least = left < least ? left : least;
    }
    if (file)
        fclose(file);
    return least;
}

struct resources_memory resources_available(const char *root)
{
    struct resources_memory m = {0, false};
    uint64_t kib, groups = groups_leave(root ? root : "");
    if (number_in(root ? root : "", "/proc/meminfo", "MemAvailable", &kib) ||
        number_in(root ? root : "", "/proc/meminfo", "MemFree", &kib))
        m.bytes = kib * 1024;
    if (groups != UINT64_MAX && (m.bytes == 0 || groups < m.bytes))
        m = (struct resources_memory){groups, true};
    return m;
}

struct resources_used resources_used(const char *root)
{
    uint64_t own = 0, mapped = 0;
    (void)number_in(root ? root : "", "/proc/self/status", "RssAnon", &own);
    (void)number_in(root ? root : "", "/proc/self/status", "RssFile", &mapped);
    return (struct resources_used){own * 1024, mapped * 1024};
}
