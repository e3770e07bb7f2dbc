/* perplexity.h - `phi3sat perplexity`. */
#ifndef PHI3SAT_COMMANDS_PERPLEXITY_H
#define PHI3SAT_COMMANDS_PERPLEXITY_H

#include "../base/options.h"

extern const struct options_table perplexity_options;

enum status perplexity_command(int argc, char **argv, struct error *e) ERROR_MUST_USE;

#endif
