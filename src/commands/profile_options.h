/* profile_options.h - what `phi3sat profile` can be told. */
#ifndef PHI3SAT_COMMANDS_PROFILE_OPTIONS_H
#define PHI3SAT_COMMANDS_PROFILE_OPTIONS_H

#include "../base/options.h"
#include "../cluster/grid.h"
#include "../cluster/intake.h"
#include "criteria_options.h"

/* Names of --precision, in the order of enum kernels_mode (options.precision is one); ended by NULL. */
extern const char *const profile_options_precisions[];

struct profile_options {
    const char *model, *prompts, *tokens, *output, *hdf5, *html, *window, *shard, *append, *checkpoint, *resume;
    double checkpoint_every; /* minutes; 0: upon signals only                     */
    double watch_seconds;    /* 0: no watch over hosts                             */
    double partial_every;    /* minutes; 0: no partial archives                    */
    uint64_t num_prompts; /* with prompts given: as typed, see limit; else how many to make */
    uint64_t seed, batch_tokens /* 0: chosen */, threads, context, skip_first;
    int overlong, precision, progress, input_format;
    bool no_bos, chat, quiet, verbose, plot;
    struct criteria_choice choice;
    const char *grid;
    /* worked out by profile_options_read: */
    struct grid_wish grid_wish;
    size_t limit;                /* the first N prompts; PROMPTS_ALL                */
    size_t shard_index, shard_count;
    bool window_given;
    size_t window_size;          /* with window_given; 0: off                       */
    bool checkpoints, resume_auto;
    char csv_path[4096], hdf5_path[4096], checkpoint_path[4096], partial_path[4096];
};

/* The table (rows of the criteria come from criteria_table). Static; not thread-safe. */
const struct options_table *profile_options_table(void);

/* Parses and checks; `help` is true when --help was given. STATUS_USAGE. */
enum status profile_options_read(struct profile_options *o, int argc, char **argv, bool *help,
                                 struct error *e) ERROR_MUST_USE;

/* What of `o` concerns model and prompts, checked and worked out for other commands that read the same options:
 * limit, shard, window. The caller writes the advice to a STATUS_USAGE. */
enum status profile_options_input(struct profile_options *o, bool count_given, bool seed_given,
                                  struct error *e) ERROR_MUST_USE;

#endif
