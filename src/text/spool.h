/* spool.h - bytes of any size that can be read anywhere: a file, memory, or a temporary file.
 *
 * Flow: inflow -> *spool* -> scan, prompts. What comes through a pipe or out of a
 * compressed file is kept here: a little in memory, more in a file of the folder that
 * TMPDIR names, which is unlinked as soon as it is made and so goes away with the
 * process however that ends. Reading copies: nothing is mapped, so memory stays
 * bounded whatever the size, and a file cut by someone else is an error, not a signal.
 */
#ifndef PHI3SAT_TEXT_SPOOL_H
#define PHI3SAT_TEXT_SPOOL_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

#include "../base/error.h"

/* Up to here bytes stay in memory. */
#define SPOOL_MEMORY ((size_t)4 << 20)

struct spool {
    bool in_file;         /* in `fd`; else in memory                            */
    int fd;
    char *memory;         /* [capacity]                                         */
    const char *borrowed; /* somebody else's memory instead                     */
    size_t capacity;
    size_t size;
};

/* A zeroed struct is an empty spool to append to. Others are over borrowed memory, or over an open
 * descriptor of a regular file, which becomes the spool's. All are ended by spool_close. */
struct spool spool_over(const char *bytes, size_t size);
struct spool spool_of_file(int fd, size_t size);
void spool_close(struct spool *spool);

/* Appends bytes[count] to a spool that began empty. STATUS_FAILED: memory, or
 * the temporary file can't be made or written; the advice names TMPDIR. */
enum status spool_append(struct spool *spool, const void *bytes, size_t count, struct error *e) ERROR_MUST_USE;

/* Reads bytes[count] from `offset` on; all of it lies within the spool. STATUS_INPUT: the file
 * can't be read or has become shorter. Thread-safe. */
enum status spool_read(const struct spool *spool, size_t offset, void *bytes, size_t count,
                       struct error *e) ERROR_MUST_USE;

/* Opens the temporary file of another process of this host: by /proc, since it has no
 * name. `size` is its size. */
enum status spool_attach(struct spool *spool, long process, int fd, size_t size, struct error *e) ERROR_MUST_USE;

#endif
