/* temporaries.c - see temporaries.h. A name is there once it is `used`, which is set last. */
#include "temporaries.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static struct {
    bool used;
    char name[4200];
} entries[TEMPORARIES_LIMIT];

void temporaries_add(const char *name)
{
    for (int i = 0; i < TEMPORARIES_LIMIT; i++) {
        if (entries[i].used || strlen(name) >= sizeof entries[i].name)
            continue;
        memcpy(entries[i].name, name, strlen(name) + 1);
        __atomic_store_n(&entries[i].used, true, __ATOMIC_RELEASE);
        return;
    }
}

void temporaries_forget(const char *name)
{
    for (int i = 0; i < TEMPORARIES_LIMIT; i++)
        if (entries[i].used && strcmp(entries[i].name, name) == 0)
            __atomic_store_n(&entries[i].used, false, __ATOMIC_RELEASE);
}

void temporaries_remove(void)
{
    for (int i = 0; i < TEMPORARIES_LIMIT; i++)
        if (__atomic_load_n(&entries[i].used, __ATOMIC_ACQUIRE))
            unlink(entries[i].name);
}
