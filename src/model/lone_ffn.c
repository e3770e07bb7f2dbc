/* lone_ffn.c - see lone_ffn.h. */
#include "lone_ffn.h"

#include <string.h>

#include "../base/memory.h"
#include "../base/threads.h"
#include "lone_workspaces.h"

struct lone_ffn {
    struct model_file_tensor tensor[3];
    struct weight gate, up, down;
    struct forward forward;
    size_t neurons, stride; /* stride: floats of a row of `gated`, zeros past the neurons */
    float *gated;           /* [rows, stride]: silu(gate) * up                          */
    float *gate_rows, *up_rows; /* [rows, neurons] of the separate products               */
    size_t rows;            /* of the run at hand                                     */
};

static enum status open_packed(struct lone_ffn *p, size_t rows, struct error *e)
{
    const struct weight *const all[] = {&p->gate, &p->up, &p->down};
    size_t bytes[KERNELS_PACKINGS] = {0};
    enum status s = STATUS_OK;
    for (size_t i = 0; i < 3; i++) {
        const struct kernels_way *way = product_way(&p->forward, all[i]);
        const size_t row = (all[i]->inputs + way->unit - 1) / way->unit * way->row_bytes;
        bytes[way->packing] = row > bytes[way->packing] ? row : bytes[way->packing];
    }
    for (int i = 0; i < KERNELS_PACKINGS && s == STATUS_OK; i++)
        if (bytes[i])
            s = memory_array(&p->forward.packed[i], rows, bytes[i], "packed rows", e);
    return s;
}

static enum status open_rows(struct lone_ffn *p, size_t rows, struct error *e)
{
    float **const buffers[] = {&p->gated, &p->gate_rows, &p->up_rows};
    const size_t widths[] = {p->stride, p->neurons, p->neurons};
    enum status s = STATUS_OK;
    for (size_t i = 0; i < 3 && s == STATUS_OK; i++) {
        size_t floats;
        if (!memory_multiply(rows, widths[i], &floats))
            return error_set(e, STATUS_FAILED, "%zu rows are too many", rows);
        s = memory_array(buffers[i], floats, sizeof(float), "an FFN's activations", e);
    }
    return s;
}

static size_t panel_bytes(const struct lone_ffn *p)
{
    const struct weight *const all[] = {&p->gate, &p->up, &p->down};
    size_t most = 0;
    for (size_t i = 0; i < 3; i++) {
        const struct kernels_way *way = product_way(&p->forward, all[i]);
        const size_t bytes = way->depth / way->unit * way->panel_bytes;
        most = bytes > most ? bytes : most;
    }
    return most;
}

enum status lone_ffn_open(struct lone_ffn **ffn, const struct lone_ffn_weights *weights, const struct kernels *kernels,
                          enum kernels_mode mode, size_t rows, struct error *e)
{
    struct lone_ffn *p;
    enum status s = memory_array(&p, 1, sizeof *p, "an FFN", e);
    *ffn = NULL;
    if (s != STATUS_OK)
        return s;
    lone_weight(&p->gate, &p->tensor[0], &weights->gate);
    lone_weight(&p->up, &p->tensor[1], &weights->up);
    lone_weight(&p->down, &p->tensor[2], &weights->down);
    p->neurons = p->gate.outputs;
    p->stride = p->down.inputs;
    p->forward.kernels = kernels;
    p->forward.options.mode = mode;
    s = lone_workspaces_open(&p->forward, panel_bytes(p), rows, 3, e);
    if (s == STATUS_OK)
        s = open_packed(p, rows, e);
    if (s == STATUS_OK)
        s = open_rows(p, rows, e);
    if (s != STATUS_OK) {
        lone_ffn_close(p);
        return s;
    }
    *ffn = p;
    return STATUS_OK;
}

double lone_ffn_bytes(const struct lone_ffn_weights *w)
{
    return lone_product_bytes(&w->gate) + lone_product_bytes(&w->up) + lone_product_bytes(&w->down);
}

void lone_ffn_close(struct lone_ffn *p)
{
    if (!p)
        return;
    lone_workspaces_close(&p->forward);
    memory_free(p->gated);
    memory_free(p->gate_rows);
    memory_free(p->up_rows);
    memory_free(p);
}

static void fused_block(void *context, size_t block, int thread)
{
    struct lone_ffn *p = context;
    struct forward *f = &p->forward;
    struct workspace *own = &f->workspace[thread];
    const size_t first = block * FORWARD_BLOCK, left = p->neurons - first;
    const size_t neurons = left < FORWARD_BLOCK ? left : FORWARD_BLOCK;
    const struct part gate = product_whole(f, &p->gate, p->rows), up = product_whole(f, &p->up, p->rows);
    product_block(f, own, &p->gate, block, &gate, p->rows, own->tile[SERIES_GATE]);
    product_block(f, own, &p->up, block, &up, p->rows, own->tile[SERIES_UP]);
    f->kernels->silu_multiply(p->rows * FORWARD_BLOCK, own->tile[SERIES_GATE], own->tile[SERIES_UP], own->tile[SERIES_FFN]);
    for (size_t r = 0; r < p->rows; r++)
        memcpy(p->gated + r * p->stride + first, own->tile[SERIES_FFN] + r * FORWARD_BLOCK, neurons * sizeof *p->gated);
}

static void gated_row(void *context, size_t row, int thread)
{
    struct lone_ffn *p = context;
    (void)thread;
    p->forward.kernels->silu_multiply(p->neurons, p->gate_rows + row * p->neurons, p->up_rows + row * p->neurons,
                                      p->gated + row * p->stride);
}

void lone_ffn_run(struct lone_ffn *p, bool fused, size_t rows, const float *x, float *y)
{
    struct forward *f = &p->forward;
    const struct weight *const first[] = {&p->gate, &p->up}, *const last = &p->down;
    const struct product_job gate = {&p->gate, p->gate_rows, p->neurons, NULL}, up = {&p->up, p->up_rows, p->neurons, NULL},
                             down = {last, y, p->down.outputs, NULL};
    p->rows = rows;
    product_pack(f, first, 2, rows, x, p->gate.inputs);
    if (fused)
        threads_run((p->neurons + FORWARD_BLOCK - 1) / FORWARD_BLOCK, fused_block, p);
    else {
        product_run(f, &gate, 1, rows, false);
        product_run(f, &up, 1, rows, false);
        threads_run(rows, gated_row, p);
    }
    product_pack(f, &last, 1, rows, p->gated, p->stride);
    product_run(f, &down, 1, rows, false);
}
