/* results.h - what the layers of a profile come to: table, summary, recommendation.
 *
 * Flow: metrics a layer at a time -> *results* -> CSV, printed summary. The same for a run that just ended, a merge,
 * and an archive read back: float32 metrics in, the same words out.
 */
#ifndef PHI3SAT_COMMANDS_RESULTS_H
#define PHI3SAT_COMMANDS_RESULTS_H

#include "../archive/archive_facts.h"
#include "../report/gain_text.h"
#include "../report/page.h"
#include "../report/plot_text.h"
#include "../report/text_summary.h"
#include "../stats/expression.h"
#include "../stats/sureness.h"

/* Super neurons kept by name; the summary counts the rest. */
#define RESULTS_SUPER 64

struct results {
    size_t layers, neurons;
    const struct criteria *criteria;    /* borrowed                                   */
    struct summary_row *rows;           /* [layers]                                   */
    struct text_summary_super super[RESULTS_SUPER];
    size_t super_count;
    struct sureness sureness;
    struct expression *rule;            /* borrowed; NULL: `criteria` alone. Set behind results_init */
    const char *rule_text;
    bool plot;                          /* print plots too; set behind results_init */
    float (*cells)[PLOT_TEXT_CELLS];    /* [layers]: for them                         */
    struct gain_text_roofs roofs;       /* zeroed: not known                          */
    bool pictures;                      /* results_pictures was called                */
    struct portrait portrait;           /* with it                                    */
};

/* For `layers` layers of `neurons` neurons judged by `criteria`, borrowed. Freed by results_free (zeroed struct allowed). */
enum status results_init(struct results *r, size_t layers, size_t neurons, const struct criteria *criteria,
                         struct error *e) ERROR_MUST_USE;
void results_free(struct results *r);

/* There will be a page or pictures: layers are to leave what these need. Behind results_init and the setting of `rule`, before
 * the first layer. */
enum status results_pictures(struct results *r, struct error *e) ERROR_MUST_USE;

/* What pictures and page show; borrows from all of its arguments. Once all layers are in. */
struct plots_profile results_profile(const struct results *r, const struct archive_facts *facts, const struct archive_run *run);

/* Judges layer `layer`, each once, in any order: fills m->flags and m->saturated too. */
enum status results_layer(struct results *r, size_t layer, struct metrics *m, struct error *e) ERROR_MUST_USE;

/* Prints the summary, the recommendation, how sure they are, what would be gained and what is to be said of the prompts on standard output. *nonfinite: how
 * many values were kept out. STATUS_OUTPUT. */
enum status results_print(const struct results *r, const struct archive_facts *facts, const struct archive_run *run,
                          uint64_t *nonfinite, struct error *e) ERROR_MUST_USE;

#endif
