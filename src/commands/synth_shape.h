/* synth_shape.h - what a synthetic model is made of: sizes, types, tensors in file order.
 *
 * Flow: options -> *shape* -> tensors -> rows (synth_rows.h) -> file.
 */
#ifndef PHI3SAT_COMMANDS_SYNTH_SHAPE_H
#define PHI3SAT_COMMANDS_SYNTH_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "../formats/gguf_writer.h"
#include "../quants/quants.h"

enum synth_arch { SYNTH_PHI3, SYNTH_LLAMA, SYNTH_QWEN2, SYNTH_QWEN3 };

/* "phi3", ...: NULL-terminated, in the order of the enum. */
extern const char *const synth_shape_archs[];

/* A --type: one format for all matrices, or a mix as llama.cpp names them. */
struct synth_mix {
    const char *name;
    enum quants_type base, qkv, value, output, more; /* `more`: some attn_v and ffn_down      */
};

struct synth_shape {
    enum synth_arch arch;
    size_t layers, hidden, intermediate, heads, kv_heads, head_dim, vocabulary, context;
    bool tied;                  /* no output.weight                                    */
    struct synth_mix mix;
};

/* What the rows of a tensor, or of a part of it, are. */
enum synth_part {
    SYNTH_EMBEDDING, SYNTH_OUTPUT, SYNTH_OUTPUT_NORM, SYNTH_ATTENTION_NORM, SYNTH_FFN_NORM, SYNTH_Q, SYNTH_K,
    SYNTH_V, SYNTH_ATTENTION_OUTPUT, SYNTH_GATE, SYNTH_UP, SYNTH_DOWN, /* numbers are kept: a seed's weights hang on them */
    SYNTH_Q_BIAS, SYNTH_K_BIAS, SYNTH_V_BIAS, SYNTH_Q_NORM, SYNTH_K_NORM
};

#define SYNTH_PARTS 3

struct synth_tensor {
    char name[64];
    size_t layer;
    size_t columns;
    size_t rows;                     /* of all parts; 1 for a vector                   */
    bool vector;
    size_t parts;                    /* 1..SYNTH_PARTS, one behind the other           */
    enum synth_part part[SYNTH_PARTS];
    size_t part_rows[SYNTH_PARTS];
    const struct quants_format *format;
};

/* Reads a --type ("Q4_K", "q4_k_m"); false when it is unknown. */
bool synth_shape_mix(const char *name, struct synth_mix *mix);

/* Sizes that fit together? STATUS_USAGE names those that don't. Sets head_dim where it is 0. */
enum status synth_shape_check(struct synth_shape *shape, struct error *e) ERROR_MUST_USE;

/* Number of tensors, and tensor i. */
size_t synth_shape_tensors(const struct synth_shape *shape);
void synth_shape_tensor(const struct synth_shape *shape, size_t i, struct synth_tensor *tensor);

/* Elements of the widest row. */
size_t synth_shape_widest(const struct synth_shape *shape);

/* Adds the general.* keys and those of the architecture. */
void synth_shape_write(const struct synth_shape *shape, struct gguf_writer *w);

#endif
