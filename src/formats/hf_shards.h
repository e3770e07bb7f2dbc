/* hf_shards.h - the safetensors files of a Hugging Face folder, one or several. */
#ifndef PHI3SAT_FORMATS_HF_SHARDS_H
#define PHI3SAT_FORMATS_HF_SHARDS_H

#include "safetensors.h"
#include "view.h"

/* Zeroed: none. */
struct hf_shards {
    struct safetensors *shards; /* [count], owned                */
    size_t count;
};

/* Finds and reads those in `folder`: the file `single` ("" or a name in it) alone, unless an index names it; else model.safetensors;
 * else what model.safetensors.index.json lists, which must be all of the shards' tensors, each where the index has it.
 * Maps go to file->parts. None at all is fine (a vocabulary), unless there are weights of another kind. */
enum status hf_shards_read(struct hf_shards *s, struct model_file *file, const char *folder, const char *single,
                           struct error *e) ERROR_MUST_USE;
void hf_shards_free(struct hf_shards *s);

/* Maps folder/name as the next of file->parts. *map is NULL when there is no such file and `required` is false; it
 * is valid until the next call. */
enum status hf_shards_open(struct model_file *file, const char *folder, const char *name, bool required,
                           const struct mapping **map, struct error *e) ERROR_MUST_USE;

#endif
