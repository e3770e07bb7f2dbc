/* test_integer_products.c - products in 16 and 8 bits: exact where activations are integers, near where they are not, the
 * same bits in every instruction set, and never beyond the range of their sums. */
#include <stdlib.h>

#include "lane_buffers.h"
#include "way_products.h"

struct outputs {
    double *value, *size; /* [rows, outputs]: x w, and the sum of |x w| */
};

static struct outputs in_float64(const struct matrix *m, size_t rows, const float *x, size_t x_stride)
{
    struct outputs o = {malloc(rows * m->outputs * sizeof(double)), malloc(rows * m->outputs * sizeof(double))};
    if (!o.value || !o.size)
        bail("no memory for a test");
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < m->outputs; j++) {
            double sum = 0, size = 0;
            for (size_t k = 0; k < m->inputs; k++) {
                double product = (double)x[r * x_stride + k] * m->values[j * m->inputs + k];
                sum += product;
                size += fabs(product);
            }
            o.value[r * m->outputs + j] = sum;
            o.size[r * m->outputs + j] = size;
        }
    return o;
}

static void free_outputs(struct outputs *o)
{
    free(o->value);
    free(o->size);
}

/* Every 256 activations are integers, the largest of them +-limit: packed without an error. */
static void fill_integers(float *x, size_t inputs, int limit)
{
    for (size_t k = 0; k < inputs; k++)
        x[k] = (float)((int)random_size(0, 2 * (size_t)limit) - limit);
    for (size_t k = 0; k < inputs; k += 256)
        x[k + random_size(0, inputs - k < 256 ? inputs - k - 1 : 255)] = (float)(random_size(0, 1) ? limit : -limit);
}

static size_t random_inputs(const struct quants_format *format)
{
    return random_size(1, 1100 / format->block_elements) * format->block_elements;
}

/* Sums over units and sub-blocks are in float32, so errors are in proportion to the sum of magnitudes, minima's and offsets'
 * apart from quants': 2^-18 leaves room for 60 roundings. */
static bool exact(const struct kernels_way *way, const struct quants_format *format, int limit)
{
    size_t rows = random_size(1, 20), inputs = random_inputs(format), outputs = random_size(1, 40);
    struct matrix m = random_matrix(format, outputs, inputs, false);
    size_t y_stride = (outputs + 15) / 16 * 16;
    struct lane_array x = lane_array(rows * inputs, 1), y = lane_array(rows * y_stride, 0);
    for (size_t r = 0; r < rows; r++)
        fill_integers(x.data + r * inputs, inputs, limit);
    struct outputs wanted = in_float64(&m, rows, x.data, inputs);
    by_way(way, &m, rows, x.data, inputs, way->depth, y.data, y_stride);
    double worst = 0;
    for (size_t r = 0; r < rows; r++) {
        double largest = 0; /* of the row: minima may be far larger than what is left of them in a small weight */
        for (size_t j = 0; j < outputs; j++)
            largest = fmax(largest, wanted.size[r * outputs + j]);
        for (size_t j = 0; j < outputs; j++)
            worst = fmax(worst, fabs(y.data[r * y_stride + j] - wanted.value[r * outputs + j]) / largest);
    }
    if (worst > 0x1p-18)
        diag("%s: off by %g of the row's largest sum of magnitudes (%zu x %zu)", format->name, worst, outputs, inputs);
    free_outputs(&wanted), free_matrix(&m), free(x.block), free(y.block);
    return worst <= 0x1p-18;
}

/* Relative L2 error on normal activations. */
static double error_of(const struct kernels_way *way, const struct quants_format *format)
{
    size_t rows = 24, outputs = 32, inputs = 1024;
    struct matrix m = random_matrix(format, outputs, inputs, false);
    struct lane_array x = lane_array(rows * inputs, 0), y = lane_array(rows * outputs, 0);
    for (size_t i = 0; i < rows * inputs; i++)
        x.data[i] = (float)reference_normal();
    struct outputs wanted = in_float64(&m, rows, x.data, inputs);
    by_way(way, &m, rows, x.data, inputs, way->depth, y.data, outputs);
    double off = 0, all = 0;
    for (size_t i = 0; i < rows * outputs; i++) {
        off += (y.data[i] - wanted.value[i]) * (y.data[i] - wanted.value[i]);
        all += wanted.value[i] * wanted.value[i];
    }
    free_outputs(&wanted), free_matrix(&m), free(x.block), free(y.block);
    return sqrt(off / all);
}

/* The largest quants and scales a format has, all activations at the limit and of one sign: sums are as large as they get. */
static bool extreme(const struct kernels_way *way, const struct quants_format *format, uint8_t byte, float activation)
{
    size_t rows = 7, outputs = 16, inputs = 512;
    struct matrix m = random_matrix(format, outputs, inputs, false);
    for (size_t i = 0; i < outputs; i++)
        memset(m.bytes + i * m.stride, byte, m.row_bytes);
    for (size_t i = 0; i < outputs; i++) /* halves: finite ones, by and by */
        for (size_t b = 0; b < m.row_bytes / format->block_bytes; b++) {
            uint8_t *block = m.bytes + i * m.stride + b * format->block_bytes, half[] = {0x66, 0x2e}; /* 0.1 */
            size_t end = format->block_bytes;
            bool two = format->id == QUANTS_Q4_1 || format->id == QUANTS_Q5_1 || format->id == QUANTS_Q4_K ||
                       format->id == QUANTS_Q5_K;
            bool behind = format->id == QUANTS_Q2_K || format->id == QUANTS_Q3_K || format->id == QUANTS_Q6_K;
            memcpy(behind ? block + end - 2 : block, half, 2);
            if (two || format->id == QUANTS_Q2_K)
                memcpy(two ? block + 2 : block + end - 4, half, 2);
        }
    for (size_t i = 0; i < outputs; i++)
        format->decode(m.bytes + i * m.stride, inputs / format->block_elements, m.values + i * inputs);
    struct lane_array x = lane_array(rows * inputs, 0), y = lane_array(rows * outputs, 0);
    for (size_t i = 0; i < rows * inputs; i++)
        x.data[i] = activation;
    struct outputs wanted = in_float64(&m, rows, x.data, inputs);
    by_way(way, &m, rows, x.data, inputs, way->depth, y.data, outputs);
    bool near = true;
    for (size_t i = 0; i < rows * outputs; i++)
        near = near && fabs(y.data[i] - wanted.value[i]) <= 1e-5 * wanted.size[i] + 1e-3 * fabs((double)activation);
    if (!near)
        diag("%s, bytes %02x, activations %g: %g instead of %g", format->name, byte, activation, y.data[0], wanted.value[0]);
    free_outputs(&wanted), free_matrix(&m), free(x.block), free(y.block);
    return near;
}

/* The same bits as the reference's, whatever the tiles and blocks; NaN and infinity stay in their rows. */
static bool alike(const struct kernels *set, enum kernels_mode mode, const struct quants_format *format)
{
    const struct kernels_way *way = set->way(mode, format->id), *plain = kernels_at(0)->way(mode, format->id);
    size_t rows = random_size(1, 40), inputs = random_inputs(format), outputs = random_size(1, 60);
    size_t x_stride = inputs + random_size(0, 9), y_stride = (outputs + 15) / 16 * 16 + random_size(0, 9);
    bool odd = random_size(0, 1);
    struct matrix m = random_matrix(format, outputs, inputs, odd);
    struct lane_array x = spread(rows, inputs, x_stride, odd);
    struct lane_array got = lane_array(rows * y_stride, 0), wanted = lane_array(rows * y_stride, 0);
    if (random_size(0, 2) == 0)
        for (size_t k = 0; k < inputs; k++) /* a row below what counts, and one of zeros */
            x.data[k] = 1e-35f, x.data[(rows - 1) * x_stride + k] = 0;
    by_way(plain, &m, rows, x.data, x_stride, 256, wanted.data, y_stride);
    by_way(way, &m, rows, x.data, x_stride, 256 * random_size(1, 4), got.data, y_stride);
    bool same = lane_same(&got, &wanted);
    for (size_t r = 0; r < rows && !odd; r++)
        for (size_t j = 0; j < outputs; j++)
            same = same && isfinite(got.data[r * y_stride + j]);
    if (!same)
        diag("%s: rows %zu inputs %zu outputs %zu strides %zu %zu", format->name, rows, inputs, outputs, x_stride, y_stride);
    free(x.block), free(got.block), free(wanted.block), free_matrix(&m);
    return same;
}

static bool not_a_number_stays(const struct kernels_way *way, const struct quants_format *format, float odd)
{
    size_t rows = 9, inputs = 512, outputs = 16, hit = random_size(0, rows - 1);
    struct matrix m = random_matrix(format, outputs, inputs, false);
    struct lane_array x = spread(rows, inputs, inputs, false), y = lane_array(rows * outputs, 0);
    x.data[hit * inputs + random_size(0, inputs - 1)] = odd;
    by_way(way, &m, rows, x.data, inputs, way->depth, y.data, outputs);
    bool right = true;
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < outputs; j++)
            right = right && isfinite(y.data[r * outputs + j]) == (r != hit);
    free(x.block), free(y.block), free_matrix(&m);
    return right;
}

static void check_format(const struct kernels *set, enum kernels_mode mode, const struct quants_format *format)
{
    static const char *const names[] = {"f32", "int16", "int8"};
    const struct kernels_way *way = set->way(mode, format->id);
    const int limit = way->mode == KERNELS_INT8 ? 127 : 32767, rounds = tap_long() ? 60 : 6;
    const double most = way->mode == KERNELS_INT8 ? 1.2e-2 : 6e-5;
    bool is_exact = true, is_alike = true, is_extreme = true;
    for (int round = 0; round < rounds; round++) {
        is_exact = exact(way, format, limit) && is_exact;
        is_alike = alike(set, mode, format) && is_alike;
    }
    for (int b = 0; b < 6; b++) {
        static const uint8_t bytes[] = {0xff, 0x7f, 0x80, 0x00, 0xf0, 0x0f};
        is_extreme = extreme(way, format, bytes[b], (float)limit) && extreme(way, format, bytes[b], (float)-limit) && is_extreme;
    }
    ok(is_exact, "%s, %s in %s: integer activations lose nothing", set->name, format->name, names[way->mode]);
    ok(is_extreme, "%s, %s: no sum leaves its range", set->name, format->name);
    ok(is_alike, "%s, %s: bits are those of the reference, for all tiles and blocks", set->name, format->name);
    double error = error_of(way, format);
    ok(error <= most, "%s, %s: normal activations are %.2g off (at most %g)", set->name, format->name, error, most);
    ok(not_a_number_stays(way, format, NAN) && not_a_number_stays(way, format, INFINITY),
       "%s, %s: a row with NaN or infinity has no number as output, the others do", set->name, format->name);
}

/* What docs/methods.md says: the types with integer weights in blocks with a scale have a form in integers; 8-bit weights
 * need 16-bit sums; all others are multiplied in f32. */
static enum kernels_mode precision_of(enum kernels_mode asked, uint32_t id)
{
    switch (id) {
    case QUANTS_Q4_0: case QUANTS_Q4_1: case QUANTS_Q5_0: case QUANTS_Q5_1:
    case QUANTS_Q2_K: case QUANTS_Q3_K: case QUANTS_Q4_K: case QUANTS_Q5_K: case QUANTS_Q6_K:
        return asked;
    case QUANTS_Q8_0:
        return KERNELS_INT16;
    default:
        return KERNELS_F32;
    }
}

int main(void)
{
    for (size_t k = 0; kernels_at(k); k++)
        for (int mode = KERNELS_INT16; mode < KERNELS_MODES; mode++)
            for (size_t t = 0; t < quants_count(); t++) {
                const struct kernels *set = kernels_at(k);
                const struct quants_format *format = quants_at(t);
                if (!format->decode)
                    continue;
                const enum kernels_mode runs = precision_of((enum kernels_mode)mode, format->id);
                is_int(set->way((enum kernels_mode)mode, format->id)->mode, runs, "%s, %s: its precision", set->name,
                       format->name);
                if (runs != KERNELS_F32)
                    check_format(set, (enum kernels_mode)mode, format);
            }
    return tap_done();
}
