/* pipeline.c - see pipeline.h.
 *
 * Chunks lie in slots, whichever are free. Receives are posted early, so that a chunk comes in while another is worked on, but
 * never for more than two that wait: the third slot is for what is worked on and goes out, without which a stage that
 * can't give would not take either. Messages between two ranks keep their order, so no piece needs a number.
 *
 * Rejected: one-sided puts (their target has to make progress, NOTES on Open MPI), a thread that calls MPI (needs
 * MPI_THREAD_MULTIPLE, which some transports refuse, and takes time from the threads that compute).
 */
#include "pipeline.h"

#include <mpi.h>
#include <string.h>

#include "../base/memory.h"
#include "waiting.h"

#define HIDDEN_TAG 10
#define COUNT_TAG 11
#define PIECE ((size_t)1 << 18) /* bytes: 4 and more fill a link, a call of MPI each is nothing beside their work */
#define MOST_PASSES 256

#define AHEAD 2 /* chunks that come in or wait, at most */

enum state { SLOT_FREE, SLOT_COMING, SLOT_HERE, SLOT_WORKED, SLOT_LEAVING };

struct slot {
    float *hidden;          /* [largest chunk, hidden]                               */
    enum state state;
    size_t chunk;           /* that comes or is here                                */
    size_t left;            /* pieces still under way                               */
    int pieces;             /* of the message                                       */
    MPI_Request *request;   /* [most pieces]                                        */
};

struct pipeline {
    struct pipeline_plan plan;
    struct slot slot[3];
    size_t slots;           /* 0: one stage                                         */
    int *finished;          /* [most pieces], for MPI_Testsome                        */
    int before, after;      /* ranks; -1: none                                      */
    struct slot *worked;    /* what was taken, or room that was given; NULL: none   */
    size_t posted;          /* chunks whose receive was posted                      */
    size_t taken, given;
    bool begun;
};

static enum status open_slots(struct pipeline *p, struct error *e)
{
    size_t largest = 0, floats, bytes, pieces;
    for (size_t c = 0; c < p->plan.chunks; c++)
        largest = p->plan.rows[c] > largest ? p->plan.rows[c] : largest;
    if (!memory_multiply(largest, p->plan.hidden, &floats) || !memory_multiply(floats, sizeof(float), &bytes) ||
        bytes / PIECE >= INT32_MAX)
        return error_set(e, STATUS_FAILED, "a chunk of %zu tokens is too large", largest);
    pieces = bytes / PIECE + 1;
    enum status s = memory_array(&p->finished, pieces, sizeof *p->finished, "messages", e);
    for (size_t i = 0; i < p->slots && s == STATUS_OK; i++) {
        s = memory_array(&p->slot[i].hidden, floats, sizeof(float), "hidden states between stages", e);
        if (s == STATUS_OK)
            s = memory_array(&p->slot[i].request, pieces, sizeof *p->slot[i].request, "messages", e);
    }
    return s;
}

static void free_all(struct pipeline *p)
{
    for (size_t i = 0; i < p->slots; i++) {
        memory_free(p->slot[i].hidden);
        memory_free(p->slot[i].request);
    }
    memory_free(p->finished);
    memory_free(p);
}

enum status pipeline_open(struct pipeline **pipeline, const struct pipeline_plan *plan, struct error *e)
{
    struct pipeline *p;
    const struct grid *g = plan->grid;
    enum status s = memory_array(&p, 1, sizeof *p, "the pipeline", e);
    *pipeline = NULL;
    if (s != STATUS_OK)
        return s;
    p->plan = *plan;
    p->before = g->stage > 0 ? plan->ranks->rank - 1 : -1;
    p->after = g->stage + 1 < g->stages ? plan->ranks->rank + 1 : -1;
    p->slots = g->stages > 1 ? footprint_buffers(plan->layers, g->layers) : 0;
    if (p->slots)
        s = open_slots(p, e);
    if (s != STATUS_OK) {
        free_all(p);
        return s;
    }
    *pipeline = p;
    return STATUS_OK;
}

/* ---- messages ---- */

/* The slot with a chunk that comes or is here; NULL: none. */
static struct slot *holder(struct pipeline *p, size_t chunk)
{
    for (size_t i = 0; i < p->slots; i++)
        if ((p->slot[i].state == SLOT_COMING || p->slot[i].state == SLOT_HERE) && p->slot[i].chunk == chunk)
            return &p->slot[i];
    return NULL;
}

static struct slot *free_slot(struct pipeline *p)
{
    for (size_t i = 0; i < p->slots; i++)
        if (p->slot[i].state == SLOT_FREE)
            return &p->slot[i];
    return NULL;
}

/* Starts a chunk's pieces, to or from the neighbour. */
static void start(struct pipeline *p, struct slot *slot, size_t chunk, bool receive)
{
    size_t bytes = p->plan.rows[chunk] * p->plan.hidden * sizeof(float);
    slot->chunk = chunk;
    slot->pieces = 0;
    for (size_t at = 0; at < bytes; at += PIECE) {
        int size = (int)(bytes - at < PIECE ? bytes - at : PIECE);
        char *piece = (char *)slot->hidden + at;
        MPI_Request *request = &slot->request[slot->pieces++];
        if (receive)
            MPI_Irecv(piece, size, MPI_BYTE, p->before, HIDDEN_TAG, MPI_COMM_WORLD, request);
        else
            MPI_Isend(piece, size, MPI_BYTE, p->after, HIDDEN_TAG, MPI_COMM_WORLD, request);
    }
    slot->left = (size_t)slot->pieces;
    slot->state = receive ? SLOT_COMING : SLOT_LEAVING;
}

static void arrived_or_left(struct slot *slot)
{
    slot->state = slot->state == SLOT_COMING ? SLOT_HERE : SLOT_FREE;
}

/* How many pieces were through. */
static int test(struct pipeline *p, struct slot *slot)
{
    int count = 0;
    if (slot->state != SLOT_COMING && slot->state != SLOT_LEAVING)
        return 0;
    MPI_Testsome(slot->pieces, slot->request, &count, p->finished, MPI_STATUSES_IGNORE);
    count = count == MPI_UNDEFINED ? 0 : count;
    slot->left -= (size_t)count;
    if (slot->left == 0)
        arrived_or_left(slot);
    return count;
}

static void post_receives(struct pipeline *p)
{
    struct slot *slot = p->before >= 0 ? free_slot(p) : NULL;
    for (; slot && p->posted < p->plan.chunks && p->posted < p->taken + AHEAD; slot = free_slot(p))
        start(p, slot, p->posted++, true);
}

void pipeline_begin(struct pipeline *p)
{
    p->begun = true;
    post_receives(p);
}

void pipeline_step(struct pipeline *p)
{
    int moved = 1;
    for (int pass = 0; moved && pass < MOST_PASSES; pass++) { /* as long as it helps */
        moved = 0;
        for (size_t i = 0; i < p->slots; i++)
            moved += test(p, &p->slot[i]);
        post_receives(p);
    }
}

/* ---- waiting ---- */

enum wanted { NEXT_CHUNK, FREE_SLOT, ALL_GONE };

struct wait {
    struct pipeline *p;
    enum wanted wanted;
    struct slot *slot; /* NULL: waiting was given up, or ALL_GONE                  */
    bool given_up;
};

static bool reached(void *context)
{
    struct wait *w = context;
    struct pipeline *p = w->p;
    bool gone = true;
    pipeline_step(p);
    for (size_t i = 0; i < p->slots; i++)
        gone = gone && p->slot[i].state != SLOT_LEAVING;
    struct slot *slot = w->wanted == NEXT_CHUNK ? holder(p, p->taken) : w->wanted == FREE_SLOT ? free_slot(p) : NULL;
    if (slot && slot->state != SLOT_COMING)
        w->slot = slot;
    if (w->slot || (w->wanted == ALL_GONE && gone))
        return true;
    w->given_up = p->plan.idle && p->plan.idle(p->plan.context);
    return w->given_up;
}

static float *work_on(struct pipeline *p, enum wanted wanted)
{
    struct wait w = {p, wanted, NULL, false};
    waiting_until(reached, &w);
    p->worked = w.slot;
    if (!w.slot)
        return NULL;
    w.slot->state = SLOT_WORKED;
    return w.slot->hidden;
}

float *pipeline_take(struct pipeline *p)
{
    float *hidden = work_on(p, p->before >= 0 ? NEXT_CHUNK : FREE_SLOT);
    p->taken += hidden != NULL;
    return hidden;
}

void pipeline_keep(struct pipeline *p)
{
    p->worked->state = SLOT_FREE;
    pipeline_step(p);
}

float *pipeline_room(struct pipeline *p)
{
    return work_on(p, FREE_SLOT);
}

void pipeline_give(struct pipeline *p)
{
    p->worked->state = SLOT_FREE;
    if (p->after >= 0)
        start(p, p->worked, p->given++, false);
    pipeline_step(p);
}

bool pipeline_flush(struct pipeline *p)
{
    struct wait w = {p, ALL_GONE, NULL, false};
    if (p->slots)
        waiting_until(reached, &w);
    return !w.given_up;
}

/* ---- the end ---- */

static void finish(struct slot *slot)
{
    if (slot->state == SLOT_COMING || slot->state == SLOT_LEAVING)
        MPI_Waitall(slot->pieces, slot->request, MPI_STATUSES_IGNORE);
    slot->state = SLOT_FREE;
}

/* What the stage before has sent and this one hasn't taken: received, since its sender waits for that; the last stage
 * begins. A receive of what will never be sent is taken back. */
static void drain(struct pipeline *p, size_t sent)
{
    for (size_t c = p->taken; c < sent; c++) {
        struct slot *slot = holder(p, c);
        if (!slot) { /* all receives that were posted are through: any slot will do */
            slot = &p->slot[0];
            finish(slot);
            start(p, slot, c, true);
            p->posted = c + 1;
        }
        finish(slot);
    }
    for (size_t c = sent; c < p->posted; c++) {
        struct slot *slot = holder(p, c);
        for (int i = 0; slot && i < slot->pieces; i++)
            MPI_Cancel(&slot->request[i]);
        if (slot)
            finish(slot);
    }
}

void pipeline_close(struct pipeline *p)
{
    uint64_t given, sent = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    if (!p)
        return;
    given = p->given;
    if (p->begun && p->after >= 0)
        MPI_Isend(&given, 1, MPI_UINT64_T, p->after, COUNT_TAG, MPI_COMM_WORLD, &request);
    if (p->begun && p->before >= 0) {
        MPI_Recv(&sent, 1, MPI_UINT64_T, p->before, COUNT_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        drain(p, (size_t)sent);
    }
    for (size_t i = 0; i < p->slots; i++)
        if (p->slot[i].state == SLOT_LEAVING)
            finish(&p->slot[i]);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    free_all(p);
}
