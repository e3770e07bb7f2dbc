/* fuzz.c - what every run of every target is held to; see fuzz.h. */
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "held_memory.h"

#define NAMES 64 /* files that the folder may have */
#define PATHS 8  /* paths that stay valid           */

static struct {
    char path[512];
    char name[NAMES][128]; /* "" free; a folder before what is in it */
    size_t names;
} folder;

static struct {
    size_t size, factor, constant, held;
    int verdicts;
} run;

static struct fuzz_counts counts;

/* Engines without a mutator of their own (AFL++'s driver): never called, but custom mutators refer to it. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max)
{
    (void)data;
    (void)max;
    return size;
}

static void give_up(const char *what, const char *name)
{
    fprintf(stderr, "fuzz: %s %s: %s\n", what, name, strerror(errno));
    exit(99);
}

void fuzz_claim(bool holds, const char *format, ...)
{
    va_list arguments;
    if (holds)
        return;
    fputs("fuzz: this must hold, and doesn't: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    abort();
}

/* ---- files ------------------------------------------------------------------------ */

void fuzz_leave(void)
{
    char path[PATH_MAX];
    for (size_t i = folder.names; i-- > 0;) {
        /* no stdio: this may be a signal handler */
        const size_t length = strlen(folder.path), more = strlen(folder.name[i]);
        memcpy(path, folder.path, length);
        path[length] = '/';
        memcpy(path + length + 1, folder.name[i], more + 1);
        if (unlink(path) != 0)
            (void)rmdir(path);
    }
    if (folder.path[0])
        (void)rmdir(folder.path);
    folder.path[0] = '\0';
    folder.names = 0;
}

const char *fuzz_folder(void)
{
    if (folder.path[0])
        return folder.path;
    const char *parent = getenv("TMPDIR");
    if (!parent || !*parent)
        parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(folder.path, sizeof folder.path, "%s/phi3sat-fuzz-XXXXXX", parent);
    if (!mkdtemp(folder.path)) {
        folder.path[0] = '\0';
        give_up("can't make a folder in", parent);
    }
    atexit(fuzz_leave);
    return folder.path;
}

/* Notes what has to be removed in the end. */
static void remember(const char *name)
{
    for (size_t i = 0; i < folder.names; i++)
        if (strcmp(folder.name[i], name) == 0)
            return;
    if (folder.names == NAMES || strlen(name) >= sizeof folder.name[0]) {
        errno = ENAMETOOLONG;
        give_up("too many files, or too long a name:", name);
    }
    memcpy(folder.name[folder.names++], name, strlen(name) + 1);
}

static const char *path_of(const char *name)
{
    static char path[PATHS][PATH_MAX];
    static size_t next;
    char *at = path[next++ % PATHS];
    snprintf(at, sizeof path[0], "%s/%s", fuzz_folder(), name);
    return at;
}

static void make_folder(const char *name)
{
    char outer[128];
    const char *slash = strchr(name, '/');
    if (!slash || (size_t)(slash - name) >= sizeof outer)
        return;
    memcpy(outer, name, (size_t)(slash - name));
    outer[slash - name] = '\0';
    remember(outer);
    if (mkdir(path_of(outer), 0700) != 0 && errno != EEXIST)
        give_up("can't make the folder", outer);
}

const char *fuzz_put(const char *name, const void *bytes, size_t size)
{
    const char *path = path_of(name);
    size_t done = 0;
    make_folder(name);
    remember(name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        give_up("can't write", path);
    while (done < size) {
        const ssize_t wrote = write(fd, (const char *)bytes + done, size - done);
        if (wrote < 0 && errno != EINTR)
            give_up("can't write", path);
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    if (close(fd) != 0)
        give_up("can't write", path);
    return path;
}

void fuzz_remove(const char *name)
{
    (void)unlink(path_of(name));
}

/* ---- a run ------------------------------------------------------------------------- */

void fuzz_memory_bound(size_t factor, size_t constant)
{
    run.factor = factor;
    run.constant = constant;
}

void fuzz_begin(const uint8_t *data, size_t size)
{
    (void)data;
    log_open(false, LOG_QUIET, LOG_PROGRESS_NEVER);
    memset(&run, 0, sizeof run);
    run.size = size;
    fuzz_memory_bound(16, 64 << 10);
    held_memory_begin();
    run.held = held_memory_now().bytes;
    counts.runs++;
}

void fuzz_accepted(void)
{
    run.verdicts++;
    counts.accepted++;
}

void fuzz_refused(const struct error *e)
{
    char line[2560];
    const size_t peak = held_memory_now().peak - run.held;
    run.verdicts++;
    counts.refused++;
    error_format(e, line, sizeof line);
    fuzz_claim(e->status == STATUS_INPUT || e->status == STATUS_USAGE, "bytes are refused as bytes, not with status %d: %s",
               (int)e->status, line);
    fuzz_claim(e->sentence[0] != '\0', "a refusal has a sentence");
    fuzz_claim(e->position >= -1, "position %lld is in no file: %s", (long long)e->position, line);
    for (const char *c = line; *c; c++)
        fuzz_claim((unsigned char)*c >= 32 && *c != 127, "an error is one line without control characters: %s", line);
    fuzz_claim(peak <= run.factor * run.size + run.constant, "%zu bytes were taken before %zu were refused: %s", peak, run.size,
               line);
    if (run.size >= 1024 && (double)peak / (double)run.size > counts.refused_most)
        counts.refused_most = (double)peak / (double)run.size;
}

int fuzz_end(void)
{
    const struct held_memory now = held_memory_now();
    fuzz_claim(run.verdicts == 1, "a run has one verdict, not %d", run.verdicts);
    fuzz_claim(now.bytes == run.held, "all memory is given back: %zu bytes are not", now.bytes - run.held);
    if (now.peak - run.held > counts.peak)
        counts.peak = now.peak - run.held;
    return 0;
}

struct fuzz_counts fuzz_counts(void)
{
    return counts;
}
