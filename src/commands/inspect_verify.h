/* inspect_verify.h - whether a .knot file is what its checksums say. */
#ifndef PHI3SAT_COMMANDS_INSPECT_VERIFY_H
#define PHI3SAT_COMMANDS_INSPECT_VERIFY_H

#include "inspect_model.h"

/* Reads every byte of it: checksums, then fingerprints, where the model is one that phi3sat runs. STATUS_INPUT names the layer
 * that isn't what it was. A file without checksums is fine: inspect_verify_show says that there are none. */
enum status inspect_verify(const struct inspect_model_view *m, struct error *e) ERROR_MUST_USE;

/* The fact "checksums". */
void inspect_verify_show(struct fact_sheet *sheet, const struct model_file *file, bool verified);

#endif
