/* inspect_use.h - what phi3sat would do with a model, and what memory that takes. */
#ifndef PHI3SAT_COMMANDS_INSPECT_USE_H
#define PHI3SAT_COMMANDS_INSPECT_USE_H

#include "inspect_model.h"

/* The section "profile": whether it runs, prompts, tensors as found, window, rotary embedding. */
void inspect_use_profile(struct fact_sheet *sheet, const struct inspect_model_view *m);

/* The section "memory": bytes of a rank on a grid with 1, 2, 4 ... stages. Nothing for a model without a
 * configuration. STATUS_FAILED for want of memory. */
enum status inspect_use_memory(struct fact_sheet *sheet, const struct inspect_model_view *m,
                               struct error *e) ERROR_MUST_USE;

#endif
