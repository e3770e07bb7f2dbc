/* pace.c - the line and its fit; see pace.h. pace_measure.c has the measurement. */
#include "pace.h"

#include <math.h>
#include <string.h>

void pace_batch_add(struct pace_batch *b, uint64_t length)
{
    double n = (double)length;
    b->terms[PACE_TOKEN] += n;
    b->terms[PACE_PAIR] += n * n;
    b->terms[PACE_PROMPT] += 1.0;
}

void pace_batch_end(struct pace_batch *b, size_t batch_tokens)
{
    b->terms[PACE_CHUNK] = ceil(b->terms[PACE_TOKEN] / (double)batch_tokens);
}

double pace_seconds(const struct pace *p, const struct pace_batch *b)
{
    double sum = 0.0;
    for (int i = 0; i < PACE_TERMS; i++)
        sum += p->seconds[i] * b->terms[i];
    return sum;
}

/* Solves m x = right[n] by elimination with pivots; false: singular. Both are overwritten. */
static bool solve(double m[PACE_TERMS][PACE_TERMS], double *right, int n, double *x)
{
    for (int c = 0; c < n; c++) {
        int pivot = c;
        for (int r = c + 1; r < n; r++)
            pivot = fabs(m[r][c]) > fabs(m[pivot][c]) ? r : pivot;
        if (fabs(m[pivot][c]) < 1e-12)
            return false;
        for (int k = 0; k < n; k++) {
            double kept = m[c][k];
            m[c][k] = m[pivot][k];
            m[pivot][k] = kept;
        }
        double kept = right[c];
        right[c] = right[pivot];
        right[pivot] = kept;
        for (int r = c + 1; r < n; r++) {
            double factor = m[r][c] / m[c][c];
            for (int k = c; k < n; k++)
                m[r][k] -= factor * m[c][k];
            right[r] -= factor * right[c];
        }
    }
    for (int c = n - 1; c >= 0; c--) {
        x[c] = right[c];
        for (int k = c + 1; k < n; k++)
            x[c] -= m[c][k] * x[k];
        x[c] /= m[c][c];
    }
    return true;
}

/* The least squares over the terms in used[n], each scaled so that the sizes of the terms don't matter. */
static bool fit_terms(const struct pace_batch *batches, const double *seconds, size_t count, const int *used, int n,
                      double *x)
{
    double m[PACE_TERMS][PACE_TERMS] = {{0}}, right[PACE_TERMS] = {0}, scale[PACE_TERMS] = {0};
    for (size_t b = 0; b < count; b++)
        for (int i = 0; i < n; i++)
            scale[i] = fmax(scale[i], batches[b].terms[used[i]] / seconds[b]);
    for (int i = 0; i < n; i++)
        if (!(scale[i] > 0.0))
            return false;
    for (size_t b = 0; b < count; b++)
        for (int i = 0; i < n; i++) {
            double a = batches[b].terms[used[i]] / seconds[b] / scale[i];
            right[i] += a;
            for (int k = 0; k < n; k++)
                m[i][k] += a * batches[b].terms[used[k]] / seconds[b] / scale[k];
        }
    if (!solve(m, right, n, x))
        return false;
    for (int i = 0; i < n; i++)
        x[i] /= scale[i];
    return true;
}

static double squares(const struct pace *p, const struct pace_batch *batches, const double *seconds, size_t count)
{
    double sum = 0.0;
    for (size_t b = 0; b < count; b++) {
        double off = pace_seconds(p, &batches[b]) / seconds[b] - 1.0;
        sum += off * off;
    }
    return sum;
}

void pace_fit(struct pace *p, const struct pace_batch *batches, const double *seconds, size_t count)
{
    double best = INFINITY;
    /* 15 sets of terms: all are tried, the best without a negative one is kept */
    for (unsigned set = 1; set < 1u << PACE_TERMS; set++) {
        struct pace trial = *p;
        double x[PACE_TERMS];
        int used[PACE_TERMS], n = 0;
        bool good = true;
        for (int i = 0; i < PACE_TERMS; i++)
            if (set & 1u << i)
                used[n++] = i;
        good = (size_t)n <= count && fit_terms(batches, seconds, count, used, n, x);
        memset(trial.seconds, 0, sizeof trial.seconds);
        for (int i = 0; i < n && good; i++) {
            good = x[i] >= 0.0;
            trial.seconds[used[i]] = x[i];
        }
        double off = good ? squares(&trial, batches, seconds, count) : INFINITY;
        if (off < best) {
            best = off;
            *p = trial;
        }
    }
    p->error = 0.0;
    for (size_t b = 0; b < count; b++)
        p->error = fmax(p->error, fabs(pace_seconds(p, &batches[b]) / seconds[b] - 1.0));
}

void pace_assume(struct pace *p, const struct config *c, double gflops)
{
    double q = (double)(c->heads * c->head_dim), kv = (double)(c->kv_heads * c->head_dim), h = (double)c->hidden;
    double matrices = 2.0 * h * (q + kv) + 3.0 * h * (double)c->intermediate, unit = 2e-9 / gflops;
    /* As in schedule_terms; decoding took 1.5 % of a chunk of 512 rows. */
    *p = (struct pace){.seconds = {[PACE_CHUNK] = 0.015 * 512.0 * matrices * unit, [PACE_TOKEN] = matrices * unit,
                                   [PACE_PAIR] = 2.0 * q * unit, [PACE_PROMPT] = 300.0 * (double)c->intermediate * unit},
                       .last = 1.0 - h * (double)c->intermediate / matrices, .merge = 2e9};
}
