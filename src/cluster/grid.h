/* grid.h - the ranks as prompt groups times layer stages, and how many of each.
 *
 * Flow: --grid, ranks, plan of memory -> *grid* -> schedule, pipeline, merge. Group g works on its share of the prompts,
 * stage s of it on its share of the layers: rank = g * stages + s. Groups need nothing of each other, so as many of them
 * are made as memory allows; stages are for models and states that a node can't hold once for each rank.
 */
#ifndef PHI3SAT_CLUSTER_GRID_H
#define PHI3SAT_CLUSTER_GRID_H

#include "../model/footprint.h"
#include "ranks.h"

/* What --grid says; {0, 0}: auto. */
struct grid_wish {
    size_t groups, stages;
};

struct grid {
    size_t groups, stages;
    size_t group, stage;           /* this rank's                                   */
    struct footprint_stage *cut;   /* [stages], owned                               */
    struct footprint_stage layers; /* this rank's: cut[stage]                       */
    char reason[320];              /* why this grid: "auto: ..."                     */
    char warning[320];             /* that memory is short, and which grid would do; "" */
};

/* "4x2", "auto"; false: anything else. */
bool grid_parse(const char *text, struct grid_wish *wish) ERROR_MUST_USE;

/* Whether so many ranks and layers can be laid out so: STATUS_USAGE. */
enum status grid_suits(struct grid_wish wish, size_t ranks, size_t layers, struct error *e) ERROR_MUST_USE;

/* Where a rank runs. */
struct grid_place {
    char host[64];
    uint64_t node;     /* number of the node: a rank on it                          */
    uint64_t memory;   /* bytes that the node has left for all its ranks; 0: not known */
    uint64_t limit;    /* what says so: enum grid_limit                             */
};

enum grid_limit { GRID_FREE, GRID_GROUP, GRID_DOMAINS }; /* the kernel, a control group, the NUMA domains that may be used */

/* How full a grid makes the fullest node. */
struct grid_need {
    size_t stages, rank;    /* a rank on that node                                  */
    uint64_t need, memory;  /* of the node; memory 0: not known anywhere             */
    bool fits;              /* all nodes                                            */
};

/* For place[ranks] and a number of stages that divides it: a file's pages count once for a node, whatever ranks map them.
 * STATUS_INPUT when sizes don't fit 64 bits, STATUS_FAILED for want of memory. Pure. */
enum status grid_weigh(struct grid_need *need, const struct grid_place *place, size_t ranks, size_t stages,
                       const struct config *c, const struct footprint_weights *w, const struct footprint_load *load,
                       struct error *e) ERROR_MUST_USE;

/* The fewest stages that fit, of those that divide the number of ranks and have a layer each; where none does, those that
 * need the least. *first is what one stage needs. Pure. */
enum status grid_choose(struct grid_need *chosen, struct grid_need *first, const struct grid_place *place, size_t ranks,
                        const struct config *c, const struct footprint_weights *w, const struct footprint_load *load,
                        struct error *e) ERROR_MUST_USE;

/* Collective; the same grid on all ranks, `load` may differ in threads. A wish that isn't auto suits (grid_suits). Freed by grid_free (zeroed allowed). The test hook PHI3SAT_TEST_MEMORY=BYTES is what every
 * node has. */
enum status grid_open(struct grid *g, const struct ranks *r, struct grid_wish wish, const struct config *c,
                      const struct footprint_weights *w, const struct footprint_load *load,
                      struct error *e) ERROR_MUST_USE;
void grid_free(struct grid *g);

/* The layers of each stage, "0-7 8-15 16-23 24-31", in text[size]; cut short with "..." */
void grid_layers_text(const struct grid *g, char *text, size_t size);

#endif
