/* mapping.c - read-only maps of whole files; see mapping.h. */
#include "mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mapping_guard.h"
#include "memory.h"

#define HUGE_PAGE ((size_t)2 << 20)

static const uint8_t nothing[1]; /* what an empty file's `bytes` points to */

static enum status cannot(const char *path, const char *verb, int reason, struct error *e)
{
    error_set(e, STATUS_INPUT, "can't be %s: %s", verb, strerror(reason));
    error_advice(e, reason == ENOENT ? "check the path" : "check the file and its permissions");
    error_file(e, path);
    return STATUS_INPUT;
}

/* Maps [size] bytes so that a position's place in memory is its place in the file modulo a huge page: only then can the system
 * use huge pages for them. Addresses for one more are taken, and what is left over given back. */
static void *map_file(int fd, size_t size)
{
    if (size < HUGE_PAGE)
        return mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    uint8_t *room = size > SIZE_MAX - HUGE_PAGE ? MAP_FAILED
                    : mmap(NULL, size + HUGE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) /* addresses are short */
        return mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), before = (HUGE_PAGE - (uintptr_t)room % HUGE_PAGE) % HUGE_PAGE;
    const size_t used = before + (size + page - 1) / page * page, all = (size + HUGE_PAGE + page - 1) / page * page;
    if (mmap(room + before, size, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
        const int reason = errno;
        munmap(room, size + HUGE_PAGE);
        errno = reason;
        return MAP_FAILED;
    }
    if (before)
        munmap(room, before);
    if (all > used)
        munmap(room + used, all - used);
    return room + before;
}

static enum status map_descriptor(struct mapping *m, int fd, const char *path, struct error *e)
{
    struct stat about;
    if (fstat(fd, &about) != 0)
        return cannot(path, "examined", errno, e);
    if (!S_ISREG(about.st_mode)) {
        error_set(e, STATUS_INPUT, S_ISDIR(about.st_mode) ? "is a folder, not a file" : "is not a regular file");
        error_advice(e, "give the path of a file");
        error_file(e, path);
        return STATUS_INPUT;
    }
    m->size = (size_t)about.st_size;
    m->device = (uint64_t)about.st_dev;
    m->inode = (uint64_t)about.st_ino;
    m->written[0] = about.st_mtim.tv_sec;
    m->written[1] = about.st_mtim.tv_nsec;
    m->bytes = nothing;
    if (m->size == 0)
        return STATUS_OK;
    void *bytes = map_file(fd, m->size);
    if (bytes == MAP_FAILED)
        return cannot(path, "mapped", errno, e);
    m->bytes = bytes;
    mapping_guard_add(m->bytes, m->size, m->path);
    return STATUS_OK;
}

enum status mapping_open(struct mapping *m, const char *path, struct error *e)
{
    memset(m, 0, sizeof *m);
    enum status status = memory_string(&m->path, path, e);
    if (status != STATUS_OK)
        return status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    status = fd < 0 ? cannot(path, "opened", errno, e) : map_descriptor(m, fd, path, e);
    if (fd >= 0)
        close(fd); /* the map keeps the file */
    if (status != STATUS_OK)
        mapping_close(m);
    return status;
}

void mapping_close(struct mapping *m)
{
    if (m->bytes && m->bytes != nothing) {
        mapping_guard_remove(m->bytes);
        munmap((void *)(uintptr_t)m->bytes, m->size);
    }
    memory_free(m->path);
    memset(m, 0, sizeof *m);
}

bool mapping_changed(const struct mapping *m)
{
    struct stat about;
    return stat(m->path, &about) == 0 && (uint64_t)about.st_dev == m->device && (uint64_t)about.st_ino == m->inode &&
           ((size_t)about.st_size != m->size || about.st_mtim.tv_sec != m->written[0] || about.st_mtim.tv_nsec != m->written[1]);
}

bool mapping_is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

bool mapping_is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

enum status mapping_read_all(int fd, size_t limit, char **bytes, size_t *size, struct error *e)
{
    size_t capacity = 0, used = 0;
    enum status status = STATUS_OK;
    *bytes = NULL;
    *size = 0;
    for (;;) {
        status = memory_grow(bytes, &capacity, used + 65536, 1, "the input", e);
        if (status != STATUS_OK)
            break;
        ssize_t got = read(fd, *bytes + used, capacity - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            status = error_set(e, STATUS_INPUT, "can't be read: %s", strerror(errno));
        else if ((size_t)got > limit - used)
            status = error_set(e, STATUS_INPUT, "is longer than %zu bytes", limit);
        if (got <= 0 || status != STATUS_OK)
            break;
        used += (size_t)got;
    }
    if (status != STATUS_OK) {
        memory_free(*bytes);
        *bytes = NULL;
        return status;
    }
    *size = used;
    return STATUS_OK;
}
