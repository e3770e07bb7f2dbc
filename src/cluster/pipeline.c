/* pipeline.c - see pipeline.h.
 *
 * Batch b has its place in slot b modulo the number of slots, on this stage. Before the slot can take batch b, batch
 * b - slots must have left it. Receives are posted as early as that allows, so that a batch comes in while the one
 * before is worked on. Messages between two ranks keep their order, so no piece needs a number.
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

enum state { SLOT_FREE, SLOT_COMING, SLOT_HERE, SLOT_LEAVING };

struct slot {
    float *hidden;          /* [largest batch, hidden]                               */
    enum state state;
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
    size_t posted;          /* batches whose receive was posted                     */
    size_t taken, given;
    bool begun;
};

static enum status open_slots(struct pipeline *p, struct error *e)
{
    size_t largest = 0, floats, bytes, pieces;
    for (size_t b = 0; b < p->plan.batches; b++)
        largest = p->plan.rows[b] > largest ? p->plan.rows[b] : largest;
    if (!memory_multiply(largest, p->plan.hidden, &floats) || !memory_multiply(floats, sizeof(float), &bytes) ||
        bytes / PIECE >= INT32_MAX)
        return error_set(e, STATUS_FAILED, "a batch of %zu tokens is too large", largest);
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

static struct slot *slot_of(struct pipeline *p, size_t batch)
{
    return &p->slot[batch % p->slots];
}

/* Starts a batch's pieces, to or from the neighbour. */
static void start(struct pipeline *p, size_t batch, bool receive)
{
    struct slot *slot = slot_of(p, batch);
    size_t bytes = p->plan.rows[batch] * p->plan.hidden * sizeof(float);
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
    while (p->before >= 0 && p->posted < p->plan.batches && p->posted < p->taken + p->slots &&
           slot_of(p, p->posted)->state == SLOT_FREE)
        start(p, p->posted++, true);
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

struct wait {
    struct pipeline *p;
    const struct slot *slot; /* NULL: all that leave                                */
    enum state wanted;
    bool given_up;
};

static bool reached(void *context)
{
    struct wait *w = context;
    bool there = true;
    pipeline_step(w->p);
    for (size_t i = 0; i < w->p->slots && !w->slot; i++)
        there = there && w->p->slot[i].state != SLOT_LEAVING;
    if (w->slot ? w->slot->state == w->wanted : there)
        return true;
    w->given_up = w->p->plan.idle && w->p->plan.idle(w->p->plan.context);
    return w->given_up;
}

float *pipeline_take(struct pipeline *p, bool *given_up)
{
    *given_up = false;
    if (!p->slots)
        return NULL;
    struct slot *slot = slot_of(p, p->taken);
    struct wait w = {p, slot, p->before >= 0 ? SLOT_HERE : SLOT_FREE, false};
    waiting_until(reached, &w);
    *given_up = w.given_up;
    if (w.given_up)
        return NULL;
    slot->state = SLOT_HERE;
    p->taken++;
    return slot->hidden;
}

void pipeline_give(struct pipeline *p)
{
    if (!p->slots)
        return;
    struct slot *slot = slot_of(p, p->taken - 1);
    slot->state = SLOT_FREE;
    if (p->after >= 0) {
        start(p, p->taken - 1, false);
        p->given++;
    }
    pipeline_step(p);
}

bool pipeline_flush(struct pipeline *p)
{
    struct wait w = {p, NULL, SLOT_FREE, false};
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
    for (size_t b = p->taken; b < sent; b++) {
        struct slot *slot = slot_of(p, b);
        if (b >= p->posted) {
            finish(slot);
            start(p, p->posted++, true);
        }
        finish(slot);
    }
    for (size_t b = sent; b < p->posted; b++) {
        struct slot *slot = slot_of(p, b);
        for (int i = 0; i < slot->pieces; i++)
            MPI_Cancel(&slot->request[i]);
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
