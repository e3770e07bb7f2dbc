/* factored_ffn.c - see factored_ffn.h. */
#include "factored_ffn.h"

#include "../base/memory.h"
#include "../base/threads.h"
#include "repacked.h"

/* One product of the six. */
struct factor {
    struct repacked repacked;
    const struct kernels_vector_way *way; /* NULL: not repacked                              */
    struct lone_product *product;
    size_t inputs, outputs;
};

struct factored_ffn {
    struct low_rank matrix[3];
    struct factor factor[3][2];   /* of each: right, left, in the order of use               */
    const struct kernels *kernels;
    size_t few, copies, turn, rows, hidden, intermediate;
    const float *x;
    float *thin, *gate, *up, *y;  /* [rows, rank], [rows, neurons] twice, [rows, hidden]       */
    const struct factor *running; /* what all threads work at                               */
    const float *from;
    float *to;
};

static enum status open_factor(struct factored_ffn *f, struct factor *a, const struct lone_product_matrix *m, enum kernels_mode mode,
                               size_t rows, struct error *e)
{
    a->inputs = m->inputs;
    a->outputs = m->outputs;
    a->way = f->few ? f->kernels->vector_way(mode, m->format->id) : NULL;
    enum status s = a->way ? repacked_open(&a->repacked, m, 1, f->copies, e) : STATUS_OK;
    return s == STATUS_OK ? lone_product_open(&a->product, m, f->kernels, mode, rows, e) : s;
}

static enum status open_rows(struct factored_ffn *f, size_t rows, struct error *e)
{
    size_t widest = 0;
    for (int i = 0; i < 3; i++)
        widest = f->matrix[i].left.inputs > widest ? f->matrix[i].left.inputs : widest;
    const char *what = "a factored FFN's activations";
    enum status s = memory_array(&f->thin, rows, widest * sizeof(float), what, e);
    if (s == STATUS_OK)
        s = memory_array(&f->gate, rows, f->intermediate * sizeof(float), what, e);
    if (s == STATUS_OK)
        s = memory_array(&f->up, rows, f->intermediate * sizeof(float), what, e);
    return s == STATUS_OK ? memory_array(&f->y, rows, f->hidden * sizeof(float), what, e) : s;
}

enum status factored_ffn_open(struct factored_ffn **factored, const struct low_rank_spectrum spectrum[3], double share,
                              const struct kernels *kernels, enum kernels_mode mode, size_t few, size_t many, size_t copies,
                              struct error *e)
{
    struct factored_ffn *f;
    const size_t rows = few > many ? few : many;
    enum status s = memory_array(&f, 1, sizeof *f, "a factored FFN", e);
    *factored = NULL;
    if (s != STATUS_OK)
        return s;
    f->kernels = kernels;
    f->few = few;
    f->copies = copies;
    f->intermediate = spectrum[0].matrix->outputs;
    f->hidden = spectrum[0].matrix->inputs;
    for (int i = 0; i < 3 && s == STATUS_OK; i++) {
        s = low_rank_open(&f->matrix[i], &spectrum[i], low_rank_of(spectrum[i].matrix, share), e);
        if (s == STATUS_OK)
            s = open_factor(f, &f->factor[i][0], &f->matrix[i].right, mode, rows, e);
        if (s == STATUS_OK)
            s = open_factor(f, &f->factor[i][1], &f->matrix[i].left, mode, rows, e);
    }
    if (s == STATUS_OK)
        s = open_rows(f, rows, e);
    if (s != STATUS_OK) {
        factored_ffn_close(f);
        return s;
    }
    *factored = f;
    return STATUS_OK;
}

void factored_ffn_close(struct factored_ffn *f)
{
    if (!f)
        return;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 2; k++) {
            repacked_close(&f->factor[i][k].repacked);
            lone_product_close(f->factor[i][k].product);
        }
        low_rank_close(&f->matrix[i]);
    }
    void *const blocks[] = {f->thin, f->gate, f->up, f->y, f};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        memory_free(blocks[i]);
}

static void multiply_share(void *context, size_t share, int thread)
{
    const struct factored_ffn *f = context;
    (void)thread;
    repacked_multiply(&f->running->repacked, f->running->way, f->turn, f->rows, f->from, f->to, share);
}

static void multiply(struct factored_ffn *f, const struct factor *a, const float *from, float *to)
{
    if (!a->way || f->rows > f->few) {
        lone_product_run(a->product, f->rows, from, to);
        return;
    }
    f->running = a;
    f->from = from;
    f->to = to;
    threads_run((size_t)threads_count(), multiply_share, f);
}

static void gated_row(void *context, size_t row, int thread)
{
    const struct factored_ffn *f = context;
    (void)thread;
    f->kernels->silu_multiply(f->intermediate, f->gate + row * f->intermediate, f->up + row * f->intermediate,
                              f->gate + row * f->intermediate);
}

void factored_ffn_input(struct factored_ffn *f, size_t rows, const float *x)
{
    f->rows = rows;
    f->x = x;
}

void factored_ffn_run(void *context)
{
    struct factored_ffn *f = context;
    float *const to[] = {f->gate, f->up, f->y};
    f->turn = (f->turn + 1) % f->copies;
    for (int i = 0; i < 3; i++) {
        if (i == 2)
            threads_run(f->rows, gated_row, f);
        multiply(f, &f->factor[i][0], i < 2 ? f->x : f->gate, f->thin);
        multiply(f, &f->factor[i][1], f->thin, to[i]);
    }
}

const float *factored_ffn_output(const struct factored_ffn *f)
{
    return f->y;
}

double factored_ffn_bytes(const struct factored_ffn *f)
{
    double bytes = 0;
    for (int i = 0; i < 3; i++)
        bytes += lone_product_bytes(&f->matrix[i].left) + lone_product_bytes(&f->matrix[i].right);
    return bytes;
}

double factored_ffn_flops(const struct factored_ffn *f)
{
    double weights = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++)
            weights += (double)f->factor[i][k].inputs * (double)f->factor[i][k].outputs;
    return 2 * (double)f->rows * weights;
}

size_t factored_ffn_rank(const struct factored_ffn *f)
{
    return f->matrix[0].left.inputs;
}
