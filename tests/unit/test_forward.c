/* test_forward.c - the forward pass against float64, and the same bits however it is run. */
#include "base/memory.h"
#include "base/threads.h"
#include "failing_memory.h"
#include "model/forward.h"
#include "opened_model.h"
#include "plain_forward.h"

#define MOST_PROMPTS 12

static struct network odd_one(void) /* no size is a multiple of a register, a block or a tile */
{
    return (struct network){.layers = 3, .hidden = 42, .intermediate = 100, .heads = 6, .kv_heads = 2, .head_dim = 9,
                            .rotary = 6, .vocabulary = 50, .context = 256, .base = 10000.0};
}

struct prompts {
    struct forward_prompt list[MOST_PROMPTS];
    size_t count;
};

static struct prompts make_prompts(const struct network *n, const size_t *lengths, size_t count)
{
    static int32_t ids[2048];
    struct prompts p = {.count = count};
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        p.list[i] = (struct forward_prompt){ids + used, lengths[i]};
        for (size_t t = 0; t < lengths[i]; t++)
            ids[used++] = (int32_t)(reference_random() % n->vocabulary);
    }
    return p;
}

/* All that the observer was told: sums of each (prompt, layer, series, block). */
struct shown {
    size_t layers, blocks, first_prompt;
    struct sums *sums;
    uint64_t samples[MOST_PROMPTS];
    int *times;
    bool sane;
    long stop_after; /* asks; -1: never */
    long asked;
};

static size_t place(const struct shown *s, size_t prompt, size_t layer, size_t series, size_t block)
{
    return ((prompt * s->layers + layer) * SERIES_COUNT + series) * s->blocks + block;
}

static void show(void *context, size_t layer, enum series series, size_t block, size_t prompt, const struct sums *sums,
                 uint64_t samples)
{
    struct shown *s = context;
    size_t at = place(s, s->first_prompt + prompt, layer, series, block);
    threads_lock();
    s->times[at]++;
    s->sums[at] = *sums;
    s->samples[s->first_prompt + prompt] = samples;
    threads_unlock();
}

static bool stop(void *context)
{
    struct shown *s = context;
    return s->asked++ == s->stop_after;
}

static void shown_free(struct shown *s)
{
    free(s->sums), free(s->times);
}

/* How a run is made. */
struct way {
    size_t batch_tokens, packed; /* prompts of one batch; 0: as many as fit batch_tokens, at least one */
    int threads;
    size_t kernels, skip_first;
    const struct prompts *prompts;
    size_t first_layer, layers; /* of a stage; 0: all */
};

static size_t batch_of(const struct way *way, size_t first)
{
    size_t count = 0, rows = 0, left = way->prompts->count - first;
    if (way->packed)
        return way->packed < left ? way->packed : left;
    for (; count < left; count++) {
        rows += way->prompts->list[first + count].length;
        if (rows > way->batch_tokens && count)
            break;
    }
    return count;
}

static struct forward *open_way(const struct opened *o, const struct way *way)
{
    struct forward_options options = {.batch_tokens = way->batch_tokens, .skip_first = way->skip_first,
                                      .activity_threshold = 0.1f, .window = o->config.window, .mode = KERNELS_F32,
                                      .first_layer = way->first_layer, .layers = way->layers};
    struct forward *f;
    struct error e;
    threads_set(way->threads);
    if (forward_open(&f, &o->config, &o->weights, kernels_at(way->kernels), &options, &e) != STATUS_OK)
        bail("the forward pass doesn't open: %s", e.sentence);
    return f;
}

static struct shown make_shown(const struct opened *o)
{
    struct shown s = {.layers = o->config.layers, .blocks = (o->config.intermediate + 63) / 64, .stop_after = -1};
    size_t all = MOST_PROMPTS * s.layers * SERIES_COUNT * s.blocks;
    s.sums = calloc(all, sizeof *s.sums);
    s.times = calloc(all, sizeof *s.times);
    if (!s.sums || !s.times)
        bail("no memory for what is shown");
    return s;
}

static struct shown run(const struct opened *o, const struct way *way)
{
    struct shown s = make_shown(o);
    struct forward_observer observer = {.context = &s, .sums = show, .stop = stop, .stop_context = &s};
    struct forward *f = open_way(o, way);
    struct error e;
    for (size_t first = 0, count; first < way->prompts->count; first += count) {
        count = batch_of(way, first);
        s.first_prompt = first;
        if (forward_run(f, way->prompts->list + first, count, &observer, &e) != STATUS_OK)
            bail("the forward pass fails: %s", e.sentence);
    }
    forward_close(f);
    threads_set(1);
    s.sane = true;
    for (size_t i = 0; i < MOST_PROMPTS * s.layers * SERIES_COUNT * s.blocks; i++)
        s.sane = s.sane && s.times[i] == (i < way->prompts->count * s.layers * SERIES_COUNT * s.blocks);
    return s;
}

static bool same_shown(const struct shown *a, const struct shown *b, size_t prompts)
{
    size_t all = prompts * a->layers * SERIES_COUNT * a->blocks;
    return a->sane && b->sane && memcmp(a->sums, b->sums, all * sizeof *a->sums) == 0 &&
           memcmp(a->samples, b->samples, prompts * sizeof *a->samples) == 0;
}

/* Largest error of a neuron's sums, relative to its root mean square or, if larger, the series'. */
static double error_of(const struct sums *s, size_t lane, const double *x, size_t stride, size_t length, size_t skip,
                       double scale)
{
    double sum = 0.0, square = 0.0, min = INFINITY, max = -INFINITY;
    size_t n = length > skip ? length - skip : 0;
    for (size_t t = skip; t < length; t++) {
        double v = x[t * stride];
        sum += v;
        square += v * v;
        min = fmin(min, v);
        max = fmax(max, v);
    }
    double high[4], low[4];
    sums_about_zero(s, (int)lane, (double)n, high, low);
    if (n == 0)
        return high[0] == 0.0 && s->min[lane] > s->max[lane] ? 0.0 : INFINITY;
    double rms = fmax(sqrt(square / (double)n), scale), worst = fabs(high[0] - sum) / (double)n / rms;
    worst = fmax(worst, fabs(high[1] - square) / (double)n / rms / rms);
    worst = fmax(worst, fabs((double)s->min[lane] - min) / rms);
    return fmax(worst, fabs((double)s->max[lane] - max) / rms);
}

static double root_mean_square(const double *x, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sqrt(sum / (double)count);
}

/* Lanes past the last neuron stay as sums_start leaves them. */
static bool spare_is_empty(const struct sums *s, size_t lane)
{
    return s->min[lane] == INFINITY && s->max[lane] == -INFINITY && s->extreme_position[lane] == -1 &&
           s->low_activity[lane] == 0 && s->inactive[lane] == 0 && s->nonfinite[lane] == 0 && s->part[1][lane] == 0.0 &&
           s->high[1][lane] == 0.0;
}

static double error_of_prompt(const struct network *n, const struct shown *shown, size_t prompt,
                              const struct forward_prompt *p, size_t skip)
{
    struct plain plain = plain_run(n, p->ids, p->length);
    double worst = 0.0;
    for (size_t layer = 0; layer < n->layers; layer++)
        for (size_t series = 0; series < SERIES_COUNT; series++) {
            const double *x = plain.series[layer][series];
            const struct sums *s = &shown->sums[place(shown, prompt, layer, series, 0)];
            double scale = root_mean_square(x, p->length * n->intermediate);
            for (size_t i = 0; i < n->intermediate; i++)
                worst = fmax(worst, error_of(&s[i / 64], i % 64, x + i, n->intermediate, p->length, skip, scale));
            for (size_t i = n->intermediate; i < shown->blocks * 64; i++)
                worst = spare_is_empty(&s[i / 64], i % 64) ? worst : INFINITY;
        }
    plain_free(&plain);
    return worst;
}

static double error_of_all(const struct network *n, const struct shown *shown, const struct prompts *p, size_t skip)
{
    double worst = 0.0;
    for (size_t i = 0; i < p->count; i++)
        worst = fmax(worst, error_of_prompt(n, shown, i, &p->list[i], skip));
    return worst;
}

static const size_t lengths[] = {1, 2, 7, 16, 17, 33, 70, 130};
#define LENGTHS (sizeof lengths / sizeof *lengths)

/* One network, plainly and in every form. */
static void a_network(struct network n, const char *what)
{
    network_make(&n);
    struct prompts p = make_prompts(&n, lengths, LENGTHS);
    struct way way = {.batch_tokens = 64, .threads = 1, .prompts = &p};
    struct opened o = opened_network(&n, NETWORK_FUSED, NULL, "model.gguf");
    struct shown fused = run(&o, &way);
    double worst = error_of_all(&n, &fused, &p, 0);
    ok(fused.sane && worst < 2e-5, "%s: all series are those of float64 (%.2g of the root mean square)", what, worst);
    opened_close(&o);
    for (int form = NETWORK_APART; form <= NETWORK_LLAMA; form++) {
        o = opened_network(&n, (enum network_form)form, NULL, "model.gguf");
        struct shown other = run(&o, &way);
        ok(same_shown(&fused, &other, p.count), "%s: %s gives the same bits", what,
           form == NETWORK_APART ? "a file with separate tensors" : "a llama file");
        shown_free(&other);
        opened_close(&o);
    }
    shown_free(&fused);
    network_free(&n);
}

/* One network in the forms from `first` to `last`. */
static void same_in_forms(struct network n, enum network_form first, enum network_form last, const char *what)
{
    network_make(&n);
    struct prompts p = make_prompts(&n, lengths, LENGTHS);
    struct way way = {.batch_tokens = 64, .threads = 1, .prompts = &p};
    struct shown kept = {0};
    for (int form = (int)first; form <= (int)last; form++) {
        struct opened o = opened_network(&n, (enum network_form)form, NULL, "model.gguf");
        struct shown s = run(&o, &way);
        double worst = error_of_all(&n, &s, &p, 0);
        ok(s.sane && worst < 2e-5 && (!kept.sums || same_shown(&kept, &s, p.count)),
           "%s: %s is float64's (%.2g), and the same bits as the other forms", what, o.config.architecture, worst);
        for (size_t kernels = 1; kernels_at(kernels); kernels++) {
            struct way other = {.batch_tokens = 7 + kernels, .threads = 2, .kernels = kernels, .prompts = &p};
            struct shown again = run(&o, &other);
            ok(same_shown(&s, &again, p.count), "%s: so they are with %s, in small chunks", what, kernels_at(kernels)->name);
            shown_free(&again);
        }
        opened_close(&o);
        shown_free(&kept);
        kept = s;
    }
    shown_free(&kept);
    network_free(&n);
}

static void biases_and_norms(void)
{
    struct network n = odd_one();
    n.biases = true;
    same_in_forms(n, NETWORK_FUSED, NETWORK_QWEN2, "biases");
    n.head_norms = true;
    same_in_forms(n, NETWORK_QWEN3, NETWORK_QWEN3, "biases and head norms");
    n.biases = false;
    n.window = 9;
    same_in_forms(n, NETWORK_QWEN3, NETWORK_QWEN3, "head norms");
}

static void networks(void)
{
    struct network n = odd_one();
    a_network(n, "odd sizes");
    n.window = 8;
    a_network(n, "window of 8");
    n.window = 0;
    n.always_factors = true;
    a_network(n, "rope_freqs");
    n = (struct network){.layers = 2, .hidden = 64, .intermediate = 192, .heads = 2, .kv_heads = 2, .head_dim = 32,
                         .rotary = 32, .vocabulary = 50, .context = 256, .base = 500000.0};
    a_network(n, "even sizes");
    n = (struct network){.layers = 1, .hidden = 4, .intermediate = 1, .heads = 4, .kv_heads = 1, .head_dim = 1,
                         .rotary = 0, .vocabulary = 5, .context = 256, .base = 10000.0};
    a_network(n, "one neuron");
}

/* Packing, chunks, threads, instruction sets. */
static void ways(void)
{
    static const size_t tokens[] = {1, 5, 16, 100, 2048}, packs[] = {1, 0, 3, MOST_PROMPTS};
    struct network n = odd_one();
    size_t sets = 0;
    while (kernels_at(sets))
        sets++;
    n.window = 40;
    n.original = 64;
    network_make(&n);
    struct prompts p = make_prompts(&n, lengths, LENGTHS);
    struct opened o = opened_network(&n, NETWORK_FUSED, NULL, "model.gguf");
    struct way way = {.batch_tokens = 2048, .packed = 1, .threads = 1, .prompts = &p, .skip_first = 2};
    struct shown first = run(&o, &way);
    ok(first.sane && error_of_all(&n, &first, &p, 2) < 2e-5, "one prompt at a time is right");
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        bool same = true;
        for (size_t j = 0; j < sizeof packs / sizeof *packs; j++) {
            way = (struct way){.batch_tokens = tokens[i], .packed = packs[j], .threads = (int)(1 + (i + j) % 3),
                               .kernels = (i + j) % sets, .prompts = &p, .skip_first = 2};
            struct shown other = run(&o, &way);
            same = same && same_shown(&first, &other, p.count);
            shown_free(&other);
        }
        ok(same, "batches of %zu tokens: the same bits however packed, with 1 to 3 threads and every instruction set",
           tokens[i]);
    }
    shown_free(&first);
    opened_close(&o);
    network_free(&n);
}

/* The factors go by a prompt's own length. */
static void longrope(void)
{
    static const size_t around[] = {19, 20, 21, 22};
    struct network n = odd_one();
    n.original = 20;
    network_make(&n);
    struct prompts p = make_prompts(&n, around, 4);
    struct opened o = opened_network(&n, NETWORK_FUSED, NULL, "model.gguf");
    struct way way = {.batch_tokens = 100, .threads = 1, .prompts = &p};
    struct shown s = run(&o, &way);
    for (size_t i = 0; i < 4; i++) {
        struct network other = n;
        other.original = 0; /* the plain way with the other set, to know that it tells */
        other.always_factors = true;
        other.factors_short = i < 2 ? n.factors_long : n.factors_short;
        double right = error_of_prompt(&n, &s, i, &p.list[i], 0), wrong = error_of_prompt(&other, &s, i, &p.list[i], 0);
        ok(right < 2e-5 && wrong > 1e-3, "%zu tokens of an original context of 20 use the %s factors (%.2g, not %.2g)",
           around[i], i < 2 ? "short" : "long", right, wrong);
    }
    shown_free(&s);
    opened_close(&o);
    network_free(&n);
}

static void skipping(void)
{
    static const size_t skips[] = {0, 1, 16, 33, 1000};
    struct network n = odd_one();
    network_make(&n);
    struct prompts p = make_prompts(&n, lengths, LENGTHS);
    struct opened o = opened_network(&n, NETWORK_FUSED, NULL, "model.gguf");
    for (size_t k = 0; k < sizeof skips / sizeof *skips; k++) {
        struct way way = {.batch_tokens = 20, .threads = 2, .prompts = &p, .skip_first = skips[k]};
        struct shown s = run(&o, &way);
        bool counted = s.sane;
        for (size_t i = 0; i < p.count; i++) {
            size_t left = lengths[i] > skips[k] ? lengths[i] - skips[k] : 0;
            const struct sums *one = &s.sums[place(&s, i, 1, SERIES_FFN, 0)];
            counted = counted && s.samples[i] == left && (left ? one->extreme_position[5] >= (int32_t)skips[k]
                                                               : one->extreme_position[5] == -1);
        }
        ok(counted, "the first %zu positions aren't counted, and positions keep their numbers", skips[k]);
        ok(error_of_all(&n, &s, &p, skips[k]) < 2e-5, "the others are those of float64");
        shown_free(&s);
    }
    opened_close(&o);
    network_free(&n);
}

static void residual_stream(void)
{
    struct network n = odd_one();
    network_make(&n);
    struct prompts p = make_prompts(&n, lengths, LENGTHS);
    struct opened o = opened_network(&n, NETWORK_LLAMA, NULL, "model.gguf");
    struct way way = {.batch_tokens = 50, .threads = 2, .prompts = &p};
    struct shown s = make_shown(&o);
    struct forward_observer observer = {.context = &s, .sums = show};
    struct forward *f = open_way(&o, &way);
    struct error e;
    ok(!forward_hidden(f), "before a run there is no residual stream");
    bool right = forward_run(f, p.list, p.count, &observer, &e) == STATUS_OK;
    const float *row = forward_hidden(f);
    double worst = 0.0;
    for (size_t i = 0; i < p.count && right; i++) {
        struct plain plain = plain_run(&n, p.list[i].ids, p.list[i].length);
        for (size_t j = 0; j < p.list[i].length * n.hidden; j++, row++)
            worst = fmax(worst, fabs((double)*row - plain.hidden[j]));
        plain_free(&plain);
    }
    ok(right && worst < 2e-5, "the residual stream is float64's within %.2g", worst);
    forward_close(f);
    threads_set(1);
    shown_free(&s);
    opened_close(&o);
    network_free(&n);
}

static void count_step(void *context)
{
    ++*(long *)context;
}

/* Each stage has its own weights, and later ones no ids; hidden states go from one to the next. */
static void stages(void)
{
    static const size_t cuts[][3] = {{1, 1, 1}, {2, 1, 0}, {1, 2, 0}};
    struct network n = odd_one();
    network_make(&n);
    struct prompts p = make_prompts(&n, lengths, LENGTHS), bare = p;
    struct opened o = opened_network(&n, NETWORK_LLAMA, NULL, "model.gguf");
    struct way way = {.batch_tokens = 50, .threads = 2, .prompts = &p};
    struct shown whole = run(&o, &way);
    size_t rows = 0;
    long steps = 0;
    for (size_t i = 0; i < p.count; i++) {
        rows += p.list[i].length;
        bare.list[i].ids = NULL;
    }
    float *hidden = calloc(rows * n.hidden, sizeof *hidden);
    for (size_t c = 0; c < sizeof cuts / sizeof *cuts && hidden; c++) {
        struct shown s = make_shown(&o);
        struct forward_observer observer = {.context = &s, .sums = show, .stop_context = &steps, .step = count_step};
        struct error e;
        s.sane = true;
        for (size_t stage = 0, at = 0; stage < 3 && cuts[c][stage]; at += cuts[c][stage++]) {
            struct opened part = o;
            if (weights_find(&part.weights, &o.config, o.file, &e) != STATUS_OK ||
                weights_layers(&part.weights, &o.config, at, cuts[c][stage], &e) != STATUS_OK)
                bail("a stage's weights don't open: %s", e.sentence);
            way.first_layer = at;
            way.layers = cuts[c][stage];
            struct forward *f = open_way(&part, &way);
            s.sane = s.sane && forward_run_stage(f, stage ? bare.list : p.list, p.count, hidden, &observer, &e) == STATUS_OK;
            forward_close(f);
            weights_free(&part.weights);
        }
        threads_set(1);
        for (size_t i = 0; i < p.count * s.layers * SERIES_COUNT * s.blocks; i++)
            s.sane = s.sane && s.times[i] == 1;
        ok(same_shown(&whole, &s, p.count), "stages of %zu, %zu and %zu layers show what one does", cuts[c][0], cuts[c][1],
           cuts[c][2]);
        shown_free(&s);
    }
    ok(steps > 3 * 3 * 3, "between the steps of a chunk something else may move on (%ld times)", steps);
    free(hidden);
    shown_free(&whole);
    opened_close(&o);
    network_free(&n);
}

static void stopping(void)
{
    static const size_t one[] = {50};
    struct network n = odd_one();
    network_make(&n);
    struct prompts p = make_prompts(&n, one, 1);
    struct opened o = opened_network(&n, NETWORK_FUSED, NULL, "model.gguf");
    struct way way = {.batch_tokens = 16, .threads = 1, .prompts = &p};
    struct shown whole = run(&o, &way), s = make_shown(&o);
    struct forward_observer observer = {.context = &s, .sums = show, .stop = stop, .stop_context = &s};
    struct forward *f = open_way(&o, &way);
    struct error e;
    is_int(whole.asked, 12, "four chunks of three layers ask twelve times whether to stop");
    for (s.stop_after = 0; s.stop_after < 12; s.stop_after += 5) {
        s.asked = 0;
        is_int(forward_run(f, p.list, 1, &observer, &e), STATUS_CHECKPOINT, "asked to stop after %ld chunks, it stops",
               s.stop_after);
        is_int(s.asked, s.stop_after + 1, "at once");
    }
    s.stop_after = -1;
    memset(s.times, 0, s.layers * SERIES_COUNT * s.blocks * sizeof *s.times);
    s.sane = forward_run(f, p.list, 1, &observer, &e) == STATUS_OK;
    ok(same_shown(&whole, &s, 1), "the next run knows nothing of it");
    forward_close(f);
    shown_free(&s);
    shown_free(&whole);
    opened_close(&o);
    network_free(&n);
}

/* NaN goes its way: into later tokens of its prompt, into no other prompt. */
static void not_a_number(void)
{
    static const size_t three[] = {20, 30, 25};
    struct network n = odd_one();
    struct prompts p = make_prompts(&n, three, 3);
    n.vocabulary++; /* no prompt has the last token yet */
    int32_t ids[30];
    memcpy(ids, p.list[1].ids, sizeof ids);
    p.list[1].ids = ids;
    network_make(&n);
    struct opened o = opened_network(&n, NETWORK_FUSED, NULL, "model.gguf");
    struct way way = {.batch_tokens = 100, .threads = 2, .prompts = &p};
    struct shown good = run(&o, &way);
    opened_close(&o);
    n.embedding[50 * n.hidden] = NAN;
    ids[12] = 50;
    o = opened_network(&n, NETWORK_FUSED, NULL, "model.gguf");
    struct shown bad = run(&o, &way);
    size_t one = bad.layers * SERIES_COUNT * bad.blocks;
    ok(memcmp(good.sums, bad.sums, one * sizeof *bad.sums) == 0 &&
           memcmp(good.sums + 2 * one, bad.sums + 2 * one, one * sizeof *bad.sums) == 0, "other prompts don't see it");
    const struct sums *first = &bad.sums[place(&bad, 1, 0, SERIES_GATE, 0)], *last = &bad.sums[place(&bad, 1, 2, SERIES_FFN, 1)];
    ok(first->nonfinite[3] == 18 && first->nonfinite_position[3] == 12, "in its own it is counted from its token on");
    ok(last->nonfinite[35] == 18 && last->nonfinite_position[35] == 12 && spare_is_empty(last, 36),
       "in all layers, and not past the last neuron");
    shown_free(&good);
    shown_free(&bad);
    opened_close(&o);
    network_free(&n);
}

static void no_memory(void)
{
    static const size_t one[] = {40};
    struct network n = odd_one();
    network_make(&n);
    struct prompts p = make_prompts(&n, one, 1);
    struct opened o = opened_network(&n, NETWORK_FUSED, NULL, "model.gguf");
    struct forward_options options = {.batch_tokens = 16, .activity_threshold = 0.1f};
    struct shown s = make_shown(&o);
    struct forward_observer observer = {.context = &s, .sums = show};
    struct error e;
    bool told = true;
    long count = 0, held = failing_memory_held;
    for (enum status status = STATUS_FAILED; status != STATUS_OK && count < 200; count++) {
        struct forward *f = NULL;
        failing_memory_left = count;
        status = forward_open(&f, &o.config, &o.weights, kernels_at(0), &options, &e);
        if (status == STATUS_OK)
            status = forward_run(f, p.list, 1, &observer, &e);
        forward_close(f);
        failing_memory_left = -1;
        told = told && (status == STATUS_OK || status == STATUS_FAILED) && failing_memory_held == held;
    }
    ok(told && count > 20 && count < 200, "each of %ld failing allocations is told, and nothing stays behind", count - 1);
    options.batch_tokens = SIZE_MAX / 8;
    struct forward *f;
    is_int(forward_open(&f, &o.config, &o.weights, kernels_at(0), &options, &e), STATUS_FAILED, "so is a batch beyond memory");
    forward_close(NULL);
    shown_free(&s);
    opened_close(&o);
    network_free(&n);
}

int main(void)
{
    networks();
    biases_and_norms();
    ways();
    longrope();
    skipping();
    residual_stream();
    stages();
    stopping();
    not_a_number();
    no_memory();
    return tap_done();
}
