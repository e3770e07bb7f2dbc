/* text_buffer.c - see text_buffer.h. */
#include "text_buffer.h"

#include <string.h>

#include "../base/memory.h"

enum status text_buffer_reserve(struct text_buffer *buffer, size_t more, struct error *e)
{
    size_t wanted;
    if (!memory_add(buffer->count, more, &wanted))
        return error_set(e, STATUS_FAILED, "a text is longer than memory can address");
    return memory_grow_uninitialised(&buffer->bytes, &buffer->capacity, wanted, 1, "a prompt", e);
}

enum status text_buffer_add(struct text_buffer *buffer, const char *bytes, size_t count, struct error *e)
{
    const enum status status = text_buffer_reserve(buffer, count, e);
    if (status == STATUS_OK && count > 0) {
        memcpy(buffer->bytes + buffer->count, bytes, count);
        buffer->count += count;
    }
    return status;
}

void text_buffer_free(struct text_buffer *buffer)
{
    memory_free(buffer->bytes);
    *buffer = (struct text_buffer){0};
}
