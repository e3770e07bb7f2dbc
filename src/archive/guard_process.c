/* guard_process.c - the process that HDF5 works in for archives of strangers; see guard_wire.h, archive_guard.h.
 *
 * Before each answer it limits itself: memory by RLIMIT_AS, processor time by a timer whose signal ends it. Both follow
 * the file's size, since a damaged count shows as either. Nothing that it does in between is to be trusted: a signal's
 * default act ends it, and the other side knows what to say.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "../base/memory.h"
#include "archive_source.h"
#include "guard_wire.h"

/* Beyond what the process has: HDF5's own tables, then pieces and what they are unpacked to. */
#define MEMORY_BASE ((uint64_t)64 << 20)
#define MEMORY_TIMES 16
/* Opening takes some 10 ms of processor time, a piece less. */
#define MICROSECONDS_BASE 600000
#define BYTES_A_MICROSECOND 32

struct served {
    struct archive_source *source; /* NULL: closed */
    uint64_t file_size;
};

struct process {
    int fd;
    struct served *files;          /* [capacity]   */
    size_t capacity;
    char *flat;
    size_t flat_capacity;
};

/* Address space in use; 0: not known. */
static uint64_t bytes_mapped(void)
{
    char text[64];
    const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (got <= 0)
        return 0;
    text[got] = '\0';
    return strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Tests under tools that slow everything down ask for N times as long. */
static uint64_t patience(void)
{
    const char *text = getenv("PHI3SAT_TEST_PATIENCE");
    const uint64_t times = text ? strtoull(text, NULL, 10) : 1;
    return times > 0 && times <= 1000 ? times : 1;
}

static void limit(uint64_t file_size)
{
    const uint64_t mapped = bytes_mapped();
    const uint64_t time = (MICROSECONDS_BASE + file_size / BYTES_A_MICROSECOND) * patience();
    const struct itimerval timer = {.it_value = {(time_t)(time / 1000000), (suseconds_t)(time % 1000000)}};
    struct rlimit space;
    if (mapped && getrlimit(RLIMIT_AS, &space) == 0) {
        const uint64_t wanted = mapped + MEMORY_BASE + MEMORY_TIMES * file_size;
        space.rlim_cur = space.rlim_max != RLIM_INFINITY && wanted > space.rlim_max ? space.rlim_max : wanted;
        setrlimit(RLIMIT_AS, &space); /* refused: then without */
    }
    setitimer(ITIMER_PROF, &timer, NULL);
}

static void unlimit(void)
{
    const struct itimerval none = {.it_value = {0, 0}};
    setitimer(ITIMER_PROF, &none, NULL);
}

/* No memory: by far most often that of the limit, and so the file's fault. */
static void blame_file(struct error *e)
{
    char sentence[sizeof e->sentence], file[sizeof e->file];
    memcpy(sentence, e->sentence, sizeof sentence);
    memcpy(file, e->file, sizeof file);
    error_set(e, STATUS_INPUT, "asks for more memory than a file of its size should: %s", sentence);
    error_advice(e, "get it again from where it came from, or give the job more memory");
    error_file(e, file);
}

static bool reply(const struct process *p, enum status status, int32_t handle, uint64_t size, const struct error *e)
{
    const struct guard_wire_reply answer = {(int32_t)status, handle, size};
    unlimit(); /* to send is not HDF5's work */
    return guard_wire_send(p->fd, &answer, sizeof answer) &&
           (status == STATUS_OK || guard_wire_send(p->fd, e, sizeof *e));
}

static bool send_opened(const struct process *p, const struct archive_opened *told)
{
    bool done = guard_wire_send(p->fd, told, sizeof *told);
    for (size_t i = 0; i < told->run_count && done; i++) {
        const struct archive_reader_pair *pair = &told->run[i];
        const struct guard_wire_pair sizes = {strlen(pair->name) + 1, strlen(pair->value) + 1};
        done = guard_wire_send(p->fd, &sizes, sizeof sizes) &&
               guard_wire_send(p->fd, pair->name, (size_t)sizes.name_length) &&
               guard_wire_send(p->fd, pair->value, (size_t)sizes.value_length);
    }
    return done;
}

static enum status open_one(struct process *p, const char *path, enum schema_kind kind, size_t *handle,
                            struct error *e)
{
    struct stat about;
    size_t free_one = 0;
    while (free_one < p->capacity && p->files[free_one].source)
        free_one++;
    enum status s = memory_grow(&p->files, &p->capacity, free_one + 1, sizeof *p->files, "archives", e);
    if (s != STATUS_OK)
        return s;
    struct served *f = &p->files[free_one];
    f->file_size = stat(path, &about) == 0 && about.st_size > 0 ? (uint64_t)about.st_size : 0;
    *handle = free_one;
    limit(f->file_size);
    return archive_source_open(&f->source, path, kind, false, e);
}

static bool serve_open(struct process *p, const struct guard_wire_request *q)
{
    char *path;
    size_t handle = 0;
    struct error e;
    error_clear(&e);
    enum status s = memory_array(&path, (size_t)q->length + 1, 1, "a file name", &e);
    if (s != STATUS_OK)
        return reply(p, s, -1, 0, &e) && false; /* the name is still on its way: nothing can follow */
    if (!guard_wire_receive(p->fd, path, (size_t)q->length, -1))
        return false;
    s = open_one(p, path, (enum schema_kind)q->kind, &handle, &e);
    if (s == STATUS_FAILED) {
        error_file(&e, path);
        blame_file(&e);
        s = STATUS_INPUT;
    }
    memory_free(path);
    return reply(p, s, (int32_t)handle, 0, &e) &&
           (s != STATUS_OK || send_opened(p, archive_source_told(p->files[handle].source)));
}

static bool serve_piece(struct process *p, const struct guard_wire_request *q, struct served *f)
{
    struct error e;
    error_clear(&e);
    const struct schema_sizes *sizes = &archive_source_told(f->source)->sizes;
    const size_t size = schema_piece_size(schema_item(sizes->kind, (size_t)q->i).row, sizes);
    enum status s = memory_grow_uninitialised(&p->flat, &p->flat_capacity, size, 1, "a piece of the archive", &e);
    if (s == STATUS_OK)
        s = archive_source_piece(f->source, (size_t)q->i, (size_t)q->layer, p->flat, &e);
    if (s == STATUS_FAILED) {
        blame_file(&e);
        s = STATUS_INPUT;
    }
    return reply(p, s, q->handle, size, &e) && (s != STATUS_OK || guard_wire_send(p->fd, p->flat, size));
}

static bool serve_one(struct process *p, const struct guard_wire_request *q)
{
    uint64_t bytes = 0;
    struct error e;
    if (q->what == GUARD_WIRE_OPEN)
        return serve_open(p, q);
    if (q->handle < 0 || (size_t)q->handle >= p->capacity || !p->files[q->handle].source)
        return false;
    struct served *f = &p->files[q->handle];
    limit(f->file_size);
    if (q->what == GUARD_WIRE_PIECE)
        return serve_piece(p, q, f);
    if (q->what == GUARD_WIRE_STORED) {
        error_clear(&e);
        const enum status s = archive_source_stored(f->source, (size_t)q->i, &bytes, &e);
        return reply(p, s, q->handle, bytes, &e);
    }
    archive_source_close(f->source);
    f->source = NULL;
    unlimit();
    return true;
}

void guard_process_serve(int fd)
{
    struct process p = {.fd = fd};
    struct guard_wire_request q;
    while (guard_wire_receive(fd, &q, sizeof q, -1))
        if (!serve_one(&p, &q))
            return;
}
