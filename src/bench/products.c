/* products.c - see products.h. */
#include "products.h"

#include "../base/memory.h"
#include "../base/threads.h"
#include "../model/lone_product.h"

/* Beside each mode of enum kernels_mode, in its order. A mode that isn't built in is not offered. */
static const char *const names[] = {"f32", "int16", "int8"};

const char *const *products_precisions(void)
{
    static const char *built[KERNELS_MODES + 1];
    _Static_assert((size_t)KERNELS_MODES <= sizeof names / sizeof *names, "every mode has a name");
    for (int i = 0; i < (int)KERNELS_MODES; i++)
        built[i] = names[i];
    return built;
}

struct product_run {
    struct lone_product *product;
    size_t rows;
    float *x, *y;
};

static void run_product(void *context)
{
    const struct product_run *run = context;
    lone_product_run(run->product, run->rows, run->x, run->y);
}

static enum status open_run(struct product_run *run, const struct products_case *c, struct error *e)
{
    const struct synthetic_matrix *m = c->matrix;
    const struct lone_product_matrix matrix = {m->format, m->bytes, m->outputs, m->padded, m->row_bytes};
    *run = (struct product_run){.rows = c->rows};
    enum status s = synthetic_rows(m, c->rows, 1, &run->x, e);
    if (s == STATUS_OK)
        s = memory_array(&run->y, c->rows, m->outputs * sizeof *run->y, "a product's outputs", e);
    return s == STATUS_OK ? lone_product_open(&run->product, &matrix, c->kernels, c->mode, c->rows, e) : s;
}

static void close_run(struct product_run *run)
{
    lone_product_close(run->product);
    memory_free(run->x);
    memory_free(run->y);
}

enum status products_time(const struct products_case *c, const struct timing_plan *plan, struct products_result *result,
                          struct error *e)
{
    struct product_run run;
    struct timing_subject *subjects = NULL;
    threads_set(c->threads);
    enum status s = open_run(&run, c, e);
    if (s == STATUS_OK)
        s = memory_array(&subjects, 2, sizeof *subjects, "a benchmark's samples", e);
    if (s == STATUS_OK) {
        const double work = 2.0 * (double)c->rows * (double)c->matrix->outputs * (double)c->matrix->inputs;
        result->computed = lone_product_mode(run.product);
        result->roof = roof_loop(c->kernels, roof_of_mode(result->computed));
        struct roof_run roof = {result->roof};
        subjects[0].run = run_product;
        subjects[0].context = &run;
        roof_subject(&subjects[1], &roof);
        timing_alternate(plan, (struct timing_subject *[]){&subjects[0], &subjects[1]}, 2);
        result->seconds = timing_spread(subjects[0].seconds, subjects[0].count);
        result->rate = timing_rate(result->seconds, work);
        result->peak = timing_rate(timing_spread(subjects[1].seconds, subjects[1].count), roof_work(&roof, c->threads));
        result->share = result->peak.median > 0 ? result->rate.median / result->peak.median : 0;
    }
    memory_free(subjects);
    close_run(&run);
    return s;
}
