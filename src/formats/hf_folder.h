/* hf_folder.h - a Hugging Face folder as a model file: the same keys and tensors that its GGUF has.
 *
 *   config.json                          what the model is
 *   model.safetensors, or
 *   model.safetensors.index.json         {"weight_map": {TENSOR: SHARD}} and the shards beside it
 *   tokenizer.json or tokenizer.model    and tokenizer_config.json, added_tokens.json, chat_template.jinja
 */
#ifndef PHI3SAT_FORMATS_HF_FOLDER_H
#define PHI3SAT_FORMATS_HF_FOLDER_H

#include <stdbool.h>

#include "view.h"

/* Whether it is one of a folder's files, by content and name. */
bool hf_folder_has(const struct mapping *map);

/* Reads and checks everything: config.json, the index, each shard's header, the tokenizer's files. `file` has the map of the
 * file that was named, or none where that was the folder, and is zero otherwise; model_file_close frees what is there
 * when this fails. The error names its file. */
enum status hf_folder_read(struct model_file *file, const char *path, struct error *e) ERROR_MUST_USE;

#endif
