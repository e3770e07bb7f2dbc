/* gain.c - see gain.h. Norms, the rotary embedding and silu are left out: some thousandths of the rest. */
#include "gain.h"

#include <math.h>

#define Q4K_BYTES (144.0 / 256.0) /* a super-block of 256 weights takes 144 bytes */
#define CACHE_BYTES 2.0

/* What a weight costs, and a key or value that attention meets: a pair of multiply-adds a head, or bytes to read. */
static double weight_cost(enum gain_cost cost)
{
    return cost == GAIN_FLOPS ? 2.0 : cost == GAIN_BYTES_F32 ? 4.0 : Q4K_BYTES;
}

static double attention(const struct gain_shape *s, enum gain_cost cost)
{
    double weights = 2.0 * s->hidden * s->head_dimension * (s->heads + s->kv_heads);
    double cache = cost == GAIN_FLOPS ? 4.0 * s->context * s->heads * s->head_dimension
                                      : 2.0 * s->context * s->kv_heads * s->head_dimension * CACHE_BYTES;
    return weights * weight_cost(cost) + cache;
}

static double kept(double neurons, double share, size_t block)
{
    double wanted = isnan(share) ? neurons : neurons * (1.0 - share);
    /* shares are quotients: 0.75 of 1024 has to be 768, not 769 */
    return fmin(ceil(wanted / (double)block - 1e-9) * (double)block, neurons);
}

struct gain gain_of(const struct gain_shape *shape, const struct summary_row *rows, enum gain_cost cost, size_t block)
{
    struct gain g = {{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}};
    const double neuron = 3.0 * shape->hidden * weight_cost(cost);
    for (size_t l = 0; l < shape->layers; l++) {
        g.ffn[0] += neuron * shape->intermediate;
        g.ffn[1] += neuron * kept(shape->intermediate, rows[l].removable, block);
    }
    for (int i = 0; i < 2; i++) {
        g.layers[i] = g.ffn[i] + (double)shape->layers * attention(shape, cost);
        g.model[i] = g.layers[i] + shape->hidden * shape->vocabulary * weight_cost(cost);
    }
    return g;
}

double gain_speedup(const double cost[2])
{
    if (cost[0] == cost[1])
        return 1.0;
    return cost[0] / cost[1]; /* all neurons out of a model of nothing else: infinite */
}
