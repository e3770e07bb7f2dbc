/* decode.c - see decode.h.
 *
 * The session borrows a forward pass and tells it where its text stands: the prompt's one segment has all of the
 * capacity, and a chunk's first row is the position at which it goes on. Before each layer forward.cache is set to that
 * layer's keys and values, which lie one behind the other in the session's own block.
 */
#include "decode.h"

#include <assert.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/memory.h"
#include "../base/threads.h"
#include "decode_memory.h"
#include "row_product.h"

struct decode {
    struct config config;          /* `intermediate`: neurons that take part              */
    struct weights weights;        /* as the caller's, with `layer` our own               */
    struct weights_head head;      /* the caller's norm                                 */
    struct decode_options options;
    const struct kernels *kernels;
    struct forward *forward;
    struct segment segment;
    float *cache;                  /* [layers, layer_floats]                              */
    size_t layer_floats;
    uint8_t *groups;               /* all vector forms                                    */
    float *hidden;                 /* [batch_tokens, hidden]: the chunk's residual stream     */
    size_t rows;                   /* of the last chunk fed                              */
    float *logits;                 /* [logit_rows, vocabulary]                            */
    size_t position;
    struct decode_times times;
};

/* The first half of the neurons: as many rows of gate and up, and a part of each of down's rows, which stand where they stood. */
static void take_half(struct decode *d)
{
    size_t half = d->config.intermediate;
    for (size_t i = 0; i < d->config.layers; i++) { /* layers may differ in type: the largest block decides */
        const size_t block = d->weights.layer[i].down.tensor->format->block_elements;
        const size_t here = (d->config.intermediate / 2 + block - 1) / block * block;
        if (i == 0 || here > half)
            half = here;
    }
    half = half > 0 && half < d->config.intermediate ? half : d->config.intermediate;
    for (size_t i = 0; i < d->config.layers; i++) {
        struct weights_layer *l = &d->weights.layer[i];
        l->gate.outputs = l->up.outputs = l->down.inputs = half;
    }
    d->config.intermediate = half;
}

/* Matrix k of layer l; NULL past the last. */
static struct weight *matrix_at(struct weights_layer *l, size_t k)
{
    struct weight *const all[] = {&l->q, &l->k, &l->v, &l->output, &l->gate, &l->up, &l->down};
    return k < sizeof all / sizeof *all ? all[k] : NULL;
}

/* Where a session that is alike has this vector form: fewer outputs are its beginning. */
static const uint8_t *shared_groups(const struct weight *mine, const struct weight *other)
{
    return other && other->groups && other->inputs == mine->inputs && other->outputs >= mine->outputs ? other->groups : NULL;
}

/* The vector form of one weight, or (d->groups NULL) only its bytes added up: decode_memory_of has checked the sum. */
static void repack_one(struct decode *d, struct weight *w, const struct weight *other, size_t *used)
{
    const size_t bytes = row_product_bytes(w, d->kernels, d->options.mode);
    w->groups = shared_groups(w, other);
    if (w->groups || bytes == 0)
        return;
    if (d->groups)
        row_product_repack(w, d->groups + *used);
    *used += bytes;
}

static size_t repack_all(struct decode *d)
{
    const struct decode *like = d->options.like;
    size_t used = 0;
    for (size_t i = 0; i < d->config.layers; i++) {
        struct weights_layer *mine = &d->weights.layer[i];
        for (size_t k = 0; matrix_at(mine, k); k++)
            repack_one(d, matrix_at(mine, k), like ? matrix_at(&like->weights.layer[i], k) : NULL, &used);
    }
    repack_one(d, &d->head.matrix, like ? &like->head.matrix : NULL, &used);
    return used;
}

static enum status repack(struct decode *d, struct error *e)
{
    const size_t bytes = repack_all(d);
    enum status s = memory_uninitialised(&d->groups, bytes, 1, "repacked weights", e);
    if (s == STATUS_OK)
        repack_all(d);
    return s;
}

static void count_bytes(const struct weight *w, struct decode_bytes *bytes)
{
    const uint64_t read = (uint64_t)w->outputs * w->row_bytes * w->inputs / w->tensor->dims[0]; /* a cut row in part */
    bytes->all += read;
    bytes->repacked += w->groups ? read : 0;
}

struct decode_bytes decode_bytes(const struct decode *d)
{
    struct decode_bytes bytes = {0, 0};
    for (size_t i = 0; i < d->config.layers; i++)
        for (size_t k = 0; matrix_at(&d->weights.layer[i], k); k++)
            count_bytes(matrix_at(&d->weights.layer[i], k), &bytes);
    count_bytes(&d->head.matrix, &bytes);
    return bytes;
}

/* Everything that is sized: the sums were checked by decode_memory_of. */
static enum status open_buffers(struct decode *d, struct error *e)
{
    const struct config *c = &d->config;
    const struct forward_options how = {.batch_tokens = d->options.batch_tokens, .window = d->options.window,
                                        .mode = d->options.mode, .head = &d->head, .separate = d->options.separate};
    enum status s = forward_open(&d->forward, c, &d->weights, d->kernels, &how, e);
    if (s != STATUS_OK)
        return s;
    const struct rotary_table *rotary;
    s = rotary_prepare(&d->forward->rotary, d->options.capacity, &rotary, e);
    if (s != STATUS_OK)
        return s;
    const size_t capacity = band_capacity(d->options.capacity);
    d->segment = (struct segment){.length = d->options.capacity, .rotary = rotary, .capacity = capacity};
    d->layer_floats = band_shape(c).cache * capacity;
    s = memory_array(&d->cache, c->layers, d->layer_floats * sizeof(float), "all layers' keys and values", e);
    if (s == STATUS_OK)
        s = memory_array(&d->hidden, d->options.batch_tokens, c->hidden * sizeof(float), "a batch's hidden states", e);
    if (s == STATUS_OK)
        s = memory_array(&d->logits, d->options.logit_rows, c->vocabulary * sizeof(float), "logits", e);
    if (s == STATUS_OK && d->options.repack)
        s = repack(d, e);
    d->forward->segment = &d->segment;
    d->forward->segments = 1;
    return s;
}

enum status decode_open(struct decode **decode, const struct config *config, const struct weights *weights,
                        const struct weights_head *head, const struct kernels *kernels,
                        const struct decode_options *options, struct error *e)
{
    struct decode *d;
    struct decode_memory memory;
    assert(options->capacity > 0 && options->batch_tokens > 0 && options->logit_rows > 0);
    *decode = NULL;
    enum status s = memory_array(&d, 1, sizeof *d, "a session", e);
    if (s != STATUS_OK)
        return s;
    d->config = *config;
    d->weights = *weights;
    d->head = *head;
    d->options = *options;
    d->kernels = kernels;
    s = memory_array(&d->weights.layer, config->layers, sizeof *d->weights.layer, "the layers' weights", e);
    if (s == STATUS_OK) {
        memcpy(d->weights.layer, weights->layer, config->layers * sizeof *weights->layer);
        if (options->half)
            take_half(d);
        s = decode_memory_of(&memory, &d->config, &d->weights, head, kernels, options, (size_t)threads_count(), e);
    }
    if (s == STATUS_OK)
        s = decode_memory_check(&memory, options, e);
    if (s == STATUS_OK)
        s = open_buffers(d, e);
    if (s != STATUS_OK) {
        decode_close(d);
        return s;
    }
    *decode = d;
    return STATUS_OK;
}

void decode_close(struct decode *d)
{
    if (!d)
        return;
    if (d->forward)
        d->forward->segment = NULL; /* it was lent */
    forward_close(d->forward);
    memory_free(d->weights.layer);
    memory_free(d->cache);
    memory_free(d->groups);
    memory_free(d->hidden);
    memory_free(d->logits);
    memory_free(d);
}

size_t decode_neurons(const struct decode *d)
{
    return d->config.intermediate;
}

void decode_rewind(struct decode *d, size_t position)
{
    assert(position <= d->position);
    d->position = position;
    d->rows = 0;
}

void decode_separate(struct decode *d, bool separate)
{
    assert(d->options.separate);
    d->forward->options.separate = separate;
}

size_t decode_position(const struct decode *d)
{
    return d->position;
}

struct decode_times decode_times(const struct decode *d)
{
    return d->times;
}

/* Adds the time since *last to *sum. */
static void lap(double *sum, double *last)
{
    const double now = clock_seconds();
    *sum += now - *last;
    *last = now;
}

struct embedding {
    struct decode *decode;
    const int32_t *ids;
};

static void embed_row(void *context, size_t row, int thread)
{
    const struct embedding *job = context;
    const size_t hidden = job->decode->config.hidden;
    (void)thread;
    weights_decode(&job->decode->weights.embedding, (size_t)job->ids[row], 0, hidden, job->decode->hidden + row * hidden);
}

/* The next `rows` tokens through all layers. */
static void run_chunk(struct decode *d, const int32_t *ids, size_t rows)
{
    struct embedding job = {d, ids};
    const struct chunk chunk = {d->position, rows, d->hidden};
    double last = clock_seconds();
    threads_run(rows, embed_row, &job);
    lap(&d->times.rest, &last);
    for (size_t layer = 0; layer < d->config.layers; layer++) {
        d->forward->cache = d->cache + layer * d->layer_floats;
        forward_attention_half(d->forward, &d->weights.layer[layer], chunk, NULL);
        lap(&d->times.attention, &last);
        forward_ffn_half(d->forward, layer, chunk, true, NULL);
        lap(&d->times.ffn, &last);
    }
    d->rows = rows;
    d->position += rows;
}

/* Logits of rows [first, first + rows) of the last chunk. */
static void run_head(struct decode *d, size_t first, size_t rows)
{
    struct forward *f = d->forward;
    const size_t hidden = d->config.hidden;
    const struct product_job job = {&d->head.matrix, d->logits, d->config.vocabulary, NULL};
    double last = clock_seconds();
    forward_norm(f, rows, d->hidden + first * hidden, d->head.norm);
    product_of(f, &job, 1, rows, f->normed, hidden, false);
    lap(&d->times.head, &last);
}

struct telling {
    struct decode *decode;
    const struct decode_listener *listener;
    size_t position; /* of the first row */
};

static void tell_row(void *context, size_t row, int thread)
{
    const struct telling *job = context;
    (void)thread;
    job->listener->logits(job->listener->context, job->position + row,
                          job->decode->logits + row * job->decode->config.vocabulary);
}

/* The last chunk's rows from listener.from on. */
static void tell(struct decode *d, const struct decode_listener *listener)
{
    const size_t start = d->position - d->rows;
    size_t row = listener->from > start ? listener->from - start : 0;
    while (row < d->rows) {
        const size_t rows = d->rows - row < d->options.logit_rows ? d->rows - row : d->options.logit_rows;
        struct telling job = {d, listener, start + row};
        run_head(d, row, rows);
        threads_run(rows, tell_row, &job);
        row += rows;
    }
}

enum status decode_feed(struct decode *d, const int32_t *ids, size_t count, const struct decode_listener *listener,
                        struct error *e)
{
    assert(count > 0);
    if (count > d->options.capacity - d->position) {
        error_set(e, STATUS_INPUT, "the text has %zu tokens, and there is room for %zu", d->position + count, d->options.capacity);
        return error_advice(e, "use a shorter text");
    }
    for (size_t i = 0; i < count; i++)
        if (ids[i] < 0 || (size_t)ids[i] >= d->config.vocabulary) {
            error_set(e, STATUS_INPUT, "the model has no token %ld, only 0 to %zu", (long)ids[i], d->config.vocabulary - 1);
            return error_advice(e, "its tokenizer and its weights don't belong together: convert or download the model again");
        }
    for (size_t done = 0; done < count; done += d->rows) {
        run_chunk(d, ids + done, count - done < d->options.batch_tokens ? count - done : d->options.batch_tokens);
        if (listener)
            tell(d, listener);
    }
    return STATUS_OK;
}

const float *decode_logits(struct decode *d)
{
    assert(d->rows > 0);
    run_head(d, d->rows - 1, 1);
    return d->logits;
}

int32_t decode_greedy(const float *logits, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (logits[i] > logits[best] || logits[best] != logits[best])
            best = i;
    return (int32_t)best;
}

static bool ends(const struct decode_end *end, int32_t id)
{
    for (size_t i = 0; i < end->count; i++)
        if (end->ids[i] == id)
            return true;
    return false;
}

enum status decode_answer(struct decode *d, const struct decode_end *end, int32_t *ids, size_t *count, struct error *e)
{
    enum status s = STATUS_OK;
    for (*count = 0; *count < end->most && s == STATUS_OK;) {
        const int32_t id = decode_greedy(decode_logits(d), d->config.vocabulary);
        if (ends(end, id))
            break;
        ids[(*count)++] = id;
        if (*count == end->most || d->position == d->options.capacity)
            break;
        s = decode_feed(d, &id, 1, NULL, e);
    }
    return s;
}
