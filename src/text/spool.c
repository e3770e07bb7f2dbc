/* spool.c - see spool.h. */
#include "spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/memory.h"

struct spool spool_over(const char *bytes, size_t size)
{
    return (struct spool){.borrowed = bytes, .size = size};
}

struct spool spool_of_file(int fd, size_t size)
{
    return (struct spool){.in_file = true, .fd = fd, .size = size};
}

void spool_close(struct spool *spool)
{
    if (spool->in_file)
        close(spool->fd);
    memory_free(spool->memory);
    *spool = (struct spool){0};
}

static const char *folder(void)
{
    const char *given = getenv("TMPDIR");
    return given != NULL && given[0] != '\0' ? given : P_tmpdir;
}

static enum status cannot(const char *verb, struct error *e)
{
    const int reason = errno;
    error_set(e, STATUS_FAILED, "a temporary file for the prompts can't be %s: %s", verb, strerror(reason));
    error_advice(e, "let TMPDIR name a folder with enough room");
    return error_file(e, folder());
}

/* Makes the temporary file and moves what is in memory there. */
static enum status to_file(struct spool *spool, struct error *e)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/phi3sat-prompts-XXXXXX", folder()) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return cannot("made", e);
    }
    const int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        return cannot("made", e);
    unlink(path);
    char *memory = spool->memory;
    const size_t size = spool->size;
    spool->in_file = true;
    spool->fd = fd;
    spool->memory = NULL;
    spool->size = 0;
    const enum status status = spool_append(spool, memory, size, e);
    memory_free(memory);
    return status;
}

enum status spool_append(struct spool *spool, const void *bytes, size_t count, struct error *e)
{
    enum status status = STATUS_OK;
    if (!spool->in_file && spool->size + count > SPOOL_MEMORY) {
        status = to_file(spool, e);
    } else if (!spool->in_file) {
        status = memory_grow(&spool->memory, &spool->capacity, spool->size + count, 1, "the prompts", e);
        if (status == STATUS_OK && count > 0)
            memcpy(spool->memory + spool->size, bytes, count);
        spool->size += status == STATUS_OK ? count : 0;
        return status;
    }
    const char *from = bytes;
    while (count > 0 && status == STATUS_OK) {
        const ssize_t put = write(spool->fd, from, count);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return cannot("written", e);
        from += put;
        count -= (size_t)put;
        spool->size += (size_t)put;
    }
    return status;
}

enum status spool_read(const struct spool *spool, size_t offset, void *bytes, size_t count, struct error *e)
{
    if (offset > spool->size || count > spool->size - offset)
        return error_set(e, STATUS_INPUT, "%zu bytes at %zu lie beyond the end of the prompts", count, offset);
    if (!spool->in_file) {
        if (count > 0)
            memcpy(bytes, (spool->borrowed != NULL ? spool->borrowed : spool->memory) + offset, count);
        return STATUS_OK;
    }
    char *to = bytes;
    while (count > 0) {
        const ssize_t got = pread(spool->fd, to, count, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            error_set(e, STATUS_INPUT, got < 0 ? "can't be read: %s" : "has become shorter while it was read%s",
                      got < 0 ? strerror(errno) : "");
            return error_position(e, (int64_t)offset);
        }
        to += got;
        offset += (size_t)got;
        count -= (size_t)got;
    }
    return STATUS_OK;
}

enum status spool_attach(struct spool *spool, long process, int fd, size_t size, struct error *e)
{
    char path[64];
    *spool = (struct spool){0};
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", process, fd);
    const int own = open(path, O_RDONLY | O_CLOEXEC);
    if (own < 0) {
        error_set(e, STATUS_FAILED, "the temporary file of the prompts can't be opened: %s", strerror(errno));
        error_advice(e, "ranks of a host must see each other's processes; else give the prompts as a plain file");
        return error_file(e, path);
    }
    *spool = spool_of_file(own, size);
    return STATUS_OK;
}
