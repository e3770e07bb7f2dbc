/* prompts_oracle.h - what must hold of a source of prompts that was opened. */
#ifndef PHI3SAT_TESTS_PROMPTS_ORACLE_H
#define PHI3SAT_TESTS_PROMPTS_ORACLE_H

#include "text/prompts.h"

/* Reads every prompt forwards, then backwards by its number, then from a copy that another process would have: the same each
 * time; ids are below the source's vocabulary. `source` was opened over bytes that are still there. */
void prompts_oracle(const struct prompt_source *source);

#endif
