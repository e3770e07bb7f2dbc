/* link.h - how fast messages are, between rank 0 and the last rank. */
#ifndef PHI3SAT_CLUSTER_LINK_H
#define PHI3SAT_CLUSTER_LINK_H

#include "ranks.h"

struct link {
    bool measured;       /* false: there is one rank only                            */
    bool far;            /* the two ranks are on different hosts                      */
    double bandwidth;    /* bytes a second                                           */
    double latency;      /* seconds, one way                                         */
};

/* Collective; all ranks learn it. Fails for want of memory only. */
enum status link_measure(struct link *l, const struct ranks *r, struct error *e) ERROR_MUST_USE;

#endif
