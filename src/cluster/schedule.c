/* schedule.c - groups by a heap, the best end by bisection, batches by best fit; see schedule.h.
 *
 * One stage: the heap holds all groups, which is LPT. Several: a time T is fixed, and a group is opened only
 * when a prompt fits none of the open ones by T (MULTIFIT; Coffman, Garey and Johnson 1978). Prompts come longest
 * first, so that each group's longest is the one that opens it; those that fit a batch with others go everywhere, by
 * LPT, since batches of them are fuller where lengths differ. Bisection finds the least T for which the groups
 * suffice; what LPT gives is kept where it is better. 200,000 prompts take some 0.1 s.
 *
 * Within a group, a batch begins with the longest prompt left and is filled with the longest that fits: its
 * weights are decoded once, however full it is. Nothing that is left fits then, so that schedule_batch, which
 * takes prompts as they come, finds the same batches.
 */
#include "schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/memory.h"

/* Halvings of the interval of T: it begins a few ten per cent wide at most where that matters. */
#define HALVINGS 10

/* A group. */
struct load {
    double cost;  /* when it ends                                              */
    size_t index;
};

/* A prompt to be given to a group. */
struct task {
    double cost, wait; /* wait: of its group, for it (waiting)                          */
    size_t index;
};

/* Everything under way. */
struct sharing {
    const struct schedule_terms *terms;
    struct task *task;     /* [count], dearest first                                  */
    size_t count;
    struct load *heap;    /* [groups]: when each open group ends                      */
    size_t *owner, *trial; /* [count]: group of task[i]                                */
    size_t longest;        /* tokens                                                  */
};

/* Dearest first; equal costs in the source's order, so that all ranks agree. */
static int by_cost(const void *a, const void *b)
{
    const struct task *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* heap[0] is the group that ends first; ties by group number. */
static int lighter(const struct load *a, const struct load *b)
{
    return a->cost != b->cost ? a->cost < b->cost : a->index < b->index;
}

static void swap(struct load *a, struct load *b)
{
    struct load kept = *a;
    *a = *b;
    *b = kept;
}

static void sink(struct load *heap, size_t count)
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
        swap(&heap[child], &heap[at]);
        at = child;
    }
}

static void rise(struct load *heap, size_t at)
{
    for (; at > 0 && lighter(&heap[at], &heap[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&heap[at], &heap[(at - 1) / 2]);
}

static double cost_of(const struct schedule_cost *c, double length)
{
    return length * c->token + length * length * c->token_pair + c->prompt;
}

/* What a group's last stage waits for a chunk of full size without attention; no batch of several prompts need be dearer. */
static double shortest_wait(const struct schedule_terms *t)
{
    return (double)(t->stages - 1) * (double)t->batch_tokens * t->cost.token;
}

/* What a group's last stage waits for a prompt of `length` tokens, or for other batches where that is longer: the work that a
 * stage does on it before it hands on the most expensive part, which is the last full chunk, behind all bands but one. */
static double waiting(const struct sharing *s, uint64_t length)
{
    const struct schedule_terms *t = s->terms;
    double n = (double)length, rows = (double)t->batch_tokens, cost = cost_of(&t->cost, n), part = cost;
    if (n > rows)
        part = rows * t->cost.token + (n * n - (n - rows) * (n - rows)) * t->cost.token_pair;
    if (n > rows && t->layers > 1) {
        double layers = (double)t->layers, band = (double)band_layers(&t->shape, t->layers, s->longest, (size_t)length);
        part = ((layers - band) * cost + band * part) / layers;
    }
    return fmax(shortest_wait(t), (double)(t->stages - 1) * part);
}

/* Adds an empty group that will end at `load`. */
static void open_group(struct sharing *s, size_t *open, double load)
{
    s->heap[*open] = (struct load){load, *open};
    rise(s->heap, (*open)++);
}

/* Shares the prompts out by `end`: a group is opened when a prompt does not fit elsewhere, or, without an end (0),
 * as long as there are any. Prompts that make no group wait longer than a full batch does are spread over all. Writes
 * trial[count]; false: the groups don't suffice. *latest is when the last ends. */
static bool share_by(struct sharing *s, double end, double *latest)
{
    size_t open = 0, groups = s->terms->groups;
    double shortest = shortest_wait(s->terms);
    *latest = 0.0;
    for (size_t i = 0; i < s->count; i++) {
        double cost = s->task[i].cost, wait = s->task[i].wait;
        if (end <= 0.0 && open < groups)
            open_group(s, &open, wait);
        while (end > 0.0 && wait <= shortest && open < groups)
            open_group(s, &open, wait);
        if (end > 0.0 && (open == 0 || s->heap[0].cost + cost > end)) {
            if (open == groups || wait + cost > end)
                return false;
            s->trial[i] = open;
            open_group(s, &open, wait + cost);
            *latest = wait + cost > *latest ? wait + cost : *latest;
            continue;
        }
        s->trial[i] = s->heap[0].index;
        s->heap[0].cost += cost;
        *latest = s->heap[0].cost > *latest ? s->heap[0].cost : *latest;
        sink(s->heap, open);
    }
    return true;
}

static void keep(struct sharing *s)
{
    size_t *kept = s->owner;
    s->owner = s->trial;
    s->trial = kept;
}

/* Leaves the best sharing found in owner[]. */
static void share_best(struct sharing *s)
{
    double high, latest, low = 0.0;
    (void)share_by(s, 0.0, &high);
    keep(s);
    if (s->count == 0 || s->task[0].wait <= shortest_wait(s->terms))
        return; /* nobody waits for a long prompt */
    for (size_t i = 0; i < s->count; i++)
        low += s->task[i].cost;
    low = low / (double)s->terms->groups + shortest_wait(s->terms);
    for (int i = 0; i < HALVINGS && low < high; i++) {
        double end = 0.5 * (low + high);
        if (share_by(s, end, &latest)) {
            keep(s);
            high = latest;
        } else
            low = end;
    }
}

/* The first of the unused items from `at` on; `next` leads there and is shortened on the way. */
static size_t unused(size_t *next, size_t at)
{
    size_t end = at;
    while (next[end] != end)
        end = next[end];
    while (next[at] != end) {
        size_t further = next[at];
        next[at] = end;
        at = further;
    }
    return end;
}

/* Puts mine[count], longest first, into the order of batches. work: [2 count + 1]. */
static void fill_batches(const struct intake_item *items, size_t *mine, size_t count, size_t batch_tokens, size_t *work)
{
    size_t *next = work, *sorted = work + count + 1, taken = 0;
    memcpy(sorted, mine, count * sizeof *mine);
    for (size_t i = 0; i <= count; i++)
        next[i] = i;
    while (taken < count) {
        size_t at = unused(next, 0), room = batch_tokens;
        while (at < count) {
            uint64_t length = items[sorted[at]].length;
            mine[taken++] = sorted[at];
            next[at] = at + 1;
            if (length >= room)
                break;
            room -= (size_t)length;
            size_t low = at + 1, high = count; /* the first that is no longer than the room */
            while (low < high) {
                size_t middle = low + (high - low) / 2;
                if (items[sorted[middle]].length > room)
                    low = middle + 1;
                else
                    high = middle;
            }
            at = unused(next, low);
        }
    }
}

static enum status open_sharing(struct sharing *s, const struct intake_item *items, size_t count,
                                const struct schedule_terms *terms, struct error *e)
{
    const char *what = "the schedule";
    *s = (struct sharing){.terms = terms, .count = count, .longest = (size_t)schedule_longest(items, count)};
    enum status status = memory_array(&s->task, count, sizeof *s->task, what, e);
    if (status == STATUS_OK)
        status = memory_array(&s->heap, terms->groups, sizeof *s->heap, what, e);
    if (status == STATUS_OK)
        status = memory_array(&s->owner, count, sizeof *s->owner, what, e);
    if (status == STATUS_OK)
        status = memory_array(&s->trial, count, sizeof *s->trial, what, e);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        s->task[i] = (struct task){cost_of(&terms->cost, (double)items[i].length), waiting(s, items[i].length), i};
    if (status == STATUS_OK)
        qsort(s->task, count, sizeof *s->task, by_cost);
    return status;
}

static void close_sharing(struct sharing *s)
{
    memory_free(s->task);
    memory_free(s->heap);
    memory_free(s->owner);
    memory_free(s->trial);
}

/* Sorts the items by group into order[] and start[], both zeroed. */
static void gather(const struct sharing *s, size_t *order, size_t *start)
{
    for (size_t i = 0; i < s->count; i++)
        start[s->owner[i] + 1]++;
    for (size_t g = 0; g < s->terms->groups; g++)
        start[g + 1] += start[g];
    for (size_t i = 0; i < s->count; i++)
        order[start[s->owner[i]]++] = s->task[i].index;
    memmove(start + 1, start, s->terms->groups * sizeof *start);
    start[0] = 0;
}

enum status schedule_all(const struct intake_item *items, size_t count, const struct schedule_terms *terms,
                         size_t **order, size_t **start, struct error *e)
{
    struct sharing sharing;
    size_t *work = NULL;
    *order = *start = NULL;
    enum status s = open_sharing(&sharing, items, count, terms, e);
    if (s == STATUS_OK)
        s = memory_array(order, count, sizeof **order, "the schedule", e);
    if (s == STATUS_OK)
        s = memory_array(start, terms->groups + 1, sizeof **start, "the schedule", e);
    if (s == STATUS_OK)
        s = memory_array(&work, 2 * count + 1, sizeof *work, "the schedule", e);
    if (s == STATUS_OK) {
        share_best(&sharing);
        gather(&sharing, *order, *start);
        for (size_t g = 0; g < terms->groups; g++)
            fill_batches(items, *order + (*start)[g], (*start)[g + 1] - (*start)[g], terms->batch_tokens, work);
    }
    memory_free(work);
    close_sharing(&sharing);
    return s;
}

enum status schedule_share(const struct intake_item *items, size_t count, const struct schedule_terms *terms,
                           size_t group, size_t **mine, size_t *mine_count, struct error *e)
{
    size_t *start;
    enum status s = schedule_all(items, count, terms, mine, &start, e);
    *mine_count = 0;
    if (s == STATUS_OK) {
        *mine_count = start[group + 1] - start[group];
        memmove(*mine, *mine + start[group], *mine_count * sizeof **mine);
    }
    memory_free(start);
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

uint64_t schedule_longest(const struct intake_item *items, size_t count)
{
    uint64_t longest = 0;
    for (size_t i = 0; i < count; i++)
        longest = items[i].length > longest ? items[i].length : longest;
    return longest;
}

struct schedule_terms schedule_terms(const struct config *c, size_t groups, size_t stages, size_t batch_tokens)
{
    double q = (double)(c->heads * c->head_dim), kv = (double)(c->kv_heads * c->head_dim), h = (double)c->hidden;
    /* Measured: attention takes twice as long as its multiply-adds in a product (exponentials, narrow tiles), and
     * a prompt's sums are folded into the exact state in the time of some 100 a value of its 3 series. */
    struct schedule_cost cost = {2 * h * (q + kv) + 3 * h * (double)c->intermediate, 2.0 * q,
                                 300.0 * (double)c->intermediate};
    return (struct schedule_terms){cost, groups, stages, batch_tokens, (c->layers + stages - 1) / stages, band_shape(c)};
}
