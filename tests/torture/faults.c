/* faults.c - counts calls and says which fails; see faults.h.
 *
 *     PHI3SAT_TEST_FAIL=RANK:KIND:N[+][:HOW]
 *         call N of that kind on that rank, from 0, fails (N+: and all later ones). KIND is alloc, library, open,
 *         write, resize, sync, rename, close or lock; HOW is
 *             a number         the errno that it fails with [ENOMEM for memory, EIO]
 *             short            half of it is written, and the caller told so
 *             kill             the process ends there and then
 *             cut=FILE         FILE loses all but its first page; the call itself passes
 *             touch=FILE       FILE's last byte is written anew; the call itself passes
 *             swap=A:B         A takes B's name; the call itself passes
 *     PHI3SAT_TEST_COUNT=FILE  at its end each rank writes to FILE.RANK a line `KIND CALLS` for each kind, then
 *                              `live BLOCKS`, what base/memory.c has not got back
 *     PHI3SAT_TEST_LIBRARY=NAME  whose calls `library` counts [libhdf5]
 *
 * Only files in the folder in which the process was started count, so that MPI's own don't.
 */
#undef _FORTIFY_SOURCE
#include "faults.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *const names[FAULT_COUNT] = {"alloc", "library", "open",  "write", "resize",
                                               "sync",  "rename",  "close", "lock"};

static struct {
    bool wanted, onwards;
    int kind;          /* -1: none */
    long number;
    char how[4200];    /* "": as the kind fails */
    char folder[4096];
    long calls[FAULT_COUNT], live; /* by any thread */
} faults = {.kind = -1};

static long own_rank(void)
{
    const char *text = getenv("OMPI_COMM_WORLD_RANK");
    text = text ? text : getenv("PMI_RANK");
    return text ? strtol(text, NULL, 10) : 0;
}

static void write_counts(void)
{
    char name[4200];
    snprintf(name, sizeof name, "%s.%ld", getenv("PHI3SAT_TEST_COUNT"), own_rank());
    FILE *file = fopen(name, "w");
    if (!file)
        return;
    for (int kind = 0; kind < FAULT_COUNT; kind++)
        fprintf(file, "%s %ld\n", names[kind], faults.calls[kind]);
    fprintf(file, "live %ld\n", faults.live);
    fclose(file);
}

/* RANK:KIND:N[+][:HOW]; what isn't so ends the test. */
static void read_wish(const char *text)
{
    char word[16] = "", plus[2] = "";
    long rank;
    int used = 0;
    if (sscanf(text, "%ld:%15[a-z]:%ld%n", &rank, word, &faults.number, &used) != 3 || used == 0)
        abort();
    if (sscanf(text + used, "%1[+]", plus) == 1)
        used++;
    faults.onwards = plus[0] != '\0';
    if (text[used] == ':')
        snprintf(faults.how, sizeof faults.how, "%s", text + used + 1);
    for (int kind = 0; kind < FAULT_COUNT && rank == own_rank(); kind++)
        if (strcmp(word, names[kind]) == 0)
            faults.kind = kind;
    if (faults.kind < 0 && rank == own_rank())
        abort();
}

__attribute__((constructor)) static void begin(void)
{
    const char *wish = getenv("PHI3SAT_TEST_FAIL"), *count = getenv("PHI3SAT_TEST_COUNT");
    if ((!wish && !count) || !getcwd(faults.folder, sizeof faults.folder))
        return;
    if (wish)
        read_wish(wish);
    if (count)
        atexit(write_counts);
    faults.wanted = true;
}

bool faults_wanted(void)
{
    return faults.wanted;
}

void faults_live(int change)
{
    __atomic_fetch_add(&faults.live, change, __ATOMIC_RELAXED);
}

static void cut(const char *path)
{
    if (syscall(SYS_truncate, path, 4096L) != 0)
        abort();
}

static void touch(const char *path)
{
    struct stat about;
    char last = 0;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR, 0);
    if (fd < 0 || fstat(fd, &about) != 0 || pread(fd, &last, 1, about.st_size - 1) != 1 ||
        syscall(SYS_pwrite64, fd, &last, 1L, (long)about.st_size - 1) != 1)
        abort();
    syscall(SYS_close, fd);
}

static void swap(char *pair)
{
    char *other = strchr(pair, ':');
    if (!other)
        abort();
    *other = '\0';
    if (syscall(SYS_renameat2, AT_FDCWD, pair, AT_FDCWD, other + 1, 0) != 0)
        abort();
}

int faults_here(enum fault kind)
{
    const long number = __atomic_fetch_add(&faults.calls[kind], 1, __ATOMIC_RELAXED);
    if ((int)kind != faults.kind || number < faults.number || (number > faults.number && !faults.onwards))
        return 0;
    if (strcmp(faults.how, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(faults.how, "short") == 0)
        return FAULT_SHORT;
    if (strncmp(faults.how, "cut=", 4) == 0)
        cut(faults.how + 4);
    else if (strncmp(faults.how, "touch=", 6) == 0)
        touch(faults.how + 6);
    else if (strncmp(faults.how, "swap=", 5) == 0)
        swap(faults.how + 5);
    else
        return faults.how[0] ? (int)strtol(faults.how, NULL, 10) : kind <= FAULT_LIBRARY ? ENOMEM : EIO;
    return 0;
}

bool faults_path_counts(const char *path)
{
    const size_t length = strlen(faults.folder);
    return faults.wanted && (path[0] != '/' || (strncmp(path, faults.folder, length) == 0 && path[length] == '/'));
}

bool faults_descriptor_counts(int fd)
{
    char link[64], path[4200];
    struct stat about;
    if (!faults.wanted || fd <= STDERR_FILENO || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    return path[0] == '/' && faults_path_counts(path);
}
