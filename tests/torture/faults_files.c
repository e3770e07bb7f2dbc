/* faults_files.c - calls on files that go wrong; see faults.h.
 *
 * The program's own symbols come before the C library's for libhdf5 and all other libraries as well, and do their work
 * by system calls. What the C library writes for its streams it does inside; so base/outfile.c's streams (--wrap of
 * fdopen and fileno) get a write of ours.
 */
#undef _FORTIFY_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "faults.h"

/* <fcntl.h> has inline forms of open in some C libraries. */
#define AT_CURRENT (-100)
#define CREATES 0100     /* O_CREAT on Linux */
#define WRITES 03        /* O_WRONLY, O_RDWR */

int open(const char *path, int flags, ...);
int open64(const char *path, int flags, ...);
int ftruncate64(int fd, off_t size);
ssize_t pwrite64(int fd, const void *bytes, size_t size, off_t at);
int flock(int fd, int how);
FILE *__wrap_fdopen(int fd, const char *mode);
int __wrap_fileno(FILE *stream);
void __real_free(void *block);

/* True: the call of this kind fails, errno is set. */
static bool fails(enum fault kind, int *shortened)
{
    const int how = faults_here(kind);
    *shortened = how == FAULT_SHORT;
    if (how > 0)
        errno = how;
    return how > 0;
}

static bool refused(enum fault kind, int fd)
{
    int shortened;
    return faults_descriptor_counts(fd) && fails(kind, &shortened);
}

static int open_with(const char *path, int flags, mode_t mode)
{
    int shortened;
    if ((flags & (WRITES | CREATES)) && faults_path_counts(path) && fails(FAULT_OPEN, &shortened))
        return -1;
    return (int)syscall(SYS_openat, AT_CURRENT, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = flags & CREATES ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_with(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = flags & CREATES ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_with(path, flags, mode);
}

/* How much of `size` is to be written; -1: it fails. */
static ssize_t allowed(int fd, size_t size)
{
    int shortened = 0;
    if (faults_descriptor_counts(fd) && fails(FAULT_WRITE, &shortened))
        return -1;
    return (ssize_t)(shortened && size > 1 ? size / 2 : size);
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    const ssize_t part = allowed(fd, size);
    return part < 0 ? -1 : (ssize_t)syscall(SYS_write, fd, bytes, (size_t)part);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at)
{
    const ssize_t part = allowed(fd, size);
    return part < 0 ? -1 : (ssize_t)syscall(SYS_pwrite64, fd, bytes, (size_t)part, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off_t at)
{
    return pwrite(fd, bytes, size, at);
}

ssize_t writev(int fd, const struct iovec *pieces, int count)
{
    return allowed(fd, 0) < 0 ? -1 : (ssize_t)syscall(SYS_writev, fd, pieces, count);
}

int ftruncate(int fd, off_t size)
{
    return refused(FAULT_RESIZE, fd) ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

int ftruncate64(int fd, off_t size)
{
    return ftruncate(fd, size);
}

int fsync(int fd)
{
    return refused(FAULT_SYNC, fd) ? -1 : (int)syscall(SYS_fsync, fd);
}

int rename(const char *from, const char *to)
{
    int shortened;
    if (faults_path_counts(to) && fails(FAULT_RENAME, &shortened))
        return -1;
    return (int)syscall(SYS_renameat2, AT_CURRENT, from, AT_CURRENT, to, 0);
}

/* Of files open for writing; closed they are in any case, as Linux does it. */
int close(int fd)
{
    const int kept = errno;
    const int flags = faults_wanted() ? (int)syscall(SYS_fcntl, fd, 3 /* F_GETFL */, 0) : 0;
    const bool failed = flags > 0 && (flags & WRITES) && refused(FAULT_CLOSE, fd);
    const int reason = failed ? errno : kept;
    const int result = (int)syscall(SYS_close, fd);
    if (result == 0)
        errno = reason;
    return failed ? -1 : result;
}

int flock(int fd, int how)
{
    int shortened;
    if (faults_wanted() && fails(FAULT_LOCK, &shortened))
        return -1;
    return (int)syscall(SYS_flock, fd, how);
}

/* A stream whose bytes go through write, above. */
struct stream {
    FILE *stream;
    int fd;
    struct stream *next;
};

static struct stream *streams;

static ssize_t stream_write(void *context, const char *bytes, size_t size)
{
    const struct stream *s = context;
    size_t done = 0;
    while (done < size) {
        const ssize_t put = write(s->fd, bytes + done, size - done);
        if (put < 0)
            return 0; /* a stream's way to say so; errno tells why */
        done += (size_t)put;
    }
    return (ssize_t)done;
}

static int stream_seek(void *context, off64_t *at, int whence)
{
    const struct stream *s = context;
    *at = lseek(s->fd, *at, whence);
    return *at < 0 ? -1 : 0;
}

static int stream_close(void *context)
{
    struct stream *s = context, **link = &streams;
    while (*link != s)
        link = &(*link)->next;
    *link = s->next;
    const int result = close(s->fd), reason = errno;
    __real_free(s);
    errno = reason;
    return result;
}

FILE *__wrap_fdopen(int fd, const char *mode)
{
    const cookie_io_functions_t how = {.write = stream_write, .seek = stream_seek, .close = stream_close};
    struct stream *s = malloc(sizeof *s);
    *s = (struct stream){.fd = fd, .next = streams};
    s->stream = fopencookie(s, mode, how);
    streams = s;
    return s->stream;
}

int __wrap_fileno(FILE *stream)
{
    const struct stream *s = streams;
    while (s && s->stream != stream)
        s = s->next;
    return s ? s->fd : fileno_unlocked(stream);
}
