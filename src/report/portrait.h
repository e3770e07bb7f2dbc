/* portrait.h - what pictures of a profile are made from, gathered a layer at a time.
 *
 * Flow: metrics with flags -> *portrait* -> plots, page.
 *
 * The page's map shows every neuron, or, where there are more than PORTRAIT_CELLS, cells of as many neighbours as bring
 * them below that: a page stays under 5 MB whatever the model.
 */
#ifndef PHI3SAT_REPORT_PORTRAIT_H
#define PHI3SAT_REPORT_PORTRAIT_H

#include "../stats/spread.h"
#include "../stats/what_if.h"

/* 32 layers of 8192 neurons, and a little. */
#define PORTRAIT_CELLS 280000

/* What the map and the ribbons show of a series. */
enum portrait_measure { PORTRAIT_VARIANCE, PORTRAIT_MEAN, PORTRAIT_ACTIVITY, PORTRAIT_MEASURES };
/* Planes of the map: the three measures of the three series, and max |ffn|. */
#define PORTRAIT_LARGEST (PORTRAIT_MEASURES * SERIES_COUNT)
#define PORTRAIT_PLANES (PORTRAIT_LARGEST + 1)

/* Lists of neurons: the least variance of ffn; never away from zero; busiest; largest |ffn| beside the layer's. */
enum portrait_list { PORTRAIT_FROZEN, PORTRAIT_DEAD, PORTRAIT_ACTIVE, PORTRAIT_SUPER, PORTRAIT_LISTS };
#define PORTRAIT_LISTED 10

struct portrait_neuron {
    size_t layer, neuron;
    float variance, mean, activity, largest; /* of ffn; largest: max |ffn|              */
    float ratio;                             /* largest over its layer's median of it   */
    bool saturated, super;
};

struct portrait {
    size_t layers, neurons;
    struct criteria criteria;
    bool ruled;                        /* a rule of the user's own judges: criteria say nothing of the saturated */
    size_t group, columns;             /* neurons a cell of the map, cells a layer          */
    uint8_t *share;                    /* [layers, columns]: saturated, 254 all; 255 not measured */
    uint8_t *super;                    /* [layers, columns]: 1: a super neuron is in it     */
    uint16_t *flags;                   /* [layers, columns] with a neuron a cell, else NULL: bit 3 s + k of criterion k */
    float *plane[PORTRAIT_PLANES];     /* [layers, columns]: mean of the cell's values; NaN */
    struct spread *spread[PORTRAIT_MEASURES][SERIES_COUNT]; /* [layers]                      */
    double *met[SERIES_COUNT][CRITERIA_COUNT + 1]; /* [layers]: share that meets the criterion; last: any of them; NaN */
    struct what_if what_if;            /* not filled when `ruled`                           */
    struct portrait_neuron list[PORTRAIT_LISTS][PORTRAIT_LISTED];
    size_t listed[PORTRAIT_LISTS];
    float *scratch;                    /* [neurons]                                          */
};

/* Freed by portrait_free (zeroed struct allowed); zeroed on failure. */
enum status portrait_init(struct portrait *p, size_t layers, size_t neurons, const struct criteria *criteria, bool ruled,
                          struct error *e) ERROR_MUST_USE;
void portrait_free(struct portrait *p);

/* Takes in layer `layer`, judged; each once, in any order. */
enum status portrait_layer(struct portrait *p, size_t layer, const struct metrics *m, struct error *e) ERROR_MUST_USE;

/* The metric behind a measure. */
enum metric portrait_metric(const struct portrait *p, enum portrait_measure measure);

#endif
