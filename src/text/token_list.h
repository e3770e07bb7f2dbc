/* token_list.h - a growing list of token ids. */
#ifndef PHI3SAT_TEXT_TOKEN_LIST_H
#define PHI3SAT_TEXT_TOKEN_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"

/* A zeroed struct is an empty list; freed by token_list_free. Setting count to
 * 0 empties it and keeps its memory for the next prompt. */
struct token_list {
    int32_t *ids;    /* [capacity], the first `count` are in use */
    size_t count;
    size_t capacity;
};

enum status token_list_add(struct token_list *list, int32_t id, struct error *e) ERROR_MUST_USE;
/* Makes room for `more` ids, so that a long list isn't copied, half of it twice in memory, as it grows. */
enum status token_list_reserve(struct token_list *list, size_t more, struct error *e) ERROR_MUST_USE;
void token_list_free(struct token_list *list);

#endif
