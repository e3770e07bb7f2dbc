/* archive_seal.h - the checksum behind an archive's end, by which any damage is found before HDF5 looks at the file.
 *
 * Flow: writer: HDF5's file, closed -> *seal* -> rename; reader: file -> *seal* -> HDF5.
 *
 *     byte 0                                   N           N+16      N+24             N+40
 *     | HDF5's file, as its superblock tells it | the words | N, u64  | XXH3-128 of    | end
 *     |                                         | below     | little  | bytes 0..N+24  |
 *                                                             endian    low, high half
 *
 * HDF5 reads no byte behind the end that its superblock names, so every program opens a sealed file as before; one that
 * writes to it cuts the seal off. A file that ends where HDF5 ends has no seal (an older phi3sat wrote it, or
 * somebody edited it) and is not refused; one that ends elsewhere is damaged. It protects from accidents, not from
 * forgers: anyone can make a seal.
 */
#ifndef PHI3SAT_ARCHIVE_ARCHIVE_SEAL_H
#define PHI3SAT_ARCHIVE_ARCHIVE_SEAL_H

#include "../base/error.h"

#define ARCHIVE_SEAL_WORDS "\nphi3sat seal 1\n" /* 16 bytes, without a NUL */
#define ARCHIVE_SEAL_SIZE 40

/* Seals the closed file `file`. STATUS_OUTPUT; the message calls it `name`. */
enum status archive_seal_write(const char *file, const char *name, struct error *e) ERROR_MUST_USE;

/* STATUS_INPUT: `path` is sealed and was changed since, or is cut off, or has bytes behind its end that are no seal. What
 * can't be read or is no HDF5 passes: others say so better. */
enum status archive_seal_check(const char *path, struct error *e) ERROR_MUST_USE;

#endif
