/* cursor.c - bounded reads; see cursor.h.
 *
 * Numbers are assembled byte by byte, so neither the alignment of the bytes nor
 * the byte order of this machine matters.
 */
#include "cursor.h"

struct cursor cursor_over(const void *bytes, size_t size)
{
    struct cursor c = {bytes, size, 0, false};
    return c;
}

size_t cursor_remaining(const struct cursor *c)
{
    return c->size - c->position;
}

static enum status too_short(const struct cursor *c, uint64_t count, size_t size, const char *what, struct error *e)
{
    error_set(e, STATUS_INPUT, "the file ends inside %s: %llu x %zu bytes wanted, %zu left", what,
              (unsigned long long)count, size, cursor_remaining(c));
    error_advice(e, "the file is truncated or damaged; copy it again");
    error_position(e, (int64_t)c->position);
    return STATUS_INPUT;
}

enum status cursor_take(struct cursor *c, uint64_t count, size_t size, const uint8_t **bytes, const char *what,
                        struct error *e)
{
    if (size && count > cursor_remaining(c) / size)
        return too_short(c, count, size, what, e);
    *bytes = c->bytes + c->position;
    c->position += (size_t)count * size;
    return STATUS_OK;
}

static enum status number(struct cursor *c, int width, uint64_t *value, const char *what, struct error *e)
{
    const uint8_t *bytes;
    enum status status = cursor_take(c, 1, (size_t)width, &bytes, what, e);
    if (status != STATUS_OK)
        return status;
    uint64_t result = 0;
    for (int i = 0; i < width; i++)
        result |= (uint64_t)bytes[c->swap ? width - 1 - i : i] << (8 * i);
    *value = result;
    return STATUS_OK;
}

enum status cursor_u8(struct cursor *c, uint8_t *value, const char *what, struct error *e)
{
    uint64_t wide = 0;
    enum status status = number(c, 1, &wide, what, e);
    *value = (uint8_t)wide;
    return status;
}

enum status cursor_u16(struct cursor *c, uint16_t *value, const char *what, struct error *e)
{
    uint64_t wide = 0;
    enum status status = number(c, 2, &wide, what, e);
    *value = (uint16_t)wide;
    return status;
}

enum status cursor_u32(struct cursor *c, uint32_t *value, const char *what, struct error *e)
{
    uint64_t wide = 0;
    enum status status = number(c, 4, &wide, what, e);
    *value = (uint32_t)wide;
    return status;
}

enum status cursor_u64(struct cursor *c, uint64_t *value, const char *what, struct error *e)
{
    *value = 0;
    return number(c, 8, value, what, e);
}

enum status cursor_seek(struct cursor *c, uint64_t position, const char *what, struct error *e)
{
    if (position > c->size) {
        error_set(e, STATUS_INPUT, "%s lies at byte %llu, past the end of the file (%zu bytes)", what,
                  (unsigned long long)position, c->size);
        error_advice(e, "the file is truncated or damaged; copy it again");
        error_position(e, (int64_t)c->position);
        return STATUS_INPUT;
    }
    c->position = (size_t)position;
    return STATUS_OK;
}
