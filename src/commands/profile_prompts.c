/* profile_prompts.c - see profile_prompts.h. */
#include "profile_prompts.h"

#include <inttypes.h>
#include <stdio.h>

#include "../base/log.h"
#include "../base/memory.h"
#include "../text/prompt_maker.h"

bool profile_prompts_wanted(const struct profile_options *o)
{
    return !o->prompts && !o->tokens;
}

enum status profile_prompts_make(struct profile_prompts *p, const struct profile_options *o,
                                 const struct tokenizer *tokenizer, const struct config *config, size_t context,
                                 bool makes, struct error *e)
{
    snprintf(p->name, sizeof p->name, "made, seed %" PRIu64 "%s", o->seed, tokenizer ? "" : ", random token ids");
    if (!makes)
        return STATUS_OK;
    enum status s = prompt_maker_file(tokenizer, config->vocabulary, context, o->seed, (size_t)o->num_prompts,
                                      &p->bytes, &p->size, e);
    if (s == STATUS_OK && !tokenizer)
        log_warning("the model has no tokenizer, so that no text can be run: %" PRIu64
                    " sequences of random token ids are, which say little about how it behaves on language",
                    o->num_prompts);
    return s;
}

void profile_prompts_free(struct profile_prompts *p)
{
    memory_free(p->bytes);
    p->bytes = NULL;
}
