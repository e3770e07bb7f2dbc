/* outfile.h - outputs that are either whole or not there.
 *
 * An output is written beside its name, flushed to the disk and renamed over the
 * old one as the last act, so that a crash or a full disk never costs the old
 * file and never leaves half a new one. `outfile_probe` is asked before the hours
 * of work; the archive's writer, which lets HDF5 write, uses the parts at the end.
 */
#ifndef PHI3SAT_BASE_OUTFILE_H
#define PHI3SAT_BASE_OUTFILE_H

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "error.h"

/* One text output under way. */
struct outfile {
    char *path;        /* what it is to be called                               */
    char *temporary;   /* where it is written; NULL: a device or pipe, directly */
    FILE *stream;      /* buffered                                              */
    locale_t locale;   /* C, for the numbers                                    */
    int reason;        /* errno of the first write that failed; 0: none         */
};

/* Can `path` be written here and now? Makes and removes a file beside it. The
 * old file, if any, is untouched. STATUS_OUTPUT: no such folder, no permission,
 * no space for a name, `path` is a folder. */
enum status outfile_probe(const char *path, struct error *e) ERROR_MUST_USE;

/* Is an existing `path` the file with this st_dev and st_ino (struct mapping's
 * device and inode)? An output that is also an input has to be refused. */
bool outfile_is_input(const char *path, uint64_t device, uint64_t inode);

/* Is everything written so far on the disk? For one output of several, before the others
 * replace their old files. `o` still ends with outfile_commit or outfile_abandon. STATUS_OUTPUT. */
enum status outfile_settle(struct outfile *o, struct error *e) ERROR_MUST_USE;

/* Starts an output. Ended by outfile_commit or outfile_abandon, both of which
 * free everything; `o` is zeroed on failure. A character device or pipe (such as
 * /dev/stdout) is written directly. */
enum status outfile_open(struct outfile *o, const char *path, struct error *e) ERROR_MUST_USE;

/* Add to it; numbers have a decimal point in every locale. A failed write is
 * remembered and reported by outfile_commit. */
void outfile_print(struct outfile *o, const char *format, ...) ERROR_PRINTF(2, 3);
void outfile_write(struct outfile *o, const void *bytes, size_t size);

/* Writes over `size` bytes from byte `at` on that are there already, and goes on at the end. Not for devices and
 * pipes: told like a failed write. */
void outfile_rewrite(struct outfile *o, uint64_t at, const void *bytes, size_t size);

/* Flushes, syncs and renames; STATUS_OUTPUT when any of it failed, and then the
 * old file is as it was and the new one is gone. */
enum status outfile_commit(struct outfile *o, struct error *e) ERROR_MUST_USE;

/* Drops what was written. A zeroed struct is allowed. */
void outfile_abandon(struct outfile *o);

/* The same in parts, for libraries that write files by name. outfile_reserve
 * makes a new empty file beside `path` (a regular file or nothing) and gives its
 * name, which the caller frees with memory_free; outfile_publish syncs
 * `temporary`, renames it to `path` and syncs the folder, or removes it on failure; outfile_discard removes it. */
enum status outfile_reserve(const char *path, char **temporary, struct error *e) ERROR_MUST_USE;
enum status outfile_publish(const char *temporary, const char *path, struct error *e) ERROR_MUST_USE;
void outfile_discard(const char *temporary);

/* Removes what a process that was killed has left beside `path`. Only for paths that nobody else is writing. */
void outfile_sweep(const char *path);

/* Fills `e` with "can't be VERB: REASON" for `path`: STATUS_OUTPUT and advice that
 * fits the reason (an errno). */
enum status outfile_fault(const char *path, const char *verb, int reason, struct error *e);

#endif
