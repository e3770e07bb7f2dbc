/* bench_model.h - `phi3sat bench model`. */
#ifndef PHI3SAT_COMMANDS_BENCH_MODEL_H
#define PHI3SAT_COMMANDS_BENCH_MODEL_H

#include "../base/options.h"

extern const struct options_table bench_model_options;

enum status bench_model_command(int argc, char **argv, struct error *e) ERROR_MUST_USE;

#endif
