/* model_words.c - see model_words.h. */
#include "model_words.h"

#include <stdio.h>

void model_words_rotary(const struct config *c, bool factors, bool longrope, char *text, size_t size)
{
    if (c->rotary == 0)
        snprintf(text, size, "none");
    else if (factors && longrope)
        snprintf(text, size, "longrope (%zu)", c->original_context);
    else if (factors)
        snprintf(text, size, "factors");
    else if (c->yarn)
        snprintf(text, size, "yarn (%g of %zu)", c->rope_divisor, c->original_context);
    else if (c->rope_divisor != 1.0)
        snprintf(text, size, "linear (%g)", c->rope_divisor);
    else
        snprintf(text, size, "plain");
}
