/* test_footprint.c - plans of memory against what the forward pass and the state really take.
 *
 * Every allocation is counted (counted_memory.h). Batches are packed as cluster/schedule.c packs them: longest first,
 * as many as go into a batch.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/threads.h"
#include "counted_memory.h"
#include "model/footprint.h"
#include "model/forward.h"
#include "opened_model.h"
#include "stats/accumulator.h"

static void no_sums(void *context, size_t layer, enum series series, size_t block, size_t prompt,
                    const struct sums *sums, uint64_t samples)
{
    (void)context, (void)layer, (void)series, (void)block, (void)prompt, (void)sums, (void)samples;
}

static int32_t ids[4096];

/* Runs prompts of these lengths, descending, packed into batches. */
static void run_prompts(struct forward *f, const size_t *lengths, size_t count, size_t batch_tokens)
{
    const struct forward_observer observer = {.sums = no_sums};
    static struct forward_prompt prompts[256];
    struct error e;
    for (size_t from = 0; from < count;) {
        size_t taken = 0, tokens = 0;
        while (from + taken < count && (taken == 0 || tokens + lengths[from + taken] <= batch_tokens)) {
            prompts[taken] = (struct forward_prompt){ids, lengths[from + taken]};
            tokens += lengths[from + taken++];
        }
        if (forward_run(f, prompts, taken, &observer, &e) != STATUS_OK)
            bail("a batch doesn't run: %s", e.sentence);
        from += taken;
    }
}

/* The most bytes in use while weights are opened and prompts run. */
static size_t real_working(const struct model_file *file, const struct config *c, const struct footprint_load *load,
                           const size_t *lengths, size_t count)
{
    struct weights w;
    struct forward *f;
    const struct kernels *kernels;
    struct error e;
    struct forward_options o = {.batch_tokens = load->batch_tokens, .activity_threshold = 0.1f, .window = c->window,
                                .mode = load->mode};
    threads_set((int)load->threads);
    size_t before = counted_memory.now;
    counted_memory.peak = counted_memory.now;
    if (kernels_select(NULL, &kernels, &e) != STATUS_OK || weights_open(&w, c, file, &e) != STATUS_OK ||
        forward_open(&f, c, &w, kernels, &o, &e) != STATUS_OK)
        bail("a good model doesn't open: %s", e.sentence);
    run_prompts(f, lengths, count, load->batch_tokens);
    forward_close(f);
    weights_free(&w);
    return counted_memory.peak - before;
}

static struct footprint planned(const struct model_file *file, const struct config *c,
                                const struct footprint_load *load, struct footprint_stage stage)
{
    struct footprint_weights w;
    struct footprint f = {0, 0, 0};
    struct error e;
    if (footprint_weights_read(&w, file, c->layers, &e) != STATUS_OK ||
        footprint_of(&f, c, &w, load, stage, &e) != STATUS_OK)
        bail("no plan: %s", e.sentence);
    footprint_weights_free(&w);
    return f;
}

/* The plan of a run over `count` prompts, longest first, is a bound, and not more than `loose` times what it takes. */
static void compare(const char *what, const struct opened *o, struct footprint_load load, const size_t *lengths,
                    size_t count, double loose)
{
    struct footprint_stage all = {0, o->config.layers};
    load.longest = lengths[0];
    load.shortest = lengths[count - 1];
    struct footprint plan = planned(o->file, &o->config, &load, all);
    size_t real = real_working(o->file, &o->config, &load, lengths, count);
    diag("%s: %zu bytes, planned %llu", what, real, (unsigned long long)plan.working);
    ok(real <= plan.working, "%s: no more than planned", what);
    ok((double)plan.working <= loose * (double)real, "%s: not much less either", what);
}

static void test_runs(const struct opened *o, const char *name)
{
    static const size_t one[] = {100}, longest[] = {128, 40, 9}, exact[] = {64, 64, 64}, odd[] = {33, 20, 20, 20, 7};
    static size_t many[64];
    char what[96];
    for (size_t i = 0; i < 64; i++)
        many[i] = i < 4 ? 9 : 5;
    const struct {
        const char *what;
        const size_t *lengths;
        size_t count, batch, threads;
        double loose;
    } runs[] = {{"one long prompt", one, 1, 32, 1, 1.02},       {"a long one and others", longest, 3, 48, 1, 1.1},
                {"a batch each", exact, 3, 64, 2, 1.1},          {"several to a batch", odd, 5, 64, 1, 1.5},
                {"many short ones", many, 64, 256, 3, 1.5}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        for (int mode = 0; mode < KERNELS_MODES; mode++) { /* packed rows of each form may be needed, or not */
            snprintf(what, sizeof what, "%s, %s, precision %d", name, runs[i].what, mode);
            compare(what, o, (struct footprint_load){runs[i].batch, runs[i].threads, 1, 1, (enum kernels_mode)mode},
                    runs[i].lengths, runs[i].count, mode == KERNELS_F32 ? runs[i].loose : 2);
        }
    }
}

/* Ports of a stage that nobody waits for. */
static float *any_chunk(void *context)
{
    return context;
}

static void nothing(void *context)
{
    (void)context;
}

/* The most bytes in use while one stage runs a long prompt and batches of small ones, chunk by chunk. */
static size_t real_stage(const struct opened *o, const struct footprint_load *load, struct footprint_stage stage)
{
    struct forward_options how = {.batch_tokens = load->batch_tokens, .activity_threshold = 0.1f, .window = o->config.window,
                                  .mode = load->mode, .first_layer = stage.first, .layers = stage.count, .longest = load->longest};
    const struct forward_observer observer = {.sums = no_sums};
    size_t buffers = footprint_buffers(o->config.layers, stage), small = load->batch_tokens / load->shortest;
    size_t before = counted_memory.now;
    static struct forward_prompt prompts[64];
    struct weights w;
    struct forward *f;
    struct error e;
    float *slot[3] = {NULL};
    threads_set((int)load->threads);
    counted_memory.peak = counted_memory.now;
    for (size_t i = 0; i < buffers; i++)
        if (memory_array(&slot[i], load->batch_tokens * o->config.hidden, sizeof **slot, "a test", &e) != STATUS_OK)
            bail("no memory");
    if (weights_find(&w, &o->config, o->file, &e) != STATUS_OK || weights_layers(&w, &o->config, stage.first, stage.count, &e) != STATUS_OK ||
        forward_open(&f, &o->config, &w, kernels_at(0), &how, &e) != STATUS_OK)
        bail("a stage doesn't open: %s", e.sentence);
    const struct forward_ports ports = {slot[0], any_chunk, nothing, any_chunk, nothing};
    for (size_t length = load->longest; length > load->batch_tokens; length = length * 2 / 3) {
        prompts[0] = (struct forward_prompt){ids, length};
        if (forward_run_ports(f, prompts, 1, &ports, &observer, &e) != STATUS_OK)
            bail("a prompt doesn't run: %s", e.sentence);
    }
    for (size_t i = 0; i < small; i++)
        prompts[i] = (struct forward_prompt){ids, load->shortest};
    if (forward_run_ports(f, prompts, small, &ports, &observer, &e) != STATUS_OK)
        bail("a batch doesn't run: %s", e.sentence);
    forward_close(f);
    weights_free(&w);
    for (size_t i = 0; i < buffers; i++)
        memory_free(slot[i]);
    return counted_memory.peak - before;
}

static void test_stages(const struct opened *o, const char *name)
{
    static const struct footprint_stage stages[] = {{0, 1}, {1, 1}, {0, 2}, {1, 2}, {2, 1}};
    static const struct footprint_load loads[] = {{32, 1, 128, 8, KERNELS_F32}, {16, 1, 33, 16, KERNELS_F32}, {64, 1, 64, 2, KERNELS_F32}};
    for (size_t l = 0; l < sizeof loads / sizeof *loads; l++)
        for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
            struct footprint plan = planned(o->file, &o->config, &loads[l], stages[i]);
            size_t real = real_stage(o, &loads[l], stages[i]);
            ok(real <= plan.working && (double)plan.working < 1.15 * (double)real,
               "%s, load %zu, layers %zu to %zu: a stage takes %zu bytes, %llu planned", name, l, stages[i].first,
               stages[i].first + stages[i].count, real, (unsigned long long)plan.working);
        }
}

static void test_state(const struct opened *o)
{
    const struct footprint_load load = {64, 1, 64, 10, KERNELS_F32};
    struct accumulator a, merged;
    struct error e;
    for (size_t count = 1; count <= o->config.layers; count++) {
        struct footprint plan = planned(o->file, &o->config, &load, (struct footprint_stage){0, count});
        size_t before = counted_memory.now;
        if (accumulator_init(&a, count, o->config.intermediate, &e) != STATUS_OK ||
            accumulator_init(&merged, 1, o->config.intermediate, &e) != STATUS_OK)
            bail("no state");
        size_t real = counted_memory.now - before;
        accumulator_free(&a);
        accumulator_free(&merged);
        ok(real >= plan.state && real < plan.state + 128, "the state of %zu layers and of one that is written is what accumulators take",
           count);
    }
}

/* Layers, embedding and the rest are all there is, each counted once. */
static void test_weights(const struct opened *o)
{
    struct footprint_weights w;
    struct error e;
    uint64_t bytes = 0, layers = 0;
    for (size_t i = 0; i < model_file_tensor_count(o->file); i++)
        bytes += model_file_tensor_at(o->file, i)->size;
    if (footprint_weights_read(&w, o->file, o->config.layers, &e) != STATUS_OK)
        bail("no sizes");
    for (size_t l = 0; l < w.layers; l++)
        layers += w.layer[l];
    ok(layers + w.embedding + w.others == bytes, "layers, embedding and others are the file's tensors");
    ok(w.embedding == model_file_find_tensor(o->file, "token_embd.weight")->size, "the embedding is one tensor");
    ok(w.layer[0] > 0 && w.layer[0] == w.layer[1], "layers of one shape weigh the same");
    footprint_weights_free(&w);
    if (footprint_weights_read(&w, o->file, 1, &e) != STATUS_OK)
        bail("no sizes");
    ok(w.layer[0] + w.embedding + w.others == bytes, "layers past the last are others");
    footprint_weights_free(&w);
}

/* The cost of the dearest stage in the best of all cuts of layers [from, layers), by trying them all. */
static uint64_t best_of_all(const uint64_t *work, size_t layers, size_t from, size_t stages)
{
    uint64_t best = UINT64_MAX, own = 0;
    if (stages == 1) {
        for (size_t l = from; l < layers; l++)
            own += work[l];
        return own;
    }
    for (size_t end = from + 1; end + stages - 1 <= layers; end++) {
        own += work[end - 1];
        uint64_t rest = best_of_all(work, layers, end, stages - 1), worst = own > rest ? own : rest;
        best = worst < best ? worst : best;
    }
    return best;
}

static uint64_t dearest(const struct footprint_weights *w, const struct footprint_stage *stage, size_t stages)
{
    uint64_t most = 0;
    for (size_t s = 0; s < stages; s++) {
        uint64_t own = 0;
        for (size_t l = stage[s].first; l < stage[s].first + stage[s].count; l++)
            own += w->work[l];
        most = own > most ? own : most;
    }
    return most;
}

static bool contiguous(const struct footprint_stage *stage, size_t stages, size_t layers)
{
    size_t next = 0;
    bool good = true;
    for (size_t s = 0; s < stages; s++) {
        good = good && stage[s].first == next && stage[s].count > 0;
        next += stage[s].count;
    }
    return good && next == layers;
}

static void cut_into(struct footprint_stage *stage, const struct footprint_weights *w, size_t stages)
{
    struct error e;
    if (footprint_cut(stage, w, stages, &e) != STATUS_OK)
        bail("no cut: %s", e.sentence);
}

static void test_cut(void)
{
    static uint64_t work[40], bytes[40];
    static struct footprint_stage stage[40];
    bool whole = true, even = true, best = true;
    for (size_t l = 0; l < 40; l++)
        work[l] = 1000;
    for (size_t layers = 1; layers <= 40; layers++)
        for (size_t stages = 1; stages <= layers; stages++) {
            struct footprint_weights w = {bytes, work, layers, 0, 0, false};
            cut_into(stage, &w, stages);
            whole = whole && contiguous(stage, stages, layers);
            for (size_t s = 0; s < stages; s++)
                even = even && stage[s].count == layers / stages + (s < layers % stages);
        }
    ok(whole, "stages are contiguous and together all layers, 1 to 40 of them");
    ok(even, "layers of one cost are cut as evenly as can be, the larger stages first");
    uint64_t state = 5;
    for (int trial = 0; trial < 300; trial++) {
        size_t layers = 1 + (size_t)trial % 11;
        for (size_t l = 0; l < layers; l++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            work[l] = trial % 3 == 0 ? (state >> 33) % 3 : (state >> 33) % 1000;
        }
        for (size_t stages = 1; stages <= layers; stages++) {
            struct footprint_weights w = {bytes, work, layers, 0, 0, false};
            cut_into(stage, &w, stages);
            whole = whole && contiguous(stage, stages, layers);
            best = best && dearest(&w, stage, stages) == best_of_all(work, layers, 0, stages);
        }
    }
    ok(whole, "so they are where layers cost what they like, nothing perhaps");
    ok(best, "and no cut has a cheaper dearest stage");
}

/* The last layer is cheaper by its down projection, so the larger stage comes last. */
static void test_largest(const struct opened *o)
{
    const struct footprint_load load = {64, 1, 64, 10, KERNELS_F32};
    struct footprint_weights w;
    struct footprint most;
    struct footprint_stage stage;
    struct error e;
    if (footprint_weights_read(&w, o->file, o->config.layers, &e) != STATUS_OK ||
        footprint_largest(&most, &stage, &o->config, &w, &load, 2, &e) != STATUS_OK)
        bail("no plan");
    const struct config *c = &o->config;
    size_t q = c->heads * c->head_dim, kv = c->kv_heads * c->head_dim;
    is_uint(w.work[0], c->hidden * (2 * q + 2 * kv + 3 * c->intermediate), "a layer costs its matrices");
    is_uint(w.work[2], c->hidden * (2 * q + 2 * kv + 2 * c->intermediate), "the last one all but down");
    ok(stage.first == 1 && stage.count == 2, "of 3 layers in 2 stages, the second stage is the largest");
    ok(most.weights == w.layer[1] + w.layer[2], "it holds two layers");
    footprint_weights_free(&w);
}

static void test_hostile(const struct opened *o)
{
    struct footprint_weights w;
    struct footprint f;
    struct error e;
    struct config c = o->config;
    if (footprint_weights_read(&w, o->file, c.layers, &e) != STATUS_OK)
        bail("no sizes");
    struct footprint_load loads[] = {{SIZE_MAX, 1, 1, 1, KERNELS_F32}, {1, SIZE_MAX, 1, 1, KERNELS_F32}, {1, 1, SIZE_MAX, 1, KERNELS_F32},
                                     {SIZE_MAX / 2, 1, SIZE_MAX / 2, SIZE_MAX / 2, KERNELS_F32}};
    bool refused = true;
    for (size_t i = 0; i < 4; i++)
        refused = refused && footprint_of(&f, &c, &w, &loads[i], (struct footprint_stage){0, 1}, &e) == STATUS_INPUT;
    ok(refused, "a plan beyond 64 bits is refused, not wrapped");
    c.layers = 3, c.hidden = c.intermediate = c.head_dim = 1u << 20, c.heads = c.kv_heads = 65536;
    ok(footprint_of(&f, &c, &w, &(struct footprint_load){512, 1, 1u << 24, 1, KERNELS_F32}, (struct footprint_stage){0, 3}, &e) ==
               STATUS_INPUT ||
           f.working > 1e15,
       "sizes at the limits of config.c are refused or huge");
    footprint_weights_free(&w);
    is_uint(memory_grown(0, 1), 8, "a small array takes 8 elements");
    is_uint(memory_grown(8, 9), 16, "and doubles");
    is_uint(memory_grown(0, SIZE_MAX), SIZE_MAX, "until there is no room to double");
}

int main(void)
{
    struct network n = {.layers = 3, .hidden = 96, .intermediate = 200, .heads = 6, .kv_heads = 2, .head_dim = 16,
                        .rotary = 16, .vocabulary = 40, .context = 128, .base = 10000.0};
    network_make(&n);
    struct opened plain = opened_network(&n, NETWORK_FUSED, NULL, "plain.gguf");
    test_runs(&plain, "phi3");
    test_stages(&plain, "phi3");
    test_state(&plain);
    test_weights(&plain);
    test_cut();
    test_largest(&plain);
    test_hostile(&plain);
    opened_close(&plain);
    n.original = 32;
    struct opened longrope = opened_network(&n, NETWORK_FUSED, NULL, "longrope.gguf");
    test_runs(&longrope, "LongRoPE");
    test_stages(&longrope, "LongRoPE");
    opened_close(&longrope);
    n.original = 0;
    n.always_factors = true;
    struct opened llama = opened_network(&n, NETWORK_LLAMA, NULL, "llama.gguf");
    test_runs(&llama, "llama with factors");
    opened_close(&llama);
    network_free(&n);
    n.always_factors = false;
    n.biases = n.head_norms = true;
    network_make(&n);
    struct opened qwen3 = opened_network(&n, NETWORK_QWEN3, NULL, "qwen3.gguf");
    test_runs(&qwen3, "qwen3 with biases");
    opened_close(&qwen3);
    network_free(&n);
    return tap_done();
}
