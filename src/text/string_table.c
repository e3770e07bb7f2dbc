/* string_table.c - the string table: one arena, one hash table of numbers.
 *
 * Linear probing over XXH3 hashes, at most half full. The hash is not stored:
 * a probe compares lengths first, and tables are built once and then only read.
 * A trie was considered for longest-match; nobody needs prefixes here.
 */
#include "string_table.h"

#include <string.h>
#include <xxhash.h>

#include "../base/memory.h"

void string_table_free(struct string_table *table)
{
    memory_free(table->arena);
    memory_free(table->starts);
    memory_free(table->slots);
    memset(table, 0, sizeof *table);
}

const char *string_table_at(const struct string_table *table, int32_t number, size_t *length)
{
    const size_t start = table->starts[number];
    *length = table->starts[number + 1] - start;
    return *length == 0 ? "" : table->arena + start;
}

/* The slot that holds bytes[length], or the free slot where it belongs. */
static size_t slot_of(const struct string_table *table, const char *bytes, size_t length)
{
    size_t slot = (size_t)XXH3_64bits(bytes, length) & (table->slot_count - 1);
    for (; table->slots[slot] != 0; slot = (slot + 1) & (table->slot_count - 1)) {
        size_t n;
        const char *have = string_table_at(table, table->slots[slot] - 1, &n);
        if (n == length && memcmp(have, bytes, length) == 0)
            break;
    }
    return slot;
}

int32_t string_table_find(const struct string_table *table, const char *bytes, size_t length)
{
    if (table->slot_count == 0 || length == 0)
        return STRING_TABLE_NONE;
    return table->slots[slot_of(table, bytes, length)] - 1;
}

/* Doubles the slots and puts every string in again. */
static enum status rehash(struct string_table *table, struct error *e)
{
    struct string_table bigger = *table;
    bigger.slots = NULL;
    bigger.slot_count = table->slot_count == 0 ? 64 : table->slot_count * 2;
    const enum status status = memory_array(&bigger.slots, bigger.slot_count, sizeof *bigger.slots,
                                            "string table", e);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < table->count; i++) {
        size_t length;
        const char *bytes = string_table_at(table, (int32_t)i, &length);
        if (length > 0)
            bigger.slots[slot_of(&bigger, bytes, length)] = (int32_t)i + 1;
    }
    memory_free(table->slots);
    *table = bigger;
    return STATUS_OK;
}

/* Appends without looking for an equal one. */
static enum status append(struct string_table *table, const char *bytes, size_t length, struct error *e)
{
    if (table->count >= INT32_MAX - 1)
        return error_set(e, STATUS_FAILED, "more than %d strings in a table", INT32_MAX - 1);
    size_t wanted;
    if (!memory_add(table->arena_used, length, &wanted))
        return error_set(e, STATUS_FAILED, "strings of a table do not fit the memory");
    enum status status = STATUS_OK;
    if (wanted > table->arena_capacity)
        status = memory_grow(&table->arena, &table->arena_capacity, wanted, 1, "strings", e);
    if (status == STATUS_OK && table->count + 2 > table->start_capacity)
        status = memory_grow(&table->starts, &table->start_capacity, table->count + 2, sizeof *table->starts,
                             "string table", e);
    if (status != STATUS_OK)
        return status;
    if (length > 0)
        memcpy(table->arena + table->arena_used, bytes, length);
    table->starts[table->count] = table->arena_used;
    table->arena_used = wanted;
    table->starts[++table->count] = wanted;
    return STATUS_OK;
}

enum status string_table_blank(struct string_table *table, struct error *e)
{
    return append(table, NULL, 0, e);
}

enum status string_table_intern(struct string_table *table, const char *bytes, size_t length, int32_t *number,
                           struct error *e)
{
    if (2 * (table->count + 1) > table->slot_count) {
        const enum status status = rehash(table, e);
        if (status != STATUS_OK)
            return status;
    }
    const size_t slot = slot_of(table, bytes, length);
    if (table->slots[slot] == 0) {
        const enum status status = append(table, bytes, length, e);
        if (status != STATUS_OK)
            return status;
        table->slots[slot] = (int32_t)table->count;
    }
    *number = table->slots[slot] - 1;
    return STATUS_OK;
}
