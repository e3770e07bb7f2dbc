/* outfile.c - write aside, sync, rename; see outfile.h.
 *
 * The temporary stands in the output's own folder, for a rename is atomic only
 * within a file system, and its name carries the process id, so that two runs
 * into one folder don't meet; O_EXCL decides where they would (two hosts with the
 * same id on a shared folder), and also refuses a link planted under that name.
 * A symbolic link as output is followed first: the file it points to is replaced
 * and the link stays.
 *
 * Devices and pipes (/dev/stdout, /dev/null) are written directly: renaming over
 * them would replace the device itself.
 *
 * Rejected: O_TMPFILE with linkat, which cannot replace an existing name and is
 * not there on network file systems.
 */
#include "outfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"
#include "temporaries.h"

#define NAMES_TRIED 1000

static const char *advice_for(int reason)
{
    switch (reason) {
    case ENOENT:
        return "make the folder first, or give another path";
    case ENOTDIR:
        return "a part of the path is a file; give another path";
    case EISDIR:
        return "give the path of a file";
    case EACCES:
    case EPERM:
    case EROFS:
        return "choose a folder that you may write to";
    case ENOSPC:
    case EDQUOT:
        return "free some space, or write elsewhere";
    case ENAMETOOLONG:
        return "give a shorter name";
    default:
        return "check the folder, or write elsewhere";
    }
}

enum status outfile_fault(const char *path, const char *verb, int reason, struct error *e)
{
    error_set(e, STATUS_OUTPUT, "can't be %s: %s", verb, strerror(reason));
    error_advice(e, "%s", advice_for(reason));
    error_file(e, path);
    return STATUS_OUTPUT;
}

/* The name behind symbolic links, or `path` itself where there is nothing yet. */
static enum status resolve(const char *path, char **name, struct error *e)
{
    char real[PATH_MAX];
    return memory_string(name, realpath(path, real) ? real : path, e);
}

static char *folder_of(const char *path, char folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    if (length == 0)
        snprintf(folder, PATH_MAX, slash ? "/" : ".");
    else
        snprintf(folder, PATH_MAX, "%.*s", (int)length, path);
    return folder;
}

/* Is there something under the name that must not be renamed over? */
static enum status look_at(const char *path, bool *direct, struct error *e)
{
    struct stat about;
    size_t length = strlen(path);
    *direct = false;
    if (length == 0)
        return outfile_fault(path, "written", ENOENT, e);
    if (path[length - 1] == '/')
        return outfile_fault(path, "written", EISDIR, e);
    if (stat(path, &about) != 0)
        return errno == ENOENT ? STATUS_OK : outfile_fault(path, "written", errno, e);
    if (S_ISDIR(about.st_mode))
        return outfile_fault(path, "written", EISDIR, e);
    *direct = !S_ISREG(about.st_mode);
    return STATUS_OK;
}

/* Makes a new empty file beside `path`; *fd is open for writing. */
static enum status make_beside(const char *path, char **temporary, int *fd, struct error *e)
{
    char *name;
    size_t size = strlen(path) + 48;
    enum status status = memory_array(&name, size, 1, "a file name", e);
    *temporary = NULL;
    *fd = -1;
    if (status != STATUS_OK)
        return status;
    for (int i = 0; i < NAMES_TRIED && *fd < 0; i++) {
        snprintf(name, size, "%s.part-%ld-%d", path, (long)getpid(), i);
        *fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (*fd < 0 && errno != EEXIST)
            break;
    }
    if (*fd < 0) {
        status = outfile_fault(path, "written", errno, e);
        memory_free(name);
        return status;
    }
    temporaries_add(name);
    *temporary = name;
    return STATUS_OK;
}

void outfile_discard(const char *temporary)
{
    unlink(temporary);
    temporaries_forget(temporary);
}

/* What there is under `path` decides how it is written; *name is where. */
static enum status prepare(const char *path, char **name, bool *direct, struct error *e)
{
    enum status status = look_at(path, direct, e);
    *name = NULL;
    return status == STATUS_OK ? resolve(path, name, e) : status;
}

static enum status reserve(const char *name, const char *path, char **temporary, int *fd, struct error *e)
{
    enum status status = make_beside(name, temporary, fd, e);
    if (status != STATUS_OK)
        error_file(e, path); /* as the user wrote it */
    return status;
}

enum status outfile_probe(const char *path, struct error *e)
{
    bool direct;
    char *name, *temporary;
    int fd;
    enum status status = prepare(path, &name, &direct, e);
    if (status == STATUS_OK && direct) {
        if (access(path, W_OK) != 0)
            status = outfile_fault(path, "written", errno, e);
    } else if (status == STATUS_OK) {
        status = reserve(name, path, &temporary, &fd, e);
        if (status == STATUS_OK) {
            close(fd);
            outfile_discard(temporary);
            memory_free(temporary);
        }
    }
    memory_free(name);
    return status;
}

bool outfile_is_input(const char *path, uint64_t device, uint64_t inode)
{
    struct stat about;
    return stat(path, &about) == 0 && (uint64_t)about.st_dev == device && (uint64_t)about.st_ino == inode;
}

enum status outfile_reserve(const char *path, char **temporary, struct error *e)
{
    bool direct;
    char *name;
    int fd = -1;
    enum status status = prepare(path, &name, &direct, e);
    *temporary = NULL;
    if (status == STATUS_OK && direct) {
        status = error_set(e, STATUS_OUTPUT, "is a device or a pipe, which can't hold this kind of file");
        error_advice(e, "give the path of a file");
        error_file(e, path);
    } else if (status == STATUS_OK) {
        status = reserve(name, path, temporary, &fd, e);
    }
    if (fd >= 0)
        close(fd);
    memory_free(name);
    return status;
}

/* NAME.part-PROCESS-NUMBER, as make_beside calls them. */
static bool is_part(const char *entry, const char *name)
{
    size_t length = strlen(name);
    long process;
    int number, used = 0;
    return strncmp(entry, name, length) == 0 && entry[length] &&
           sscanf(entry + length, ".part-%ld-%d%n", &process, &number, &used) == 2 && entry[length + (size_t)used] == '\0';
}

void outfile_sweep(const char *path)
{
    char folder[PATH_MAX], *name, *slash;
    struct error ignored;
    if (resolve(path, &name, &ignored) != STATUS_OK)
        return;
    slash = strrchr(name, '/');
    DIR *entries = opendir(folder_of(name, folder));
    for (struct dirent *d = entries ? readdir(entries) : NULL; d; d = readdir(entries))
        if (is_part(d->d_name, slash ? slash + 1 : name))
            unlinkat(dirfd(entries), d->d_name, 0);
    if (entries)
        closedir(entries);
    memory_free(name);
}

/* A rename lasts once its folder is on the disk. File systems that can't sync a
 * folder say EINVAL or the like: there is nothing more to be done there. */
static int sync_folder(const char *path)
{
    char folder[PATH_MAX];
    int fd = open(folder_of(path, folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    int reason = fsync(fd) != 0 && errno == EIO ? EIO : 0;
    close(fd);
    return reason;
}

/* 0, or the errno of what went wrong. */
static int publish(int fd, const char *temporary, const char *name)
{
    if (fsync(fd) != 0)
        return errno;
    if (rename(temporary, name) != 0)
        return errno;
    temporaries_forget(temporary);
    return sync_folder(name);
}

enum status outfile_publish(const char *temporary, const char *path, struct error *e)
{
    char *name;
    enum status status = resolve(path, &name, e);
    if (status != STATUS_OK) {
        outfile_discard(temporary);
        return status;
    }
    int fd = open(temporary, O_RDWR | O_CLOEXEC);
    int reason = fd < 0 ? errno : publish(fd, temporary, name);
    if (fd >= 0 && close(fd) != 0 && reason == 0)
        reason = errno;
    memory_free(name);
    if (reason == 0)
        return STATUS_OK;
    outfile_discard(temporary);
    return outfile_fault(path, "written", reason, e);
}

static enum status open_stream(struct outfile *o, const char *path, struct error *e)
{
    bool direct;
    int fd = -1;
    enum status status = prepare(path, &o->path, &direct, e);
    if (status != STATUS_OK)
        return status;
    if (direct)
        fd = open(path, O_WRONLY | O_CLOEXEC);
    else
        status = reserve(o->path, path, &o->temporary, &fd, e);
    if (status != STATUS_OK)
        return status;
    o->stream = fd >= 0 ? fdopen(fd, "w") : NULL;
    o->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (o->stream && o->locale)
        return STATUS_OK;
    status = outfile_fault(path, "opened", errno, e);
    if (!o->stream && fd >= 0)
        close(fd);
    return status;
}

enum status outfile_open(struct outfile *o, const char *path, struct error *e)
{
    memset(o, 0, sizeof *o);
    enum status status = open_stream(o, path, e);
    if (status != STATUS_OK)
        outfile_abandon(o);
    return status;
}

static void note(struct outfile *o, bool failed)
{
    if (failed && o->reason == 0)
        o->reason = errno ? errno : EIO;
}

void outfile_print(struct outfile *o, const char *format, ...)
{
    locale_t users = uselocale(o->locale);
    va_list args;
    va_start(args, format);
    note(o, vfprintf(o->stream, format, args) < 0);
    va_end(args);
    uselocale(users);
}

void outfile_write(struct outfile *o, const void *bytes, size_t size)
{
    note(o, fwrite(bytes, 1, size, o->stream) != size);
}

void outfile_rewrite(struct outfile *o, uint64_t at, const void *bytes, size_t size)
{
    note(o, fseeko(o->stream, (off_t)at, SEEK_SET) != 0);
    note(o, fwrite(bytes, 1, size, o->stream) != size);
    note(o, fseeko(o->stream, 0, SEEK_END) != 0);
}

enum status outfile_settle(struct outfile *o, struct error *e)
{
    note(o, fflush(o->stream) != 0);
    note(o, o->temporary && fsync(fileno(o->stream)) != 0);
    return o->reason ? outfile_fault(o->path, "written", o->reason, e) : STATUS_OK;
}

enum status outfile_commit(struct outfile *o, struct error *e)
{
    enum status status = STATUS_OK;
    note(o, fflush(o->stream) != 0);
    if (o->reason == 0 && o->temporary)
        o->reason = publish(fileno(o->stream), o->temporary, o->path);
    note(o, fclose(o->stream) != 0);
    o->stream = NULL;
    if (o->reason)
        status = outfile_fault(o->path, "written", o->reason, e);
    if (status == STATUS_OK) {
        memory_free(o->temporary); /* renamed: nothing to remove */
        o->temporary = NULL;
    }
    outfile_abandon(o);
    return status;
}

void outfile_abandon(struct outfile *o)
{
    if (o->stream)
        fclose(o->stream);
    if (o->temporary)
        outfile_discard(o->temporary);
    if (o->locale)
        freelocale(o->locale);
    memory_free(o->temporary);
    memory_free(o->path);
    memset(o, 0, sizeof *o);
}
