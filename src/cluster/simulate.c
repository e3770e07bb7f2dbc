/* simulate.c - discrete events over stations with processor sharing; see simulate.h.
 *
 * A station (the cores of a node, its network port, its memory) serves all its jobs at once, each at
 * min(1, capacity / jobs) of full speed. It keeps a clock of its own that advances by that rate, so that a
 * job's end by that clock never changes: a heap of ends is enough, whoever comes and goes (the "virtual time"
 * of processor sharing; Nagle 1987). A second heap has the stations by their next end in real time.
 *
 * A stage has room for three chunks (pipeline.c), the first and the last for two; of those at most two wait for it or are on
 * their way in. A chunk of a prompt that goes through a stage in bands of layers (model/band.h) makes room at once, when it is
 * taken, and needs room again when the last band is done.
 */
#include "simulate.h"

#include <math.h>
#include <string.h>

#include "../base/memory.h"
#include "../stats/accumulator.h"

struct job {
    double end;   /* by the station's clock                                           */
    size_t rank;  /* who computes or sends                                            */
};

struct station {
    double capacity, clock, real;
    struct job *heap;          /* [capacity_jobs]                                     */
    size_t jobs, room;
    double next;               /* real time of the next end; INFINITY                 */
    size_t place;              /* in the heap of stations                              */
};

enum { CORES, PORT, LOCAL, KINDS };

struct rank {
    size_t batch, chunk;      /* to be run next: of all batches; of that batch's chunks */
    size_t layer;             /* layers of the stage that the batch has been through    */
    size_t used, ahead;       /* buffers in use; of them, chunks that come or wait      */
    size_t arrived, taken, done, sent; /* chunks; done: through the whole stage         */
    bool computing, sending;
};

/* What goes from stage to stage. */
struct chunk {
    double seconds, last;     /* of one layer; of the model's last layer               */
    double bytes;             /* of its hidden states                                  */
};

struct batch {
    size_t chunk;             /* the first of all chunks                               */
    size_t length;            /* of a prompt of several chunks; 0: there is one          */
};

struct world {
    const struct simulate_run *run;
    struct batch *batch;       /* all groups' batches, and a last one where the chunks end */
    struct chunk *chunk;       /* their chunks                                         */
    size_t longest;            /* prompt                                               */
    size_t *first;             /* [groups + 1]                                         */
    struct rank *rank;         /* [groups * stages]                                    */
    struct station *station;   /* [nodes * KINDS]                                      */
    size_t *queue;             /* [nodes * KINDS]: stations, heap by next              */
    size_t stations;
    double now;
    double *sent;              /* [nodes]: bytes that left each                          */
    struct simulate_result *result;
};

/* ---- stations ---- */

static bool earlier(const struct world *w, size_t a, size_t b)
{
    const struct station *x = &w->station[w->queue[a]], *y = &w->station[w->queue[b]];
    return x->next != y->next ? x->next < y->next : w->queue[a] < w->queue[b];
}

static void exchange(struct world *w, size_t a, size_t b)
{
    size_t kept = w->queue[a];
    w->queue[a] = w->queue[b];
    w->queue[b] = kept;
    w->station[w->queue[a]].place = a;
    w->station[w->queue[b]].place = b;
}

/* Puts the station at `at` of the queue where its next end belongs. */
static void settle(struct world *w, size_t at)
{
    while (at > 0 && earlier(w, at, (at - 1) / 2)) {
        exchange(w, at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
    for (size_t child = 2 * at + 1; child < w->stations; child = 2 * at + 1) {
        child += child + 1 < w->stations && earlier(w, child + 1, child);
        if (!earlier(w, child, at))
            return;
        exchange(w, child, at);
        at = child;
    }
}

static double rate(const struct station *s)
{
    return (double)s->jobs > s->capacity ? s->capacity / (double)s->jobs : 1.0;
}

/* Brings the station's clock to now. */
static void advance(const struct world *w, struct station *s)
{
    if (s->jobs)
        s->clock += (w->now - s->real) * rate(s);
    s->real = w->now;
}

static void plan_next(struct world *w, struct station *s)
{
    s->next = s->jobs ? w->now + fmax(0.0, s->heap[0].end - s->clock) / rate(s) : INFINITY;
    settle(w, s->place);
}

static bool sooner(const struct job *a, const struct job *b)
{
    return a->end != b->end ? a->end < b->end : a->rank < b->rank;
}

static void push(struct world *w, struct station *s, double work, size_t rank)
{
    advance(w, s);
    struct job job = {s->clock + work, rank};
    size_t at = s->jobs++;
    for (; at > 0 && sooner(&job, &s->heap[(at - 1) / 2]); at = (at - 1) / 2)
        s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = job;
    plan_next(w, s);
}

/* The rank whose job has ended. */
static size_t pop(struct world *w, struct station *s)
{
    advance(w, s);
    size_t rank = s->heap[0].rank, at = 0;
    struct job job = s->heap[--s->jobs];
    for (size_t child = 1; child < s->jobs; child = 2 * at + 1) {
        child += child + 1 < s->jobs && sooner(&s->heap[child + 1], &s->heap[child]);
        if (!sooner(&s->heap[child], &job))
            break;
        s->heap[at] = s->heap[child];
        at = child;
    }
    s->heap[at] = job;
    plan_next(w, s);
    return rank;
}

static struct station *station_of(const struct world *w, size_t rank, int kind)
{
    return &w->station[rank / w->run->machine.ranks_per_node * KINDS + (size_t)kind];
}

/* ---- ranks ---- */

static size_t stages_of(const struct world *w)
{
    return w->run->schedule.stages;
}

static bool sends(const struct world *w, size_t rank)
{
    return (rank + 1) % stages_of(w) != 0;
}

static bool receives(const struct world *w, size_t rank)
{
    return rank % stages_of(w) != 0;
}

static size_t room_of(const struct world *w, size_t rank)
{
    return 1 + (size_t)sends(w, rank) + (size_t)receives(w, rank);
}

/* A rank's next piece of work: a chunk through some of its layers. */
struct piece {
    size_t width;     /* layers                                                      */
    bool in, out;     /* it begins, and ends, the chunk's way through the stage        */
    double seconds;
};

static struct piece piece_of(const struct world *w, size_t rank)
{
    const struct rank *me = &w->rank[rank];
    const struct footprint_stage *stage = &w->run->cut[rank % stages_of(w)];
    const struct batch *b = &w->batch[me->batch];
    const struct chunk *c = &w->chunk[b->chunk + me->chunk];
    size_t band = stage->count;
    if (b->length && stages_of(w) > 1)
        band = band_layers(&w->run->schedule.shape, stage->count, w->longest, b->length);
    size_t width = me->layer ? band : band_first(stage->count, band);
    bool out = me->layer + width == stage->count, last = out && stage->first + stage->count == w->run->layers;
    return (struct piece){width, me->layer == 0, out, (double)(width - last) * c->seconds + (last ? c->last : 0.0)};
}

static void try_send(struct world *w, size_t rank)
{
    const struct simulate_machine *m = &w->run->machine;
    struct rank *me = &w->rank[rank], *next = me + 1;
    if (!sends(w, rank) || me->sending || me->sent >= me->done || next->ahead > 1 || next->used >= room_of(w, rank + 1))
        return; /* nothing there, or no room at the next stage */
    bool far = rank / m->ranks_per_node != (rank + 1) / m->ranks_per_node;
    double bytes = w->chunk[w->batch[w->first[rank / stages_of(w)]].chunk + me->sent].bytes;
    me->sending = true;
    next->used++;
    next->ahead++;
    if (far) {
        w->result->hidden_bytes += bytes;
        w->sent[rank / m->ranks_per_node] += bytes;
    }
    push(w, station_of(w, rank, far ? PORT : LOCAL), far ? m->latency + bytes / m->bandwidth : bytes / m->local, rank);
}

static void try_compute(struct world *w, size_t rank)
{
    struct rank *me = &w->rank[rank];
    if (me->computing || me->batch >= w->first[rank / stages_of(w) + 1])
        return;
    struct piece piece = piece_of(w, rank);
    const bool takes = receives(w, rank) && piece.in, through = takes && piece.out, gives = sends(w, rank) && piece.out;
    if ((takes && me->arrived <= me->taken) || (gives && !through && me->used >= room_of(w, rank)))
        return; /* nothing there, or no room for what comes of it */
    me->computing = true;
    me->taken += takes;
    me->ahead -= takes;
    me->used += gives && !through;
    me->used -= takes && !through;
    push(w, station_of(w, rank, CORES), piece.seconds, rank);
    if (takes)
        try_send(w, rank - 1);
}

static void end_send(struct world *w, size_t rank)
{
    w->rank[rank].sending = false;
    w->rank[rank].sent++;
    w->rank[rank].used--;
    w->rank[rank + 1].arrived++;
    try_compute(w, rank + 1);
    try_compute(w, rank);
    try_send(w, rank);
    if (receives(w, rank))
        try_send(w, rank - 1);
}

static void end_compute(struct world *w, size_t rank)
{
    struct rank *me = &w->rank[rank];
    struct piece piece = piece_of(w, rank);
    me->computing = false;
    me->done += piece.out;
    if (piece.in && piece.out && receives(w, rank) && !sends(w, rank))
        me->used--;
    if (w->batch[me->batch].chunk + ++me->chunk == w->batch[me->batch + 1].chunk) {
        me->chunk = 0;
        me->layer = piece.out ? 0 : me->layer + piece.width;
        me->batch += piece.out;
    }
    try_send(w, rank);
    try_compute(w, rank);
    if (receives(w, rank))
        try_send(w, rank - 1);
}

static void run_events(struct world *w)
{
    size_t ranks = w->run->schedule.groups * stages_of(w);
    for (size_t r = 0; r < ranks; r++)
        w->rank[r].batch = w->first[r / stages_of(w)];
    for (size_t r = 0; r < ranks; r += stages_of(w))
        try_compute(w, r);
    for (;;) {
        struct station *s = &w->station[w->queue[0]];
        if (isinf(s->next))
            return;
        w->now = s->next;
        bool computes = w->queue[0] % KINDS == CORES;
        size_t rank = pop(w, s);
        if (computes)
            end_compute(w, rank);
        else
            end_send(w, rank);
    }
}

/* ---- the world ---- */

static size_t nodes_of(const struct simulate_run *run)
{
    size_t ranks = run->schedule.groups * run->schedule.stages;
    return (ranks + run->machine.ranks_per_node - 1) / run->machine.ranks_per_node;
}

/* Batches of all groups, by the production schedule. */
struct cutting {
    struct batch *batch;   /* [batches + 1]                                          */
    struct chunk *chunk;   /* [chunks]                                               */
    size_t *first;         /* [groups + 1]                                           */
    size_t batches, chunks;
};

static void free_cutting(struct cutting *c)
{
    memory_free(c->batch);
    memory_free(c->chunk);
    memory_free(c->first);
}

static void add_chunk(struct cutting *c, const struct simulate_run *run, const struct pace_batch *b)
{
    double seconds = pace_seconds(&run->pace, b);
    c->chunk[c->chunks++] = (struct chunk){seconds, run->pace.last * seconds,
                                           b->terms[PACE_TOKEN] * (double)(run->hidden * sizeof(float))};
}

/* Several prompts, or one that fits: a chunk. A longer prompt: attention costs the more the later the chunk, and its sums are
 * folded with the last. */
static void add_batch(struct cutting *c, const struct simulate_run *run, const struct intake_item *items, const size_t *mine,
                      size_t taken)
{
    const size_t rows = run->schedule.batch_tokens, length = (size_t)items[mine[0]].length;
    struct batch *batch = &c->batch[c->batches++];
    *batch = (struct batch){c->chunks, length > rows ? length : 0};
    if (!batch->length) {
        struct pace_batch all = {.terms = {[PACE_CHUNK] = 1.0}};
        for (size_t i = 0; i < taken; i++)
            pace_batch_add(&all, items[mine[i]].length);
        add_chunk(c, run, &all);
    }
    for (size_t from = 0; from < batch->length; from += rows) {
        double to = (double)(length - from < rows ? length : from + rows), at = (double)from;
        struct pace_batch one = {.terms = {[PACE_CHUNK] = 1.0, [PACE_TOKEN] = to - at, [PACE_PAIR] = to * to - at * at,
                                           [PACE_PROMPT] = from + rows >= length}};
        add_chunk(c, run, &one);
    }
}

static enum status cut_batches(struct cutting *c, const struct simulate_run *run, const struct schedule_terms *t,
                               const struct intake_item *items, size_t count, struct error *e)
{
    size_t *order = NULL, *start = NULL, chunks = count;
    memset(c, 0, sizeof *c);
    for (size_t i = 0; i < count; i++)
        chunks += (size_t)items[i].length / t->batch_tokens;
    enum status s = schedule_all(items, count, t, &order, &start, e);
    if (s == STATUS_OK)
        s = memory_array(&c->batch, count + 1, sizeof *c->batch, "a simulation", e);
    if (s == STATUS_OK)
        s = memory_array(&c->chunk, chunks, sizeof *c->chunk, "a simulation", e);
    if (s == STATUS_OK)
        s = memory_array(&c->first, t->groups + 1, sizeof *c->first, "a simulation", e);
    for (size_t g = 0; g < t->groups && s == STATUS_OK; g++) {
        const size_t *mine = order + start[g], all = start[g + 1] - start[g];
        for (size_t i = 0, taken; i < all; i += taken) {
            taken = schedule_batch(items, mine, all, i, t->batch_tokens);
            add_batch(c, run, items, mine + i, taken);
        }
        c->first[g + 1] = c->batches;
    }
    if (s == STATUS_OK)
        c->batch[c->batches].chunk = c->chunks;
    memory_free(order);
    memory_free(start);
    return s;
}

/* What one rank alone would take. */
static enum status alone(struct simulate_result *result, const struct simulate_run *run, const struct intake_item *items,
                         size_t count, struct error *e)
{
    struct schedule_terms one = run->schedule;
    struct cutting cutting;
    one.groups = one.stages = 1;
    enum status s = cut_batches(&cutting, run, &one, items, count, e);
    for (size_t i = 0; s == STATUS_OK && i < cutting.chunks; i++)
        result->work += (double)(run->layers - 1) * cutting.chunk[i].seconds + cutting.chunk[i].last;
    free_cutting(&cutting);
    return s;
}

static enum status open_stations(struct world *w, struct error *e)
{
    const struct simulate_machine *m = &w->run->machine;
    size_t ranks = w->run->schedule.groups * w->run->schedule.stages, nodes = nodes_of(w->run);
    const double capacity[KINDS] = {[CORES] = m->cores, [PORT] = 1.0, [LOCAL] = INFINITY};
    const char *what = "a simulation";
    w->stations = nodes * KINDS;
    enum status s = memory_array(&w->rank, ranks, sizeof *w->rank, what, e);
    if (s == STATUS_OK)
        s = memory_array(&w->station, w->stations, sizeof *w->station, what, e);
    if (s == STATUS_OK)
        s = memory_array(&w->queue, w->stations, sizeof *w->queue, what, e);
    if (s == STATUS_OK)
        s = memory_array(&w->sent, nodes, sizeof *w->sent, what, e);
    for (size_t i = 0; i < w->stations && s == STATUS_OK; i++) {
        w->station[i] = (struct station){.capacity = capacity[i % KINDS], .next = INFINITY, .place = i};
        w->queue[i] = i;
        s = memory_grow(&w->station[i].heap, &w->station[i].room, m->ranks_per_node, sizeof(struct job), what, e);
    }
    return s;
}

static void close_world(struct world *w)
{
    for (size_t i = 0; w->station && i < w->stations; i++)
        memory_free(w->station[i].heap);
    memory_free(w->station);
    memory_free(w->queue);
    memory_free(w->rank);
    memory_free(w->sent);
}

/* Rounds in which `parts` become one: a chain for few (each passes its part on while more comes in), else a tree. */
static double rounds(double parts)
{
    return parts <= 1.0 ? 0.0 : parts <= 4.0 ? 1.0 : ceil(log2(parts));
}

/* Layer after layer, the groups' ranks of a stage reduce to the first of them, which sends the layer to rank 0
 * (merge.c). Neighbours reduce first, so that each node sends a state once. */
static void merge(struct world *w)
{
    const struct simulate_run *run = w->run;
    const struct simulate_machine *m = &run->machine;
    size_t stages = run->schedule.stages, nodes = nodes_of(run);
    double groups = (double)run->schedule.groups, near = fmax(1.0, (double)m->ranks_per_node / (double)stages);
    double all = (double)accumulator_bytes(run->layers, run->intermediate), seconds = 0.0;
    double slow = fmax(1.0, fmin((double)m->ranks_per_node, groups * (double)stages) / m->cores);
    double inner = nodes > 1 ? rounds(fmin(groups, near)) : rounds(groups), outer = nodes > 1 ? rounds(groups / near) : 0.0;
    seconds += all * (inner * slow / m->local + outer / m->bandwidth) + all * (inner + outer) * slow / run->pace.merge;
    seconds += 3.0 * (double)run->layers * outer * m->latency;
    w->result->merge_bytes = nodes > 1 ? all * fmax(0.0, ceil(groups / near) - 1.0) : 0.0;
    for (size_t s = 1; s < stages; s++) {
        double bytes = (double)accumulator_bytes(run->cut[s].count, run->intermediate);
        bool far = s >= m->ranks_per_node;
        seconds += bytes / (far ? m->bandwidth : m->local);
        w->result->merge_bytes += far ? bytes : 0.0;
    }
    w->result->merge = seconds;
}

enum status simulate_run(struct simulate_result *result, const struct simulate_run *run,
                         const struct intake_item *items, size_t count, struct error *e)
{
    struct world w = {.run = run, .result = result, .longest = (size_t)schedule_longest(items, count)};
    struct cutting cutting = {.batch = NULL};
    memset(result, 0, sizeof *result);
    enum status s = alone(result, run, items, count, e);
    if (s == STATUS_OK)
        s = cut_batches(&cutting, run, &run->schedule, items, count, e);
    w.batch = cutting.batch;
    w.chunk = cutting.chunk;
    w.first = cutting.first;
    if (s == STATUS_OK)
        s = open_stations(&w, e);
    if (s == STATUS_OK) {
        run_events(&w);
        result->prompts = w.now;
        merge(&w);
        result->batches = cutting.batches;
        size_t nodes = nodes_of(run);
        double ranks = (double)(run->schedule.groups * run->schedule.stages);
        double able = fmin(ranks, (double)nodes * run->machine.cores);
        result->efficiency = result->work / (able * (result->prompts + result->merge));
        for (size_t i = 0; i < nodes; i++)
            result->busiest_bytes = fmax(result->busiest_bytes, w.sent[i] + result->merge_bytes / (double)nodes);
    }
    close_world(&w);
    free_cutting(&cutting);
    return s;
}
