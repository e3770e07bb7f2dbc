/* generator.h - a model opened to generate: file, tokenizer, configuration, weights with the head, kernels. */
#ifndef PHI3SAT_COMMANDS_GENERATOR_H
#define PHI3SAT_COMMANDS_GENERATOR_H

#include "../model/decode.h"
#include "../text/tokenizer.h"

struct generator {
    struct model_file *file;
    struct tokenizer *tokenizer; /* NULL where none was asked for                      */
    struct config config;
    struct weights weights;
    struct weights_head head;
    const struct kernels *kernels;
};

/* Opens all of it; kernels as the environment says. `speaks`: with the tokenizer, whose note is told. STATUS_INPUT, STATUS_USAGE
 * (kernels), STATUS_FAILED. Free with generator_close (zeroed allowed), after a failure too. */
enum status generator_open(struct generator *g, const char *path, bool speaks, struct error *e) ERROR_MUST_USE;
void generator_close(struct generator *g);

/* Names of enum kernels_mode, in its order; NULL behind the last: for options. */
extern const char *const generator_precisions[];

/* Threads as --threads says (0: OMP_NUM_THREADS, else all cores), set for what follows. */
void generator_threads(uint64_t wanted);

/* A session of `capacity` tokens; of `options` are used mode, repack, separate, half and like, and logit_rows (0: 1). Rows of a chunk are
 * chosen for this machine, the window is the file's, the memory what is left. An error names the file. */
enum status generator_session(struct generator *g, size_t capacity, const struct decode_options *options,
                              struct decode **decode, struct error *e) ERROR_MUST_USE;

#endif
