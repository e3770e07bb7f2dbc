/* bench_lines.h - a benchmark's lines from all ranks, which measure at the same time: medians, the least and the most.
 *
 * Flow: a benchmark's figures on each rank -> *bench_lines* -> report/figures on rank 0. What ranks of a host share (memory's
 * bandwidth, the last cache, the clock) is part of what is measured, so every line begins on all ranks together.
 */
#ifndef PHI3SAT_COMMANDS_BENCH_LINES_H
#define PHI3SAT_COMMANDS_BENCH_LINES_H

#include "../cluster/ranks.h"
#include "../report/figures.h"

#define BENCH_LINES_COLUMNS 40 /* most, the three added ones among them */

/* Under way; a plain value that must stay where it is. */
struct bench_lines {
    struct ranks ranks;
    size_t rows;                                     /* shown so far, the same on all ranks          */
    struct figures figures;                          /* written by rank 0 only                       */
    struct figures_column columns[BENCH_LINES_COLUMNS];
    size_t count, key;                               /* of the benchmark's own columns; the main figure's */
    char least[64], most[64];                        /* keys of the added columns                    */
};

/* For what a benchmark's command finds before it begins: a failure (all ranks have it alike) or --help. True when there is
 * nothing more to do, with the status to return in *s. */
bool bench_lines_ended(const struct options_table *table, bool help, enum status *s, struct error *e);

/* Starts MPI; columns [count] are the benchmark's own, `key` names the one whose least and most over ranks are given: as
 * KEY_least_rank and KEY_most_rank behind it, and `ranks` at the end; in the table only with several ranks. Collective. */
enum status bench_lines_open(struct bench_lines *l, int argc, char **argv, bool json, const struct figures_column *columns,
                             size_t count, const char *key, struct error *e) ERROR_MUST_USE;

/* All ranks agree on `own` failures; after it they go on together. */
enum status bench_lines_agree(const struct bench_lines *l, enum status own, struct error *e) ERROR_MUST_USE;

/* A line for people, from rank 0; before the first row a second line says how many ranks there are. */
void bench_lines_note(struct bench_lines *l, const char *format, ...) ERROR_PRINTF(2, 3);

/* One row from each rank's cells [count]. Figures that aren't whole become their median over the ranks (missing where a rank
 * has none), counts and texts are rank 0's. Collective, so no rank may have failed: agree first. */
enum status bench_lines_row(struct bench_lines *l, const struct figures_cell *cells, struct error *e) ERROR_MUST_USE;

/* Ends the table after all rows, or after a failure `own`, which it returns. Collective. */
enum status bench_lines_finish(struct bench_lines *l, enum status own, struct error *e) ERROR_MUST_USE;

#endif
