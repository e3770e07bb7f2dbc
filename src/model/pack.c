/* pack.c - see pack.h.
 *
 * The same list of a layer's parts is walked twice: to announce tensors, and to write them. Fused tensors come
 * apart, since parts of one tensor are used at different times and each then has a name; what makes them fast, neighbouring rows, they
 * keep. llama's q and k rows are put in the order of halves, so that no reader has to look rows up.
 */
#include "pack.h"

#include <stdio.h>
#include <string.h>

#include "../formats/knot_writer.h"
#include "../quants/byte_order.h"
#include "fingerprint.h"

#define PARTS 16
#define TURNED 65536 /* bytes of a big-endian file that are turned round at once */

/* A tensor to be: rows of a matrix, or a vector as float32. */
struct part {
    const char *name; /* behind "blk.N."                                          */
    const struct weight *matrix;
    const struct weights_vector *vector;
};

struct parts {
    struct part part[PARTS];
    size_t count;
};

struct packing {
    const struct model_file *file;
    const struct weights *weights;
    struct knot_writer *writer;
};

static void add(struct parts *p, const char *name, const struct weight *matrix, const struct weights_vector *vector)
{
    if (matrix || vector->tensor)
        p->part[p->count++] = (struct part){name, matrix, vector};
}

/* In the order in which a layer uses them. */
static void list_parts(const struct weights_layer *l, struct parts *p)
{
    p->count = 0;
    add(p, "attn_norm.weight", NULL, &l->attention_norm);
    add(p, "attn_q.weight", &l->q, NULL);
    add(p, "attn_q.bias", NULL, &l->q_bias);
    add(p, "attn_q_norm.weight", NULL, &l->q_norm);
    add(p, "attn_k.weight", &l->k, NULL);
    add(p, "attn_k.bias", NULL, &l->k_bias);
    add(p, "attn_k_norm.weight", NULL, &l->k_norm);
    add(p, "attn_v.weight", &l->v, NULL);
    add(p, "attn_v.bias", NULL, &l->v_bias);
    add(p, "attn_output.weight", &l->output, NULL);
    add(p, "ffn_norm.weight", NULL, &l->ffn_norm);
    add(p, "ffn_gate.weight", &l->gate, NULL);
    add(p, "ffn_up.weight", &l->up, NULL);
    add(p, "ffn_down.weight", &l->down, NULL);
}

static void announce(struct packing *p, size_t layer, const struct part *part)
{
    char name[96];
    const int length = snprintf(name, sizeof name, "blk.%zu.%s", layer, part->name);
    struct model_file_tensor t = {.name = {name, (size_t)length}, .dimensions = 1, .dims = {1, 1, 1, 1}};
    if (part->matrix) {
        t.dimensions = 2;
        t.dims[0] = part->matrix->inputs;
        t.dims[1] = part->matrix->outputs;
        t.format = part->matrix->tensor->format;
        t.size = (uint64_t)part->matrix->row_bytes * part->matrix->outputs;
    } else {
        t.dims[0] = part->vector->count;
        t.format = quants_by_id(QUANTS_F32);
        t.size = part->vector->count * sizeof *part->vector->values;
    }
    knot_writer_tensor(p->writer, &t);
}

/* Whether a tensor is none of a layer's. The weights' own check has seen to it that all others are known. */
static bool is_common(const struct model_file_tensor *t)
{
    return t->name.length < 4 || memcmp(t->name.bytes, "blk.", 4) != 0;
}

static void announce_all(struct packing *p)
{
    struct parts parts;
    knot_writer_section(p->writer);
    for (size_t i = 0; i < model_file_tensor_count(p->file); i++)
        if (is_common(model_file_tensor_at(p->file, i)))
            knot_writer_tensor(p->writer, model_file_tensor_at(p->file, i));
    for (size_t l = 0; l < p->weights->layers; l++) {
        knot_writer_section(p->writer);
        list_parts(&p->weights->layer[l], &parts);
        for (size_t i = 0; i < parts.count; i++)
            announce(p, l, &parts.part[i]);
    }
}

/* Whole blocks of `t`, as a little-endian file has them. */
static enum status write_blocks(const struct packing *p, const struct model_file_tensor *t, const uint8_t *bytes, size_t size,
                                struct error *e)
{
    uint8_t turned[TURNED];
    const size_t block = t->format->block_bytes, most = TURNED / block;
    enum status s = STATUS_OK;
    if (!t->swapped)
        return knot_writer_data(p->writer, bytes, size, e);
    for (size_t left = size / block; left && s == STATUS_OK;) {
        const size_t now = left < most ? left : most;
        byte_order_swap(t->format, bytes, now, turned);
        s = knot_writer_data(p->writer, turned, now * block, e);
        bytes += now * block;
        left -= now;
    }
    return s;
}

/* Neighbouring rows in one go; rotary pairs row by row. float32 in memory is little-endian on every machine that phi3sat
 * supports. */
static enum status write_part(const struct packing *p, const struct part *part, struct error *e)
{
    const struct weight *m = part->matrix;
    enum status s = STATUS_OK;
    if (!m)
        return knot_writer_data(p->writer, part->vector->values, part->vector->count * sizeof *part->vector->values, e);
    const size_t step = m->pair_head ? 1 : m->outputs;
    for (size_t r = 0; r < m->outputs && s == STATUS_OK; r += step)
        s = write_blocks(p, m->tensor, weights_row(m, r), step * m->row_bytes, e);
    return s;
}

static enum status write_common(const struct packing *p, struct error *e)
{
    enum status s = STATUS_OK;
    for (size_t i = 0; i < model_file_tensor_count(p->file) && s == STATUS_OK; i++) {
        const struct model_file_tensor *t = model_file_tensor_at(p->file, i);
        if (is_common(t))
            s = write_blocks(p, t, t->bytes, (size_t)t->size, e);
    }
    return s;
}

static enum status write_layer(const struct packing *p, size_t layer, struct error *e)
{
    struct parts parts;
    enum status s = STATUS_OK;
    list_parts(&p->weights->layer[layer], &parts);
    for (size_t i = 0; i < parts.count && s == STATUS_OK; i++)
        s = write_part(p, &parts.part[i], e);
    return s;
}

/* The fingerprint is made from the source, so that it tells if what was written means something else. A source that has
 * checksums must agree with them, or damage would get sums of its own. */
static enum status write_section(const struct packing *p, const struct config *c, size_t section, struct error *e)
{
    const size_t layer = section ? section - 1 : 0;
    uint64_t hash[2];
    enum status s = section < model_file_section_count(p->file, NULL) ? model_file_verify(p->file, section, e) : STATUS_OK;
    if (s == STATUS_OK)
        s = section ? fingerprint_layer(c, p->weights, layer, hash, e) : fingerprint_globals(c, p->weights, hash, e);
    if (s != STATUS_OK)
        return s;
    knot_writer_fingerprint(p->writer, section, hash);
    return section ? write_layer(p, layer, e) : write_common(p, e);
}

enum status pack_write(const char *path, const struct model_file *file, const struct config *c, const struct weights *w,
                       const struct pack_watch *watch, struct pack_result *result, struct error *e)
{
    struct packing p = {file, w, NULL};
    enum status s = knot_writer_open(&p.writer, path, FINGERPRINT_VERSION, e);
    if (s != STATUS_OK)
        return s;
    result->nested_keys = knot_writer_copy_keys(p.writer, file);
    knot_writer_key_bool(p.writer, "phi3sat.rotary_halves", true);
    announce_all(&p);
    s = knot_writer_start(p.writer, e);
    result->bytes = knot_writer_size(p.writer);
    for (size_t i = 0; i <= w->layers && s == STATUS_OK; i++) {
        if (watch && watch->section)
            watch->section(watch->context, i, w->layers + 1);
        s = write_section(&p, c, i, e);
    }
    if (s == STATUS_OK)
        return knot_writer_commit(p.writer, e);
    knot_writer_abandon(p.writer);
    return s;
}
