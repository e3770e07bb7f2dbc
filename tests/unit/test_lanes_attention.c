/* test_lanes_attention.c - attention against a plain float64 softmax, and that only visible keys matter. */
#include "lane_buffers.h"

/* One head of one prompt, plainly laid out. */
struct head {
    size_t length, head_dim, window;
    float scale;
    struct lane_array query, keys, values; /* [length, head_dim] */
};

static struct head make_head(size_t length, size_t head_dim, size_t window)
{
    struct head h = {length, head_dim, window, (float)(1.0 / sqrt((double)head_dim)), {0}, {0}, {0}};
    h.query = lane_array(length * head_dim, 1);
    h.keys = lane_array(length * head_dim, 0);
    h.values = lane_array(length * head_dim, 0);
    for (size_t i = 0; i < length * head_dim; i++) {
        h.query.data[i] = (float)reference_normal();
        h.keys.data[i] = (float)reference_normal();
        h.values.data[i] = (float)reference_normal();
    }
    return h;
}

static void free_head(struct head *h)
{
    free(h->query.block), free(h->keys.block), free(h->values.block);
}

static size_t first_key(const struct head *h, size_t row)
{
    return h->window && row + 1 > h->window ? row + 1 - h->window : 0;
}

/* Keys and values before `written`, in panels; what follows is NaN, as memory may be. */
struct cache {
    struct lane_array keys, values;
    struct kernels_cache view;
};

static struct cache make_cache(const struct head *h, size_t written)
{
    size_t capacity = (h->length + 15) / 16 * 16, panels = (h->head_dim + 15) / 16;
    struct cache c = {lane_array(capacity * h->head_dim, 0), lane_array(capacity * panels * 16, 0), {0}};
    c.view = (struct kernels_cache){c.keys.data, c.values.data, capacity, h->head_dim};
    for (size_t i = 0; i < capacity * h->head_dim; i++)
        c.keys.data[i] = NAN;
    for (size_t i = 0; i < capacity * panels * 16; i++)
        c.values.data[i] = NAN;
    for (size_t p = 0; p < written; p++)
        for (size_t d = 0; d < h->head_dim; d++) {
            c.keys.data[(p / 16 * h->head_dim + d) * 16 + p % 16] = h->keys.data[p * h->head_dim + d];
            c.values.data[(d / 16 * capacity + p) * 16 + d % 16] = h->values.data[p * h->head_dim + d];
        }
    return c;
}

/* Rows [row, row + rows) with only their own keys written; false if a canary is lost. */
static bool attend(const struct kernels *set, const struct head *h, size_t row, size_t rows, float *output,
                   size_t stride)
{
    struct cache c = make_cache(h, row + rows);
    size_t floats = kernels_attention_scratch(h->head_dim);
    struct lane_array scratch = lane_array(floats, 0);
    struct kernels_attention job = {.query = h->query.data + row * h->head_dim, .query_stride = h->head_dim,
                                    .output = output, .output_stride = stride, .rows = rows, .position = row,
                                    .window = h->window, .scale = h->scale, .cache = c.view, .scratch = scratch.data};
    set->attend(&job);
    bool kept = true;
    for (size_t i = 0; i < LANE_MARGIN; i++)
        kept = kept && scratch.data[floats + i] == LANE_CANARY && scratch.block[i] == LANE_CANARY;
    free(c.keys.block), free(c.values.block), free(scratch.block);
    return kept;
}

/* Largest error of a row's outputs, relative to the sum of |p v|. */
static double error_of_row(const struct head *h, size_t row, const float *output)
{
    size_t first = first_key(h, row);
    double *p = malloc((row + 1) * sizeof *p), largest = -INFINITY, sum = 0.0, worst = 0.0;
    if (!p)
        bail("no memory for a row of scores");
    for (size_t j = first; j <= row; j++) {
        p[j] = 0.0;
        for (size_t d = 0; d < h->head_dim; d++)
            p[j] += (double)h->query.data[row * h->head_dim + d] * (double)h->keys.data[j * h->head_dim + d];
        p[j] *= (double)h->scale;
        largest = fmax(largest, p[j]);
    }
    for (size_t j = first; j <= row; j++)
        sum += p[j] = exp(p[j] - largest);
    for (size_t d = 0; d < h->head_dim; d++) {
        double o = 0.0, size = 0.0;
        for (size_t j = first; j <= row; j++) {
            o += p[j] / sum * (double)h->values.data[j * h->head_dim + d];
            size += p[j] / sum * fabs((double)h->values.data[j * h->head_dim + d]);
        }
        worst = fmax(worst, fabs(o - (double)output[d]) / size);
    }
    free(p);
    return worst;
}

/* The whole prompt at once in the reference. */
static struct lane_array reference_output(const struct head *h)
{
    struct lane_array out = lane_array(h->length * h->head_dim, 0);
    attend(kernels_at(0), h, 0, h->length, out.data, h->head_dim);
    return out;
}

/* Every set, in chunks of any size, into rows with gaps. */
static bool chunks_agree(const struct head *h, const struct lane_array *wanted, size_t most)
{
    size_t stride = h->head_dim + random_size(0, 5);
    bool same = true;
    for (size_t k = 0; kernels_at(k); k++) {
        struct lane_array got = lane_array(h->length * stride, 3), full = lane_array(h->length * stride, 3);
        for (size_t row = 0; row < h->length; row++)
            memcpy(full.data + row * stride, wanted->data + row * h->head_dim, h->head_dim * sizeof(float));
        for (size_t row = 0, rows; row < h->length; row += rows) {
            rows = random_size(1, most);
            rows = rows < h->length - row ? rows : h->length - row;
            same = attend(kernels_at(k), h, row, rows, got.data + row * stride, stride) && same;
        }
        same = lane_same(&got, &full) && same;
        free(got.block), free(full.block);
    }
    return same;
}

static void against_softmax(void)
{
    static const size_t dims[] = {1, 15, 16, 17, 64, 96, 128}, lengths[] = {1, 5, 16, 64, 65, 130, 197};
    static const size_t windows[] = {0, 1, 2, 5, 6, 7, 11, 12, 13, 63, 64, 65, 2047};
    for (size_t d = 0; d < sizeof dims / sizeof *dims; d++) {
        double worst = 0.0;
        bool same = true;
        for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
            struct head h = make_head(lengths[w ? (d + w) % 7 : 6], dims[d], windows[w]);
            struct lane_array out = reference_output(&h);
            for (size_t row = 0; row < h.length; row++)
                worst = fmax(worst, error_of_row(&h, row, out.data + row * h.head_dim));
            same = chunks_agree(&h, &out, w % 2 ? 90 : 14) && same;
            free_head(&h);
            free(out.block);
        }
        diag("heads of %zu: largest error %.2g", dims[d], worst);
        ok(worst < 2e-6, "heads of %zu: attention is a softmax over the window", dims[d]);
        ok(same, "heads of %zu: the same bits in every set, however rows are cut, and nothing else written", dims[d]);
    }
}

static void long_prompt(void)
{
    struct head h = make_head(2120, 16, 2047);
    struct lane_array out = reference_output(&h);
    double worst = 0.0;
    for (size_t row = 2000; row < h.length; row += 7)
        worst = fmax(worst, error_of_row(&h, row, out.data + row * h.head_dim));
    ok(worst < 4e-6, "2120 tokens with a window of 2047: error %.2g", worst);
    ok(chunks_agree(&h, &out, 700), "2120 tokens: the same bits in chunks");
    free_head(&h);
    free(out.block);
}

/* Large scores: the running maximum keeps exp in range, whichever tile has it. */
static void large_scores(void)
{
    struct head h = make_head(200, 24, 0);
    for (size_t i = 0; i < h.length * h.head_dim; i++)
        h.query.data[i] *= 40.0f;
    struct lane_array out = reference_output(&h);
    double worst = 0.0;
    for (size_t row = 0; row < h.length; row++)
        worst = fmax(worst, error_of_row(&h, row, out.data + row * h.head_dim));
    ok(worst < 1e-4, "scores of hundreds stay right: error %.2g", worst);
    ok(chunks_agree(&h, &out, 50), "scores of hundreds: the same bits in chunks");
    free_head(&h);
    free(out.block);
}

/* `from` one row changed to `value` (of keys, values or queries): rows [first, end) may change. */
static bool only_rows_change(struct head *h, struct lane_array *what, size_t from, float value, size_t first, size_t end)
{
    struct lane_array before = reference_output(h);
    bool right = true;
    for (size_t d = 0; d < h->head_dim; d++)
        what->data[from * h->head_dim + d] = value;
    for (size_t k = 0; kernels_at(k); k++) {
        struct lane_array after = lane_array(h->length * h->head_dim, 0);
        attend(kernels_at(k), h, 0, h->length, after.data, h->head_dim);
        for (size_t row = 0; row < h->length; row++) {
            const float *a = after.data + row * h->head_dim, *b = before.data + row * h->head_dim;
            bool in = row >= first && row < end;
            right = right && same_floats(a, b, h->head_dim) != in && (!in || isnan(value) == isnan(a[0]));
        }
        free(after.block);
    }
    free(before.block);
    return right;
}

/* The cache that make_cache lays out by hand, written in pieces. */
static void remembered(void)
{
    for (size_t k = 0; kernels_at(k); k++) {
        bool same = true;
        for (size_t round = 0; round < 40; round++) {
            struct head h = make_head(random_size(1, 90), random_size(1, 130), 0);
            struct cache wanted = make_cache(&h, h.length), got = make_cache(&h, 0);
            for (size_t p = 0, rows; p < h.length; p += rows) {
                rows = random_size(1, round % 2 ? 40 : 6);
                rows = rows < h.length - p ? rows : h.length - p;
                kernels_at(k)->remember(rows, h.keys.data + p * h.head_dim, h.values.data + p * h.head_dim, h.head_dim,
                                        p, &got.view);
            }
            for (size_t p = h.length; p % 16 != 0; p++) /* what lies there is nobody's */
                for (size_t d = 0; d < h.head_dim; d++)
                    got.keys.data[(p / 16 * h.head_dim + d) * 16 + p % 16] = NAN;
            for (size_t p = 0; p < h.length; p++) /* columns past head_dim: zeros */
                for (size_t d = h.head_dim; d % 16 != 0; d++)
                    wanted.values.data[(d / 16 * wanted.view.capacity + p) * 16 + d % 16] = 0.0f;
            same = lane_same(&got.keys, &wanted.keys) && lane_same(&got.values, &wanted.values) && same;
            free(wanted.keys.block), free(wanted.values.block), free(got.keys.block), free(got.values.block);
            free_head(&h);
        }
        ok(same, "%s: keys and values join the panels, whatever the pieces", kernels_at(k)->name);
    }
}

static void what_spreads(void)
{
    struct head h = make_head(150, 20, 0);
    ok(only_rows_change(&h, &h.query, 70, NAN, 70, 71), "NaN in a query spoils its own row only");
    free_head(&h);
    h = make_head(150, 20, 0);
    ok(only_rows_change(&h, &h.keys, 70, NAN, 70, 150), "NaN in a key spoils it and what comes later, nothing earlier");
    free_head(&h);
    h = make_head(150, 20, 0);
    ok(only_rows_change(&h, &h.values, 70, NAN, 70, 150), "so does NaN in a value");
    free_head(&h);
    h = make_head(150, 20, 30);
    ok(only_rows_change(&h, &h.keys, 70, NAN, 70, 100), "a window ends what NaN in a key spoils");
    free_head(&h);
    h = make_head(150, 20, 30);
    ok(only_rows_change(&h, &h.values, 70, NAN, 70, 100), "and what NaN in a value spoils");
    free_head(&h);
    h = make_head(150, 20, 30);
    ok(only_rows_change(&h, &h.values, 70, 5.0f, 70, 100), "another value changes the rows that see it");
    free_head(&h);
}

int main(void)
{
    remembered();
    against_softmax();
    long_prompt();
    large_scores();
    what_spreads();
    return tap_done();
}
