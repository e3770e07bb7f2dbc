/* caches.c - see caches.h. */
#include "caches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNELS_FOLDER "/sys/devices/system/cpu/cpu0/cache"
#define MOST_ENTRIES 16

/* The first line of a file, without its end; false when there is none. */
static int first_line(const char *folder, int entry, const char *name, char *line, size_t size)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/index%d/%s", folder, entry, name);
    FILE *file = length > 0 && (size_t)length < sizeof path ? fopen(path, "r") : NULL;
    int there = file && fgets(line, (int)size, file) != NULL;
    if (file)
        fclose(file);
    if (there)
        line[strcspn(line, "\n")] = '\0';
    return there;
}

/* "512K", "32M": 0 when it is anything else. */
static size_t bytes_of(const char *text)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    size_t unit = *end == 'K' ? 1024 : *end == 'M' ? 1024 * 1024 : *end == '\0' ? 1 : 0;
    size_t bytes;
    return end == text || *text == '-' || __builtin_mul_overflow(number, unit, &bytes) ? 0 : bytes;
}

/* "0-7,64-71": 16. */
static size_t processors_of(const char *list)
{
    size_t count = 0;
    while (*list >= '0' && *list <= '9') {
        char *end;
        unsigned long first = strtoul(list, &end, 10), last = first;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        if (last < first || last - first > 1u << 20)
            return 0;
        count += last - first + 1;
        list = *end == ',' ? end + 1 : end;
        if (list == end)
            break;
    }
    return count;
}

struct caches caches_read(const char *folder)
{
    struct caches c = {0, 0, 1};
    for (int entry = 0; entry < MOST_ENTRIES; entry++) {
        char level[32], type[32], size[32], list[1024];
        if (!first_line(folder ? folder : KERNELS_FOLDER, entry, "level", level, sizeof level))
            break;
        if (!first_line(folder ? folder : KERNELS_FOLDER, entry, "type", type, sizeof type) ||
            !first_line(folder ? folder : KERNELS_FOLDER, entry, "size", size, sizeof size) ||
            strcmp(type, "Instruction") == 0)
            continue;
        if (strcmp(level, "2") == 0)
            c.second = bytes_of(size);
        if (strcmp(level, "3") == 0) {
            c.third = bytes_of(size);
            if (first_line(folder ? folder : KERNELS_FOLDER, entry, "shared_cpu_list", list, sizeof list))
                c.sharing_third = processors_of(list) ? processors_of(list) : 1;
        }
    }
    return c;
}
