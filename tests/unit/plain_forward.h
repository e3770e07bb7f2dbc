/* plain_forward.h - the forward pass in float64, one prompt at a time, as plain as can be.
 *
 * What test_forward compares with. It shares nothing with src/model: weights come from struct
 * network, angles from the C library, attention looks at all pairs.
 */
#ifndef PHI3SAT_TESTS_PLAIN_FORWARD_H
#define PHI3SAT_TESTS_PLAIN_FORWARD_H

#include "network.h"
#include "stats/sums.h"

struct plain {
    size_t length;
    double *hidden;                    /* [length, hidden]: the residual stream */
    double *series[4][SERIES_COUNT];   /* [length, intermediate] of each layer  */
};

static inline double *plain_room(size_t count)
{
    double *m = calloc(count ? count : 1, sizeof *m);
    if (!m)
        bail("no memory for the plain forward pass");
    return m;
}

static inline void plain_norm(const struct network *n, size_t length, const double *x, const float *weight, double *y)
{
    for (size_t t = 0; t < length; t++) {
        double sum = 0.0;
        for (size_t i = 0; i < n->hidden; i++)
            sum += x[t * n->hidden + i] * x[t * n->hidden + i];
        double scale = 1.0 / sqrt(sum / (double)n->hidden + (double)1e-5f);
        for (size_t i = 0; i < n->hidden; i++)
            y[t * n->hidden + i] = x[t * n->hidden + i] * scale * (double)weight[i];
    }
}

/* y[length, outputs] += x[length, inputs] times the rows of w. */
static inline void plain_product(size_t length, const double *x, const float *w, size_t outputs, size_t inputs, double *y)
{
    for (size_t t = 0; t < length; t++)
        for (size_t o = 0; o < outputs; o++)
            for (size_t i = 0; i < inputs; i++)
                y[t * outputs + o] += x[t * inputs + i] * (double)w[o * inputs + i];
}

static inline void plain_rotate(const struct network *n, size_t length, size_t heads, double *v)
{
    bool is_long = n->original && length > n->original;
    double stretch = n->original && n->context > n->original && n->original > 1
                         ? sqrt(1.0 + log((double)n->context / (double)n->original) / log((double)n->original)) : 1.0;
    for (size_t t = 0; t < length; t++)
        for (size_t h = 0; h < heads; h++)
            for (size_t i = 0; i < n->rotary / 2; i++) {
                double angle = (double)t * pow(n->base, -2.0 * (double)i / (double)n->rotary);
                if (n->original || n->always_factors)
                    angle /= (double)(is_long ? n->factors_long : n->factors_short)[i];
                double *a = v + (t * heads + h) * n->head_dim + i, *b = a + n->rotary / 2, x = *a, y = *b;
                *a = (x * cos(angle) - y * sin(angle)) * stretch;
                *b = (y * cos(angle) + x * sin(angle)) * stretch;
            }
}

static inline void plain_mix(const struct network *n, size_t length, const double *q, const double *k, const double *v,
                             double *mixed)
{
    size_t d = n->head_dim, group = n->heads / n->kv_heads;
    double *p = plain_room(length);
    for (size_t t = 0; t < length; t++)
        for (size_t h = 0; h < n->heads; h++) {
            size_t first = n->window && t + 1 > n->window ? t + 1 - n->window : 0;
            double sum = 0.0;
            for (size_t j = first; j <= t; j++) {
                double score = 0.0;
                for (size_t i = 0; i < d; i++)
                    score += q[(t * n->heads + h) * d + i] * k[(j * n->kv_heads + h / group) * d + i];
                sum += p[j] = exp(score / sqrt((double)d));
            }
            for (size_t j = first; j <= t; j++)
                for (size_t i = 0; i < d; i++)
                    mixed[(t * n->heads + h) * d + i] += p[j] / sum * v[(j * n->kv_heads + h / group) * d + i];
        }
    free(p);
}

/* Biases of the outputs of a product, and a norm of each head; either may be NULL. */
static inline void plain_complete(const struct network *n, size_t length, size_t heads, const float *bias, const float *norm,
                                  double *v)
{
    for (size_t i = 0; i < length * heads * n->head_dim && bias; i++)
        v[i] += (double)bias[i % (heads * n->head_dim)];
    struct network head = {.hidden = n->head_dim};
    if (norm)
        plain_norm(&head, length * heads, v, norm, v);
}

static inline void plain_attention(const struct network *n, const struct network_layer *l, size_t length,
                                   const double *x, double *hidden)
{
    size_t wide = n->heads * n->head_dim, kv = n->kv_heads * n->head_dim;
    double *q = plain_room(length * wide), *k = plain_room(length * kv), *v = plain_room(length * kv);
    double *mixed = plain_room(length * wide);
    plain_product(length, x, l->q, wide, n->hidden, q);
    plain_product(length, x, l->k, kv, n->hidden, k);
    plain_product(length, x, l->v, kv, n->hidden, v);
    plain_complete(n, length, n->heads, l->q_bias, l->q_norm, q);
    plain_complete(n, length, n->kv_heads, l->k_bias, l->k_norm, k);
    plain_complete(n, length, n->kv_heads, l->v_bias, NULL, v);
    plain_rotate(n, length, n->heads, q);
    plain_rotate(n, length, n->kv_heads, k);
    plain_mix(n, length, q, k, v, mixed);
    plain_product(length, mixed, l->output, n->hidden, wide, hidden);
    free(q), free(k), free(v), free(mixed);
}

static inline struct plain plain_run(const struct network *n, const int32_t *ids, size_t length)
{
    size_t h = n->hidden, inner = n->intermediate;
    struct plain p = {.length = length, .hidden = plain_room(length * h)};
    double *x = plain_room(length * h);
    for (size_t i = 0; i < length * h; i++)
        p.hidden[i] = (double)n->embedding[(size_t)ids[i / h] * h + i % h];
    for (size_t layer = 0; layer < n->layers; layer++) {
        const struct network_layer *l = &n->layer[layer];
        double *const *s = p.series[layer];
        for (int i = 0; i < SERIES_COUNT; i++)
            p.series[layer][i] = plain_room(length * inner);
        plain_norm(n, length, p.hidden, l->attention_norm, x);
        plain_attention(n, l, length, x, p.hidden);
        plain_norm(n, length, p.hidden, l->ffn_norm, x);
        plain_product(length, x, l->gate, inner, h, s[SERIES_GATE]);
        plain_product(length, x, l->up, inner, h, s[SERIES_UP]);
        for (size_t i = 0; i < length * inner; i++)
            s[SERIES_FFN][i] = s[SERIES_GATE][i] / (1.0 + exp(-s[SERIES_GATE][i])) * s[SERIES_UP][i];
        if (layer + 1 < n->layers)
            plain_product(length, s[SERIES_FFN], l->down, h, inner, p.hidden);
    }
    free(x);
    return p;
}

static inline void plain_free(struct plain *p)
{
    free(p->hidden);
    for (size_t i = 0; i < 4 * SERIES_COUNT; i++)
        free(p->series[i / SERIES_COUNT][i % SERIES_COUNT]);
}

#endif
