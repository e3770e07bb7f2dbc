/* mapping.c - read-only maps of whole files; see mapping.h. */
#include "mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"

static const uint8_t nothing[1]; /* what an empty file's `bytes` points to */

static enum status cannot(const char *path, const char *verb, int reason, struct error *e)
{
    error_set(e, STATUS_INPUT, "can't be %s: %s", verb, strerror(reason));
    error_advice(e, reason == ENOENT ? "check the path" : "check the file and its permissions");
    error_file(e, path);
    return STATUS_INPUT;
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
    m->bytes = nothing;
    if (m->size == 0)
        return STATUS_OK;
    void *bytes = mmap(NULL, m->size, PROT_READ, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED)
        return cannot(path, "mapped", errno, e);
    m->bytes = bytes;
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
    if (m->bytes && m->bytes != nothing)
        munmap((void *)(uintptr_t)m->bytes, m->size);
    memory_free(m->path);
    memset(m, 0, sizeof *m);
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
