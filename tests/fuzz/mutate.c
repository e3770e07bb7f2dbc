/* mutate.c - see mutate.h. */
#include "mutate.h"

#include <string.h>

/* ---- random numbers (splitmix64) ---------------------------------------------------- */

struct mutate_random mutate_random(uint64_t seed)
{
    return (struct mutate_random){seed};
}

uint64_t mutate_next(struct mutate_random *r)
{
    uint64_t z = r->state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

size_t mutate_below(struct mutate_random *r, size_t bound)
{
    return (size_t)(mutate_next(r) % bound);
}

bool mutate_one_in(struct mutate_random *r, size_t n)
{
    return mutate_below(r, n) == 0;
}

/* ---- numbers -------------------------------------------------------------------------- */

uint64_t mutate_load(const uint8_t *at, size_t width, bool big_endian)
{
    uint64_t value = 0;
    for (size_t i = 0; i < width; i++)
        value = value << 8 | at[big_endian ? i : width - 1 - i];
    return value;
}

void mutate_store(uint8_t *at, size_t width, bool big_endian, uint64_t value)
{
    for (size_t i = 0; i < width; i++, value >>= 8)
        at[big_endian ? width - 1 - i : i] = (uint8_t)value;
}

uint64_t mutate_number(uint64_t old, uint64_t bound, struct mutate_random *r)
{
    const uint64_t one = 1;
    const uint64_t power = one << mutate_below(r, 64);
    switch (mutate_below(r, 12)) {
    case 0: return mutate_below(r, 4);
    case 1: return ~(uint64_t)0 - mutate_below(r, 3);
    case 2: return power;
    case 3: return power - 1 - mutate_below(r, 2);
    case 4: return old + 1 + mutate_below(r, 3);
    case 5: return old - 1 - mutate_below(r, 3);
    case 6: return old * 2;
    case 7: return old / 2;
    case 8: return bound + mutate_below(r, 5) - 2;
    case 9: return bound / (1 + mutate_below(r, 64));
    case 10: return ~(uint64_t)0 / (1 + mutate_below(r, 300)) + mutate_below(r, 2); /* products that wrap */
    default: return mutate_below(r, 100);
    }
}

/* ---- bytes ---------------------------------------------------------------------------- */

size_t mutate_resize(uint8_t *data, size_t size, size_t max, size_t at, size_t old, size_t length, uint8_t fill)
{
    if (at > size || old > size - at || length > max || size - old > max - length)
        return size;
    memmove(data + at + length, data + at + old, size - at - old);
    if (length > old)
        memset(data + at + old, fill, length - old);
    return size - old + length;
}

size_t mutate_replace(uint8_t *data, size_t size, size_t max, size_t at, size_t old, const void *text, size_t length)
{
    if (at > size || old > size - at || length > max || size - old > max - length)
        return size;
    size = mutate_resize(data, size, max, at, old, length, 0);
    memcpy(data + at, text, length);
    return size;
}

static void change_number(uint8_t *data, size_t size, struct mutate_random *r)
{
    static const size_t widths[] = {1, 2, 4, 4, 8, 8};
    const size_t width = widths[mutate_below(r, 6)];
    if (size < width)
        return;
    size_t at = mutate_below(r, size - width + 1);
    if (!mutate_one_in(r, 3))
        at -= at % width;
    const bool big_endian = mutate_one_in(r, 8);
    mutate_store(data + at, width, big_endian, mutate_number(mutate_load(data + at, width, big_endian), size, r));
}

/* A block of the data is copied over another place, or put in there. */
static size_t copy_block(uint8_t *data, size_t size, size_t max, struct mutate_random *r)
{
    uint8_t block[256];
    const size_t length = 1 + mutate_below(r, size < sizeof block ? size : sizeof block);
    const size_t from = mutate_below(r, size - length + 1), to = mutate_below(r, size - length + 1);
    memcpy(block, data + from, length);
    if (mutate_one_in(r, 2)) {
        memcpy(data + to, block, length);
        return size;
    }
    return mutate_replace(data, size, max, to, 0, block, length);
}

static size_t cut_block(uint8_t *data, size_t size, struct mutate_random *r)
{
    const size_t length = 1 + mutate_below(r, mutate_one_in(r, 2) && size > 16 ? 16 : size);
    if (length >= size)
        return size;
    return mutate_resize(data, size, size, mutate_below(r, size - length + 1), length, 0, 0);
}

size_t mutate_bytes(uint8_t *data, size_t size, size_t max, struct mutate_random *r)
{
    if (size == 0)
        return 0;
    const size_t at = mutate_below(r, size);
    switch (mutate_below(r, 9)) {
    case 0:
    case 1: data[at] ^= (uint8_t)(1u << mutate_below(r, 8)); return size;
    case 2: data[at] = (uint8_t)mutate_next(r); return size;
    case 3:
    case 4: change_number(data, size, r); return size;
    case 5: return copy_block(data, size, max, r);
    case 6: return cut_block(data, size, r);
    case 7: return mutate_resize(data, size, max, at, 0, 1 + mutate_below(r, 64), (uint8_t)mutate_next(r));
    default: return mutate_one_in(r, 3) ? 1 + mutate_below(r, size) : size; /* cut off */
    }
}

size_t mutate_splice(uint8_t *data, size_t size, size_t max, const uint8_t *other, size_t other_size, struct mutate_random *r)
{
    if (size == 0 || other_size == 0)
        return size;
    /* at the same place most times: headers then stay headers */
    const size_t at = mutate_below(r, size), from = at < other_size && !mutate_one_in(r, 4) ? at : mutate_below(r, other_size);
    size_t length = other_size - from;
    if (length > max - at)
        length = max - at;
    memcpy(data + at, other + from, length);
    return at + length;
}
