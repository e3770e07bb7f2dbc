/* fuzz_forward.c - a GGUF that is accepted is run: a forward pass over two prompts, its sums folded, and a few tokens of decoding.
 *
 * Weights may be NaN or infinite. Then activations are, too, and are counted; what is finite stays in its limits.
 */
#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "fuzz.h"
#include "gguf_mutate.h"
#include "model/decode.h"
#include "model/forward.h"
#include "stats/accumulator.h"

#define PROMPTS 2
#define LONGEST 6
#define CAPACITY 8
#define LARGEST_RUN ((size_t)1 << 22) /* weights of a layer: files are small, rows of ternary blocks aren't */

struct tally {
    struct accumulator state;
    size_t layers, blocks, calls;
};

static const size_t lengths[PROMPTS] = {LONGEST, 1};

static void add_sums(void *context, size_t layer, enum series series, size_t block, size_t prompt, const struct sums *sums,
                     uint64_t samples)
{
    struct tally *t = context;
    fuzz_claim(layer < t->layers && block < t->blocks && prompt < PROMPTS, "sums are of a layer, block and prompt that there are");
    fuzz_claim(samples == lengths[prompt], "a prompt of %zu tokens has as many samples, not %llu", lengths[prompt],
               (unsigned long long)samples);
    for (int lane = 0; lane < SUMS_LANES; lane++) {
        fuzz_claim(sums->nonfinite[lane] <= samples, "no more values than tokens are not finite");
        if (sums->nonfinite[lane] == 0 && sums->min[lane] <= sums->max[lane])
            fuzz_claim(fabsf(sums->min[lane]) < SUMS_LIMIT && fabsf(sums->max[lane]) < SUMS_LIMIT && isfinite(sums->part[0][lane]),
                       "what isn't counted as not finite is");
    }
    accumulator_block_fold(&accumulator_blocks(&t->state, layer, series)[block], sums, samples);
    t->calls++;
}

static enum status forward(const struct config *c, const struct weights *w, const struct kernels *kernels, int32_t ids[LONGEST],
                           enum kernels_mode mode, struct error *e)
{
    const struct forward_options options = {.batch_tokens = 4, .activity_threshold = 0.1f, .window = c->window, .mode = mode};
    const struct forward_prompt prompts[PROMPTS] = {{ids, lengths[0]}, {ids, lengths[1]}};
    struct tally t = {.layers = c->layers, .blocks = (c->intermediate + SUMS_LANES - 1) / SUMS_LANES};
    const struct forward_observer observer = {.context = &t, .sums = add_sums};
    struct forward *f = NULL;
    enum status s = accumulator_init(&t.state, c->layers, c->intermediate, e);
    if (s == STATUS_OK)
        s = forward_open(&f, c, w, kernels, &options, e);
    if (s == STATUS_OK)
        s = forward_run(f, prompts, PROMPTS, &observer, e);
    if (s == STATUS_OK)
        fuzz_claim(t.calls == t.layers * SERIES_COUNT * t.blocks * PROMPTS, "all sums are told, and told once");
    forward_close(f);
    accumulator_free(&t.state);
    return s;
}

/* The next tokens; a model without a head can't, which is no fault. */
static enum status decode(const struct config *c, const struct weights *w, const struct model_file *file, const struct kernels *kernels,
                          const int32_t ids[LONGEST], enum kernels_mode mode, struct error *e)
{
    const struct decode_options options = {.capacity = CAPACITY, .batch_tokens = 4, .window = c->window, .mode = mode, .repack = true,
                                           .logit_rows = 4};
    const struct decode_end end = {NULL, 0, CAPACITY - LONGEST};
    struct weights_head head = {0};
    struct decode *d = NULL;
    int32_t answer[CAPACITY];
    size_t count = 0;
    enum status s = weights_head_open(&head, c, file, e);
    if (s != STATUS_OK)
        return STATUS_OK;
    s = decode_open(&d, c, w, &head, kernels, &options, e);
    if (s == STATUS_OK)
        s = decode_feed(d, ids, LONGEST, NULL, e);
    if (s == STATUS_OK)
        s = decode_answer(d, &end, answer, &count, e);
    for (size_t i = 0; i < count && s == STATUS_OK; i++)
        fuzz_claim(answer[i] >= 0 && (size_t)answer[i] < c->vocabulary, "an answer is made of the model's tokens");
    decode_close(d);
    weights_head_free(&head);
    return s;
}

static enum status run_model(const struct model_file *file, const struct config *c, const struct weights *w, size_t size, struct error *e)
{
    const struct kernels *kernels;
    const enum kernels_mode mode = (enum kernels_mode)(size % KERNELS_MODES);
    int32_t ids[LONGEST];
    size_t weights;
    for (size_t i = 0; i < LONGEST; i++)
        ids[i] = (int32_t)((i * 31 + size) % c->vocabulary);
    if (!__builtin_mul_overflow(c->hidden, c->intermediate + c->heads * c->head_dim, &weights) && weights > LARGEST_RUN)
        return STATUS_OK;
    enum status s = kernels_select(NULL, &kernels, e);
    if (s == STATUS_OK)
        s = forward(c, w, kernels, ids, mode, e);
    return s == STATUS_OK ? decode(c, w, file, kernels, ids, mode, e) : s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model_file *file = NULL;
    struct config c;
    struct weights w;
    struct error e;
    fuzz_begin(data, size);
    threads_set(1);
    error_clear(&e);
    enum status s = model_file_open(&file, fuzz_put("m.gguf", data, size), &e);
    if (s == STATUS_OK)
        s = config_read(&c, file, &e);
    if (s == STATUS_OK)
        s = weights_open(&w, &c, file, &e);
    if (s == STATUS_OK) {
        s = run_model(file, &c, &w, size, &e);
        fuzz_claim(s == STATUS_OK, "a model whose weights are all there runs, whatever they are: %s", e.sentence);
        weights_free(&w);
        fuzz_accepted();
    } else {
        fuzz_refused(&e);
    }
    model_file_close(file);
    return fuzz_end();
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct mutate_random r = mutate_random(seed);
    return gguf_mutate(data, size, max, gguf_image_of(data, size), &r);
}
