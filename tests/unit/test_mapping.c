/* test_mapping.c - whole files, what is no file, and pipes. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mapping.h"
#include "base/memory.h"
#include "failing_memory.h"
#include "tap.h"

static struct error e;
static struct mapping m;

static const char *in_folder(const char *name)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", tap_folder(), name);
    return path;
}

static void write_file(const char *path, size_t size)
{
    FILE *f = fopen(path, "wb");
    for (size_t i = 0; f && i < size; i++)
        fputc((int)(i * 7 % 251), f);
    if (!f || fclose(f) != 0)
        bail("can't write %s", path);
}

static bool pattern(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != i * 7 % 251)
            return false;
    return true;
}

static void refused(const char *path, const char *words)
{
    memset(&m, 1, sizeof m);
    is_int(mapping_open(&m, path, &e), STATUS_INPUT, "refused: %s", words);
    ok(strstr(e.sentence, words) && strcmp(e.file, path) == 0 && !m.bytes && !m.path && m.size == 0,
       "it says why and leaves nothing");
}

static void files(void)
{
    const char *path = in_folder("data");
    write_file(path, 100000);
    ok(mapping_open(&m, path, &e) == STATUS_OK && m.size == 100000 && pattern(m.bytes, m.size), "a file is mapped whole");
    is_string(m.path, path, "its path is kept");
    struct mapping second;
    char other[700];
    snprintf(other, sizeof other, "%s/../%s/data", tap_folder(), strrchr(tap_folder(), '/') + 1);
    ok(mapping_open(&second, other, &e) == STATUS_OK && second.device == m.device && second.inode == m.inode,
       "the same file under another name is known");
    mapping_close(&second);
    unlink(path);
    ok(pattern(m.bytes, m.size), "a map outlives its name");
    mapping_close(&m);
    mapping_close(&m);
    path = in_folder("empty");
    write_file(path, 0);
    ok(mapping_open(&m, path, &e) == STATUS_OK && m.size == 0 && m.bytes, "an empty file has bytes, none");
    mapping_close(&m);
    refused(in_folder("absent"), "No such file");
    refused(tap_folder(), "is a folder");
    refused("/dev/null", "is not a regular file");
    path = in_folder("fifo");
    if (mkfifo(path, 0600) == 0)
        refused(path, "is not a regular file");
    path = in_folder("secret");
    write_file(path, 1);
    chmod(path, 0);
    bool root = geteuid() == 0; /* who may read everything: be nobody for a moment */
    ok(!root || seteuid(65534) == 0, "another user asks");
    refused(path, "Permission denied");
    ok(!root || seteuid(0) == 0, "and leaves");
    failing_memory_left = 0;
    is_int(mapping_open(&m, path, &e), STATUS_FAILED, "no memory is no fault of the file");
    failing_memory_left = -1;
    is_int(mapping_open(&m, in_folder("absent"), NULL), STATUS_INPUT, "the status needs no error to go to");
}

/* Sizes around those where something else is done. */
static void large_files(void)
{
    static const size_t sizes[] = {(2u << 20) - 1, 2u << 20, (2u << 20) + 1, (4u << 20) + 4097};
    const char *path = in_folder("large");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        write_file(path, sizes[i]);
        ok(mapping_open(&m, path, &e) == STATUS_OK && m.size == sizes[i] && pattern(m.bytes, m.size), "%zu bytes are mapped",
           sizes[i]);
        ok(i == 0 || (uintptr_t)m.bytes % (2u << 20) == 0, "from a huge page's border on, if there is one to fill");
        mapping_close(&m);
    }
    unlink(path);
}

static void pipes(void)
{
    char *bytes;
    size_t size = 0;
    const char *path = in_folder("stream");
    write_file(path, 200000);
    int fd = open(path, O_RDONLY);
    ok(mapping_read_all(fd, SIZE_MAX, &bytes, &size, &e) == STATUS_OK && size == 200000 && pattern((uint8_t *)bytes, size),
       "a stream is read to its end");
    memory_free(bytes);
    lseek(fd, 0, SEEK_SET);
    ok(mapping_read_all(fd, 200000, &bytes, &size, &e) == STATUS_OK && size == 200000, "as long as the limit is allowed");
    memory_free(bytes);
    lseek(fd, 0, SEEK_SET);
    ok(mapping_read_all(fd, 199999, &bytes, &size, &e) == STATUS_INPUT && !bytes && strstr(e.sentence, "longer than 199999"),
       "longer is not");
    lseek(fd, 0, SEEK_SET);
    failing_memory_left = 1;
    ok(mapping_read_all(fd, SIZE_MAX, &bytes, &size, &e) == STATUS_FAILED && !bytes, "running out of memory on the way");
    failing_memory_left = -1;
    close(fd);
    ok(mapping_read_all(fd, 10, &bytes, &size, &e) == STATUS_INPUT && !bytes, "a closed stream can't be read");
    int ends[2];
    if (pipe(ends) != 0 || write(ends[1], "abc", 3) != 3)
        bail("no pipe");
    close(ends[1]);
    ok(mapping_read_all(ends[0], 10, &bytes, &size, &e) == STATUS_OK && size == 3 && memcmp(bytes, "abc", 3) == 0, "a pipe");
    memory_free(bytes);
    ok(mapping_read_all(ends[0], 0, &bytes, &size, &e) == STATUS_OK && size == 0, "an empty one, with limit 0");
    memory_free(bytes);
    close(ends[0]);
}

static void changes(void)
{
    struct stat about;
    const char *path = in_folder("changing");
    write_file(path, 10);
    if (mapping_open(&m, path, &e) != STATUS_OK || stat(path, &about) != 0)
        bail("can't map");
    ok(!mapping_changed(&m), "a file is as it was");
    int fd = open(path, O_WRONLY);
    if (write(fd, "X", 1) != 1)
        bail("can't write");
    close(fd);
    struct timespec times[2] = {about.st_atim, {about.st_mtim.tv_sec, (about.st_mtim.tv_nsec + 1) % 1000000000}};
    utimensat(AT_FDCWD, path, times, 0); /* a clock's grain later */
    ok(mapping_changed(&m), "a byte was written");
    times[1] = about.st_mtim;
    utimensat(AT_FDCWD, path, times, 0);
    ok(!mapping_changed(&m), "the file's time tells");
    if (truncate(path, 11) != 0 || utimensat(AT_FDCWD, path, times, 0) != 0)
        bail("can't lengthen");
    ok(mapping_changed(&m), "its length does too");
    unlink(path);
    ok(!mapping_changed(&m), "a removed file stays what it was");
    write_file(path, 12);
    ok(!mapping_changed(&m), "another of its name is not it");
    mapping_close(&m);
}

int main(void)
{
    files();
    changes();
    large_files();
    pipes();
    return tap_done();
}
