/* batches.c - packs prompts into batches and shows how far they are; see batches.h. */
#include "batches.h"

#include <math.h>

#include "../base/clock.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "drain.h"
#include "pipeline.h"
#include "schedule.h"
#include "test_hooks.h"
#include "waiting.h"

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
    struct pipeline *pipeline;
    struct test_hooks hooks;
    struct drain drain;
    int64_t run;          /* batches behind us                                       */
    bool in_batch;        /* the next has begun                                      */
    enum status status;   /* of a checkpoint ordered by a signal                     */
    struct error error;
    bool over;            /* nothing more is to be done                              */
};

/* Stages but the first need no tokens. */
static enum status pack(const struct batches *b, size_t from, size_t taken, struct packing *p, struct error *e)
{
    const bool first = b->grid->stage == 0;
    enum status s = memory_grow(&p->prompts, &p->prompts_capacity, taken, sizeof *p->prompts, "a batch", e);
    if (s == STATUS_OK)
        s = memory_grow(&p->named, &p->named_capacity, taken, sizeof *p->named, "a batch", e);
    p->tokens.count = 0;
    for (size_t i = 0; i < taken && first && s == STATUS_OK; i++)
        s = intake_tokens(b->intake, &b->intake->items[b->mine[from + i]], &p->tokens, e);
    if (s != STATUS_OK)
        return s;
    const int32_t *ids = p->tokens.ids;
    for (size_t i = 0; i < taken; i++) {
        const struct intake_item *item = &b->intake->items[b->mine[from + i]];
        uint64_t skipped = item->length < b->skip_first ? item->length : b->skip_first;
        p->prompts[i] = (struct forward_prompt){first ? ids : NULL, (size_t)item->length};
        p->named[i] = (struct collector_prompt){{item->hash[0], item->hash[1]}, item->line, item->first,
                                                item->length - skipped, b->checkpoint->layers[b->mine[from + i]], 0};
        ids = first ? ids + item->length : NULL;
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
                      rate * (double)b->grid->groups, clock_span(left).text, alone ? "" : " (told by rank 0's share)");
}

/* What the batch under way has reached counts, and is known by the items. */
static void settle(struct meter *m)
{
    const struct batches *b = m->batches;
    collector_settle(m->collector, m->taken);
    for (size_t i = 0; i < m->taken; i++)
        b->checkpoint->layers[b->mine[m->prompts + i]] = m->packing->named[i].counted;
}

/* All ranks are between batches: the state is that of whole prompts. */
static void write_partial(struct meter *m)
{
    const struct partial *p = m->batches->partial;
    if (partial_write(p, &m->error) != STATUS_OK)
        log_warning("%s: no partial archive: %s; the run goes on", p->path, m->error.sentence);
    orders_partial_written(m->batches->orders);
    drain_end(&m->drain);
}

/* Does as ordered, on all ranks alike. */
static void obey(struct meter *m, enum order order)
{
    struct error *e = &m->error;
    m->over = order == ORDER_STOP || order == ORDER_END;
    if (order == ORDER_DRAIN)
        drain_begin(&m->drain, m->run + m->in_batch);
    if (order == ORDER_PARTIAL)
        write_partial(m);
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

/* Between the steps of a chunk, of which the longest takes a second where one core has a chunk of a large model's layer: a
 * signal has to be answered in five, and the news goes from a rank to rank 0 and back. The collector is told of a
 * prompt in a layer once, within one step, so that its state is whole between any two. Once it is over, the rest of
 * the chunk is run for nothing. */
static void move_on(void *context)
{
    struct meter *m = context;
    pipeline_step(m->pipeline);
    test_hooks_nap(&m->hooks);
    if (!m->over)
        obey(m, orders_poll(m->batches->orders));
}

/* Between chunks: a batch of a large model takes minutes. */
static bool count_piece(void *context)
{
    struct meter *m = context;
    if (m->piece > 0)
        show(m);
    m->piece++;
    move_on(m);
    return m->over;
}

/* While there is nothing to do but wait for another stage, or for all. */
static bool idle(void *context)
{
    struct meter *m = context;
    obey(m, orders_poll(m->batches->orders));
    drain_look(&m->drain, m->run);
    return m->over;
}

static bool let_go(void *context)
{
    const struct meter *m = context;
    return idle(context) || !drain_holds(&m->drain);
}

void batches_finish(const struct batches *b, double seconds)
{
    log_progress_line(true, "100%%  %zu of %zu prompts, %.0f tokens/s, %s in all", b->intake->count, b->intake->count,
                      seconds > 0.0 ? (double)b->intake->counts.tokens / seconds : 0.0, clock_span(seconds).text);
}

static uint64_t tokens_of(const struct batches *b, size_t from, size_t count)
{
    uint64_t tokens = 0;
    for (size_t i = from; i < from + count; i++)
        tokens += b->intake->items[b->mine[i]].length;
    return tokens;
}

/* rows[*chunks]: how many rows each chunk of the group's batches has, as run_batch will find them. */
static enum status count_rows(const struct batches *b, size_t **rows, size_t *chunks, struct error *e)
{
    size_t most = b->count;
    for (size_t i = 0; i < b->count; i++)
        most += (size_t)b->intake->items[b->mine[i]].length / b->batch_tokens;
    enum status s = memory_array(rows, most, sizeof **rows, "the chunks' sizes", e);
    *chunks = 0;
    for (size_t from = 0; from < b->count && s == STATUS_OK;) {
        size_t taken = schedule_batch(b->intake->items, b->mine, b->count, from, b->batch_tokens);
        for (size_t left = (size_t)tokens_of(b, from, taken), here; left > 0; left -= here) {
            here = left < b->batch_tokens ? left : b->batch_tokens;
            (*rows)[(*chunks)++] = here;
        }
        from += taken;
    }
    return s;
}

/* Collective: all ranks are ready to begin, or none begins. */
static enum status open_pipeline(struct meter *m, size_t **rows, enum status s, struct error *e)
{
    const struct batches *b = m->batches;
    struct pipeline_plan plan = {.ranks = b->ranks, .grid = b->grid, .layers = b->layers, .hidden = b->hidden,
                                 .idle = idle, .context = m};
    if (s == STATUS_OK)
        s = count_rows(b, rows, &plan.chunks, e);
    plan.rows = *rows;
    if (s == STATUS_OK)
        s = pipeline_open(&m->pipeline, &plan, e);
    s = ranks_agree(b->ranks, s, e);
    if (s == STATUS_OK)
        pipeline_begin(m->pipeline);
    return s;
}

/* ---- the way to other stages ---- */

static float *take(void *context)
{
    return pipeline_take(((struct meter *)context)->pipeline);
}

static void keep(void *context)
{
    pipeline_keep(((struct meter *)context)->pipeline);
}

static float *room(void *context)
{
    return pipeline_room(((struct meter *)context)->pipeline);
}

static void give(void *context)
{
    pipeline_give(((struct meter *)context)->pipeline);
}

static enum status run_layers(struct meter *m, struct forward *forward, const struct forward_observer *observer,
                              struct error *e)
{
    const struct forward_ports ports = {m, take, keep, room, give};
    if (m->batches->grid->stages == 1)
        return forward_run(forward, m->packing->prompts, m->taken, observer, e);
    return forward_run_ports(forward, m->packing->prompts, m->taken, &ports, observer, e);
}

static enum status run_batch(struct meter *m, struct forward *forward, const struct forward_observer *observer,
                             struct error *e)
{
    const struct batches *b = m->batches;
    size_t taken = schedule_batch(b->intake->items, b->mine, b->count, m->prompts, b->batch_tokens);
    enum status s = pack(b, m->prompts, taken, m->packing, e);
    if (s == STATUS_OK && test_hooks_fail(&m->hooks))
        s = error_set(e, STATUS_FAILED, "a test wants this rank to fail");
    if (s != STATUS_OK)
        return s;
    collector_begin(m->collector, m->packing->named);
    m->taken = taken;
    m->tokens = tokens_of(b, m->prompts, taken);
    m->pieces = b->grid->layers.count * ((m->tokens + b->batch_tokens - 1) / b->batch_tokens);
    m->piece = 0;
    s = run_layers(m, forward, observer, e);
    if (s == STATUS_OK && !m->over) {
        settle(m);
        m->prompts += taken;
        m->done += m->tokens;
        m->taken = m->pieces = 0;
        m->run++;
        show(m);
    } else if (s == STATUS_CHECKPOINT) { /* told to end; why, `m` knows */
        error_clear(e);
        s = STATUS_OK;
    }
    return s;
}

/* What this rank has to run, until all have run theirs or an order ends it. */
static enum status run_all(struct meter *m, struct forward *forward, struct error *e)
{
    const struct batches *b = m->batches;
    struct forward_observer observer = collector_observer(m->collector);
    enum status s = STATUS_OK;
    observer.stop = count_piece;
    observer.step = move_on;
    observer.stop_context = m;
    m->total = tokens_of(b, 0, b->count);
    while (m->prompts < b->count && s == STATUS_OK && !m->over) {
        if (drain_holds(&m->drain))
            waiting_until(let_go, m);
        m->in_batch = true;
        if (!m->over)
            s = run_batch(m, forward, &observer, e);
        m->in_batch = false;
    }
    if (s == STATUS_OK && !m->over)
        (void)pipeline_flush(m->pipeline);
    orders_report(b->orders, s != STATUS_OK);
    waiting_until(idle, m);
    return s;
}

enum status batches_run(const struct batches *b, struct forward *forward, struct collector *collector,
                        enum status before, struct error *e)
{
    struct packing p = {.prompts = NULL};
    struct meter m = {.batches = b, .start = clock_seconds(), .packing = &p, .collector = collector,
                      .drain = {.ranks = b->ranks, .grid = b->grid, .orders = b->orders}};
    size_t *rows = NULL;
    enum status s = open_pipeline(&m, &rows, before, e);
    test_hooks_open(&m.hooks, b->ranks->rank);
    if (s == STATUS_OK)
        s = run_all(&m, forward, e);
    if (s == STATUS_OK && m.status != STATUS_OK) {
        *e = m.error;
        s = m.status;
    }
    pipeline_close(m.pipeline);
    token_list_free(&p.tokens);
    memory_free(p.prompts);
    memory_free(p.named);
    memory_free(rows);
    return s;
}
