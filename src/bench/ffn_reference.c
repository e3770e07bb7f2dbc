/* ffn_reference.c - see ffn_reference.h. */
#include "ffn_reference.h"

#include <math.h>

#include "../base/memory.h"
#include "../base/threads.h"

struct reference {
    const struct ffn_weights *w;
    size_t rows;
    const float *x;
    double *gated;      /* [rows, intermediate]                                     */
    double *y;
    float *row;         /* [threads, 2, most inputs]: decoded                         */
    size_t inputs;
};

static const float *decode(const struct lone_product_matrix *m, size_t output, float *to)
{
    m->format->decode(ffn_weights_row(m, output), m->inputs / m->format->block_elements, to);
    return to;
}

static void one_neuron(void *context, size_t neuron, int thread)
{
    const struct reference *r = context;
    const struct lone_product_matrix *gate = &r->w->of.gate, *up = &r->w->of.up;
    float *row = r->row + (size_t)thread * 2 * r->inputs;
    const float *g = decode(gate, neuron, row), *u = decode(up, neuron, row + r->inputs);
    for (size_t t = 0; t < r->rows; t++) {
        const float *x = r->x + t * gate->inputs;
        double a = 0, b = 0;
        for (size_t k = 0; k < r->w->hidden; k++) {
            a += (double)g[k] * (double)x[k];
            b += (double)u[k] * (double)x[k];
        }
        r->gated[t * r->w->intermediate + neuron] = a / (1 + exp(-a)) * b;
    }
}

static void one_output(void *context, size_t output, int thread)
{
    const struct reference *r = context;
    const float *d = decode(&r->w->of.down, output, r->row + (size_t)thread * 2 * r->inputs);
    for (size_t t = 0; t < r->rows; t++) {
        const double *x = r->gated + t * r->w->intermediate;
        double sum = 0;
        for (size_t k = 0; k < r->w->intermediate; k++)
            sum += (double)d[k] * x[k];
        r->y[t * r->w->hidden + output] = sum;
    }
}

enum status ffn_reference(const struct ffn_weights *w, size_t rows, const float *x, double **y, struct error *e)
{
    struct reference r = {.w = w, .rows = rows, .x = x};
    r.inputs = w->of.gate.inputs > w->of.down.inputs ? w->of.gate.inputs : w->of.down.inputs;
    *y = NULL;
    enum status s = memory_array(&r.gated, rows, w->intermediate * sizeof *r.gated, "float64 activations", e);
    if (s == STATUS_OK)
        s = memory_array(&r.row, (size_t)threads_count() * 2 * r.inputs, sizeof *r.row, "rows of weights", e);
    if (s == STATUS_OK)
        s = memory_array(&r.y, rows, w->hidden * sizeof *r.y, "float64 outputs", e);
    if (s == STATUS_OK) {
        threads_run(w->intermediate, one_neuron, &r);
        threads_run(w->hidden, one_output, &r);
        *y = r.y;
    }
    memory_free(r.gated);
    memory_free(r.row);
    return s;
}

static double relative(double off, double all)
{
    if (!isfinite(off) || !isfinite(all))
        return NAN;
    return off > 0 ? sqrt(off / all) : 0;
}

double ffn_reference_error(const float *a, const double *b, size_t count)
{
    double off = 0, all = 0;
    for (size_t i = 0; i < count; i++) {
        const double d = (double)a[i] - b[i];
        off += d * d;
        all += b[i] * b[i];
    }
    return relative(off, all);
}

double ffn_reference_distance(const float *a, const float *b, size_t count)
{
    double off = 0, all = 0;
    for (size_t i = 0; i < count; i++) {
        const double d = (double)a[i] - (double)b[i];
        off += d * d;
        all += (double)b[i] * (double)b[i];
    }
    return relative(off, all);
}
