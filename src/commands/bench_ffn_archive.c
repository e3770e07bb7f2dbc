/* bench_ffn_archive.c - see bench_ffn_archive.h. */
#include "bench_ffn_archive.h"

#include <math.h>
#include <stdlib.h>

#include "../archive/archive_reader.h"
#include "../base/memory.h"

struct ranked {
    double energy;
    uint32_t neuron;
};

/* The largest first; equal ones, and those without a value, by number. */
static int most_first(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->energy != y->energy)
        return x->energy < y->energy ? 1 : -1;
    return (x->neuron > y->neuron) - (x->neuron < y->neuron);
}

/* length[neurons] = squared lengths of down's columns. */
static enum status column_lengths(const struct ffn_weights *w, double **length, struct error *e)
{
    const struct lone_product_matrix *down = &w->of.down;
    float *row = NULL;
    *length = NULL;
    enum status s = memory_array(&row, down->inputs, sizeof *row, "a row of weights", e);
    if (s == STATUS_OK)
        s = memory_array(length, w->intermediate, sizeof **length, "columns of weights", e);
    for (size_t r = 0; r < down->outputs && s == STATUS_OK; r++) {
        down->format->decode(ffn_weights_row(down, r), down->inputs / down->format->block_elements, row);
        for (size_t i = 0; i < w->intermediate; i++)
            (*length)[i] += (double)row[i] * (double)row[i];
    }
    memory_free(row);
    return s;
}

static enum status order_neurons(struct bench_ffn_plan *p, size_t i, const struct metrics *m, struct error *e)
{
    const float *mean = m->value[SERIES_FFN][METRIC_MEAN], *variance = m->value[SERIES_FFN][METRIC_VARIANCE];
    struct ranked *ranked = NULL;
    double *length;
    enum status s = column_lengths(&p->whole[i], &length, e);
    if (s == STATUS_OK)
        s = memory_array(&ranked, m->neurons, sizeof *ranked, "neurons by importance", e);
    if (s == STATUS_OK)
        s = memory_array(&p->order[i], m->neurons, sizeof *p->order[i], "neurons by importance", e);
    for (size_t n = 0; n < m->neurons && s == STATUS_OK; n++) {
        const double energy = ((double)mean[n] * (double)mean[n] + (double)variance[n]) * length[n];
        ranked[n] = (struct ranked){isnan(energy) ? HUGE_VAL : energy, (uint32_t)n}; /* unknown: kept */
    }
    if (s == STATUS_OK) {
        qsort(ranked, m->neurons, sizeof *ranked, most_first);
        for (size_t n = 0; n < m->neurons; n++)
            p->order[i][n] = ranked[n].neuron;
    }
    memory_free(ranked);
    memory_free(length);
    return s;
}

/* Super neurons stay, as in the report. */
static enum status find_active(struct bench_ffn_plan *p, size_t i, const struct metrics *m, struct error *e)
{
    const enum status s = memory_array(&p->active[i], m->neurons, sizeof *p->active[i], "active neurons", e);
    size_t saturated = 0;
    for (size_t n = 0; n < m->neurons && s == STATUS_OK; n++) {
        saturated += m->saturated[n];
        if (!m->saturated[n] || m->flags[n] >> CRITERIA_SUPER_BIT & 1)
            p->active[i][p->active_count[i]++] = (uint32_t)n;
    }
    p->saturated[i] = (float)((double)saturated / (double)m->neurons);
    return s;
}

static enum status read_layer(struct bench_ffn_plan *p, struct archive_reader *r, struct metrics *m, size_t i, struct error *e)
{
    enum status s = archive_reader_metrics(r, p->first + i, m, e);
    if (s == STATUS_OK)
        s = order_neurons(p, i, m, e);
    return s == STATUS_OK ? find_active(p, i, m, e) : s;
}

static enum status check_shape(const struct bench_ffn_plan *p, const struct archive_facts *f, struct error *e)
{
    if (f->layers == p->config.layers && f->intermediate_size == p->config.intermediate)
        return STATUS_OK;
    error_set(e, STATUS_INPUT, "the archive has %llu layers of %llu neurons, the model %zu of %zu", (unsigned long long)f->layers,
              (unsigned long long)f->intermediate_size, p->config.layers, p->config.intermediate);
    error_file(e, p->options->archive);
    return error_advice(e, "give the archive that profile wrote of this model");
}

enum status bench_ffn_archive_read(struct bench_ffn_plan *p, struct error *e)
{
    struct archive_reader *reader = NULL;
    struct metrics m = {.neurons = 0};
    enum status s = archive_reader_open(&reader, p->options->archive, e);
    if (s == STATUS_OK)
        s = check_shape(p, archive_reader_facts(reader), e);
    if (s == STATUS_OK)
        s = metrics_init(&m, p->config.intermediate, e);
    if (s == STATUS_OK)
        s = memory_array(&p->order, p->layers, sizeof *p->order, "layers", e);
    if (s == STATUS_OK)
        s = memory_array(&p->active, p->layers, sizeof *p->active, "layers", e);
    if (s == STATUS_OK)
        s = memory_array(&p->active_count, p->layers, sizeof *p->active_count, "layers", e);
    if (s == STATUS_OK)
        s = memory_array(&p->saturated, p->layers, sizeof *p->saturated, "layers", e);
    for (size_t i = 0; i < p->layers && s == STATUS_OK; i++)
        s = read_layer(p, reader, &m, i, e);
    metrics_free(&m);
    archive_reader_close(reader);
    return s;
}
