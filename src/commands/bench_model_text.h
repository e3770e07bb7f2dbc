/* bench_model_text.h - `phi3sat bench model --text`: what greedy decoding says to a prompt. */
#ifndef PHI3SAT_COMMANDS_BENCH_MODEL_TEXT_H
#define PHI3SAT_COMMANDS_BENCH_MODEL_TEXT_H

#include "generator.h"

struct bench_model_text {
    const char *text;
    bool chat, no_bos, json;
    size_t max_tokens;
    enum kernels_mode mode;
    bool separate, half;   /* as in decode.h                                            */
};

/* Prints the answer, and on standard error what it took. The model has its tokenizer. STATUS_INPUT when the prompt is empty or
 * leaves no room in the context. */
enum status bench_model_text_run(struct generator *model, const struct bench_model_text *wish, struct error *e) ERROR_MUST_USE;

#endif
