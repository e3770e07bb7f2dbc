/* architecture.h - which architectures phi3sat runs, how they differ, and what is said of the others.
 *
 * Flow: model file's keys -> *architecture* -> config.
 */
#ifndef PHI3SAT_MODEL_ARCHITECTURE_H
#define PHI3SAT_MODEL_ARCHITECTURE_H

#include <stdbool.h>

#include "../formats/model_file.h"

/* Where an architecture differs from phi3. */
struct architecture {
    const char *name;
    bool rotary_pairs; /* its GGUF files hold q and k rows as pairs (2i, 2i+1)            */
    bool biases;       /* q, k and v always have biases                               */
    bool head_norms;   /* each head of q and k passes an RMSNorm before it is turned     */
};

/* The file's own. STATUS_INPUT names an architecture that isn't run and says why, or the key that says that the graph
 * is another one than its architecture's usual. Static storage. */
enum status architecture_find(const struct architecture **found, const struct model_file *file,
                              struct error *e) ERROR_MUST_USE;

#endif
