/* bench_ffn_inputs.h - inputs of the layers that `bench ffn --model` measures: prompts of our own making, run through the model. */
#ifndef PHI3SAT_COMMANDS_BENCH_FFN_INPUTS_H
#define PHI3SAT_COMMANDS_BENCH_FFN_INPUTS_H

#include "bench_ffn_plan.h"

/* Fills x of the plan, whose weights are open, and lowers `checked` to the rows that differ; later rows repeat them. A file without a
 * tokenizer gets random tokens. */
enum status bench_ffn_inputs_make(struct bench_ffn_plan *p, struct error *e) ERROR_MUST_USE;

#endif
