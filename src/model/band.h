/* band.h - through how many layers of a stage a chunk of a long prompt goes before the next chunk comes.
 *
 * Flow: config, lengths -> *band* -> forward (what it does), footprint (what that takes), schedule and simulate (how long
 * other stages wait for it). All layers at once would hand each chunk on to the next stage as soon as can be, and hold the
 * keys and values of all of them; one layer after the other holds those of one, and hands nothing on before the stage's last
 * layer. A band lies between: it holds no more than the longest prompt would with one layer's keys and values and two
 * batches of hidden states, one on its way in and one on its way out, which stages between two others need to hand on whole
 * prompts. The first and the last stage would need but one of these, and get bands as wide as the others nevertheless: they
 * would keep the whole group waiting.
 */
#ifndef PHI3SAT_MODEL_BAND_H
#define PHI3SAT_MODEL_BAND_H

#include "config.h"

/* What a position takes, in floats. */
struct band_shape {
    size_t cache;    /* keys and values of one layer; 0: nothing is held, bands are as large as can be */
    size_t hidden;
};

struct band_shape band_shape(const struct config *c);

/* Positions of a prompt's cache: whole panels. */
size_t band_capacity(size_t length);

/* Layers of a band, 1 to `layers` (those of the stage, at least 1), for a prompt of `length` tokens where none is longer than
 * `longest`. The stage's first band is the smaller one where they don't come out even. Pure. */
size_t band_layers(const struct band_shape *shape, size_t layers, size_t longest, size_t length);

/* Layers of the first band: what is left of whole ones. */
size_t band_first(size_t layers, size_t band);

#endif
