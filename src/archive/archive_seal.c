/* archive_seal.c - see archive_seal.h.
 *
 * Why not in the file: an attribute can't hold the sum of the file that it is in, and asking HDF5 for it would be too
 * late. Why not in front (a user block): readers that look for HDF5's signature at byte 0 would no longer know the
 * file. The sum covers the words and the size in front of it too, so that no byte of the file is without one.
 */
#include "archive_seal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "../base/memory.h"
#include "../base/outfile.h"

#define WORDS 16
#define SUMMED (WORDS + 8) /* bytes of the seal that its sum covers */
#define PIECE ((size_t)1 << 20)

/* HDF5's superblock, versions 2 and 3 with 8-byte offsets: signature 8, version, size of offsets, of lengths, flags, base
 * address, extension's, end of file, root's, checksum (its format specification). */
#define SUPERBLOCK 48
#define BASE_AT 12
#define END_AT 28

static uint64_t number_at(const uint8_t *bytes)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

static void put_number(uint8_t *bytes, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

/* bytes[size] from `at` on; false with errno (0: the file ends first). */
static bool read_at(int fd, uint64_t at, void *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t got = pread(fd, (char *)bytes + done, size - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            errno = got == 0 ? 0 : errno;
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

/* The sum of the first `size` bytes, then of the seal's own. */
static bool sum_up(int fd, uint64_t size, const uint8_t seal[ARCHIVE_SEAL_SIZE], uint8_t *piece, XXH128_hash_t *sum)
{
    XXH3_state_t *state = XXH3_createState();
    bool done = state && XXH3_128bits_reset(state) == XXH_OK;
    for (uint64_t at = 0; at < size && done; at += PIECE) {
        const size_t count = size - at < PIECE ? (size_t)(size - at) : PIECE;
        done = read_at(fd, at, piece, count) && XXH3_128bits_update(state, piece, count) == XXH_OK;
    }
    if (done) {
        XXH3_128bits_update(state, seal, SUMMED);
        *sum = XXH3_128bits_digest(state);
    }
    XXH3_freeState(state);
    return done;
}

static bool append(int fd, const uint8_t *bytes, size_t size, uint64_t at)
{
    while (size) {
        const ssize_t put = pwrite(fd, bytes, size, (off_t)at);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        bytes += put;
        size -= (size_t)put;
        at += (uint64_t)put;
    }
    return true;
}

enum status archive_seal_write(const char *file, const char *name, struct error *e)
{
    uint8_t seal[ARCHIVE_SEAL_SIZE], *piece;
    struct stat about;
    XXH128_hash_t sum;
    enum status status = memory_uninitialised(&piece, PIECE, 1, "a piece of the archive", e);
    if (status != STATUS_OK)
        return status;
    const int fd = open(file, O_RDWR | O_CLOEXEC);
    bool done = fd >= 0 && fstat(fd, &about) == 0;
    if (done) {
        memcpy(seal, ARCHIVE_SEAL_WORDS, WORDS);
        put_number(seal + WORDS, (uint64_t)about.st_size);
        done = sum_up(fd, (uint64_t)about.st_size, seal, piece, &sum);
    }
    if (done) {
        put_number(seal + SUMMED, sum.low64);
        put_number(seal + SUMMED + 8, sum.high64);
        done = append(fd, seal, sizeof seal, (uint64_t)about.st_size);
    }
    const int reason = errno;
    if (fd >= 0 && close(fd) != 0 && done) /* a full disk may show here only, over a network */
        status = outfile_fault(name, "written", errno, e);
    memory_free(piece);
    return done ? status : outfile_fault(name, "written", reason, e);
}

/* Where HDF5's own bytes end; 0: its superblock is of a kind that we don't write. */
static uint64_t hdf5_end(int fd, uint64_t size)
{
    static const uint8_t signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    uint8_t block[SUPERBLOCK];
    if (size < sizeof block || !read_at(fd, 0, block, sizeof block) || memcmp(block, signature, 8) != 0)
        return 0;
    if (block[8] < 2 || block[8] > 3 || block[9] != 8 || block[10] != 8 || number_at(block + BASE_AT) != 0)
        return 0;
    return number_at(block + END_AT);
}

static enum status damaged(uint64_t position, struct error *e)
{
    error_advice(e, "get it again from where it came from, or make it anew");
    return error_position(e, position > INT64_MAX ? -1 : (int64_t)position);
}

static enum status check_sum(int fd, uint64_t size, const uint8_t seal[ARCHIVE_SEAL_SIZE], struct error *e)
{
    uint8_t *piece;
    XXH128_hash_t sum = {.low64 = 0};
    enum status status = memory_uninitialised(&piece, PIECE, 1, "a piece of the archive", e);
    if (status != STATUS_OK)
        return status;
    errno = 0;
    const bool done = sum_up(fd, size, seal, piece, &sum);
    memory_free(piece);
    if (!done) {
        error_set(e, STATUS_INPUT, "can't be read: %s", errno ? strerror(errno) : "it became shorter");
        error_advice(e, "check the file and its disk");
        return STATUS_INPUT;
    }
    if (sum.low64 == number_at(seal + SUMMED) && sum.high64 == number_at(seal + SUMMED + 8))
        return STATUS_OK;
    error_set(e, STATUS_INPUT, "is damaged: the checksum behind its %" PRIu64 " bytes doesn't fit", size);
    return damaged(size + SUMMED, e);
}

/* No seal: then the file ends where HDF5 says. */
static enum status check_end(int fd, uint64_t size, struct error *e)
{
    const uint64_t end = hdf5_end(fd, size);
    if (end == 0 || end == size)
        return STATUS_OK;
    if (size < end)
        error_set(e, STATUS_INPUT, "is cut off: it has %" PRIu64 " of its %" PRIu64 " bytes", size, end);
    else
        error_set(e, STATUS_INPUT, "is damaged: the %" PRIu64 " bytes behind its end at %" PRIu64 " are no checksum",
                  size - end, end);
    return damaged(size < end ? size : end, e);
}

enum status archive_seal_check(const char *path, struct error *e)
{
    uint8_t seal[ARCHIVE_SEAL_SIZE];
    struct stat about;
    enum status status = STATUS_OK;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode)) {
        const uint64_t size = (uint64_t)about.st_size, inner = size - sizeof seal;
        if (size > sizeof seal && read_at(fd, inner, seal, sizeof seal) &&
            memcmp(seal, ARCHIVE_SEAL_WORDS, WORDS) == 0 && number_at(seal + WORDS) == inner)
            status = check_sum(fd, inner, seal, e);
        else
            status = check_end(fd, size, e);
    }
    if (fd >= 0)
        close(fd);
    if (status != STATUS_OK)
        error_file(e, path);
    return status;
}
