/* test_matvec.c - matrices in their vector form: given back unchanged, and multiplied to the bit. */
#include <stdlib.h>

#include "kernels/interleave.h"
#include "lane_buffers.h"
#include "way_products.h"

/* A matrix of random bytes at odd addresses, in both forms. */
struct forms {
    const struct quants_format *format;
    const struct interleave_form *form;
    size_t outputs, inputs, blocks, stride, group_bytes;
    uint8_t *rows, *groups;
    float *values; /* what src/quants decodes: [outputs, inputs] */
};

static void *block_of(size_t bytes)
{
    void *block = aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (!block)
        bail("no memory for a test's matrix");
    return block;
}

/* Scales with exponents below the highest, unless `odd` wants infinities and NaN. */
static void make_finite(struct forms *m, size_t output)
{
    uint8_t *row = m->rows + output * m->stride;
    float *values = m->values + output * m->inputs;
    m->format->decode(row, m->blocks, values);
    for (size_t k = 0; k < m->inputs; k++)
        if (!isfinite(values[k])) {
            for (size_t i = 0; i < m->blocks * m->format->block_bytes; i++)
                row[i] &= 0xbb;
            m->format->decode(row, m->blocks, values);
            return;
        }
}

static void interleave(struct forms *m)
{
    for (size_t g = 0; g * INTERLEAVE_ROWS < m->outputs; g++) {
        const uint8_t *row[INTERLEAVE_ROWS];
        for (size_t r = 0; r < INTERLEAVE_ROWS; r++) {
            size_t output = g * INTERLEAVE_ROWS + r;
            row[r] = output < m->outputs ? m->rows + output * m->stride : NULL;
        }
        interleave_group(m->form, row, m->blocks, m->groups + g * m->group_bytes);
    }
}

static struct forms random_forms(const struct quants_format *format, size_t outputs, size_t blocks, bool odd)
{
    struct forms m = {.format = format, .form = interleave_form(format->id), .outputs = outputs, .blocks = blocks};
    m.inputs = blocks * format->block_elements;
    m.stride = blocks * format->block_bytes + random_size(0, 9);
    m.group_bytes = interleave_bytes(m.form, blocks);
    m.rows = block_of(outputs * m.stride);
    m.values = block_of(outputs * m.inputs * sizeof *m.values);
    m.groups = block_of((outputs + INTERLEAVE_ROWS - 1) / INTERLEAVE_ROWS * m.group_bytes);
    for (size_t i = 0; i < outputs * m.stride; i++)
        m.rows[i] = (uint8_t)reference_random();
    for (size_t j = 0; j < outputs; j++)
        if (odd)
            format->decode(m.rows + j * m.stride, blocks, m.values + j * m.inputs);
        else
            make_finite(&m, j);
    interleave(&m);
    return m;
}

static void free_forms(struct forms *m)
{
    free(m->rows), free(m->groups), free(m->values);
}

static size_t random_blocks(const struct quants_format *format)
{
    return format->block_elements == 1 ? random_size(1, 300) : random_size(1, 900 / format->block_elements);
}

static bool one_restore(const struct quants_format *format)
{
    struct forms m = random_forms(format, random_size(1, 200), random_blocks(format), true);
    size_t row_bytes = m.blocks * format->block_bytes, first = random_size(0, m.blocks - 1);
    uint8_t *got = block_of(row_bytes);
    bool same = m.group_bytes == INTERLEAVE_ROWS * row_bytes;
    for (size_t j = 0; j < m.outputs; j++) {
        const uint8_t *group = m.groups + j / INTERLEAVE_ROWS * m.group_bytes, *row = m.rows + j * m.stride;
        interleave_row(m.form, group, j % INTERLEAVE_ROWS, 0, m.blocks, got);
        same = same && memcmp(got, row, row_bytes) == 0;
        interleave_row(m.form, group, j % INTERLEAVE_ROWS, first, 1, got);
        same = same && memcmp(got, row + first * format->block_bytes, format->block_bytes) == 0;
    }
    free(got), free_forms(&m);
    return same;
}

/* One chain of fused multiply-adds an output. */
static void plain(const struct forms *m, size_t rows, const float *x, size_t x_stride, float *y, size_t y_stride)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < m->outputs; j++) {
            float sum = 0.0f;
            for (size_t k = 0; k < m->inputs; k++)
                sum = fmaf(x[r * x_stride + k], m->values[j * m->inputs + k], sum);
            y[r * y_stride + j] = sum;
        }
}

/* Inputs so tiny that sums become -0 before a weight of zero, whose sign then matters. */
static void vanish(float *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        x[i] *= 0x1p-130f;
}

enum inputs { ORDINARY, ODD, VANISHING };

static bool one_product(const struct kernels *set, const struct quants_format *format, size_t rows, enum inputs kind)
{
    struct forms m = random_forms(format, random_size(1, 200), random_blocks(format), kind == ODD);
    size_t x_stride = m.inputs + random_size(0, 9), y_stride = m.outputs + random_size(0, 9);
    struct lane_array x = spread(rows, m.inputs, x_stride, kind == ODD);
    struct lane_array got = lane_array(rows * y_stride, random_size(0, 3)), wanted = got;
    wanted.block = block_of(got.size * sizeof *got.block);
    wanted.data = wanted.block + (got.data - got.block);
    lane_copy(&got, &wanted);
    for (size_t r = 0; kind == VANISHING && r < rows; r++)
        vanish(x.data + r * x_stride, m.inputs);
    plain(&m, rows, x.data, x_stride, wanted.data, y_stride);
    set->vector_way(KERNELS_F32, format->id)
        ->multiply(rows, m.inputs, x.data, x_stride, m.groups, m.outputs, got.data, y_stride);
    bool same = lane_same(&got, &wanted);
    if (!same)
        diag("%s: %zu rows, %zu outputs, %zu inputs, strides %zu %zu", format->name, rows, m.outputs, m.inputs,
             x_stride, y_stride);
    free(x.block), free(got.block), free(wanted.block), free_forms(&m);
    return same;
}

static void test_type(const struct kernels *set, const struct quants_format *format)
{
    bool ordinary = true, odd = true, vanishing = true;
    for (int round = 0; round < (tap_long() ? 8 : 1); round++)
        for (size_t rows = 1; rows <= KERNELS_VECTOR_ROWS + 3; rows++) {
            ordinary = one_product(set, format, rows, ORDINARY) && ordinary;
            odd = one_product(set, format, rows, ODD) && odd;
            vanishing = one_product(set, format, rows, VANISHING) && vanishing;
        }
    ok(ordinary, "%s: %s vector products are one fmaf chain an output, and write nothing else", set->name, format->name);
    ok(odd, "%s: so with denormals, infinities and NaN in inputs and scales", set->name);
    ok(vanishing, "%s: so where sums vanish, down to the sign of zero", set->name);
}

/* Other precisions: the bits of the reference's tiled product. */
static bool as_tiled(const struct kernels *set, enum kernels_mode mode, const struct quants_format *format, size_t rows,
                     bool odd)
{
    const struct interleave_form *form = interleave_form(format->id);
    size_t inputs = random_blocks(format) * format->block_elements, outputs = random_size(1, 200);
    size_t groups = (outputs + INTERLEAVE_ROWS - 1) / INTERLEAVE_ROWS, blocks = inputs / format->block_elements;
    size_t y_stride = groups * INTERLEAVE_ROWS, x_stride = inputs + random_size(0, 9);
    struct matrix m = random_matrix(format, outputs, inputs, odd);
    struct lane_array x = spread(rows, inputs, x_stride, odd);
    struct lane_array got = lane_array(rows * outputs, 0), wanted = lane_array(rows * y_stride, 0);
    uint8_t *weights = block_of(groups * interleave_bytes(form, blocks));
    for (size_t g = 0; g < groups; g++) {
        const uint8_t *row[INTERLEAVE_ROWS];
        for (size_t j = 0; j < INTERLEAVE_ROWS; j++)
            row[j] = g * INTERLEAVE_ROWS + j < outputs ? m.bytes + (g * INTERLEAVE_ROWS + j) * m.stride : NULL;
        interleave_group(form, row, blocks, weights + g * interleave_bytes(form, blocks));
    }
    by_way(kernels_at(0)->way(mode, format->id), &m, rows, x.data, x_stride, 512, wanted.data, y_stride);
    set->vector_way(mode, format->id)->multiply(rows, inputs, x.data, x_stride, weights, outputs, got.data, outputs);
    bool same = true;
    for (size_t r = 0; r < rows; r++)
        same = same && same_floats(got.data + r * outputs, wanted.data + r * y_stride, outputs);
    same = same && got.data[-1] == LANE_CANARY && got.data[rows * outputs] == LANE_CANARY;
    free(weights), free(x.block), free(got.block), free(wanted.block), free_matrix(&m);
    return same;
}

static void test_modes(const struct kernels *set, const struct quants_format *format)
{
    for (int mode = KERNELS_INT16; mode < KERNELS_MODES; mode++) {
        const struct kernels_vector_way *way = set->vector_way((enum kernels_mode)mode, format->id);
        bool same = true;
        if (!way)
            continue;
        is_int(way->mode, set->way((enum kernels_mode)mode, format->id)->mode, "%s: %s computes alike in both forms",
               set->name, format->name);
        for (size_t rows = 1; rows <= KERNELS_VECTOR_ROWS + 3; rows++)
            same = as_tiled(set, (enum kernels_mode)mode, format, rows, rows % 2) && same;
        ok(same, "%s: %s vector products in precision %d have the bits of tiled ones", set->name, format->name, mode);
    }
}

int main(void)
{
    for (size_t t = 0; t < quants_count(); t++) {
        const struct quants_format *format = quants_at(t);
        const struct interleave_form *form = interleave_form(format->id);
        bool same = true;
        for (size_t k = 0; kernels_at(k); k++)
            if (!form != !kernels_at(k)->vector_way(KERNELS_F32, format->id))
                same = ok(false, "%s: %s has both a vector form and a way, or neither", kernels_at(k)->name, format->name);
        if (!form)
            continue;
        for (int round = 0; round < 10; round++)
            same = one_restore(format) && same;
        ok(same, "%s rows come back from their vector form, which takes no byte more", format->name);
        for (size_t k = 0; kernels_at(k); k++)
            test_type(kernels_at(k), format), test_modes(kernels_at(k), format);
    }
    return tap_done();
}
