/* batch_size.c - see batch_size.h. */
#include "batch_size.h"

#include "forward_state.h"

#define STEP 64

size_t batch_size(const struct caches *caches, const struct config *c, size_t threads, size_t ranks)
{
    size_t panels = (size_t)FORWARD_BLOCK * KERNELS_F32_DEPTH * sizeof(float);
    size_t tile_row = SERIES_COUNT * FORWARD_BLOCK * sizeof(float), rows = BATCH_SIZE_USUAL;
    if (caches->second) /* a little over is no harm: the tiles are read in order */
        rows = caches->second > panels ? (caches->second - panels + STEP * tile_row) / tile_row : BATCH_SIZE_LEAST;
    if (caches->third) {
        size_t ours = threads < caches->sharing_third ? threads : caches->sharing_third;
        size_t fit = caches->third / caches->sharing_third * ours / (c->intermediate * sizeof(float));
        rows = fit < rows ? fit : rows;
    }
    const size_t most = ranks > 1 ? BATCH_SIZE_MOST_SHARED : BATCH_SIZE_MOST;
    rows = rows / STEP * STEP;
    return rows < BATCH_SIZE_LEAST ? BATCH_SIZE_LEAST : rows > most ? most : rows;
}
