/* faults_memory.c - allocations and the clock that go wrong; see faults.h.
 *
 * Linked with --wrap for what our own objects call: aligned_alloc and free are base/memory.c's only door. Libraries are
 * reached by symbols of the program's own, which come before the C library's; whose call it is tells the return address.
 *
 *     PHI3SAT_TEST_CLOCK=back    every 7th look at a clock finds it an hour further back
 *     PHI3SAT_TEST_CLOCK=jump    ... a day further on
 *     PHI3SAT_TEST_CLOCK=both    ... now the one, now the other
 */
#undef _FORTIFY_SOURCE
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "faults.h"

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *block);
void __wrap_free(void *block);
int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
time_t __real_time(time_t *now);
time_t __wrap_time(time_t *now);

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    void *block = faults_wanted() && faults_here(FAULT_ALLOC) ? NULL : __real_aligned_alloc(alignment, size);
    if (block)
        faults_live(1);
    return block;
}

void __wrap_free(void *block)
{
    if (block)
        faults_live(-1);
    __real_free(block);
}

/* How far off the clock is, in seconds. */
static int64_t clock_offset(void)
{
    static long looks;
    static int64_t offset;
    const char *how = getenv("PHI3SAT_TEST_CLOCK");
    const long look = __atomic_fetch_add(&looks, 1, __ATOMIC_RELAXED);
    if (!how || look % 7 != 6)
        return how ? __atomic_load_n(&offset, __ATOMIC_RELAXED) : 0;
    const bool back = strcmp(how, "back") == 0 || (strcmp(how, "both") == 0 && look / 7 % 2);
    return __atomic_add_fetch(&offset, back ? -3600 : 86400, __ATOMIC_RELAXED);
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    const int result = __real_clock_gettime(clock, now);
    now->tv_sec += (time_t)clock_offset();
    return result;
}

time_t __wrap_time(time_t *now)
{
    const time_t result = __real_time(NULL) + (time_t)clock_offset();
    if (now)
        *now = result;
    return result;
}

/* A sanitizer has an allocator of its own, which must see every block. gcc and clang tell of it in their own ways. */
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER
#endif
#endif
#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ && !defined HAS_SANITIZER

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);

static uintptr_t library_begin, library_end; /* its code */

static int look_at(struct dl_phdr_info *about, size_t size, void *name)
{
    (void)size;
    for (int i = 0; i < about->dlpi_phnum && strstr(about->dlpi_name, name); i++) {
        const ElfW(Phdr) *part = &about->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        library_begin = about->dlpi_addr + part->p_vaddr;
        library_end = library_begin + part->p_memsz;
        return 1;
    }
    return 0;
}

__attribute__((constructor)) static void find_library(void)
{
    char *name = getenv("PHI3SAT_TEST_LIBRARY");
    dl_iterate_phdr(look_at, name ? name : "libhdf5.");
    dl_iterate_phdr(look_at, name ? name : "libhdf5_serial.");
}

static bool refused(const void *caller)
{
    if ((uintptr_t)caller < library_begin || (uintptr_t)caller >= library_end || !faults_wanted() ||
        !faults_here(FAULT_LIBRARY))
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_realloc(block, size);
}

#endif
