/* merges.c - see merges.h.
 *
 * At opening, every string that merging can make gets a number: tokens have their ids, and the parts and results of
 * merges that are no tokens follow. A merge is then a look-up of two numbers, and a result below the vocabulary's size is a
 * token. Merging in terms of strings, as encoders often do, hashes the same bytes over and over.
 */
#include "merges.h"

#include <string.h>
#include <xxhash.h>

#include "../base/memory.h"

struct merges_entry {
    uint64_t key;   /* number of the left string + 1 << 32 | of the right one; 0 = free slot */
    uint32_t rank;  /* its place in the file's list                                           */
    int32_t result; /* string of both together                                                */
};

void merges_free(struct merges *m)
{
    memory_free(m->entries);
    memset(m, 0, sizeof *m);
}

static uint64_t merge_key(int32_t left, int32_t right)
{
    return ((uint64_t)left + 1) << 32 | (uint32_t)right;
}

/* The slot of `key`, or the free slot where it belongs. */
static size_t merge_slot(const struct merges *m, uint64_t key)
{
    size_t slot = (size_t)XXH3_64bits(&key, sizeof key) & (m->slots - 1);
    while (m->entries[slot].key != 0 && m->entries[slot].key != key)
        slot = (slot + 1) & (m->slots - 1);
    return slot;
}

/* Takes in merge number `rank`, "left right". `joined` has room for text.length bytes. */
static enum status add_merge(struct merges *m, struct vocabulary *v, const struct model_file_text *text,
                             uint32_t rank, char *joined, struct error *e)
{
    /* A space is a letter of its own at the start: "  x" would be " " and "x". */
    const char *space = text->length > 1 ? memchr(text->bytes + 1, ' ', text->length - 1) : NULL;
    const size_t left_length = space == NULL ? 0 : (size_t)(space - text->bytes);
    if (space == NULL || left_length + 1 == text->length) {
        return error_set(e, STATUS_INPUT, "merge %u is not two parts with a space between", rank);
    }
    const size_t right_length = text->length - left_length - 1;
    memcpy(joined, text->bytes, left_length);
    memcpy(joined + left_length, space + 1, right_length);
    int32_t left, right, result;
    enum status status = string_table_intern(&v->texts, joined, left_length, &left, e);
    if (status == STATUS_OK)
        status = string_table_intern(&v->texts, joined + left_length, right_length, &right, e);
    if (status == STATUS_OK)
        status = string_table_intern(&v->texts, joined, left_length + right_length, &result, e);
    if (status != STATUS_OK)
        return status;
    const uint64_t key = merge_key(left, right);
    const size_t slot = merge_slot(m, key);
    if (m->entries[slot].key == 0) /* of equal merges the first counts */
        m->entries[slot] = (struct merges_entry){key, rank, result};
    return STATUS_OK;
}

enum status merges_read(struct merges *m, struct vocabulary *v, const struct model_file *file, const char *key,
                        struct error *e)
{
    enum model_file_key_type type = MODEL_FILE_STRING;
    size_t count = 0, room = 0;
    char *joined = NULL;
    enum status status = model_file_get_array(file, key, &type, &count, NULL, e);
    if (status == STATUS_OK && (type != MODEL_FILE_STRING || count > INT32_MAX / 4)) {
        error_set(e, STATUS_INPUT, "the merges are not an array of fewer than %d strings", INT32_MAX / 4);
        status = vocabulary_blame(file, key, e);
    }
    if (status != STATUS_OK)
        return status;
    for (m->slots = 64; m->slots < 2 * count; m->slots *= 2)
        ;
    status = memory_array(&m->entries, m->slots, sizeof *m->entries, "merges", e);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct model_file_text text = {"", 0};
        status = model_file_array_text(file, key, i, &text, e);
        if (status == STATUS_OK && text.length > room)
            status = memory_grow(&joined, &room, text.length, 1, "merges", e);
        if (status == STATUS_OK)
            status = add_merge(m, v, &text, (uint32_t)i, joined, e);
    }
    if (status == STATUS_INPUT && e != NULL && e->where[0] == '\0')
        vocabulary_blame(file, key, e);
    memory_free(joined);
    return status;
}

bool merges_find(const struct merges *m, int32_t left, int32_t right, int32_t *id, uint32_t *rank)
{
    const struct merges_entry *entry = &m->entries[merge_slot(m, merge_key(left, right))];
    if (entry->key == 0)
        return false;
    *id = entry->result;
    *rank = entry->rank;
    return true;
}
