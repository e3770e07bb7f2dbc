/* lone_product.c - see lone_product.h: a forward pass that holds what product.c asks for, and no more. */
#include "lone_product.h"

#include "../base/memory.h"
#include "../base/threads.h"
#include "forward_state.h"
#include "lone_workspaces.h"

struct lone_product {
    struct model_file_tensor tensor;
    struct weight weight;
    struct forward forward;
};

enum status lone_workspaces_open(struct forward *f, size_t panel_bytes, size_t rows, size_t tiles, struct error *e)
{
    const char *what = "a product's workspace";
    const int threads = threads_count();
    size_t tile;
    if (!memory_multiply(rows, FORWARD_BLOCK, &tile))
        return error_set(e, STATUS_FAILED, "%zu rows are too many", rows);
    enum status s = memory_array(&f->workspace, (size_t)threads, sizeof *f->workspace, what, e);
    f->threads = s == STATUS_OK ? threads : 0;
    for (int t = 0; t < f->threads && s == STATUS_OK; t++) {
        s = memory_array(&f->workspace[t].panels, FORWARD_PANELS, panel_bytes, what, e);
        for (size_t i = 0; i < tiles && s == STATUS_OK; i++)
            s = memory_array(&f->workspace[t].tile[i], tile, sizeof(float), what, e);
    }
    return s;
}

void lone_workspaces_close(struct forward *f)
{
    for (int t = 0; t < f->threads; t++) {
        memory_free(f->workspace[t].panels);
        for (int i = 0; i < 3; i++)
            memory_free(f->workspace[t].tile[i]);
    }
    memory_free(f->workspace);
    for (int i = 0; i < KERNELS_PACKINGS; i++)
        memory_free(f->packed[i]);
}

static size_t read_bytes(const struct lone_product_matrix *m)
{
    return m->inputs / m->format->block_elements * m->format->block_bytes;
}

size_t lone_product_row_bytes(const struct lone_product_matrix *m)
{
    return m->row_bytes ? m->row_bytes : read_bytes(m);
}

double lone_product_bytes(const struct lone_product_matrix *m)
{
    return (double)m->outputs * (double)read_bytes(m);
}

void lone_weight(struct weight *w, struct model_file_tensor *t, const struct lone_product_matrix *m)
{
    *t = (struct model_file_tensor){.dimensions = 2, .dims = {m->inputs, m->outputs, 1, 1}, .format = m->format,
                                    .bytes = m->bytes};
    *w = (struct weight){.tensor = t, .outputs = m->outputs, .inputs = m->inputs, 
                         .row_bytes = lone_product_row_bytes(m)};
}

enum status lone_product_open(struct lone_product **product, const struct lone_product_matrix *matrix,
                              const struct kernels *kernels, enum kernels_mode mode, size_t rows, struct error *e)
{
    struct lone_product *p;
    const struct kernels_way *way = kernels->way(mode, matrix->format->id);
    const size_t units = (matrix->inputs + way->unit - 1) / way->unit;
    enum status s = memory_array(&p, 1, sizeof *p, "a product", e);
    *product = NULL;
    if (s != STATUS_OK)
        return s;
    lone_weight(&p->weight, &p->tensor, matrix);
    p->forward.kernels = kernels;
    p->forward.options.mode = mode;
    s = lone_workspaces_open(&p->forward, way->depth / way->unit * way->panel_bytes, rows, 1, e);
    if (s == STATUS_OK)
        s = memory_array(&p->forward.packed[way->packing], rows, units * way->row_bytes, "packed rows", e);
    if (s != STATUS_OK) {
        lone_product_close(p);
        return s;
    }
    *product = p;
    return STATUS_OK;
}

void lone_product_close(struct lone_product *p)
{
    if (!p)
        return;
    lone_workspaces_close(&p->forward);
    memory_free(p);
}

enum kernels_mode lone_product_mode(const struct lone_product *p)
{
    return product_way(&p->forward, &p->weight)->mode;
}

void lone_product_run(struct lone_product *p, size_t rows, const float *x, float *y)
{
    const struct weight *weight = &p->weight;
    const struct product_job job = {weight, y, weight->outputs, NULL};
    product_pack(&p->forward, &weight, 1, rows, x, weight->inputs);
    product_run(&p->forward, &job, 1, rows, false);
}
