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
