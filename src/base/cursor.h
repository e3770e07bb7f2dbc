/* cursor.h - a bounded reader over bytes that nobody vouches for.
 *
 * Every format parser reads through a cursor: each read compares with what
 * remains before it multiplies, copies or allocates. A failed read leaves the
 * cursor where it was and fills the error with the byte position.
 */
#ifndef PHI3SAT_BASE_CURSOR_H
#define PHI3SAT_BASE_CURSOR_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

#include "error.h"

struct cursor {
    const uint8_t *bytes; /* [size], borrowed; must outlive the cursor          */
    size_t size;
    size_t position;      /* next byte to read, <= size                         */
    bool swap;            /* numbers are big-endian                             */
};

/* A cursor at the start of bytes[size]; little-endian. */
struct cursor cursor_over(const void *bytes, size_t size);

size_t cursor_remaining(const struct cursor *c);

/* Read one number; `what` names it in the error ("tensor count"). STATUS_INPUT
 * when fewer bytes remain. */
enum status cursor_u8(struct cursor *c, uint8_t *value, const char *what, struct error *e) ERROR_MUST_USE;
enum status cursor_u16(struct cursor *c, uint16_t *value, const char *what, struct error *e) ERROR_MUST_USE;
enum status cursor_u32(struct cursor *c, uint32_t *value, const char *what, struct error *e) ERROR_MUST_USE;
enum status cursor_u64(struct cursor *c, uint64_t *value, const char *what, struct error *e) ERROR_MUST_USE;

/* Borrows the next `count` items of `size` bytes (no copy, no alignment
 * promised); STATUS_INPUT when count * size does not fit or is not there. */
enum status cursor_take(struct cursor *c, uint64_t count, size_t size, const uint8_t **bytes, const char *what,
                        struct error *e) ERROR_MUST_USE;

/* Moves to `position`; STATUS_INPUT past the end. */
enum status cursor_seek(struct cursor *c, uint64_t position, const char *what, struct error *e) ERROR_MUST_USE;

#endif
