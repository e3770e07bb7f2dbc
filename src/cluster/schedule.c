/* schedule.c - longest processing time first, by a heap of groups; see schedule.h. */
#include "schedule.h"

#include <stdlib.h>

#include "../base/memory.h"

struct order {
    double cost;
    size_t index;
};

/* Dearest first; equal costs in the source's order, so that all ranks agree. */
static int by_cost(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* heap[0] is the group with the least work; ties by group number. */
static int lighter(const struct order *a, const struct order *b)
{
    return a->cost != b->cost ? a->cost < b->cost : a->index < b->index;
}

static void sink(struct order *heap, size_t count)
{
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count)
            return;
        if (child + 1 < count && lighter(&heap[child + 1], &heap[child]))
            child++;
        if (!lighter(&heap[child], &heap[at]))
            return;
        struct order swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
        at = child;
    }
}

enum status schedule_share(const struct intake_item *items, size_t count, struct schedule_cost cost, size_t groups,
                           size_t group, size_t **mine, size_t *mine_count, struct error *e)
{
    struct order *order = NULL, *heap = NULL;
    enum status s = memory_array(&order, count, sizeof *order, "the schedule", e);
    *mine = NULL;
    *mine_count = 0;
    if (s == STATUS_OK)
        s = memory_array(&heap, groups, sizeof *heap, "the schedule", e);
    if (s == STATUS_OK)
        s = memory_array(mine, count, sizeof **mine, "the schedule", e);
    if (s == STATUS_OK) {
        for (size_t i = 0; i < count; i++) {
            double n = (double)items[i].length;
            order[i] = (struct order){n * cost.token + n * n * cost.token_pair, i};
        }
        for (size_t g = 0; g < groups; g++)
            heap[g].index = g;
        qsort(order, count, sizeof *order, by_cost);
        for (size_t i = 0; i < count; i++) {
            if (heap[0].index == group)
                (*mine)[(*mine_count)++] = order[i].index;
            heap[0].cost += order[i].cost;
            sink(heap, groups);
        }
    }
    memory_free(order);
    memory_free(heap);
    return s;
}

size_t schedule_batch(const struct intake_item *items, const size_t *mine, size_t count, size_t from,
                      size_t batch_tokens)
{
    uint64_t tokens = items[mine[from]].length;
    size_t taken = 1;
    while (from + taken < count && tokens + items[mine[from + taken]].length <= batch_tokens)
        tokens += items[mine[from + taken++]].length;
    return taken;
}
