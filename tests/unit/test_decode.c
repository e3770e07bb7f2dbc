/* test_decode.c - generation against float64, and the same bits however a text is fed. */
#define GGUF_WRITER_BYTES (8 << 20)
#include "base/memory.h"
#include "base/threads.h"
#include "failing_memory.h"
#include "model/decode.h"
#include "model/decode_memory.h"
#include "opened_model.h"
#include "plain_forward.h"
#include "quants/encode.h"

#define LENGTH 75
#define VOCABULARY 50

static int32_t ids[LENGTH];

static struct network odd_one(void) /* no size is a multiple of a register, a block or a tile */
{
    return (struct network){.layers = 3, .hidden = 42, .intermediate = 100, .heads = 6, .kv_heads = 2, .head_dim = 9,
                            .rotary = 6, .vocabulary = VOCABULARY, .context = 256, .base = 10000.0};
}

/* A network's file opened with its head. */
struct whole {
    struct network network;
    struct opened opened;
    struct weights_head head;
};

static struct whole open_whole(struct network n, bool tied)
{
    struct whole w = {.network = n};
    struct error e;
    network_make(&w.network);
    network_make_head(&w.network, tied);
    w.opened = opened_network(&w.network, n.head_norms ? NETWORK_QWEN3 : NETWORK_FUSED, NULL, "model.gguf");
    if (weights_head_open(&w.head, &w.opened.config, w.opened.file, &e) != STATUS_OK)
        bail("a good head doesn't open: %s", e.sentence);
    return w;
}

static void close_whole(struct whole *w)
{
    weights_head_free(&w->head);
    opened_close(&w->opened);
    network_free(&w->network);
}

/* How a session is made. */
struct way {
    size_t kernels, batch_tokens, logit_rows;
    int threads;
    enum kernels_mode mode;
    bool repack, separate, half;
};

static const struct way usual = {.batch_tokens = 64, .logit_rows = 16, .threads = 1};

static struct decode_options options_of(const struct whole *w, const struct way *way)
{
    return (struct decode_options){.capacity = LENGTH, .batch_tokens = way->batch_tokens, .window = w->opened.config.window,
                                   .mode = way->mode, .repack = way->repack, .separate = way->separate, .half = way->half,
                                   .logit_rows = way->logit_rows};
}

static struct decode *open_session(const struct whole *w, const struct weights *weights, const struct way *way)
{
    const struct decode_options options = options_of(w, way);
    struct decode *d;
    struct error e;
    threads_set(way->threads);
    if (decode_open(&d, &w->opened.config, weights ? weights : &w->opened.weights, &w->head, kernels_at(way->kernels),
                    &options, &e) != STATUS_OK)
        bail("a session doesn't open: %s", e.sentence);
    return d;
}

/* Logits [LENGTH, VOCABULARY] of a text. */
struct logits {
    float at[LENGTH][VOCABULARY];
    int told[LENGTH];
};

static void note(void *context, size_t position, float *logits)
{
    struct logits *all = context;
    threads_lock();
    all->told[position]++;
    memcpy(all->at[position], logits, sizeof all->at[position]);
    threads_unlock();
    memset(logits, 0xff, sizeof all->at[position]); /* it may */
}

static void feed(struct decode *d, size_t first, size_t count, const struct decode_listener *listener)
{
    struct error e;
    if (decode_feed(d, ids + first, count, listener, &e) != STATUS_OK)
        bail("a text isn't fed: %s", e.sentence);
}

/* Fed as a whole, a listener told of all. */
static struct logits all_at_once(const struct whole *w, const struct weights *weights, const struct way *way)
{
    struct logits l = {.told = {0}};
    const struct decode_listener listener = {note, &l, 0};
    struct decode *d = open_session(w, weights, way);
    feed(d, 0, LENGTH, &listener);
    decode_close(d);
    threads_set(1);
    return l;
}

/* A prompt of `prompt` tokens, the rest one by one; positions before the prompt's last stay zero. */
static struct logits one_by_one(const struct whole *w, const struct weights *weights, const struct way *way, size_t prompt)
{
    struct logits l = {.told = {0}};
    struct decode *d = open_session(w, weights, way);
    for (size_t t = prompt - 1; t < LENGTH; t++) {
        feed(d, t + 1 == prompt ? 0 : t, t + 1 == prompt ? prompt : 1, NULL);
        memcpy(l.at[t], decode_logits(d), sizeof l.at[t]);
    }
    decode_close(d);
    threads_set(1);
    return l;
}

static bool same_from(const struct logits *a, const struct logits *b, size_t first)
{
    return memcmp(a->at[first], b->at[first], (LENGTH - first) * sizeof *a->at) == 0;
}

static bool told_once(const struct logits *l)
{
    bool once = true;
    for (size_t t = 0; t < LENGTH; t++)
        once = once && l->told[t] == 1;
    return once;
}

/* The largest difference from float64 logits, relative to their root mean square. */
static double error_of(const struct network *n, const struct logits *l)
{
    const size_t h = n->hidden;
    struct plain p = plain_run(n, ids, LENGTH);
    double *x = plain_room(LENGTH * h), *y = plain_room(LENGTH * n->vocabulary), square = 0, worst = 0;
    plain_product(LENGTH, p.series[n->layers - 1][SERIES_FFN], n->layer[n->layers - 1].down, h, n->intermediate, p.hidden);
    plain_norm(n, LENGTH, p.hidden, n->output_norm, x);
    plain_product(LENGTH, x, n->output ? n->output : n->embedding, n->vocabulary, h, y);
    for (size_t i = 0; i < LENGTH * n->vocabulary; i++) {
        square += y[i] * y[i];
        worst = fmax(worst, fabs(y[i] - (double)l->at[i / VOCABULARY][i % VOCABULARY]));
    }
    free(x), free(y);
    plain_free(&p);
    return worst / sqrt(square / (double)(LENGTH * n->vocabulary));
}

static void a_network(struct network n, bool tied, const char *what)
{
    struct whole w = open_whole(n, tied);
    struct logits l = all_at_once(&w, NULL, &usual);
    double error = error_of(&w.network, &l);
    ok(w.head.tied == tied && told_once(&l) && error < 5e-5, "%s: logits are those of float64 (%.2g of the root mean square)",
       what, error);
    close_whole(&w);
}

static void networks(void)
{
    struct network n = odd_one();
    a_network(n, false, "odd sizes");
    a_network(n, true, "a tied head");
    n.window = 8;
    a_network(n, false, "window of 8");
    n.window = 0;
    n.original = 20; /* the capacity is longer */
    a_network(n, false, "LongRoPE's long factors");
    n.original = 0;
    n.biases = true;
    a_network(n, false, "biases");
    n.head_norms = true;
    a_network(n, true, "biases and head norms");
}

/* Every instruction set, chunk, number of threads, with vector forms and without. */
static void ways(void)
{
    static const size_t batches[] = {1, 5, 16, 64, 200}, prompts[] = {1, 2, 17, 64, LENGTH};
    struct network n = odd_one();
    n.window = 40;
    n.biases = n.head_norms = true;
    struct whole w = open_whole(n, false);
    struct logits first = all_at_once(&w, NULL, &usual);
    for (size_t set = 0; kernels_at(set); set++) {
        bool whole = true, steps = true;
        for (size_t i = 0; i < 5; i++)
            for (int form = 0; form < 4; form++) {
                struct way way = {.kernels = set, .batch_tokens = batches[i], .logit_rows = 1 + i * 7, .repack = form & 1,
                                  .separate = form > 1, .threads = 1 + (int)(i + (size_t)form) % 3};
                way.logit_rows = way.logit_rows < way.batch_tokens ? way.logit_rows : way.batch_tokens;
                struct logits all = all_at_once(&w, NULL, &way);
                way.threads = way.threads > 2 ? 2 : way.threads; /* many small steps: more threads than cores would wait a lot */
                struct logits each = one_by_one(&w, NULL, &way, prompts[i]);
                whole = whole && told_once(&all) && same_from(&first, &all, 0);
                steps = steps && same_from(&first, &each, prompts[i] - 1);
            }
        ok(whole, "%s: a prompt's logits have the same bits in chunks of any size, with 1 to 3 threads", kernels_at(set)->name);
        ok(steps, "%s: so have those of single tokens behind it, repacked or not, gate and up apart or not", kernels_at(set)->name);
    }
    close_whole(&w);
}

/* Weights of the same network in another type, in memory of our own. */
struct retyped {
    struct weights weights;
    struct model_file_tensor tensor[4 * 7];
    void *block[4 * 7];
    size_t count;
};

static void retype(struct retyped *r, struct weight *w, const struct quants_format *format)
{
    struct model_file_tensor *t = &r->tensor[r->count];
    size_t blocks = w->inputs / format->block_elements, row_bytes = blocks * format->block_bytes;
    float *row = malloc(w->inputs * sizeof *row);
    uint8_t *bytes = malloc(w->outputs * row_bytes);
    if (!row || !bytes)
        bail("no memory for retyped weights");
    for (size_t i = 0; i < w->outputs; i++) {
        weights_decode(w, i, 0, w->inputs, row);
        encode_find(format)(row, blocks, bytes + i * row_bytes);
    }
    free(row);
    *t = (struct model_file_tensor){.dimensions = 2, .dims = {w->inputs, w->outputs, 1, 1}, .format = format, .bytes = bytes};
    *w = (struct weight){.tensor = t, .outputs = w->outputs, .inputs = w->inputs, .row_bytes = row_bytes};
    r->block[r->count++] = bytes;
}

/* Layers' matrices of `type`; down stays as it is where `mixed`, and so does every other up. */
static struct retyped *make_retyped(const struct whole *w, uint32_t type, bool mixed)
{
    struct retyped *r = calloc(1, sizeof *r);
    struct weights_layer *layer = r ? calloc(w->network.layers, sizeof *layer) : NULL;
    if (!layer)
        bail("no memory for retyped weights");
    memcpy(layer, w->opened.weights.layer, w->network.layers * sizeof *layer);
    r->weights = w->opened.weights;
    r->weights.layer = layer;
    for (size_t i = 0; i < w->network.layers; i++) {
        struct weight *const all[] = {&layer[i].q, &layer[i].k, &layer[i].v, &layer[i].output, &layer[i].gate, &layer[i].up,
                                      &layer[i].down};
        for (size_t k = 0; k < 7; k++)
            if (!mixed || (k < 5 && k != 1))
                retype(r, all[k], quants_by_id(type));
    }
    return r;
}

static void free_retyped(struct retyped *r)
{
    for (size_t i = 0; i < r->count; i++)
        free(r->block[i]);
    free(r->weights.layer);
    free(r);
}

static struct network quantisable(void) /* whole blocks of 256 */
{
    return (struct network){.layers = 2, .hidden = 256, .intermediate = 512, .heads = 4, .kv_heads = 1, .head_dim = 64,
                            .rotary = 64, .vocabulary = VOCABULARY, .context = 256, .base = 10000.0};
}

static void types(void)
{
    static const uint32_t kinds[] = {QUANTS_F16, QUANTS_Q4_1, QUANTS_Q5_0, QUANTS_Q8_0, QUANTS_Q4_K, QUANTS_Q6_K};
    static const char *const modes[] = {"f32", "int16", "int8"};
    struct whole w = open_whole(quantisable(), true);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int mixed = 0; mixed < 2; mixed++) {
            struct retyped *r = make_retyped(&w, kinds[i], mixed);
            for (int mode = 0; mode < (int)KERNELS_MODES; mode++) {
                struct way way = usual;
                way.mode = (enum kernels_mode)mode;
                struct logits all = all_at_once(&w, &r->weights, &way);
                way.repack = true;
                way.threads = 2;
                struct logits each = one_by_one(&w, &r->weights, &way, 30);
                while (kernels_at(way.kernels + 1))
                    way.kernels++;
                struct logits best = one_by_one(&w, &r->weights, &way, 30);
                ok(same_from(&all, &each, 29) && same_from(&all, &best, 29), "%s%s in %s: steps have the bits of the whole",
                   quants_by_id(kinds[i])->name, mixed ? " and F32" : "", modes[mode]);
            }
            free_retyped(r);
        }
    close_whole(&w);
}

/* Half the neurons are what a model with half of them is. */
static void halves(void)
{
    struct network n = quantisable();
    struct whole w = open_whole(n, false);
    struct way way = usual;
    way.half = way.repack = true;
    struct logits half = all_at_once(&w, NULL, &way), whole = all_at_once(&w, NULL, &usual);
    struct whole cut = w;
    cut.network.intermediate = 256;
    for (size_t i = 0; i < n.layers; i++) {
        cut.network.layer[i].down = network_draw(n.hidden, 256, 0, 1);
        for (size_t r = 0; r < n.hidden; r++)
            memcpy(cut.network.layer[i].down + r * 256, w.network.layer[i].down + r * 512, 256 * sizeof(float));
    }
    cut.opened = opened_network(&cut.network, NETWORK_APART, NULL, "cut.gguf");
    struct logits other = all_at_once(&cut, NULL, &usual);
    ok(same_from(&half, &other, 0) && !same_from(&half, &whole, 0), "the half of a model is the model of half its neurons");
    struct logits steps = one_by_one(&w, NULL, &way, 9);
    ok(same_from(&half, &steps, 8), "token by token too");
    struct decode *d = open_session(&w, NULL, &way);
    is_uint(decode_neurons(d), 256, "it says how many they are");
    struct decode_options options = options_of(&w, &way);
    struct decode *second;
    struct error e;
    way.half = false;
    options.separate = true;
    struct decode *model = open_session(&w, NULL, &way);
    options.like = model;
    if (decode_open(&second, &w.opened.config, &w.opened.weights, &w.head, kernels_at(0), &options, &e) != STATUS_OK)
        bail("a session like another doesn't open: %s", e.sentence);
    struct logits shared = {.told = {0}};
    for (size_t t = 8; t < LENGTH; t++) {
        decode_separate(second, t % 2);
        feed(second, t == 8 ? 0 : t, t == 8 ? 9 : 1, NULL);
        memcpy(shared.at[t], decode_logits(second), sizeof shared.at[t]);
    }
    ok(same_from(&half, &shared, 8), "a session that shares vector forms with the whole model's has the same bits");
    decode_rewind(second, 40);
    feed(second, 40, 1, NULL);
    ok(memcmp(decode_logits(second), half.at[40], sizeof half.at[40]) == 0, "and so it has after going back");
    struct decode_bytes bytes = decode_bytes(model), less = decode_bytes(second);
    ok(bytes.all == bytes.repacked && bytes.all - less.all == n.layers * 3 * 256 * 256 * sizeof(float),
       "it reads as much less as half the neurons' weights are");
    decode_close(second);
    decode_close(model);
    decode_close(d);
    for (size_t i = 0; i < n.layers; i++)
        free(cut.network.layer[i].down);
    opened_close(&cut.opened);
    close_whole(&w);
}

static void greedy(void)
{
    is_int(decode_greedy((const float[]){1, 3, 2, 3, 0}, 5), 1, "of equal logits the lowest id is taken");
    is_int(decode_greedy((const float[]){NAN, -5, NAN, -4, NAN}, 5), 3, "NaN is never the largest");
    is_int(decode_greedy((const float[]){-INFINITY, -INFINITY}, 2), 0, "one is always taken");
}

static void answers(void)
{
    struct whole w = open_whole(odd_one(), false);
    struct error e;
    struct way way = usual;
    way.repack = true;
    struct decode *d = open_session(&w, NULL, &way);
    int32_t answer[LENGTH], saved[LENGTH], again[LENGTH];
    size_t count, other;
    bool same = true;
    feed(d, 0, 20, NULL);
    struct decode_end end = {NULL, 0, 30};
    ok(decode_answer(d, &end, answer, &count, &e) == STATUS_OK && count == 30 && decode_position(d) == 49,
       "an answer of 30 tokens, the last not fed");
    memcpy(saved, ids, sizeof ids);
    for (size_t i = 0; i < count; i++) { /* each anew, from the beginning */
        decode_rewind(d, 0);
        feed(d, 0, 20 + i, NULL);
        same = same && decode_greedy(decode_logits(d), VOCABULARY) == answer[i];
        ids[20 + i] = answer[i];
    }
    ok(same, "each of its tokens is the likeliest after the whole text before it");
    memcpy(ids, saved, sizeof ids);
    decode_rewind(d, 0);
    feed(d, 0, 20, NULL);
    size_t at = 0; /* the first place of the sixth token */
    while (answer[at] != answer[5])
        at++;
    end = (struct decode_end){(const int32_t[]){-1, answer[5]}, 2, 30};
    ok(decode_answer(d, &end, again, &other, &e) == STATUS_OK && other == at && memcmp(again, answer, at * sizeof *again) == 0,
       "it ends before a token that ends it");
    decode_rewind(d, 0);
    feed(d, 0, 70, NULL);
    end = (struct decode_end){NULL, 0, 30};
    ok(decode_answer(d, &end, again, &other, &e) == STATUS_OK && other == 6 && decode_position(d) == LENGTH,
       "and when there is no more room");
    struct decode_times t = decode_times(d);
    ok(t.attention > 0 && t.ffn > 0 && t.head > 0 && t.rest >= 0, "the time of each part is counted");
    decode_close(d);
    close_whole(&w);
}

static void faults(void)
{
    struct whole w = open_whole(odd_one(), false);
    struct error e;
    struct decode *d = open_session(&w, NULL, &usual);
    const int32_t unknown[] = {3, VOCABULARY}, below[] = {-1};
    feed(d, 0, 70, NULL);
    is_int(decode_feed(d, ids, 6, NULL, &e), STATUS_INPUT, "a text past the capacity is refused");
    is_string(e.sentence, "the text has 76 tokens, and there is room for 75", "with both numbers");
    ok(decode_feed(d, unknown, 2, NULL, &e) == STATUS_INPUT && decode_feed(d, below, 1, NULL, &e) == STATUS_INPUT &&
           decode_position(d) == 70, "so is an id that is no token, and nothing is fed");
    decode_close(d);
    decode_close(NULL);
    struct decode_options options = options_of(&w, &usual);
    struct decode_memory m;
    options.repack = true;
    if (decode_memory_of(&m, &w.opened.config, &w.opened.weights, &w.head, kernels_at(0), &options, 1, &e) != STATUS_OK)
        bail("no figure of a session's memory: %s", e.sentence);
    options.memory = m.weights + m.repacked + m.cache + m.working;
    is_int(decode_open(&d, &w.opened.config, &w.opened.weights, &w.head, kernels_at(0), &options, &e), STATUS_OK,
           "what fits exactly is opened");
    decode_close(d);
    options.memory--;
    ok(decode_open(&d, &w.opened.config, &w.opened.weights, &w.head, kernels_at(0), &options, &e) == STATUS_INPUT && d == NULL,
       "a byte less is refused");
    options.capacity = SIZE_MAX / 64;
    is_int(decode_open(&d, &w.opened.config, &w.opened.weights, &w.head, kernels_at(0), &options, &e), STATUS_INPUT,
           "a capacity that can't be counted is");
    close_whole(&w);
}

/* What is wrong with a head. */
static void heads(void)
{
    static const struct {
        struct network_twist twist;
        const char *where, *what;
    } bad[] = {{{.leave_out = "output_norm.weight"}, "tensor output_norm.weight", "without its norm"},
               {{.reshape = "output.weight"}, "tensor output.weight", "with a row too few"},
               {{.retype = "output.weight", .type = 26}, "tensor output.weight", "of integers"},
               {{.rename = "rope_freqs.weight", .as = "output.bias"}, "tensor output.bias", "with a bias"}};
    struct network n = odd_one();
    n.hidden = 256, n.heads = 4, n.kv_heads = 4, n.head_dim = 64, n.rotary = 64, n.layers = 1;
    n.always_factors = true;
    network_make(&n);
    network_make_head(&n, false);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct opened o = opened_network(&n, NETWORK_FUSED, &bad[i].twist, "bad.gguf");
        struct weights_head head;
        struct error e;
        ok(weights_head_open(&head, &o.config, o.file, &e) == STATUS_INPUT && strcmp(e.where, bad[i].where) == 0,
           "a head %s is refused by name, though a profile doesn't mind", bad[i].what);
        weights_head_free(&head);
        opened_close(&o);
    }
    network_free(&n);
}

static void no_memory(void)
{
    struct whole w = open_whole(odd_one(), false);
    struct way way = usual;
    way.repack = way.separate = true;
    struct decode_options options = options_of(&w, &way);
    struct error e;
    bool told = true;
    long count = 0, held = failing_memory_held;
    for (enum status status = STATUS_FAILED; status != STATUS_OK && count < 200; count++) {
        struct decode *d = NULL;
        failing_memory_left = count;
        status = decode_open(&d, &w.opened.config, &w.opened.weights, &w.head, kernels_at(0), &options, &e);
        failing_memory_left = -1;
        told = told && (status == STATUS_OK || status == STATUS_FAILED);
        decode_close(d);
        told = told && failing_memory_held == held;
    }
    ok(told && count > 20 && count < 200, "each of %ld failing allocations is told, and nothing stays behind", count - 1);
    close_whole(&w);
}

int main(void)
{
    for (size_t i = 0; i < LENGTH; i++)
        ids[i] = (int32_t)(reference_random() % VOCABULARY);
    networks();
    ways();
    types();
    halves();
    greedy();
    answers();
    faults();
    heads();
    no_memory();
    return tap_done();
}
