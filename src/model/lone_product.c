/* lone_product.c - see lone_product.h: a forward pass that holds what product.c asks for, and no more. */
#include "lone_product.h"

#include "../base/memory.h"
#include "../base/threads.h"
#include "forward_state.h"

struct lone_product {
    struct model_file_tensor tensor;
    struct weight weight;
    struct forward forward;
};

static enum status open_workspaces(struct forward *f, size_t panel_bytes, size_t rows, struct error *e)
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
        if (s == STATUS_OK)
            s = memory_array(&f->workspace[t].tile[0], tile, sizeof(float), what, e);
    }
    return s;
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
    p->tensor = (struct model_file_tensor){.dimensions = 2, .dims = {matrix->inputs, matrix->outputs, 1, 1},
                                           .format = matrix->format, .bytes = matrix->bytes};
    p->weight = (struct weight){.tensor = &p->tensor, .outputs = matrix->outputs, .inputs = matrix->inputs};
    p->weight.row_bytes = matrix->inputs / matrix->format->block_elements * matrix->format->block_bytes;
    p->forward.kernels = kernels;
    p->forward.options.mode = mode;
    s = open_workspaces(&p->forward, way->depth / way->unit * way->panel_bytes, rows, e);
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
    for (int t = 0; t < p->forward.threads; t++) {
        memory_free(p->forward.workspace[t].panels);
        memory_free(p->forward.workspace[t].tile[0]);
    }
    memory_free(p->forward.workspace);
    for (int i = 0; i < KERNELS_PACKINGS; i++)
        memory_free(p->forward.packed[i]);
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
