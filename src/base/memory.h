/* memory.h - overflow-checked memory: the only allocator of the program.
 *
 * Sizes that come from files are untrusted: products and sums of them go
 * through memory_multiply and memory_add. All blocks are aligned to 64 bytes
 * (one cache line, one AVX-512 register) so that kernels may assume it.
 */
#ifndef PHI3SAT_BASE_MEMORY_H
#define PHI3SAT_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

/* *product = a * b (or *sum = a + b); false, and the result untouched, when
 * that does not fit a size_t. */
bool memory_multiply(size_t a, size_t b, size_t *product) ERROR_MUST_USE;
bool memory_add(size_t a, size_t b, size_t *sum) ERROR_MUST_USE;

/* Allocates count * size bytes, 64-byte aligned, zeroed. *block is NULL on
 * failure; a count of 0 gives a valid block of one byte. The caller frees it
 * with memory_free. Fails (STATUS_FAILED) when the product does not fit or memory
 * is short; `what` names the thing in the sentence ("token ids"). Thread-safe. */
enum status memory_array(void *block, size_t count, size_t size, const char *what, struct error *e) ERROR_MUST_USE;

/* The same without zeroing, for large buffers that are written before read. */
enum status memory_uninitialised(void *block, size_t count, size_t size, const char *what,
                                 struct error *e) ERROR_MUST_USE;

/* Grows *block (a pointer variable passed by address, NULL allowed) from
 * *capacity elements to at least `wanted`, doubling; keeps the first *capacity
 * elements; new ones are zero. On failure block and capacity stay as they were. */
enum status memory_grow(void *block, size_t *capacity, size_t wanted, size_t size, const char *what,
                        struct error *e) ERROR_MUST_USE;

/* The same without zeroing the new ones, for what may become huge: pages that nobody has
 * written to take no memory. */
enum status memory_grow_uninitialised(void *block, size_t *capacity, size_t wanted, size_t size, const char *what,
                                      struct error *e) ERROR_MUST_USE;

/* The capacity that memory_grow gives where there was `capacity` and `wanted` > capacity: for
 * plans of memory. SIZE_MAX / 2 and more may come out as `wanted` itself. */
size_t memory_grown(size_t capacity, size_t wanted);

/* A copy of the NUL-terminated `s`, or of its first `length` bytes. Caller frees. */
enum status memory_string(char **copy, const char *s, struct error *e) ERROR_MUST_USE;
enum status memory_bytes(char **copy, const char *s, size_t length, struct error *e) ERROR_MUST_USE;

/* Frees a block of this allocator; NULL is allowed. */
void memory_free(void *block);

#endif
