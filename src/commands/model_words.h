/* model_words.h - names for what is done with a model, the same wherever they are said. */
#ifndef PHI3SAT_COMMANDS_MODEL_WORDS_H
#define PHI3SAT_COMMANDS_MODEL_WORDS_H

#include "../model/config.h"

/* The rotary scaling: "none", "plain", "linear (4)", "yarn (4 of 8192)", "factors", "longrope (4096)", as the archive's attribute
 * `rotary` has it. `factors`: the file has factors of either kind; `longrope`: two sets. */
void model_words_rotary(const struct config *c, bool factors, bool longrope, char *text, size_t size);

#endif
