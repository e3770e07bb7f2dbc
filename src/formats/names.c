/* names.c - a sorted index of names; see names.h.
 *
 * A sorted array and bisection, where a hash table would come to mind first: the
 * names are untrusted, and a file made of colliding names turns a hash table's
 * constant time into a scan of all of them. Sorting takes n log n comparisons
 * for any file, finds repeated names on the way, and needs no seed. A look-up
 * in a model of 300 tensors is 9 comparisons, and only loading does any.
 */
#include "names.h"

#include <stdlib.h>
#include <string.h>

#include "../base/memory.h"

enum status names_init(struct names *names, size_t count, struct error *e)
{
    names->count = count;
    return memory_array(&names->entries, count, sizeof *names->entries, "the index of names", e);
}

void names_free(struct names *names)
{
    memory_free(names->entries);
    memset(names, 0, sizeof *names);
}

void names_set(struct names *names, size_t index, struct model_file_text text)
{
    names->entries[index].text = text;
    names->entries[index].index = index;
}

static int compare_texts(struct model_file_text a, struct model_file_text b)
{
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = shorter ? memcmp(a.bytes, b.bytes, shorter) : 0;
    if (order)
        return order;
    return (a.length > b.length) - (a.length < b.length);
}

/* By name, then by place in the file, so that the order is one whatever qsort does. */
static int compare_entries(const void *left, const void *right)
{
    const struct names_entry *a = left, *b = right;
    int order = compare_texts(a->text, b->text);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

bool names_build(struct names *names, size_t *repeated)
{
    bool distinct = true;
    if (names->count)
        qsort(names->entries, names->count, sizeof *names->entries, compare_entries);
    for (size_t i = 1; i < names->count; i++) {
        const struct names_entry *entry = &names->entries[i];
        if (compare_texts(entry[-1].text, entry->text) == 0 && (distinct || entry->index < *repeated)) {
            *repeated = entry->index;
            distinct = false;
        }
    }
    return distinct;
}

bool names_find_text(const struct names *names, struct model_file_text wanted, size_t *index)
{
    size_t low = 0, high = names->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_texts(names->entries[middle].text, wanted);
        if (order == 0) {
            *index = names->entries[middle].index;
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

bool names_find(const struct names *names, const char *name, size_t *index)
{
    return names_find_text(names, (struct model_file_text){name, strlen(name)}, index);
}

bool names_equal(struct model_file_text text, const char *name)
{
    size_t length = strlen(name);
    return text.length == length && memcmp(text.bytes, name, length) == 0;
}
