/* profile_prompts.h - prompts for a run that was given none.
 *
 * Flow: seed, tokenizer -> *prompts in memory* -> intake.
 */
#ifndef PHI3SAT_COMMANDS_PROFILE_PROMPTS_H
#define PHI3SAT_COMMANDS_PROFILE_PROMPTS_H

#include "../model/config.h"
#include "../text/tokenizer.h"
#include "profile_options.h"

/* Zeroed: nothing made. */
struct profile_prompts {
    char *bytes;   /* [size], as a prompt file has them; NULL where they are not made */
    size_t size;
    char name[64]; /* for messages and the archive: "made, seed 7"                */
};

/* Does the run make its own? */
bool profile_prompts_wanted(const struct profile_options *o);

/* Makes them, at most `context` tokens long, or where `tokenizer` is NULL lines of random token ids, with a
 * warning. `makes` is true on the one rank that keeps the bytes; the others learn the name only. Not
 * collective. STATUS_INPUT: the context is too short. Freed by profile_prompts_free. */
enum status profile_prompts_make(struct profile_prompts *p, const struct profile_options *o,
                                 const struct tokenizer *tokenizer, const struct config *config, size_t context,
                                 bool makes, struct error *e) ERROR_MUST_USE;
void profile_prompts_free(struct profile_prompts *p);

#endif
