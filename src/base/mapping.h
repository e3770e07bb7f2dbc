/* mapping.h - whole files mapped read-only.
 *
 * Model and prompt files are opened read-only and mapped, so ranks of a node
 * share one copy in the page cache and nothing can be written by mistake. A file that is
 * cut short while it is mapped ends the process in one line (mapping_guard.h).
 */
#ifndef PHI3SAT_BASE_MAPPING_H
#define PHI3SAT_BASE_MAPPING_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

#include "error.h"

struct mapping {
    const uint8_t *bytes; /* [size]; never NULL after mapping_open               */
    size_t size;
    char *path;           /* as given                                            */
    uint64_t device;      /* st_dev and st_ino: the same file under two names    */
    uint64_t inode;
    int64_t written[2];   /* st_mtim at that time: seconds, nanoseconds          */
};

/* Maps the regular file `path`. STATUS_INPUT with the reason: not there, no
 * permission, a directory. An empty file gives size 0. Closed by mapping_close,
 * which allows a zeroed struct; `m` is zeroed on failure. */
enum status mapping_open(struct mapping *m, const char *path, struct error *e) ERROR_MUST_USE;
void mapping_close(struct mapping *m);

/* Has the file been written to, or made longer or shorter, since it was mapped? False where another has taken its
 * name: the map is still of the old one. */
bool mapping_changed(const struct mapping *m);

/* Whether `path` leads to a folder. */
bool mapping_is_folder(const char *path);

/* Whether there is anything of that name. */
bool mapping_is_there(const char *path);

/* Reads all of descriptor `fd` (a pipe, say) into fresh memory, at most `limit`
 * bytes (STATUS_INPUT beyond). The caller frees *bytes. */
enum status mapping_read_all(int fd, size_t limit, char **bytes, size_t *size, struct error *e) ERROR_MUST_USE;

#endif
