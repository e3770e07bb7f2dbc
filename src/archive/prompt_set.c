/* prompt_set.c - sorted multiset of prompt hashes; see prompt_set.h. */
#include "prompt_set.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "../base/memory.h"

void prompt_set_free(struct prompt_set *set)
{
    memory_free(set->entry);
    memset(set, 0, sizeof *set);
}

enum status prompt_set_add(struct prompt_set *set, const struct prompt_set_entry *entry, struct error *e)
{
    if (set->count == set->capacity) {
        enum status status = memory_grow(&set->entry, &set->capacity, set->count + 1, sizeof *set->entry,
                                         "the set of prompts", e);
        if (status != STATUS_OK)
            return status;
    }
    set->entry[set->count++] = *entry;
    return STATUS_OK;
}

static int by_hash(const void *a, const void *b)
{
    const uint64_t *x = ((const struct prompt_set_entry *)a)->hash, *y = ((const struct prompt_set_entry *)b)->hash;
    if (x[1] != y[1])
        return x[1] < y[1] ? -1 : 1;
    if (x[0] != y[0])
        return x[0] < y[0] ? -1 : 1;
    const uint64_t p = ((const struct prompt_set_entry *)a)->layers, q = ((const struct prompt_set_entry *)b)->layers;
    return (p > q) - (p < q);
}

bool prompt_set_ascends(const struct prompt_set_entry *a, const struct prompt_set_entry *b)
{
    return by_hash(a, b) < 0;
}

void prompt_set_sort(struct prompt_set *set)
{
    size_t kept = 0;
    if (set->count == 0)
        return;
    qsort(set->entry, set->count, sizeof *set->entry, by_hash);
    for (size_t i = 1; i < set->count; i++) {
        if (by_hash(&set->entry[kept], &set->entry[i]) == 0)
            set->entry[kept].multiplicity += set->entry[i].multiplicity;
        else
            set->entry[++kept] = set->entry[i];
    }
    set->count = kept + 1;
}

/* One entry of both: the same prompt, so of the same length. */
static enum status add_entry(struct prompt_set_entry *into, const struct prompt_set_entry *from, struct error *e)
{
    if (into->tokens != from->tokens)
        return error_set(e, STATUS_INPUT, "gives a prompt another length than the others do: %llu tokens, not %llu",
                         (unsigned long long)from->tokens, (unsigned long long)into->tokens);
    if (__builtin_add_overflow(into->multiplicity, from->multiplicity, &into->multiplicity))
        return error_set(e, STATUS_INPUT, "repeats a prompt more often than can be counted");
    return STATUS_OK;
}

/* One pass over both: a job array of a thousand shards merges a thousand times. */
enum status prompt_set_merge(struct prompt_set *into, const struct prompt_set *from, struct error *e)
{
    struct prompt_set both = {.entry = NULL};
    size_t i = 0, j = 0;
    if (from->count == 0)
        return STATUS_OK;
    if (!memory_add(into->count, from->count, &both.capacity))
        return error_set(e, STATUS_FAILED, "too many prompts");
    enum status status = memory_array(&both.entry, both.capacity, sizeof *both.entry, "the set of prompts", e);
    while (status == STATUS_OK && (i < into->count || j < from->count)) {
        int order = i == into->count ? 1 : j == from->count ? -1 : by_hash(&into->entry[i], &from->entry[j]);
        struct prompt_set_entry *next = &both.entry[both.count++];
        *next = order <= 0 ? into->entry[i++] : from->entry[j++];
        if (order == 0)
            status = add_entry(next, &from->entry[j++], e);
    }
    if (status != STATUS_OK) {
        prompt_set_free(&both);
        return status;
    }
    prompt_set_free(into);
    *into = both;
    return STATUS_OK;
}

static struct prompt_set_entry *find(const struct prompt_set *set, const uint64_t hash[2])
{
    struct prompt_set_entry key = {.hash = {hash[0], hash[1]}};
    return set->count ? bsearch(&key, set->entry, set->count, sizeof key, by_hash) : NULL;
}

uint64_t prompt_set_find(const struct prompt_set *set, const uint64_t hash[2])
{
    const struct prompt_set_entry *found = find(set, hash);
    return found ? found->multiplicity : 0;
}

bool prompt_set_take(struct prompt_set *set, const uint64_t hash[2])
{
    struct prompt_set_entry *found = find(set, hash);
    if (!found || found->multiplicity == 0)
        return false;
    found->multiplicity--;
    return true;
}

struct prompt_set_entry *prompt_set_any(const struct prompt_set *set, const uint64_t hash[2])
{
    struct prompt_set_entry key = {.hash = {hash[0], hash[1]}};
    size_t low = 0, high = set->count;
    while (low < high) { /* the first entry that isn't below the key, whose layers are 0 */
        size_t middle = low + (high - low) / 2;
        if (by_hash(&set->entry[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < set->count && memcmp(set->entry[low].hash, hash, sizeof key.hash) == 0; low++)
        if (set->entry[low].multiplicity)
            return &set->entry[low];
    return NULL;
}

uint64_t prompt_set_prompts(const struct prompt_set *set)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < set->count; i++)
        sum += set->entry[i].multiplicity;
    return sum;
}

uint64_t prompt_set_tokens(const struct prompt_set *set)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < set->count; i++)
        sum += set->entry[i].multiplicity * set->entry[i].tokens;
    return sum;
}

static void put_u64(uint8_t *bytes, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
}

enum status prompt_set_fingerprint(const struct prompt_set *set, uint64_t hash[2], struct error *e)
{
    XXH3_state_t *state = XXH3_createState();
    if (!state)
        return error_set(e, STATUS_FAILED, "no memory for a hash");
    XXH3_128bits_reset(state);
    for (size_t i = 0; i < set->count; i++) {
        const struct prompt_set_entry *entry = &set->entry[i];
        uint8_t bytes[32];
        put_u64(bytes, entry->hash[0]);
        put_u64(bytes + 8, entry->hash[1]);
        put_u64(bytes + 16, entry->multiplicity);
        put_u64(bytes + 24, entry->tokens);
        XXH3_128bits_update(state, bytes, sizeof bytes);
    }
    XXH128_hash_t digest = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    hash[0] = digest.low64;
    hash[1] = digest.high64;
    return STATUS_OK;
}
