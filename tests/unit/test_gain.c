/* test_gain.c - costs of a token, worked out by hand for Phi-3-mini. */
#include <math.h>

#include "stats/gain.h"
#include "tap.h"

static const struct gain_shape phi3 = {.layers = 32, .hidden = 3072, .intermediate = 8192, .heads = 32, .kv_heads = 32,
                                       .head_dimension = 96, .vocabulary = 32064, .context = 0};

static void share_out(struct summary_row *shares, double share)
{
    for (int l = 0; l < 32; l++)
        shares[l].removable = share;
}

int main(void)
{
    struct summary_row shares[32] = {{.neurons = 0}};
    share_out(shares, 0.0);
    struct gain g = gain_of(&phi3, shares, GAIN_FLOPS, 1);
    is_double(g.ffn[0], 32 * 6.0 * 3072 * 8192, 0.0, "FFN: 6 H I FLOPs a layer");
    is_double(g.layers[0] - g.ffn[0], 32 * 8.0 * 3072 * 3072, 0.0, "attention: 8 H^2 where all heads have keys");
    is_double(g.model[0] - g.layers[0], 2.0 * 3072 * 32064, 0.0, "output matrix: 2 H V");
    ok(gain_speedup(g.ffn) == 1.0 && gain_speedup(g.model) == 1.0, "nothing removed, nothing gained");

    share_out(shares, 0.5);
    g = gain_of(&phi3, shares, GAIN_FLOPS, 1);
    is_double(gain_speedup(g.ffn), 2.0, 0.0, "half the neurons: the FFN is twice as fast");
    double f = g.ffn[0] / g.model[0];
    is_double(gain_speedup(g.model), 1.0 / (1.0 - f + f / 2.0), 1e-14, "the model by Amdahl's law");
    g = gain_of(&phi3, shares, GAIN_BYTES_F32, 1);
    is_double(g.model[0], 4.0 * (32 * (3.0 * 3072 * 8192 + 4.0 * 3072 * 3072) + 3072.0 * 32064), 0.0, "f32 reads 4 bytes a weight");
    is_double(gain_speedup(g.model), 1.0 / (1.0 - f + f / 2.0), 1e-14, "without a context bytes and FLOPs agree");
    struct gain q = gain_of(&phi3, shares, GAIN_BYTES_Q4K, GAIN_BLOCK);
    is_double(q.model[0] / g.model[0], 144.0 / 256.0 / 4.0, 1e-15, "Q4_K 144 bytes for 256 of them");

    struct gain_shape grouped = phi3;
    grouped.kv_heads = 8;
    grouped.context = 1000;
    g = gain_of(&grouped, shares, GAIN_FLOPS, 1);
    is_double(g.layers[0] - g.ffn[0], 32 * (4.0 * 3072 * 96 * 40 + 4.0 * 1000 * 32 * 96), 0.0,
              "grouped heads: smaller matrices, as many products with keys and values");
    g = gain_of(&grouped, shares, GAIN_BYTES_Q4K, 1);
    is_double(g.layers[0] - g.ffn[0], 32 * (2.0 * 3072 * 96 * 40 * 144 / 256 + 2.0 * 1000 * 8 * 96 * 2), 1e-6,
              "and fewer keys and values to read");

    share_out(shares, 0.0);
    shares[0].removable = 255.0 / 8192.0;
    g = gain_of(&phi3, shares, GAIN_FLOPS, GAIN_BLOCK);
    is_double(gain_speedup(g.ffn), 1.0, 0.0, "255 neurons of a layer are no block");
    shares[0].removable = 256.0 / 8192.0;
    g = gain_of(&phi3, shares, GAIN_FLOPS, GAIN_BLOCK);
    is_double(g.ffn[0] - g.ffn[1], 6.0 * 3072 * 256, 0.0, "256 are one");
    shares[0].removable = NAN;
    g = gain_of(&phi3, shares, GAIN_FLOPS, GAIN_BLOCK);
    is_double(gain_speedup(g.ffn), 1.0, 0.0, "a layer that was not measured keeps all");
    struct gain_shape odd = phi3;
    odd.intermediate = 100;
    share_out(shares, 0.01);
    g = gain_of(&odd, shares, GAIN_FLOPS, GAIN_BLOCK);
    is_double(gain_speedup(g.ffn), 1.0, 0.0, "rounding up never makes a layer wider than it was");
    share_out(shares, 1.0);
    g = gain_of(&odd, shares, GAIN_FLOPS, GAIN_BLOCK);
    is_double(g.ffn[1], 0.0, 0.0, "all neurons out: the FFN costs nothing");
    ok(isinf(gain_speedup(g.ffn)) && isfinite(gain_speedup(g.model)), "and is infinitely fast, but not the model");
    return tap_done();
}
