/* config.h - what a model is: sizes, rotary embedding, window.
 *
 * Flow: model file's keys -> *config* -> weights, rotary tables, forward pass. Read
 * once, checked against each other and the tensors' shapes, never changed.
 */
#ifndef PHI3SAT_MODEL_CONFIG_H
#define PHI3SAT_MODEL_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "../formats/model_file.h"

struct config {
    char architecture[32];      /* "phi3", "llama", "qwen2", "qwen3"                */
    size_t layers;              /* L                                              */
    size_t hidden;              /* H                                              */
    size_t intermediate;        /* I                                              */
    size_t heads, kv_heads;     /* heads is a multiple of kv_heads (GQA)           */
    size_t head_dim;
    size_t rotary;              /* dimensions of a head that rotate; even          */
    bool rotary_pairs;          /* file's q and k rows come as pairs (2i, 2i+1)     */
    bool biases;                /* q, k and v have biases, in all layers             */
    bool head_norms;            /* each head of q and k passes an RMSNorm            */
    size_t vocabulary;          /* rows of the token embedding                      */
    size_t context;             /* tokens                                          */
    size_t original_context;    /* LongRoPE: longer prompts use the long factors     */
    size_t window;              /* keys a query sees, itself included; 0: all        */
    double epsilon;             /* of RMSNorm                                       */
    double rope_base;
    double rope_divisor;        /* linear scaling: positions are divided by it; YaRN: its factor */
    bool yarn;                  /* frequencies are divided the less the more turns they make in original_context: */
    double yarn_fast, yarn_slow; /* ... from so many turns on not at all, below so many fully */
    double attention_factor;    /* cos and sin are multiplied by it (LongRoPE, YaRN)   */
};

/* Reads and checks the keys; STATUS_INPUT names the key or what the model is when it
 * isn't one of ours. Needs token_embd.weight for the vocabulary. */
enum status config_read(struct config *c, const struct model_file *file, struct error *e) ERROR_MUST_USE;

#endif
