/* model_oracle.h - what must hold of every model file that was accepted. */
#ifndef PHI3SAT_TESTS_MODEL_ORACLE_H
#define PHI3SAT_TESTS_MODEL_ORACLE_H

#include "formats/model_file.h"

/* Every tensor has the size that its shape and type make, lies in one of the model's files and shares no byte with
 * another; names differ; every value of every key can be read. Sizes are computed anew here. All bytes of all
 * tensors are read. */
void model_oracle(const struct model_file *file);

/* What `inspect` does with a model file, its output thrown away, as text and as JSON in turn. The file is one that
 * model_file_open accepts. */
void model_oracle_inspect(const char *path);

/* What an opened model's tokenizer does with texts: every id is one of its own. Refusals are refusals of the file (returned in *e). */
enum status model_oracle_tokenizer(const struct model_file *file, struct error *e) ERROR_MUST_USE;

#endif
