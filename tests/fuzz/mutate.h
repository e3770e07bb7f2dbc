/* mutate.h - changes to bytes that a reader may trip over.
 *
 * Flow: a seed, a random number -> *a mutant* -> a target. mutate_bytes knows nothing of the bytes; the others are for a
 * target's own mutator, which knows where numbers and texts stand. The same random number gives the same mutant everywhere.
 */
#ifndef PHI3SAT_TESTS_MUTATE_H
#define PHI3SAT_TESTS_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mutate_random {
    uint64_t state;
};

struct mutate_random mutate_random(uint64_t seed);
uint64_t mutate_next(struct mutate_random *r);
size_t mutate_below(struct mutate_random *r, size_t bound); /* 0..bound-1; bound > 0 */
bool mutate_one_in(struct mutate_random *r, size_t n);

/* One change somewhere in data[size], which has room for `max`: bits, bytes, numbers, blocks moved, doubled or cut out, the end
 * cut off. Returns the new size, at least 1 if size was. */
size_t mutate_bytes(uint8_t *data, size_t size, size_t max, struct mutate_random *r);

/* The front of data and the back of other[other_size]. */
size_t mutate_splice(uint8_t *data, size_t size, size_t max, const uint8_t *other, size_t other_size, struct mutate_random *r);

/* A number to stand where `old` stood: at the borders of integer types, near the old one, its multiples, near `bound` (the file's size,
 * say). */
uint64_t mutate_number(uint64_t old, uint64_t bound, struct mutate_random *r);

/* Numbers of `width` bytes (1..8). */
uint64_t mutate_load(const uint8_t *at, size_t width, bool big_endian);
void mutate_store(uint8_t *at, size_t width, bool big_endian, uint64_t value);

/* Gives data[at, at + old) the length `length`: what follows moves, new bytes are `fill`. Returns the new size; the
 * old one, with nothing done, where there is no room. */
size_t mutate_resize(uint8_t *data, size_t size, size_t max, size_t at, size_t old, size_t length, uint8_t fill);

/* Puts text[length] there instead of data[at, at + old); likewise. */
size_t mutate_replace(uint8_t *data, size_t size, size_t max, size_t at, size_t old, const void *text, size_t length);

/* One change of a JSON text that keeps it JSON most times: numbers, texts, words, members doubled, left out or exchanged, nesting.
 * words [count]: texts that mean something where it is read; may be NULL. */
size_t mutate_json(uint8_t *data, size_t size, size_t max, const char *const *words, size_t count, struct mutate_random *r);

#endif
