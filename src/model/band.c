/* band.c - see band.h.
 *
 * Figures are doubles: they come from files and need not fit integers, and all ranks have to agree on them, which they do
 * where products stay below 2^53.
 */
#include "band.h"

#include "../kernels/kernels.h"

struct band_shape band_shape(const struct config *c)
{
    size_t values = (c->head_dim + KERNELS_PANEL - 1) / KERNELS_PANEL * KERNELS_PANEL;
    return (struct band_shape){c->kv_heads * (c->head_dim + values), c->hidden};
}

size_t band_capacity(size_t length)
{
    return length / KERNELS_PANEL * KERNELS_PANEL + (length % KERNELS_PANEL ? KERNELS_PANEL : 0);
}

size_t band_layers(const struct band_shape *shape, size_t layers, size_t longest, size_t length)
{
    if (!shape->cache)
        return layers;
    double may = ((double)shape->cache + 2.0 * (double)shape->hidden) * (double)band_capacity(longest);
    double band = may / ((double)shape->cache * (double)band_capacity(length));
    return band >= (double)layers ? layers : band < 1.0 ? 1 : (size_t)band;
}

size_t band_first(size_t layers, size_t band)
{
    return layers % band ? layers % band : band;
}
