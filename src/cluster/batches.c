/* batches.c - packs prompts into batches and shows how far they are; see batches.h. */
#include "batches.h"

#include <math.h>

#include "../base/clock.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "schedule.h"

/* Buffers for one batch's prompts. */
struct packing {
    struct token_list tokens;
    struct forward_prompt *prompts;    /* [capacity]                                 */
    struct collector_prompt *named;    /* [capacity]                                 */
    size_t prompts_capacity, named_capacity;
};

/* How far this rank is: whole batches, and of the one under way the part of its work that is done. */
struct meter {
    const struct batches *batches;
    double start;
    uint64_t done, total; /* tokens                                                */
    size_t prompts, taken; /* done; in the batch                                    */
    uint64_t tokens;      /* in the batch                                           */
    size_t pieces, piece; /* chunks of layers in the batch, begun                    */
    struct packing *packing;
    struct collector *collector;
    enum status status;   /* of a checkpoint ordered by a signal                     */
    struct error error;
    bool over;            /* nothing more is to be done                              */
};

static enum status pack(const struct batches *b, size_t from, size_t taken, struct packing *p, struct error *e)
{
    enum status s = memory_grow(&p->prompts, &p->prompts_capacity, taken, sizeof *p->prompts, "a batch", e);
    if (s == STATUS_OK)
        s = memory_grow(&p->named, &p->named_capacity, taken, sizeof *p->named, "a batch", e);
    p->tokens.count = 0;
    for (size_t i = 0; i < taken && s == STATUS_OK; i++)
        s = intake_tokens(b->intake, &b->intake->items[b->mine[from + i]], &p->tokens, e);
    if (s != STATUS_OK)
        return s;
    const int32_t *ids = p->tokens.ids;
    for (size_t i = 0; i < taken; i++) {
        const struct intake_item *item = &b->intake->items[b->mine[from + i]];
        uint64_t skipped = item->length < b->skip_first ? item->length : b->skip_first;
        p->prompts[i] = (struct forward_prompt){ids, (size_t)item->length};
        p->named[i] = (struct collector_prompt){{item->hash[0], item->hash[1]}, item->line, item->first,
                                                item->length - skipped, b->checkpoint->layers[b->mine[from + i]], 0};
        ids += item->length;
    }
    return STATUS_OK;
}

/* Asking the other ranks would make them answer. The schedule gives all of them the same work, so rank 0 speaks
 * for all: "about", and the speed of all is its own times their number. */
static void show(const struct meter *m)
{
    const struct batches *b = m->batches;
    const bool alone = b->ranks->size == 1;
    double part = m->pieces ? (double)m->piece / (double)m->pieces : 0.0, done = (double)m->done + part * (double)m->tokens;
    double seconds = clock_seconds() - m->start, share = done / (double)m->total;
    double rate = seconds > 0.0 ? done / seconds : 0.0;
    double left = rate > 0.0 ? ((double)m->total - done) / rate : 0.0;
    double prompts = ((double)m->prompts + part * (double)m->taken) / (double)b->count * (double)b->intake->count;
    log_progress_line(false, "%3.0f%%  %s%.0f of %zu prompts, %s%.0f tokens/s, %s left%s", floor(100.0 * share),
                      alone ? "" : "about ", floor(prompts), b->intake->count, alone ? "" : "about ",
                      rate * b->ranks->size, clock_span(left).text, alone ? "" : " (told by rank 0's share)");
}

/* What the batch under way has reached counts, and is known by the items. */
static void settle(struct meter *m)
{
    const struct batches *b = m->batches;
    collector_settle(m->collector, m->taken);
    for (size_t i = 0; i < m->taken; i++)
        b->checkpoint->layers[b->mine[m->prompts + i]] = m->packing->named[i].counted;
}

/* Does as ordered, on all ranks alike. */
static void obey(struct meter *m, enum order order)
{
    struct error *e = &m->error;
    m->over = order == ORDER_STOP || order == ORDER_END;
    if (order != ORDER_CHECKPOINT && order != ORDER_STOP)
        return;
    settle(m);
    enum status s = checkpoint_write(m->batches->checkpoint, e);
    orders_written(m->batches->orders);
    if (order == ORDER_STOP)
        m->status = s;
    else if (s != STATUS_OK)
        log_warning("%s: no checkpoint: %s; the run goes on", m->batches->checkpoint->path, e->sentence);
}

/* Between chunks: a batch of a large model takes minutes. */
static bool count_piece(void *context)
{
    struct meter *m = context;
    if (m->piece > 0)
        show(m);
    m->piece++;
    obey(m, orders_poll(m->batches->orders));
    return m->over;
}

void batches_finish(const struct batches *b, double seconds)
{
    log_progress_line(true, "100%%  %zu of %zu prompts, %.0f tokens/s, %s in all", b->intake->count, b->intake->count,
                      seconds > 0.0 ? (double)b->intake->counts.tokens / seconds : 0.0, clock_span(seconds).text);
}

static enum status run_batch(struct meter *m, struct forward *forward, const struct forward_observer *observer,
                             struct error *e)
{
    const struct batches *b = m->batches;
    size_t taken = schedule_batch(b->intake->items, b->mine, b->count, m->prompts, b->batch_tokens);
    enum status s = pack(b, m->prompts, taken, m->packing, e);
    if (s != STATUS_OK)
        return s;
    collector_begin(m->collector, m->packing->named);
    m->taken = taken;
    m->tokens = m->packing->tokens.count;
    m->pieces = b->layers * ((m->tokens + b->batch_tokens - 1) / b->batch_tokens);
    m->piece = 0;
    s = forward_run(forward, m->packing->prompts, taken, observer, e);
    if (s == STATUS_OK) {
        settle(m);
        m->prompts += taken;
        m->done += m->tokens;
        m->taken = m->pieces = 0;
        show(m);
    } else if (s == STATUS_CHECKPOINT) { /* told to end; why, `m` knows */
        error_clear(e);
        s = STATUS_OK;
    }
    return s;
}

enum status batches_run(const struct batches *b, struct forward *forward, struct collector *collector,
                        enum status before, struct error *e)
{
    struct packing p = {.prompts = NULL};
    struct meter m = {.batches = b, .start = clock_seconds(), .packing = &p, .collector = collector};
    struct forward_observer observer = collector_observer(collector);
    observer.stop = count_piece;
    observer.stop_context = &m;
    enum status s = before;
    for (size_t i = 0; i < b->count; i++)
        m.total += b->intake->items[b->mine[i]].length;
    while (m.prompts < b->count && s == STATUS_OK && !m.over)
        s = run_batch(&m, forward, &observer, e);
    orders_report(b->orders, s != STATUS_OK);
    while (!m.over)
        obey(&m, orders_wait(b->orders));
    if (s == STATUS_OK && m.status != STATUS_OK) {
        *e = m.error;
        s = m.status;
    }
    token_list_free(&p.tokens);
    memory_free(p.prompts);
    memory_free(p.named);
    return s;
}
