/* synth_rows.c - see synth_rows.h; what planted neurons do is told in docs/synth.md.
 *
 * Scales. Embeddings have RMS 1 exactly, so that RMSNorm divides nearly all tokens by the same number. q, k, v,
 * gate, up and output have deviation 1 / sqrt(inputs): their values have deviation about 1. What attention and the FFN
 * add to the hidden state has deviation about 0.5 / sqrt(2 layers) each, 0.5 over all layers: the hidden state stays
 * the token's own, somewhat mixed.
 *
 * Marks. Three hidden channels are written by embeddings only (their rows of attn_output and ffn_down are 0,
 * which every format stores exactly): ALWAYS is 1 for all tokens, FIRST for BOS, STOP for the tokens that end a
 * sentence. A planted neuron has weights on these channels and hardly any others. In the block of 32 that holds them
 * embeddings and planted rows have no other values than 0 and one positive number, which every format keeps
 * apart, zero exactly.
 *
 *   frozen     0.5 to 0.8 on ALWAYS: gate and up move only as much as the RMS of the hidden state does
 *   low        2 on STOP over noise of deviation 0.02
 *   super      120 on FIRST over the same noise: ffn about 14400. Its column of ffn_down is 0, lest the
 *              hidden state of BOS drown everything else; the columns of its block of 32 are not negative,
 *              so that the 0 is stored exactly
 *   dead       zeros
 *   duplicate  its partner's rows; noisy: plus noise of 2 % of their deviation
 *
 * Rejected: a mark that only tiny numbers set apart (lost in the steps of Q2_K), and marks in the
 * middle of other values, which a format with minima doesn't keep at 0.
 */
#include "synth_rows.h"

#include <math.h>
#include <string.h>

#include "../base/random.h"

#define BLOCK 32
#define LOW_NOISE 0.02f
#define LOW_MARK 2.0f
#define SUPER_MARK 120.0f
#define COPY_NOISE 0.02f
#define NORM_DEVIATION 0.05f
#define MIXING 0.5
#define FFN_DEVIATION 0.6 /* of silu(g) u for normal g and u */

enum mark { MARK_ALWAYS = 3, MARK_FIRST = 2, MARK_STOP = 1 }; /* counted from the end */

/* Streams of random_open: the part, or one of these. */
enum { COPY_STREAM = 100 };

size_t synth_rows_reserved(const struct synth_shape *shape)
{
    return shape->hidden >= 2 * BLOCK ? BLOCK : shape->hidden / 2;
}

static struct random_stream stream(const struct synth_rows *s, int part, size_t layer, size_t row)
{
    return random_open(s->seed, (uint64_t)part, layer, row);
}

static void normal_row(const struct synth_rows *s, enum synth_part part, size_t layer, size_t row, size_t count,
                       double deviation, float *out)
{
    struct random_stream r = stream(s, (int)part, layer, row);
    random_normal(&r, (float)deviation, count, out);
}

static void embedding_row(const struct synth_rows *s, size_t token, float *out)
{
    size_t hidden = s->shape->hidden, reserved = synth_rows_reserved(s->shape), free = hidden - reserved;
    double marks = 1, square = 0;
    normal_row(s, SYNTH_EMBEDDING, 0, token, free, 1, out);
    memset(out + free, 0, reserved * sizeof *out);
    out[hidden - MARK_ALWAYS] = 1;
    if (token == SYNTH_VOCABULARY_BOS)
        out[hidden - MARK_FIRST] = 1;
    if (s->vocabulary->stop[token])
        out[hidden - MARK_STOP] = 1;
    marks += (double)out[hidden - MARK_FIRST] + (double)out[hidden - MARK_STOP];
    for (size_t i = 0; i < free; i++)
        square += (double)out[i] * (double)out[i];
    double scale = square > 0 ? sqrt(((double)hidden - marks) / square) : 0;
    for (size_t i = 0; i < free; i++)
        out[i] = (float)((double)out[i] * scale);
}

static void norm_row(const struct synth_rows *s, enum synth_part part, size_t layer, float *out)
{
    size_t hidden = s->shape->hidden, reserved = synth_rows_reserved(s->shape);
    normal_row(s, part, layer, 0, hidden, (double)NORM_DEVIATION, out);
    for (size_t i = 0; i < hidden; i++)
        out[i] = i < hidden - reserved ? 1 + out[i] : 1;
}

/* Biases, and norms of heads: large enough to be missed where they aren't applied. */
#define BIAS_DEVIATION 0.3
#define HEAD_NORM_DEVIATION 0.1

static void head_norm_row(const struct synth_rows *s, const struct synth_tensor *t, float *out)
{
    normal_row(s, t->part[0], t->layer, 0, t->columns, HEAD_NORM_DEVIATION, out);
    for (size_t i = 0; i < t->columns; i++)
        out[i] += 1;
}

/* Rows that add to the hidden state: none of them to the marks. */
static void writing_row(const struct synth_rows *s, const struct synth_tensor *t, size_t row, double deviation,
                        float *out)
{
    normal_row(s, t->part[0], t->layer, row, t->columns, deviation, out);
    if (row + MARK_ALWAYS >= s->shape->hidden)
        memset(out, 0, t->columns * sizeof *out);
}

static void down_row(const struct synth_rows *s, const struct synth_tensor *t, size_t row, float *out)
{
    const uint8_t *class = s->plants->class + t->layer * s->plants->neurons;
    double share = MIXING / sqrt(2.0 * (double)s->shape->layers);
    writing_row(s, t, row, share / FFN_DEVIATION / sqrt((double)t->columns), out);
    for (size_t block = 0; block < t->columns; block += BLOCK) {
        size_t end = block + BLOCK < t->columns ? block + BLOCK : t->columns;
        if (!memchr(class + block, SYNTH_SUPER, end - block))
            continue;
        for (size_t i = block; i < end; i++)
            out[i] = class[i] == SYNTH_SUPER ? 0 : fabsf(out[i]);
    }
}

/* Noise outside the reserved channels, zeros there but for one mark. */
static void marked_row(const struct synth_rows *s, const struct synth_tensor *t, struct random_stream *r, float noise,
                       enum mark mark, float value, float *out)
{
    size_t reserved = synth_rows_reserved(s->shape), free = t->columns - reserved;
    random_normal(r, noise / sqrtf((float)t->columns), free, out);
    memset(out + free, 0, reserved * sizeof *out);
    out[t->columns - mark] = value;
}

/* A row of gate or up. */
static void neuron_row(const struct synth_rows *s, const struct synth_tensor *t, enum synth_part part, size_t neuron,
                       float *out)
{
    const struct synth_plants *p = s->plants;
    enum synth_class class = (enum synth_class)p->class[t->layer * p->neurons + neuron];
    struct random_stream r = stream(s, (int)part, t->layer, neuron);
    double deviation = 1 / sqrt((double)t->columns);
    switch (class) {
    case SYNTH_FROZEN: {
        float value = 0.5f + 0.3f * (float)random_unit(&r);
        marked_row(s, t, &r, 0, MARK_ALWAYS, value, out);
        break;
    }
    case SYNTH_LOW:
        marked_row(s, t, &r, LOW_NOISE, MARK_STOP, LOW_MARK, out);
        break;
    case SYNTH_SUPER:
        marked_row(s, t, &r, LOW_NOISE, MARK_FIRST, SUPER_MARK, out);
        break;
    case SYNTH_DEAD:
        memset(out, 0, t->columns * sizeof *out);
        break;
    case SYNTH_DUPLICATE:
    case SYNTH_NOISY_DUPLICATE:
        normal_row(s, part, t->layer, p->partner[t->layer * p->neurons + neuron], t->columns, deviation, out);
        if (class == SYNTH_DUPLICATE)
            break;
        r = stream(s, COPY_STREAM + (int)part, t->layer, neuron);
        for (size_t i = 0; i < t->columns; i++) {
            float noise;
            random_normal(&r, COPY_NOISE * (float)deviation, 1, &noise);
            out[i] += noise;
        }
        break;
    default:
        normal_row(s, part, t->layer, neuron, t->columns, deviation, out);
    }
}

/* llama stores the rows of q and k as rotary pairs: row 2i + s of a head is row s dim/2 + i of the halves. */
static size_t canonical(const struct synth_shape *shape, size_t row)
{
    size_t d = row % shape->head_dim;
    if (shape->arch != SYNTH_LLAMA)
        return row;
    return row - d + d % 2 * (shape->head_dim / 2) + d / 2;
}

void synth_rows_make(const struct synth_rows *s, const struct synth_tensor *t, size_t row, float *out)
{
    size_t i = 0;
    while (row >= t->part_rows[i])
        row -= t->part_rows[i++];
    enum synth_part part = t->part[i];
    double inputs = (double)t->columns;
    switch (part) {
    case SYNTH_EMBEDDING:
        embedding_row(s, row, out);
        break;
    case SYNTH_OUTPUT_NORM:
    case SYNTH_ATTENTION_NORM:
    case SYNTH_FFN_NORM:
        norm_row(s, part, t->layer, out);
        break;
    case SYNTH_ATTENTION_OUTPUT:
        writing_row(s, t, row, MIXING / sqrt(2.0 * (double)s->shape->layers * inputs), out);
        break;
    case SYNTH_DOWN:
        down_row(s, t, row, out);
        break;
    case SYNTH_GATE:
    case SYNTH_UP:
        neuron_row(s, t, part, row, out);
        break;
    case SYNTH_Q:
    case SYNTH_K:
        normal_row(s, part, t->layer, canonical(s->shape, row), t->columns, 1 / sqrt(inputs), out);
        break;
    case SYNTH_Q_BIAS:
    case SYNTH_K_BIAS:
    case SYNTH_V_BIAS:
        normal_row(s, part, t->layer, 0, t->columns, BIAS_DEVIATION, out);
        break;
    case SYNTH_Q_NORM:
    case SYNTH_K_NORM:
        head_norm_row(s, t, out);
        break;
    default:
        normal_row(s, part, t->layer, row, t->columns, 1 / sqrt(inputs), out);
    }
}
