/* safetensors.h - one file of tensors as Hugging Face writes them.
 *
 *   u64 n | n bytes of JSON, white space behind it allowed | data
 *   JSON: {"__metadata__": {text: text}, NAME: {"dtype": "BF16", "shape": [outputs, inputs], "data_offsets": [from, to]}, ...}
 *
 * Offsets count from the data's first byte. The data of all tensors lie side by side: every byte belongs to
 * exactly one tensor (the format's own rule, which keeps other files from hiding in it).
 */
#ifndef PHI3SAT_FORMATS_SAFETENSORS_H
#define PHI3SAT_FORMATS_SAFETENSORS_H

#include <stdbool.h>

#include "../base/mapping.h"
#include "model_file.h"

/* The format's own bound on n. */
#define SAFETENSORS_LARGEST_HEADER (100u * 1000 * 1000)

struct safetensors {
    struct model_file_tensor *tensors; /* [count], owned; in the order of their data       */
    size_t count;
    char *names;                       /* what the tensors' names point to, owned           */
};

/* Whether the bytes may be one: a length and then a brace. */
bool safetensors_matches(const struct mapping *map);

/* Reads and checks all of the header: JSON, names, types, shapes, sizes, places. `map` must outlive it. STATUS_INPUT
 * names the file, the tensor and the byte of the header. Free with safetensors_free, also after a failure. */
enum status safetensors_read(struct safetensors *s, const struct mapping *map, struct error *e) ERROR_MUST_USE;
void safetensors_free(struct safetensors *s);

#endif
