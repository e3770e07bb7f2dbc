/* hf_tokenizer.h - a Hugging Face tokenizer in the keys that a GGUF of the model has. */
#ifndef PHI3SAT_FORMATS_HF_TOKENIZER_H
#define PHI3SAT_FORMATS_HF_TOKENIZER_H

#include "made_keys.h"
#include "view.h"

/* Adds the keys of the tokenizer in `folder`: tokenizer.json, else tokenizer.model; none without either. Maps go
 * to file->parts. STATUS_INPUT: a file is damaged. A tokenizer of a kind that phi3sat doesn't know is no failure here: its kind
 * becomes a key, which whoever needs ids refuses by name. */
enum status hf_tokenizer_read(struct model_file *file, const char *folder, struct made_keys *k, struct error *e) ERROR_MUST_USE;

#endif
