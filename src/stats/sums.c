/* sums.c - the empty prompt; see sums.h. */
#include "sums.h"

#include <math.h>
#include <string.h>

void sums_start(struct sums *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < SUMS_LANES; i++) {
        s->min[i] = INFINITY;
        s->max[i] = -INFINITY;
        s->extreme_position[i] = -1;
        s->nonfinite_position[i] = -1;
    }
}

void sums_start_lanes(struct sums *s, size_t first)
{
    for (size_t i = first; i < SUMS_LANES; i++) {
        for (int k = 0; k < 4; k++)
            s->high[k][i] = s->low[k][i] = 0.0;
        s->rest[0][i] = s->rest[1][i] = 0.0;
        s->min[i] = INFINITY;
        s->max[i] = -INFINITY;
        s->extreme[i] = 0.0f;
        s->extreme_position[i] = s->nonfinite_position[i] = -1;
        s->low_activity[i] = s->inactive[i] = s->nonfinite[i] = 0;
    }
}
