/* hf_config.h - a Hugging Face config.json in the keys that a GGUF of the model has. */
#ifndef PHI3SAT_FORMATS_HF_CONFIG_H
#define PHI3SAT_FORMATS_HF_CONFIG_H

#include <stdbool.h>

#include "../base/mapping.h"
#include "made_keys.h"

/* What of it is no key. GGUF keeps rotary factors as tensors. */
struct hf_config {
    bool tied;                           /* the embedding makes the logits                       */
    float *factors_short, *factors_long; /* [factors] LongRoPE; NULL: none. Owned                 */
    float *frequency_factors;            /* [factors] Llama 3's; NULL: none. Owned                 */
    size_t factors;
};

/* Adds the keys of config.json `root`, which lies in `map`. STATUS_INPUT: a field is missing or of another kind, or
 * says what phi3sat doesn't run. Architectures that phi3sat doesn't know are left to the model room, which names
 * them. Free with hf_config_free, also after a failure. */
enum status hf_config_read(struct hf_config *c, const struct mapping *map, struct json_value root, struct made_keys *k,
                           struct error *e) ERROR_MUST_USE;
void hf_config_free(struct hf_config *c);

/* The field of config.json that `key` is made of, for messages; NULL: of several, or not of one. */
const char *hf_config_field(const char *key);

#endif
