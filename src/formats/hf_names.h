/* hf_names.h - Hugging Face's names of tensors in those that GGUF has for them. */
#ifndef PHI3SAT_FORMATS_HF_NAMES_H
#define PHI3SAT_FORMATS_HF_NAMES_H

#include <stdbool.h>

#include "model_file.h"

/* Bytes that a name can become longer. */
#define HF_NAMES_LONGER 16

/* Writes GGUF's name of `name` to out[name.length + HF_NAMES_LONGER], not NUL-terminated, and returns its length. A part of
 * a layer that GGUF has no name for keeps its own behind "blk.N."; other names stay what they are. 0: the tensor is to be
 * left out, since the model doesn't use it (`tied`: nor a matrix for the logits). */
size_t hf_names_translate(struct model_file_text name, bool tied, char *out);

#endif
