/* neuron_text.h - one neuron for people: its three series, where it stands in its layer, its extremes.
 *
 * Flow: a layer's metrics with flags -> *text* on standard output.
 */
#ifndef PHI3SAT_REPORT_NEURON_TEXT_H
#define PHI3SAT_REPORT_NEURON_TEXT_H

#include <stdio.h>

#include "../stats/criteria.h"

/* Prints neuron < m->neurons of layer `layer` to `to` (NULL: standard output). Ranks count from the least value; neurons
 * without one are left out, equal ones share the lowest rank.. STATUS_OUTPUT. */
enum status neuron_text_print(FILE *to, const struct metrics *m, size_t layer, size_t neuron,
                              struct error *e) ERROR_MUST_USE;

#endif
