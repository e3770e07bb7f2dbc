/* compare_text.h - two archives side by side, for people and as a table.
 *
 * Flow: summary rows of both, contrasts of layers -> *text* on standard output, *CSV*.
 */
#ifndef PHI3SAT_REPORT_COMPARE_TEXT_H
#define PHI3SAT_REPORT_COMPARE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "../archive/archive_facts.h"
#include "../base/outfile.h"
#include "../stats/contrast.h"
#include "../stats/summary.h"

/* One of the two. */
struct compare_side {
    const char *name;                 /* the file's, as typed                           */
    const struct archive_facts *facts;
    const char *partial;              /* "37 of 100 prompts"; NULL: whole               */
    const struct summary_row *rows;   /* [layers]                                       */
};

struct compare_text {
    struct compare_side side[2];
    size_t layers;
    const struct contrast *contrast;  /* [layers]                                       */
    struct contrast total;            /* of all layers                                  */
    uint64_t shared_prompts;          /* run by both, repetitions counted               */
    double level;                     /* of the verdict: 0.05                           */
    const char *difference;           /* of the archives' facts, in words; NULL: none    */
};

/* What is said of both, for those who say it elsewhere. The verdict is a sentence of at most COMPARE_TEXT_VERDICT bytes (with a newline
 * within); false: that it isn't known. */
#define COMPARE_TEXT_VERDICT 256
bool compare_text_verdict(char *text, size_t size, const struct compare_text *t);
bool compare_text_same_prompts(const struct compare_text *t);
double compare_text_change(const struct compare_text *t, size_t layer, int column); /* B - A of a CSV column; NaN */
size_t compare_text_changed(const struct contrast *c);                             /* neurons in another class    */

/* Layers whose difference exceeds what sampling gives, of those that could be tested. */
struct compare_text_tested {
    size_t exceed, tested;
};
struct compare_text_tested compare_text_tested(const struct compare_text *t);

/* Prints it to `to` (NULL: standard output), behind an empty line where another comparison stands before.
 * STATUS_OUTPUT. */
enum status compare_text_print(FILE *to, const struct compare_text *t, bool follows, struct error *e) ERROR_MUST_USE;

/* The table's header, and its rows of one pair (the number of B on the command line, A being 0): one a layer, into an
 * open output. */
void compare_text_csv_header(struct outfile *out);
void compare_text_csv(struct outfile *out, const struct compare_text *t, size_t pair);

#endif
