/* mapping_guard.h - a mapped file that shrinks while it is in use ends the process in one line, not in a crash.
 *
 * Flow: mapping_open -> *mapping_guard*; the system -> SIGBUS. A page of a mapped file that is no longer there (somebody
 * truncated or rewrote the file, a network file system lost it, the disk failed) can't be read, and there is nothing
 * that the reader could be given instead: what has been computed from the file is worth nothing either.
 *
 * Outputs are written aside, so none is torn, and what is aside is removed; checkpoints stay. Ranks that share the file end too: each by its own
 * fault, or because the launcher ends the job of a process that left with an error.
 */
#ifndef PHI3SAT_BASE_MAPPING_GUARD_H
#define PHI3SAT_BASE_MAPPING_GUARD_H

#include <stddef.h>
#include <stdint.h>

/* From now on, until mapping_guard_remove, a fault in bytes[size], size > 0, prints "phi3sat: PATH: ..." and exits with
 * STATUS_INPUT. `path` is borrowed. Thread-safe. Beyond MAPPING_GUARD_LIMIT files at a time a fault is a
 * crash again. */
#define MAPPING_GUARD_LIMIT 1024
void mapping_guard_add(const uint8_t *bytes, size_t size, const char *path);
void mapping_guard_remove(const uint8_t *bytes);

/* On ranks but the first (0): each waits a moment longer before it speaks, and doesn't if it is told to end meanwhile, since then
 * another has said it. */
void mapping_guard_rank(int rank);

#endif
