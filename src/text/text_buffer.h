/* text_buffer.h - bytes that grow at their end. */
#ifndef PHI3SAT_TEXT_TEXT_BUFFER_H
#define PHI3SAT_TEXT_TEXT_BUFFER_H

#include <stddef.h>

#include "../base/error.h"

/* A zeroed struct is an empty buffer; freed by text_buffer_free. Setting count to 0 empties
 * it and keeps its memory. Any bytes, NUL too. */
struct text_buffer {
    char *bytes;     /* [capacity], the first `count` are in use */
    size_t count;
    size_t capacity;
};

/* Makes room for `more` bytes behind the last one. */
enum status text_buffer_reserve(struct text_buffer *buffer, size_t more, struct error *e) ERROR_MUST_USE;
enum status text_buffer_add(struct text_buffer *buffer, const char *bytes, size_t count,
                            struct error *e) ERROR_MUST_USE;
void text_buffer_free(struct text_buffer *buffer);

#endif
