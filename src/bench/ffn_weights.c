/* ffn_weights.c - see ffn_weights.h. */
#include "ffn_weights.h"

#include <string.h>

#include "../base/memory.h"
#include "../base/threads.h"
#include "../quants/encode.h"
#include "synthetic.h"

static size_t whole_blocks(const struct quants_format *format, size_t inputs)
{
    return (inputs + format->block_elements - 1) / format->block_elements * format->block_elements;
}

const uint8_t *ffn_weights_row(const struct lone_product_matrix *m, size_t output)
{
    return m->bytes + output * lone_product_row_bytes(m);
}

enum status ffn_weights_synthetic(struct ffn_weights *w, const struct quants_format *format, size_t hidden,
                                  size_t intermediate, uint64_t seed, struct error *e)
{
    struct lone_product_matrix *const to[] = {&w->of.gate, &w->of.up, &w->of.down};
    enum status s = STATUS_OK;
    *w = (struct ffn_weights){.hidden = hidden, .intermediate = intermediate};
    for (size_t i = 0; i < 3 && s == STATUS_OK; i++) {
        struct synthetic_matrix m;
        s = synthetic_open(&m, format, i < 2 ? intermediate : hidden, i < 2 ? hidden : intermediate, 3 * seed + i, e);
        *to[i] = (struct lone_product_matrix){format, m.bytes, m.outputs, m.padded, m.row_bytes};
        w->own[i] = m.bytes;
    }
    if (s != STATUS_OK)
        ffn_weights_close(w);
    return s;
}

static struct lone_product_matrix matrix_of(const struct weight *w)
{
    return (struct lone_product_matrix){w->tensor->format, weights_row(w, 0), w->outputs, w->inputs, w->row_bytes};
}

void ffn_weights_layer(struct ffn_weights *w, const struct weights_layer *layer)
{
    *w = (struct ffn_weights){.of = {matrix_of(&layer->gate), matrix_of(&layer->up), matrix_of(&layer->down)},
                              .hidden = layer->gate.inputs, .intermediate = layer->gate.outputs};
}

void ffn_weights_first(struct ffn_weights *w, const struct ffn_weights *from, size_t kept)
{
    *w = (struct ffn_weights){.of = from->of, .hidden = from->hidden, .intermediate = kept};
    w->of.gate.outputs = w->of.up.outputs = kept;
    w->of.down.row_bytes = lone_product_row_bytes(&from->of.down);
    w->of.down.inputs = whole_blocks(w->of.down.format, kept);
}

struct choice {
    const struct ffn_weights *from;
    const uint32_t *neuron;
    size_t kept;
    struct ffn_weights *to;
    encode_function *encode;
    float *whole, *part;      /* [threads, from's inputs], [threads, inputs]: a row of down          */
};

static void take_neuron(void *context, size_t i, int thread)
{
    const struct choice *c = context;
    const struct lone_product_matrix *const from[] = {&c->from->of.gate, &c->from->of.up};
    (void)thread;
    for (size_t part = 0; part < 2; part++) {
        const size_t bytes = lone_product_row_bytes(part ? &c->to->of.up : &c->to->of.gate);
        memcpy(c->to->own[part] + i * bytes, ffn_weights_row(from[part], c->neuron[i]), bytes);
    }
}

static void take_columns(void *context, size_t output, int thread)
{
    const struct choice *c = context;
    const struct lone_product_matrix *from = &c->from->of.down, *to = &c->to->of.down;
    float *whole = c->whole + (size_t)thread * from->inputs, *part = c->part + (size_t)thread * to->inputs;
    from->format->decode(ffn_weights_row(from, output), from->inputs / from->format->block_elements, whole);
    for (size_t i = 0; i < c->kept; i++)
        part[i] = whole[c->neuron[i]];
    for (size_t i = c->kept; i < to->inputs; i++)
        part[i] = 0;
    c->encode(part, to->inputs / to->format->block_elements, c->to->own[2] + output * lone_product_row_bytes(to));
}

static enum status make_room(struct choice *c, struct error *e)
{
    struct lone_product_matrix *const to[] = {&c->to->of.gate, &c->to->of.up, &c->to->of.down};
    enum status s = STATUS_OK;
    for (size_t i = 0; i < 3 && s == STATUS_OK; i++) {
        to[i]->row_bytes = 0;
        s = memory_uninitialised(&c->to->own[i], to[i]->outputs, lone_product_row_bytes(to[i]), "chosen neurons", e);
        to[i]->bytes = c->to->own[i];
    }
    if (s == STATUS_OK)
        s = memory_array(&c->whole, (size_t)threads_count() * c->from->of.down.inputs, sizeof(float), "a row of weights", e);
    return s == STATUS_OK ? memory_array(&c->part, (size_t)threads_count() * to[2]->inputs, sizeof(float), "a row of weights", e) : s;
}

enum status ffn_weights_chosen(struct ffn_weights *w, const struct ffn_weights *from, const uint32_t *neuron, size_t kept,
                               struct error *e)
{
    struct choice c = {.from = from, .neuron = neuron, .kept = kept, .to = w, .encode = encode_find(from->of.down.format)};
    ffn_weights_first(w, from, kept);
    if (!c.encode)
        return error_set(e, STATUS_USAGE, "there is no encoder for the type %s", from->of.down.format->name);
    enum status s = make_room(&c, e);
    if (s == STATUS_OK) {
        threads_run(kept, take_neuron, &c);
        threads_run(w->of.down.outputs, take_columns, &c);
    } else
        ffn_weights_close(w);
    memory_free(c.whole);
    memory_free(c.part);
    return s;
}

void ffn_weights_close(struct ffn_weights *w)
{
    for (int i = 0; i < 3; i++) {
        memory_free(w->own[i]);
        w->own[i] = NULL;
    }
}
