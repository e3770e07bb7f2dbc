/* prompt_book.h - the topics, stories and sums that prompts are made of.
 *
 * Flow: embedded texts -> *book* -> composers (prompt_facts.c, prompt_stories.c,
 * prompt_sums.c). docs/prompts.md describes the files. A section begins with its domain's
 * word and a title; a line `<...>` is its setup (grammar.h); any other line is a mark, a space and
 * the text:
 *
 *     topic: volcanoes       * fact ?? question     * <setup> fact ?? question
 *     story: the lost key    ! in one sentence      + needed   - may be left out   & goes with the one above
 *     sum: percentages       q problem   s solution   o remark   d drill (a line that stands alone)
 */
#ifndef PHI3SAT_TEXT_PROMPT_BOOK_H
#define PHI3SAT_TEXT_PROMPT_BOOK_H

#include "grammar.h"

enum prompt_book_domain { PROMPT_BOOK_FACTS, PROMPT_BOOK_STORIES, PROMPT_BOOK_SUMS, PROMPT_BOOK_DOMAINS };

struct prompt_book_line {
    char mark;
    struct grammar_span setup;    /* of this line alone; empty: none */
    struct grammar_span text;
    struct grammar_span question; /* behind ??; empty: none          */
};

struct prompt_book_section {
    struct grammar_span title;
    struct grammar_span setup;
    size_t first, count; /* lines */
};

struct prompt_book {
    struct grammar grammar;
    struct prompt_book_line *lines; /* [line_count], section after section */
    size_t line_count, line_capacity;
    struct prompt_book_section *sections[PROMPT_BOOK_DOMAINS]; /* [section_count] */
    size_t section_count[PROMPT_BOOK_DOMAINS], section_capacity[PROMPT_BOOK_DOMAINS];
};

/* Reads the embedded texts. STATUS_FAILED: memory, or a mistake in them. Freed by
 * prompt_book_close, which allows a zeroed struct; `book` is zeroed on failure. */
enum status prompt_book_open(struct prompt_book *book, struct error *e) ERROR_MUST_USE;
void prompt_book_close(struct prompt_book *book);

#endif
