/* synth_plants.h - which neurons of a synthetic model are planted, and the manifest that says so.
 *
 * Flow: options -> *plants* -> rows, manifest. Counts are per layer. What each class does is told in
 * docs/synth.md; how its weights bring that about, in synth_rows.c.
 */
#ifndef PHI3SAT_COMMANDS_SYNTH_PLANTS_H
#define PHI3SAT_COMMANDS_SYNTH_PLANTS_H

#include <stdint.h>
#include <stddef.h>

#include "../base/outfile.h"
#include "synth_shape.h"

enum synth_class {
    SYNTH_NORMAL, SYNTH_FROZEN, SYNTH_DEAD, SYNTH_LOW, SYNTH_DUPLICATE, SYNTH_NOISY_DUPLICATE, SYNTH_SUPER,
    SYNTH_CLASSES
};

struct synth_plants {
    size_t layers, neurons;
    uint8_t *class;     /* [layers, neurons] of enum synth_class                    */
    uint32_t *partner;  /* [layers, neurons] of duplicates: the neuron they repeat   */
};

/* "frozen", as the manifest has it. */
const char *synth_plants_name(enum synth_class class);

/* Chooses places by `seed`, counts[class] of each in every layer. STATUS_USAGE when they would take
 * more than half of the neurons, partners included. Freed by synth_plants_free (zeroed allowed). */
enum status synth_plants_init(struct synth_plants *p, const struct synth_shape *shape, uint64_t seed,
                              const size_t counts[SYNTH_CLASSES], struct error *e) ERROR_MUST_USE;
void synth_plants_free(struct synth_plants *p);

/* Writes the manifest: JSON, one planted neuron a line. */
void synth_plants_write(const struct synth_plants *p, const struct synth_shape *shape, uint64_t seed,
                        const char *model, struct outfile *file);

#endif
