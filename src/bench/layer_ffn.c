/* layer_ffn.c - see layer_ffn.h. */
#include "layer_ffn.h"

#include "../base/memory.h"
#include "few_rows.h"

struct layer_ffn {
    struct layer_ffn_case of;
    struct few_rows *few;     /* [layers] or NULL                                     */
    struct lone_ffn **many;   /* [layers] or NULL                                     */
    size_t rows, turn;        /* turn: layers and copies gone through                  */
    const float *x;
    float *gate_rows, *up_rows, *gated, *y;
};

static enum status open_few(struct layer_ffn *p, struct error *e)
{
    const struct layer_ffn_case *c = &p->of;
    enum status s = memory_array(&p->few, c->layers, sizeof *p->few, "repacked layers", e);
    for (size_t i = 0; i < c->layers && s == STATUS_OK; i++)
        s = few_rows_open(&p->few[i], &c->layer[i], c->kernels, c->mode, c->fused, c->few, c->copies, e);
    return s;
}

static enum status open_many(struct layer_ffn *p, size_t rows, struct error *e)
{
    const struct layer_ffn_case *c = &p->of;
    enum status s = memory_array(&p->many, c->layers, sizeof *p->many, "layers", e);
    for (size_t i = 0; i < c->layers && s == STATUS_OK; i++)
        s = lone_ffn_open(&p->many[i], &c->layer[i], c->kernels, c->mode, rows, e);
    return s;
}

static enum status open_rows(struct layer_ffn *p, struct error *e)
{
    const struct lone_ffn_weights *w = p->of.layer;
    const size_t rows = p->of.few > p->of.many ? p->of.few : p->of.many, few = p->few ? p->of.few : 0;
    enum status s = memory_array(&p->y, rows, w->down.outputs * sizeof(float), "an FFN's output", e);
    if (s == STATUS_OK)
        s = memory_array(&p->gate_rows, few, w->gate.outputs * sizeof(float), "an FFN's activations", e);
    if (s == STATUS_OK)
        s = memory_array(&p->up_rows, few, w->gate.outputs * sizeof(float), "an FFN's activations", e);
    return s == STATUS_OK ? memory_array(&p->gated, few, w->down.inputs * sizeof(float), "an FFN's activations", e) : s;
}

enum status layer_ffn_open(struct layer_ffn **ffn, const struct layer_ffn_case *c, struct error *e)
{
    struct layer_ffn *p;
    enum status s = memory_array(&p, 1, sizeof *p, "an FFN", e);
    *ffn = NULL;
    if (s != STATUS_OK)
        return s;
    p->of = *c;
    const bool repack = c->few > 0 && few_rows_possible(c->layer, c->kernels, c->mode);
    if (repack)
        s = open_few(p, e);
    if (s == STATUS_OK && (c->many > 0 || !repack))
        s = open_many(p, c->many > c->few ? c->many : c->few, e);
    if (s == STATUS_OK)
        s = open_rows(p, e);
    if (s != STATUS_OK) {
        layer_ffn_close(p);
        return s;
    }
    *ffn = p;
    return STATUS_OK;
}

void layer_ffn_close(struct layer_ffn *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->of.layers; i++) {
        if (p->few)
            few_rows_close(&p->few[i]);
        if (p->many)
            lone_ffn_close(p->many[i]);
    }
    void *const blocks[] = {p->few, p->many, p->gate_rows, p->up_rows, p->gated, p->y, p};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        memory_free(blocks[i]);
}

void layer_ffn_input(struct layer_ffn *p, size_t rows, const float *x)
{
    p->rows = rows;
    p->x = x;
}

bool layer_ffn_repacked(const struct layer_ffn *p)
{
    return p->few && p->rows <= p->of.few;
}

void layer_ffn_select(struct layer_ffn *p, size_t layer)
{
    p->turn = layer;
}

void layer_ffn_run(void *context)
{
    struct layer_ffn *p = context;
    const size_t layer = p->turn % p->of.layers, copy = p->turn / p->of.layers;
    p->turn = (p->turn + 1) % (p->of.layers * p->of.copies);
    if (!layer_ffn_repacked(p)) {
        lone_ffn_run(p->many[layer], p->of.fused, p->rows, p->x, p->y);
        return;
    }
    struct few_rows *f = &p->few[layer];
    f->rows = p->rows;
    f->copy = copy;
    f->x = p->x;
    f->gate_rows = p->gate_rows;
    f->up_rows = p->up_rows;
    f->gated = p->gated;
    f->y = p->y;
    few_rows_run(f);
}

const float *layer_ffn_output(const struct layer_ffn *p)
{
    return p->y;
}

double layer_ffn_bytes(const struct layer_ffn *p)
{
    return lone_ffn_bytes(p->of.layer);
}

double layer_ffn_flops(const struct layer_ffn *p)
{
    const struct lone_ffn_weights *w = p->of.layer;
    return 6.0 * (double)p->rows * (double)w->gate.outputs * (double)w->down.outputs;
}

enum kernels_mode layer_ffn_mode(const struct layer_ffn *p)
{
    const struct lone_ffn_weights *w = p->of.layer;
    if (layer_ffn_repacked(p))
        return p->of.kernels->vector_way(p->of.mode, w->gate.format->id)->mode;
    return p->of.kernels->way(p->of.mode, w->gate.format->id)->mode;
}
