/* token_list.c - a growing list of token ids.
 *
 * The one thing that passes from the text room to the model: every tokenizer
 * appends to it, `--tokens` files fill it, and a prompt is a list of them.
 * Doubling growth, so that a line of 100 MB costs a few dozen copies.
 */
#include "token_list.h"

#include "../base/memory.h"

enum status token_list_reserve(struct token_list *list, size_t more, struct error *e)
{
    if (more > SIZE_MAX / 2 - list->count)
        return STATUS_OK; /* adding will fail, if that many come */
    return memory_grow_uninitialised(&list->ids, &list->capacity, list->count + more, sizeof *list->ids, "token ids", e);
}

enum status token_list_add(struct token_list *list, int32_t id, struct error *e)
{
    if (list->count == list->capacity) {
        const size_t wanted = list->capacity < 64 ? 64 : list->capacity + 1;
        const enum status status =
            memory_grow_uninitialised(&list->ids, &list->capacity, wanted, sizeof *list->ids, "token ids", e);
        if (status != STATUS_OK)
            return status;
    }
    list->ids[list->count++] = id;
    return STATUS_OK;
}

void token_list_free(struct token_list *list)
{
    memory_free(list->ids);
    list->ids = NULL;
    list->count = list->capacity = 0;
}
