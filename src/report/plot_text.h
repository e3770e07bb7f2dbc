/* plot_text.h - saturation by depth as bars and a heat strip, for terminals.
 *
 * Flow: summary rows, saturated neurons by place -> *plot* on standard output, with --plot.
 */
#ifndef PHI3SAT_REPORT_PLOT_TEXT_H
#define PHI3SAT_REPORT_PLOT_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "../stats/summary.h"

/* Cells of a layer's strip: neuron i of n is in cell i * PLOT_TEXT_CELLS / n. */
#define PLOT_TEXT_CELLS 32

struct plot_text {
    const struct summary_row *rows;                /* [layers]                                    */
    const float (*cells)[PLOT_TEXT_CELLS];         /* [layers]: saturated share of a cell; NaN: no neuron in it */
    size_t layers, neurons;
};

/* Does the user's locale show block characters? */
bool plot_text_blocks(void);

/* The shares of m->saturated by cell. */
void plot_text_cells(const struct metrics *m, float cells[PLOT_TEXT_CELLS]);

/* Prints it to `to` (NULL: standard output), with block characters or in ASCII. More than 64 layers are shown in groups.
 * Allocates nothing. STATUS_OUTPUT. */
enum status plot_text_print(FILE *to, const struct plot_text *p, bool blocks, struct error *e) ERROR_MUST_USE;

#endif
