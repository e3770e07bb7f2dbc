/* pair_merge.c - the merge loop of BPE over a linked list with a heap of candidates.
 *
 * Each pair of neighbours that may join is put on a heap, keyed by (rank,
 * position of its left symbol). Popping the best one joins right to left and
 * puts the two new pairs on the heap. A pair whose symbols have changed since it was
 * put there is recognised by its length and dropped: symbols only grow, and a
 * left symbol that has swallowed its right neighbour is followed by a living one,
 * so an unchanged sum of lengths means unchanged symbols. n symbols give at most
 * 3 n pairs, hence O(n log n) in time and memory, whatever the text.
 *
 * This is the order of SentencePiece's and of GPT-2's encoder (Sennrich et al.,
 * arXiv:1508.07909). Scanning for the best pair each time, as simple encoders
 * do, is quadratic: a line of 100 MB would never end.
 */
#include "pair_merge.h"

#include "../base/memory.h"

struct pair_merge_candidate {
    uint64_t key;    /* rank << 32 | index of the left symbol: smallest first */
    uint32_t length; /* of both together, when it was put here                */
    int32_t id;      /* what they become                                      */
};

void pair_merge_free(struct pair_merge *m)
{
    memory_free(m->symbols);
    memory_free(m->heap);
    *m = (struct pair_merge){0};
}

enum status pair_merge_append(struct pair_merge *m, size_t start, size_t length, int32_t id, struct error *e)
{
    if (start > UINT32_MAX - length || m->count >= INT32_MAX)
        return error_set(e, STATUS_INPUT, "a piece of text of 2 GiB or more without a place to cut it");
    if (m->count == m->capacity) {
        const enum status status = memory_grow(&m->symbols, &m->capacity, m->count < 32 ? 32 : m->count + 1,
                                               sizeof *m->symbols, "text to be tokenised", e);
        if (status != STATUS_OK)
            return status;
    }
    struct pair_merge_symbol *symbol = &m->symbols[m->count++];
    symbol->start = (uint32_t)start;
    symbol->length = (uint32_t)length;
    symbol->id = id;
    return STATUS_OK;
}

static enum status push(struct pair_merge *m, struct pair_merge_candidate pair, struct error *e)
{
    if (m->heap_count == m->heap_capacity) {
        const enum status status =
            memory_grow(&m->heap, &m->heap_capacity, m->heap_count < 32 ? 32 : m->heap_count + 1, sizeof *m->heap,
                        "text to be tokenised", e);
        if (status != STATUS_OK)
            return status;
    }
    size_t at = m->heap_count++;
    while (at > 0 && pair.key < m->heap[(at - 1) / 2].key) {
        m->heap[at] = m->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    m->heap[at] = pair;
    return STATUS_OK;
}

static struct pair_merge_candidate pop(struct pair_merge *m)
{
    const struct pair_merge_candidate best = m->heap[0];
    const struct pair_merge_candidate last = m->heap[--m->heap_count];
    size_t at = 0;
    for (size_t child = 1; child < m->heap_count; child = 2 * at + 1) {
        if (child + 1 < m->heap_count && m->heap[child + 1].key < m->heap[child].key)
            child++;
        if (last.key <= m->heap[child].key)
            break;
        m->heap[at] = m->heap[child];
        at = child;
    }
    m->heap[at] = last;
    return best;
}

/* Puts the pair (left, next of left) on the heap if it may join. */
static enum status offer(struct pair_merge *m, const char *text, int32_t left, pair_merge_rule *rule, const void *rules,
                         struct error *e)
{
    if (left < 0 || m->symbols[left].next < 0)
        return STATUS_OK;
    const struct pair_merge_symbol *a = &m->symbols[left];
    const struct pair_merge_symbol *b = &m->symbols[a->next];
    int32_t id;
    uint32_t rank;
    if (!rule(rules, text, a, b, &id, &rank))
        return STATUS_OK;
    const struct pair_merge_candidate pair = {(uint64_t)rank << 32 | (uint32_t)left, a->length + b->length, id};
    return push(m, pair, e);
}

/* Joins the pair unless it is out of date; false then. */
static bool join(struct pair_merge *m, const struct pair_merge_candidate *pair, int32_t *left)
{
    *left = (int32_t)(pair->key & UINT32_MAX);
    struct pair_merge_symbol *a = &m->symbols[*left];
    if (a->length == 0 || a->next < 0)
        return false;
    struct pair_merge_symbol *b = &m->symbols[a->next];
    if (a->length + b->length != pair->length)
        return false;
    a->length = pair->length;
    a->id = pair->id;
    a->next = b->next;
    b->length = 0;
    if (a->next >= 0)
        m->symbols[a->next].previous = *left;
    return true;
}

enum status pair_merge_run(struct pair_merge *m, const char *text, pair_merge_rule *rule, const void *rules,
                           struct error *e)
{
    const int32_t count = (int32_t)m->count;
    for (int32_t i = 0; i < count; i++) {
        m->symbols[i].previous = i - 1;
        m->symbols[i].next = i + 1 < count ? i + 1 : -1;
    }
    m->heap_count = 0;
    enum status status = STATUS_OK;
    for (int32_t i = 0; i < count && status == STATUS_OK; i++)
        status = offer(m, text, i, rule, rules, e);
    while (m->heap_count > 0 && status == STATUS_OK) {
        const struct pair_merge_candidate best = pop(m);
        int32_t left;
        if (!join(m, &best, &left))
            continue;
        status = offer(m, text, m->symbols[left].previous, rule, rules, e);
        if (status == STATUS_OK)
            status = offer(m, text, left, rule, rules, e);
    }
    return status;
}
