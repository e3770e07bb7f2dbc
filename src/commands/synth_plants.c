/* synth_plants.c - see synth_plants.h.
 *
 * Each layer's neurons are put in a random order, and the classes take theirs from its front, one behind
 * the other; a duplicate takes its partner, which stays a normal neuron, with it.
 */
#include "synth_plants.h"

#include <inttypes.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/random.h"

/* Streams of random_open; those of rows begin with a part (synth_rows.c). */
#define PLACES_STREAM 1000

static const char *const names[SYNTH_CLASSES] = {"normal", "frozen", "dead", "low", "duplicate", "noisy-duplicate",
                                                 "super"};

const char *synth_plants_name(enum synth_class class)
{
    return names[class];
}

static int takes(int class)
{
    return class == SYNTH_DUPLICATE || class == SYNTH_NOISY_DUPLICATE ? 2 : 1;
}

static void plant_layer(struct synth_plants *p, size_t layer, const size_t *counts, const uint32_t *order)
{
    uint8_t *class = p->class + layer * p->neurons;
    uint32_t *partner = p->partner + layer * p->neurons;
    for (int c = SYNTH_FROZEN; c < SYNTH_CLASSES; c++)
        for (size_t i = 0; i < counts[c]; i++) {
            class[*order] = (uint8_t)c;
            if (takes(c) == 2)
                partner[*order] = order[1];
            order += takes(c);
        }
}

enum status synth_plants_init(struct synth_plants *p, const struct synth_shape *shape, uint64_t seed,
                              const size_t counts[SYNTH_CLASSES], struct error *e)
{
    uint32_t *order = NULL;
    size_t wanted = 0;
    *p = (struct synth_plants){.layers = shape->layers, .neurons = shape->intermediate};
    for (int c = SYNTH_FROZEN; c < SYNTH_CLASSES; c++)
        wanted += counts[c] * (size_t)takes(c);
    if (wanted > p->neurons / 2) {
        error_set(e, STATUS_USAGE, "%zu neurons of a layer's %zu would be planted or copied", wanted, p->neurons);
        return error_advice(e, "plant fewer (at most half of them), or give a larger --intermediate");
    }
    enum status s = memory_array(&p->class, p->layers * p->neurons, sizeof *p->class, "planted neurons", e);
    if (s == STATUS_OK)
        s = memory_array(&p->partner, p->layers * p->neurons, sizeof *p->partner, "planted neurons", e);
    if (s == STATUS_OK)
        s = memory_array(&order, p->neurons, sizeof *order, "an order of neurons", e);
    for (size_t layer = 0; layer < p->layers && s == STATUS_OK; layer++) {
        struct random_stream r = random_open(seed, PLACES_STREAM, layer, 0);
        random_order(&r, p->neurons, order);
        plant_layer(p, layer, counts, order);
    }
    memory_free(order);
    if (s != STATUS_OK)
        synth_plants_free(p);
    return s;
}

void synth_plants_free(struct synth_plants *p)
{
    memory_free(p->class);
    memory_free(p->partner);
    memset(p, 0, sizeof *p);
}

static void write_string(struct outfile *file, const char *text)
{
    outfile_print(file, "\"");
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte < 0x20)
            outfile_print(file, "\\u%04x", byte);
        else
            outfile_print(file, byte == '"' || byte == '\\' ? "\\%c" : "%c", byte);
    }
    outfile_print(file, "\"");
}

void synth_plants_write(const struct synth_plants *p, const struct synth_shape *shape, uint64_t seed,
                        const char *model, struct outfile *file)
{
    const char *between = "";
    outfile_print(file, "{\"format\": \"phi3sat synth manifest\", \"version\": 1,\n \"model\": ");
    write_string(file, model);
    outfile_print(file, ", \"seed\": %" PRIu64 ", \"architecture\": \"%s\", \"type\": \"%s\",\n", seed,
                  synth_shape_archs[shape->arch], shape->mix.name);
    outfile_print(file, " \"layers\": %zu, \"hidden\": %zu, \"intermediate\": %zu,\n \"planted\": [", p->layers,
                  shape->hidden, p->neurons);
    for (size_t i = 0; i < p->layers * p->neurons; i++) {
        int class = p->class[i];
        if (class == SYNTH_NORMAL)
            continue;
        outfile_print(file, "%s\n  {\"layer\": %zu, \"neuron\": %zu, \"class\": \"%s\"", between, i / p->neurons,
                      i % p->neurons, names[class]);
        if (takes(class) == 2)
            outfile_print(file, ", \"partner\": %" PRIu32, p->partner[i]);
        outfile_print(file, "}");
        between = ",";
    }
    outfile_print(file, "\n ]}\n");
}
