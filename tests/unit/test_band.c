/* test_band.c - stages that hand on chunk by chunk: how early they do, and the same bits however wide their bands are. */
#include "base/threads.h"
#include "model/band.h"
#include "model/forward.h"
#include "opened_model.h"

#define ROWS 16     /* of a chunk */
#define CHUNKS 12
#define LAYERS 4
#define BLOCKS 2
#define PROMPTS 3

static void test_widths(void)
{
    const struct band_shape even = {2, 1}, none = {0, 1}, grouped = {1, 2};
    is_uint(band_layers(&even, 4, 4096, 4096), 2, "the longest prompt: two layers for what whole batches would take");
    is_uint(band_layers(&even, 4, 4095, 4096), 2, "panels count, not positions");
    is_uint(band_layers(&even, 4, 4096, 2048), 4, "half as long: twice as many");
    is_uint(band_layers(&even, 3, 4096, 100), 3, "all of the stage at most");
    is_uint(band_layers(&even, 4, 16, 4096), 1, "and one at least");
    is_uint(band_layers(&grouped, 8, 4096, 4096), 5, "the fewer heads have keys, the more");
    is_uint(band_layers(&none, 7, 100, 100), 7, "where nothing is held, all");
    is_uint(band_first(5, 2), 1, "of 5 layers in bands of 2 the first has 1");
    is_uint(band_first(4, 2), 2, "of 4 it has 2");
    is_uint(band_capacity(17), 32, "17 positions are two panels");
}

/* What the observers of all stages are told. */
struct told {
    struct sums sums[PROMPTS][LAYERS][SERIES_COUNT][BLOCKS];
    int times[PROMPTS][LAYERS][SERIES_COUNT][BLOCKS];
};

static void tell(void *context, size_t layer, enum series series, size_t block, size_t prompt, const struct sums *sums,
                 uint64_t samples)
{
    struct told *t = context;
    (void)samples;
    t->sums[prompt][layer][series][block] = *sums;
    t->times[prompt][layer][series][block]++;
}

/* Between two stages: all chunks that were given, in order. */
struct belt {
    float *rows;         /* [CHUNKS * ROWS, hidden]                                   */
    size_t hidden, chunks;
};

/* A stage's ports: from one belt, onto another. */
struct dock {
    struct belt *from, *onto;
    float *held;         /* [ROWS, hidden]: the one chunk that is in work              */
    size_t taken, asked, first_given; /* asked: chunks of layers so far               */
    bool busy, good, refuses;
};

static float *hold(struct dock *d)
{
    d->good = d->good && !d->busy;
    d->busy = true;
    return d->held;
}

static float *take(void *context)
{
    struct dock *d = context;
    if (d->refuses)
        return NULL;
    if (d->from)
        memcpy(d->held, d->from->rows + d->taken * ROWS * d->from->hidden, ROWS * d->from->hidden * sizeof *d->held);
    d->taken++;
    return hold(d);
}

static void keep(void *context)
{
    struct dock *d = context;
    d->good = d->good && d->busy;
    d->busy = false;
}

static float *room(void *context)
{
    return hold(context);
}

static void give(void *context)
{
    struct dock *d = context;
    d->good = d->good && d->busy;
    d->busy = false;
    if (!d->first_given)
        d->first_given = d->asked;
    if (d->onto) {
        memcpy(d->onto->rows + d->onto->chunks * ROWS * d->onto->hidden, d->held, ROWS * d->onto->hidden * sizeof *d->held);
        d->onto->chunks++;
    }
}

static bool ask(void *context)
{
    ((struct dock *)context)->asked++;
    return false;
}

/* One stage of the model, opened with what it needs. */
struct forward_job {
    const struct opened *model;
    size_t first, layers, longest;
    const struct forward_prompt *prompts;
    size_t count;
    struct told *told;
};

static enum status run_stage(const struct forward_job *job, struct dock *dock, struct error *e)
{
    const struct forward_ports ports = {dock, take, keep, room, give};
    const struct forward_observer observer = {.context = job->told, .sums = tell, .stop = ask, .stop_context = dock};
    const struct forward_options how = {.batch_tokens = ROWS, .activity_threshold = 0.1f, .window = job->model->config.window,
                                        .first_layer = job->first, .layers = job->layers, .longest = job->longest};
    struct forward *f;
    if (forward_open(&f, &job->model->config, &job->model->weights, kernels_at(0), &how, e) != STATUS_OK)
        bail("the forward pass doesn't open: %s", e->sentence);
    enum status s = forward_run_ports(f, job->prompts, job->count, &ports, &observer, e);
    forward_close(f);
    return s;
}

static struct belt make_belt(size_t hidden)
{
    struct belt b = {calloc(CHUNKS * ROWS * hidden, sizeof(float)), hidden, 0};
    if (!b.rows)
        bail("no memory");
    return b;
}

/* When the first chunk is handed on, in chunks of layers: after all bands but the last, and one chunk through that. */
static size_t expected_first(const struct opened *o, size_t layers, size_t longest, size_t length)
{
    const struct band_shape shape = band_shape(&o->config);
    size_t chunks = (length + ROWS - 1) / ROWS, band = length > ROWS ? band_layers(&shape, layers, longest, length) : layers;
    return (layers - band) * chunks + band;
}

static void in_stages(const struct opened *o, const struct forward_prompt *prompts, size_t count, size_t longest,
                      const struct told *whole, const char *what)
{
    static const size_t cuts[][LAYERS] = {{1, 2, 1}, {2, 2}, {3, 1}, {1, 3}, {1, 1, 1, 1}};
    static struct told told;
    const size_t hidden = o->config.hidden;
    size_t length = count == 1 ? prompts[0].length : 1;
    struct error e;
    for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++) {
        struct belt belt[2] = {make_belt(hidden), make_belt(hidden)};
        float *held = calloc(ROWS * hidden, sizeof *held);
        bool good = held, early = true;
        memset(&told, 0, sizeof told);
        for (size_t stage = 0, at = 0; at < LAYERS && good; at += cuts[c][stage++]) {
            const bool last = at + cuts[c][stage] == LAYERS;
            struct dock dock = {.from = at ? &belt[stage % 2] : NULL, .onto = last ? NULL : &belt[(stage + 1) % 2], .held = held, .good = true};
            const struct forward_job job = {o, at, cuts[c][stage], longest, prompts, count, &told};
            belt[(stage + 1) % 2].chunks = 0;
            good = run_stage(&job, &dock, &e) == STATUS_OK && dock.good && !dock.busy;
            early = early && (last || dock.first_given == expected_first(o, cuts[c][stage], longest, length));
        }
        ok(good && memcmp(&told, whole, sizeof told) == 0, "%s, cut %zu: stages show what one does", what, c);
        ok(early, "%s, cut %zu: and hand on as soon as their bands let them", what, c);
        free(held), free(belt[0].rows), free(belt[1].rows);
    }
}

static void a_network(const struct network *like, const char *name)
{
    static int32_t ids[200];
    static struct told whole;
    struct network n = *like;
    struct error e;
    char what[96];
    network_make(&n);
    for (size_t i = 0; i < 200; i++)
        ids[i] = (int32_t)(reference_random() % n.vocabulary);
    struct opened o = opened_network(&n, NETWORK_FUSED, NULL, "model.gguf");
    const struct forward_prompt one[] = {{ids, 170}}, exact[] = {{ids, 64}}, several[] = {{ids, 7}, {ids + 7, 1}, {ids + 8, 8}};
    const struct {
        const struct forward_prompt *prompts;
        size_t count, longest;
    } runs[] = {{one, 1, 170}, {one, 1, 230}, {one, 1, 4000}, {exact, 1, 170}, {several, 3, 170}, {several, 3, 9}};
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
        const struct forward_observer observer = {.context = &whole, .sums = tell};
        const struct forward_options how = {.batch_tokens = ROWS, .activity_threshold = 0.1f, .window = o.config.window};
        struct forward *f;
        memset(&whole, 0, sizeof whole);
        if (forward_open(&f, &o.config, &o.weights, kernels_at(0), &how, &e) != STATUS_OK ||
            forward_run(f, runs[r].prompts, runs[r].count, &observer, &e) != STATUS_OK)
            bail("it doesn't run: %s", e.sentence);
        forward_close(f);
        snprintf(what, sizeof what, "%s, run %zu", name, r);
        in_stages(&o, runs[r].prompts, runs[r].count, runs[r].longest, &whole, what);
    }
    struct dock dock = {.refuses = true, .good = true};
    float *held = calloc(ROWS * n.hidden, sizeof *held);
    struct belt belt = make_belt(n.hidden);
    dock.held = held, dock.from = &belt;
    const struct forward_job job = {&o, 1, 3, 170, one, 1, &whole};
    is_int(run_stage(&job, &dock, &e), STATUS_CHECKPOINT, "%s: where nothing is to come any more, a stage stops", name);
    free(held), free(belt.rows);
    opened_close(&o);
    network_free(&n);
}

int main(void)
{
    struct network n = {.layers = LAYERS, .hidden = 42, .intermediate = 100, .heads = 6, .kv_heads = 2, .head_dim = 9,
                        .rotary = 6, .vocabulary = 50, .context = 256, .base = 10000.0, .window = 40};
    threads_set(1);
    test_widths();
    a_network(&n, "bands of 2 and more");
    n.kv_heads = 6;
    a_network(&n, "bands of 1 and more");
    return tap_done();
}
