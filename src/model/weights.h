/* weights.h - the tensors of a model by what they do, rows in canonical order.
 *
 * Flow: model file -> *weights* -> forward pass, fingerprint. Fused tensors (attn_qkv, ffn_up
 * of phi3) and separate ones look the same from here: a `struct weight` is a range
 * of rows. llama's q and k rows (and biases), stored as rotary pairs, are read in the order of
 * halves, so that sums keep one order whatever the file was.
 */
#ifndef PHI3SAT_MODEL_WEIGHTS_H
#define PHI3SAT_MODEL_WEIGHTS_H

#include "config.h"

/* A matrix [outputs, inputs] inside the mapped file. */
struct weight {
    const struct model_file_tensor *tensor;
    size_t first;        /* row of the tensor that output 0 is                      */
    size_t outputs, inputs;
    size_t row_bytes;
    size_t pair_head;    /* head_dim when rows are stored as rotary pairs, else 0     */
    size_t pair_rotary;  /* rotating dimensions of such a head                        */
    const uint8_t *groups; /* its vector form (row_product.h), where somebody made one; else NULL */
};

/* A vector: part of a tensor of the mapped file, and its numbers in canonical order. */
struct weights_vector {
    const struct model_file_tensor *tensor;  /* NULL: the model has no such vector        */
    size_t first, count;                   /* elements of the tensor                    */
    float *values;                         /* [count], decoded; NULL: none, or the layer is another stage's */
};

struct weights_layer {
    struct weights_vector attention_norm, ffn_norm; /* [hidden]                           */
    struct weights_vector q_bias, k_bias, v_bias;   /* of q, k, v's outputs               */
    struct weights_vector q_norm, k_norm;           /* [head_dim], for each head          */
    struct weight q, k, v, output;
    struct weight gate, up, down;
};

/* Vector i of a layer, there or not; NULL past the last. */
struct weights_vector *weights_vector_at(struct weights_layer *layer, size_t i);

struct weights {
    struct weights_layer *layer;           /* [layers]                               */
    size_t layers;
    struct weight embedding;               /* [vocabulary, hidden]                   */
    float *factors_short, *factors_long;   /* [rotary/2] or NULL: divide frequencies   */
    bool longrope;                         /* the two sets differ by prompt length      */
    char types[512];                       /* "Q4_K 81, F32 65, ..." for /run; all types fit */
};

/* Finds and checks every tensor that the forward pass needs: shapes against the
 * config, types decodable, norms finite or not (they are used as they are). Tensors are
 * borrowed from `file`, which must outlive `w`; free with weights_free (zeroed allowed). */
enum status weights_open(struct weights *w, const struct config *c, const struct model_file *file,
                         struct error *e) ERROR_MUST_USE;
void weights_free(struct weights *w);

/* The two halves of it. weights_find reads shapes and rotary factors only, so that no page of a layer is touched;
 * weights_layers, called once, readies layers [first, first + count). After a failure of it weights_free is due. */
enum status weights_find(struct weights *w, const struct config *c, const struct model_file *file,
                         struct error *e) ERROR_MUST_USE;
enum status weights_layers(struct weights *w, const struct config *c, size_t first, size_t count,
                           struct error *e) ERROR_MUST_USE;

/* What makes logits of the residual stream behind the last layer. Profiles never need it, so it is found apart. */
struct weights_head {
    struct weight matrix;  /* [vocabulary, hidden]: output.weight, or the embedding      */
    float *norm;           /* [hidden], decoded                                        */
    bool tied;             /* it is the embedding                                      */
};

/* Finds and checks it; tensors are borrowed from `file`. STATUS_INPUT when the file has no output_norm.weight, an
 * output.weight of another shape or of a type that can't be decoded, or a bias. Free with weights_head_free (zeroed allowed). */
enum status weights_head_open(struct weights_head *h, const struct config *c, const struct model_file *file,
                              struct error *e) ERROR_MUST_USE;
void weights_head_free(struct weights_head *h);

/* The bytes of output r's row. */
const uint8_t *weights_row(const struct weight *w, size_t r);

/* Decodes inputs [first, first + count) of output r. */
void weights_decode(const struct weight *w, size_t r, size_t first, size_t count, float *out);

#endif
