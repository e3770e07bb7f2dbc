/* prompt_file.c - prompts by path: mapped where that can be done, read where not.
 *
 * Mapping costs no memory for large files and lets ranks of a node share the
 * page cache. Pipes cannot be mapped; what comes through one is kept whole, since
 * order and number of prompts have to be known before they are shared out.
 */
#include "prompt_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/memory.h"

static enum status read_through(struct prompt_file *file, int fd, struct error *e)
{
    const enum status status = mapping_read_all(fd, SIZE_MAX / 2, &file->read, &file->size, e);
    if (status != STATUS_OK)
        return error_file(e, file->name);
    file->bytes = file->read;
    return STATUS_OK;
}

enum status prompt_file_open(struct prompt_file *file, const char *path, struct error *e)
{
    struct stat about;
    *file = (struct prompt_file){.bytes = "", .name = path};
    enum status status = STATUS_OK;
    if (strcmp(path, "-") == 0) {
        file->name = "standard input";
        status = read_through(file, STDIN_FILENO, e);
    } else if (stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)) {
        const int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0) {
            status = read_through(file, fd, e);
            close(fd);
        } else {
            status = error_set(e, STATUS_INPUT, "can't be opened: %s", strerror(errno));
            error_file(e, path);
        }
    } else {
        status = mapping_open(&file->map, path, e);
        if (status == STATUS_OK) {
            file->bytes = (const char *)file->map.bytes;
            file->size = file->map.size;
        }
    }
    if (status != STATUS_OK)
        prompt_file_close(file);
    return status;
}

void prompt_file_close(struct prompt_file *file)
{
    mapping_close(&file->map);
    memory_free(file->read);
    *file = (struct prompt_file){0};
}
