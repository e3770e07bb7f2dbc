/* hdf5_mutate.c - see hdf5_mutate.h.
 *
 * HDF5's structures begin with four letters. Some end with a checksum (Jenkins' lookup3 of what is before it); how long one
 * is follows from much that a mutator doesn't want to know, so it tries all lengths: the one whose sum fits is it.
 * Structures without a checksum (B-trees of version 1, heaps) are changed as they are.
 */
#include "hdf5_mutate.h"

#include <string.h>
#include <xxhash.h>

#include "archive/archive_seal.h"

#define LONGEST 1536 /* of a structure whose sum is looked for */
#define SUPERBLOCK_SUMMED 44

static const char *const letters[] = {"OHDR", "OCHK", "FRHP", "FHDB", "FHIB", "BTHD", "BTLF", "BTIN",
                                      "TREE", "SNOD", "HEAP", "GCOL", "FSHD", "FSSE", "SMTB", "SMLI"};
#define LETTERS (sizeof letters / sizeof *letters)

static uint32_t turn(uint32_t x, unsigned by)
{
    return x << by | x >> (32 - by);
}

/* Three words are stirred for every 12 bytes, and once more at the end. */
static void stir(uint32_t w[3])
{
    static const uint8_t by[6] = {4, 6, 8, 16, 19, 4};
    for (unsigned i = 0; i < 6; i++) {
        uint32_t *a = &w[i % 3], *b = &w[(i + 1) % 3], *c = &w[(i + 2) % 3];
        *a -= *c;
        *a ^= turn(*c, by[i]);
        *c += *b;
    }
}

static void settle(uint32_t w[3])
{
    static const uint8_t by[7] = {14, 11, 25, 16, 4, 14, 24};
    for (unsigned i = 0; i < 7; i++) {
        uint32_t *x = &w[(i + 2) % 3], *y = &w[(i + 1) % 3];
        *x ^= *y;
        *x -= turn(*y, by[i]);
    }
}

static uint32_t lookup3(const uint8_t *bytes, size_t size)
{
    uint32_t w[3];
    w[0] = w[1] = w[2] = UINT32_C(0xdeadbeef) + (uint32_t)size;
    if (size == 0)
        return w[2];
    for (; size > 12; size -= 12, bytes += 12) {
        for (unsigned i = 0; i < 12; i++)
            w[i / 4] += (uint32_t)bytes[i] << 8 * (i % 4);
        stir(w);
    }
    for (unsigned i = 0; i < size; i++)
        w[i / 4] += (uint32_t)bytes[i] << 8 * (i % 4);
    settle(w);
    return w[2];
}

/* The bytes that the sum behind them covers; 0: there is none. */
static size_t summed(const uint8_t *data, size_t size)
{
    for (size_t n = 12; n + 4 <= size && n < LONGEST; n++)
        if (lookup3(data, n) == mutate_load(data + n, 4, false))
            return n;
    return 0;
}

/* A structure, from a random place on; `size` where there is none. */
static size_t find(const uint8_t *data, size_t size, struct mutate_random *r)
{
    const char *wanted = letters[mutate_below(r, LETTERS)];
    const size_t from = mutate_below(r, size);
    for (size_t k = 0; k + 4 < size; k++) {
        const size_t at = (from + k) % (size - 4);
        if (memcmp(data + at, wanted, 4) == 0)
            return at;
    }
    return size;
}

/* One number or byte of data[size]. */
static void change(uint8_t *data, size_t size, size_t file_size, struct mutate_random *r)
{
    static const uint8_t widths[] = {1, 2, 4, 8, 8};
    size_t width = widths[mutate_below(r, sizeof widths)];
    if (width > size)
        width = 1;
    uint8_t *at = data + mutate_below(r, size - width + 1);
    if (mutate_one_in(r, 3))
        at[0] ^= (uint8_t)(1u << mutate_below(r, 8));
    else
        mutate_store(at, width, false, mutate_number(mutate_load(at, width, false), file_size, r));
}

static void change_superblock(uint8_t *data, size_t size, struct mutate_random *r)
{
    if (size < SUPERBLOCK_SUMMED + 4)
        return;
    change(data + 8, SUPERBLOCK_SUMMED - 8, size, r);
    if (!mutate_one_in(r, 4))
        mutate_store(data + SUPERBLOCK_SUMMED, 4, false, lookup3(data, SUPERBLOCK_SUMMED));
}

size_t hdf5_mutate(uint8_t *data, size_t size, size_t max, struct mutate_random *r)
{
    if (size < 64 || mutate_one_in(r, 8))
        return mutate_bytes(data, size, max, r);
    if (mutate_one_in(r, 12)) {
        change_superblock(data, size, r);
        return size;
    }
    const size_t at = find(data, size, r), left = size - at;
    if (at == size)
        return mutate_bytes(data, size, max, r);
    const size_t covered = summed(data + at, left);
    const size_t reach = covered ? covered : left < 256 ? left : 256;
    for (size_t i = 1 + mutate_below(r, 2); i-- > 0 && reach > 5;)
        change(data + at + 4, reach - 4, size, r);
    if (covered && !mutate_one_in(r, 8))
        mutate_store(data + at + covered, 4, false, lookup3(data + at, covered));
    return size;
}

size_t hdf5_mutate_end(const uint8_t *data, size_t size)
{
    const bool known = size >= SUPERBLOCK_SUMMED + 4 && memcmp(data, "\x89HDF\r\n\x1a\n", 8) == 0 &&
                       (data[8] == 2 || data[8] == 3) && data[9] == 8 && data[10] == 8 &&
                       mutate_load(data + 12, 8, false) == 0;
    return known ? (size_t)mutate_load(data + 28, 8, false) : size;
}

bool hdf5_mutate_is_sealed(const uint8_t *data, size_t size)
{
    return size > ARCHIVE_SEAL_SIZE && memcmp(data + size - ARCHIVE_SEAL_SIZE, ARCHIVE_SEAL_WORDS, 16) == 0 &&
           mutate_load(data + size - ARCHIVE_SEAL_SIZE + 16, 8, false) == size - ARCHIVE_SEAL_SIZE;
}

bool hdf5_mutate_seal_fits(const uint8_t *data, size_t size)
{
    const XXH128_hash_t sum = XXH3_128bits(data, size - 16);
    return sum.low64 == mutate_load(data + size - 16, 8, false) && sum.high64 == mutate_load(data + size - 8, 8, false);
}

size_t hdf5_mutate_unseal(const uint8_t *data, size_t size)
{
    return hdf5_mutate_is_sealed(data, size) ? size - ARCHIVE_SEAL_SIZE : size;
}

size_t hdf5_mutate_seal(uint8_t *data, size_t size, size_t max)
{
    const size_t inner = hdf5_mutate_unseal(data, size);
    if (max < inner + ARCHIVE_SEAL_SIZE)
        return size;
    memcpy(data + inner, ARCHIVE_SEAL_WORDS, 16);
    mutate_store(data + inner + 16, 8, false, inner);
    const XXH128_hash_t sum = XXH3_128bits(data, inner + 24);
    mutate_store(data + inner + 24, 8, false, sum.low64);
    mutate_store(data + inner + 32, 8, false, sum.high64);
    return inner + ARCHIVE_SEAL_SIZE;
}
