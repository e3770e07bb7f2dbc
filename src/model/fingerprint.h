/* fingerprint.h - names a model by what it computes with, not by its file's bytes.
 *
 * Flow: weights -> *fingerprint* -> archive, agreement between ranks. XXH3 of 128 bits over
 * canonical names, shapes and decoded float32 values (little-endian), rows in canonical order, so
 * that a GGUF, a safetensors file and a .knot of one model agree. hash[0] low, [1] high.
 */
#ifndef PHI3SAT_MODEL_FINGERPRINT_H
#define PHI3SAT_MODEL_FINGERPRINT_H

#include "weights.h"

/* Of layer `layer`: norms, attn_q, attn_k, attn_v, attn_output, ffn_gate, ffn_up, ffn_down. */
enum status fingerprint_layer(const struct config *c, const struct weights *w, size_t layer, uint64_t hash[2],
                              struct error *e) ERROR_MUST_USE;

/* Of what is not a layer's: sizes and rotary choices, token_embd, rotary factors. The context
 * lengths are in it: they decide which factors a prompt uses. */
enum status fingerprint_globals(const struct config *c, const struct weights *w, uint64_t hash[2],
                                struct error *e) ERROR_MUST_USE;

/* Of what these two hash and how: another number means that stored ones say nothing. */
#define FINGERPRINT_VERSION 1

/* What a .knot file says of layer `layer`, or, for w->layers, of the globals; what the two above find where it says nothing.
 * (`inspect --verify` asks both.) */
enum status fingerprint_known(const struct model_file *file, const struct config *c, const struct weights *w, size_t layer,
                              uint64_t hash[2], struct error *e) ERROR_MUST_USE;

/* For comparing the files that hosts have, as fast as they are read, where the same model in another form is as little wanted as
 * another model: of all that isn't a tensor's data, and the files' sizes; of the bytes of layer `layer`'s tensors, or, for
 * w->layers, of the embedding's and the rotary factors. */
void fingerprint_header(const struct model_file *file, uint64_t hash[2]);
void fingerprint_bytes(const struct config *c, const struct weights *w, size_t layer, uint64_t hash[2]);

/* Over the globals' hash and layers [count][2], in order. */
void fingerprint_model(const uint64_t globals[2], const uint64_t (*layer)[2], size_t count, uint64_t hash[2]);

#endif
