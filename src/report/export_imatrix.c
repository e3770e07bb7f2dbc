/* export_imatrix.c - see export_imatrix.h.
 *
 * The older form, in the writer's order of bytes (in practice the low one first):
 *
 *     int32 entries
 *     entries x { int32 length | name | int32 calls | int32 values | float32 value[values] }
 *     int32 chunks | int32 length | name of the data
 *
 * value[i] is calls * E[x_i^2]: whoever quantises divides by calls, whoever merges two files weighs by it. Our calls
 * are prompts, as llama-imatrix's are chunks of text. A neuron without a finite sample gets its layer's mean, since 0
 * would tell the quantiser that the column may come out as anything.
 */
#include "export_imatrix.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/outfile.h"
#include "../stats/moments.h"
#include "../stats/wide.h"

/* The state of one layer. */
struct layer_state {
    struct accumulator_block *block[SERIES_COUNT];
    struct accumulator_layer facts;
};

static double mean_square(const struct accumulator_block *block, int lane, const struct accumulator_layer *facts)
{
    struct moments m;
    moments_of(block, lane, facts, &m);
    if (isnan(m.variance)) /* no finite sample, or a sum that has passed its range */
        return NAN;
    const struct wide sum = wide_from_limbs(&block->sum[1][0][lane], ACCUMULATOR_LIMBS, SUMS_LANES);
    return wide_to_double(&sum, accumulator_scale[1]) / (double)m.count;
}

static void fill_layer(struct export_imatrix *x, size_t layer, const struct layer_state *state)
{
    double *row = x->mean_square + layer * x->neurons, total = 0.0;
    size_t known = 0;
    for (size_t i = 0; i < x->neurons; i++) {
        row[i] = mean_square(&state->block[SERIES_FFN][i / SUMS_LANES], (int)(i % SUMS_LANES), &state->facts);
        if (!isnan(row[i])) {
            total += row[i];
            known++;
        }
    }
    x->samples[layer] = known ? state->facts.samples : 0;
    x->entries += known > 0;
    if (known == 0)
        return;
    x->guessed += x->neurons - known;
    for (size_t i = 0; i < x->neurons; i++)
        if (isnan(row[i]))
            row[i] = total / (double)known;
}

static enum status read_layers(struct export_imatrix *x, struct archive_reader *r, struct error *e)
{
    const size_t blocks = (x->neurons + SUMS_LANES - 1) / SUMS_LANES;
    struct layer_state state = {.block = {NULL}};
    enum status s = STATUS_OK;
    for (int k = 0; k < SERIES_COUNT && s == STATUS_OK; k++)
        s = memory_array(&state.block[k], blocks, sizeof *state.block[k], "a layer's sums", e);
    for (size_t layer = 0; layer < x->layers && s == STATUS_OK; layer++) {
        s = archive_reader_state(r, layer, state.block, &state.facts, e);
        if (s == STATUS_OK)
            fill_layer(x, layer, &state);
    }
    for (int k = 0; k < SERIES_COUNT; k++)
        memory_free(state.block[k]);
    return s;
}

enum status export_imatrix_read(struct export_imatrix *x, struct archive_reader *r, struct error *e)
{
    const struct archive_facts *facts = archive_reader_facts(r);
    const char *source = archive_reader_run_value(r, "prompts_source");
    size_t total;
    *x = (struct export_imatrix){.layers = (size_t)facts->layers, .neurons = (size_t)facts->intermediate_size,
                                 .prompts = facts->prompts};
    snprintf(x->source, sizeof x->source, "%s", source ? source : "phi3sat");
    error_printable(x->source);
    if (!memory_multiply(x->layers, x->neurons, &total))
        return error_set(e, STATUS_FAILED, "%zu layers of %zu neurons are too many", x->layers, x->neurons);
    enum status s = memory_array(&x->mean_square, total, sizeof *x->mean_square, "the importance matrix", e);
    if (s == STATUS_OK)
        s = memory_array(&x->samples, x->layers, sizeof *x->samples, "the importance matrix", e);
    if (s == STATUS_OK)
        s = read_layers(x, r, e);
    if (s != STATUS_OK || x->entries > 0)
        return s;
    error_set(e, STATUS_INPUT, "no neuron has a finite sample, and so no importance");
    return error_advice(e, "profile again, with prompts that give some");
}

void export_imatrix_free(struct export_imatrix *x)
{
    memory_free(x->mean_square);
    memory_free(x->samples);
    memset(x, 0, sizeof *x);
}

void export_imatrix_name(size_t layer, char name[EXPORT_IMATRIX_NAME])
{
    snprintf(name, EXPORT_IMATRIX_NAME, "blk.%zu.ffn_down.weight", layer);
}

static void put(struct outfile *out, uint64_t value)
{
    const int32_t number = value > INT32_MAX ? INT32_MAX : (int32_t)value;
    outfile_write(out, &number, sizeof number);
}

static void put_entry(struct outfile *out, const struct export_imatrix *x, size_t layer, uint64_t calls)
{
    char name[EXPORT_IMATRIX_NAME];
    export_imatrix_name(layer, name);
    put(out, strlen(name));
    outfile_write(out, name, strlen(name));
    put(out, calls);
    put(out, x->neurons);
    for (size_t i = 0; i < x->neurons; i++) {
        const float value = (float)(x->mean_square[layer * x->neurons + i] * (double)calls);
        outfile_write(out, &value, sizeof value);
    }
}

enum status export_imatrix_write(const struct export_imatrix *x, const char *path, struct error *e)
{
    const uint64_t calls = x->prompts > INT32_MAX ? INT32_MAX : x->prompts ? x->prompts : 1;
    struct outfile out;
    enum status s = outfile_open(&out, path, e);
    if (s != STATUS_OK)
        return s;
    put(&out, x->entries);
    for (size_t layer = 0; layer < x->layers; layer++)
        if (x->samples[layer])
            put_entry(&out, x, layer, calls);
    put(&out, calls);
    put(&out, strlen(x->source));
    outfile_write(&out, x->source, strlen(x->source));
    return outfile_commit(&out, e);
}
