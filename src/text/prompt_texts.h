/* prompt_texts.h - the lines of the texts in data/, built into the program.
 *
 * prompt_texts.c is made by build-aux/embed-texts.sh when they change: the program
 * needs no folder beside it. Remarks and empty lines are left out.
 */
#ifndef PHI3SAT_TEXT_PROMPT_TEXTS_H
#define PHI3SAT_TEXT_PROMPT_TEXTS_H

/* Each ends with NULL. */
extern const char *const prompt_texts_words[];
extern const char *const prompt_texts_facts[];
extern const char *const prompt_texts_stories[];
extern const char *const prompt_texts_sums[];

#endif
