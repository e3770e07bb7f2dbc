/* lanes_cache.c - keys and values of new positions join a head's panels.
 *
 * A key is a column of its panel, so that rows are turned four at a time; a value is a row of
 * its panels and only moves.
 */
#include "lanes_table.h"
#include "lanes_transpose.h"

#define FOUR 4

/* Positions [position, position + rows), all in one aligned group of four. Where the group is
 * filled from its start, lanes behind the last row get copies of it: nobody has written
 * there yet. */
static void remember_keys(size_t rows, const float *key, size_t stride, size_t position,
                          const struct kernels_cache *cache)
{
    float *panel = cache->keys + position / KERNELS_PANEL * cache->head_dim * KERNELS_PANEL + position % KERNELS_PANEL;
    if (position % FOUR == 0) {
        const float *from[FOUR];
        for (size_t j = 0; j < FOUR; j++)
            from[j] = key + (j < rows ? j : rows - 1) * stride;
        lanes_turn_rows(from, cache->head_dim, panel, KERNELS_PANEL, FOUR);
        return;
    }
    for (size_t r = 0; r < rows; r++)
        for (size_t d = 0; d < cache->head_dim; d++)
            panel[d * KERNELS_PANEL + r] = key[r * stride + d];
}

static void remember_value(const float *value, size_t position, const struct kernels_cache *cache)
{
    float *to = cache->values + position * KERNELS_PANEL;
    size_t d = 0, left = cache->head_dim % KERNELS_PANEL;
    for (; d + KERNELS_PANEL <= cache->head_dim; d += KERNELS_PANEL, to += cache->capacity * KERNELS_PANEL)
        memcpy(to, value + d, KERNELS_PANEL * sizeof *to);
    if (left > 0) {
        memcpy(to, value + d, left * sizeof *to);
        memset(to + left, 0, (KERNELS_PANEL - left) * sizeof *to);
    }
}

void LANES(lanes_remember)(size_t rows, const float *key, const float *value, size_t stride, size_t position,
                           const struct kernels_cache *cache)
{
    for (size_t r = 0, some; r < rows; r += some) {
        size_t room = FOUR - (position + r) % FOUR;
        some = rows - r < room ? rows - r : room;
        remember_keys(some, key + r * stride, stride, position + r, cache);
        for (size_t i = r; i < r + some; i++)
            remember_value(value + i * stride, position + i, cache);
    }
}
