/* export_gguf.c - see export_gguf.h.
 *
 * Keys general.type "imatrix", imatrix.datasets, imatrix.chunk_count and imatrix.chunk_size; for each matrix a
 * vector NAME.in_sum2, the sums of squares of its inputs, and one NAME.counts, how many rows were summed: whoever
 * quantises divides. llama.cpp reads it since August 2025. Chunks are our prompts; their size, in tokens, is such
 * that counts / chunk_size is about their number, since a conversion to the older form counts calls so.
 */
#include "export_gguf.h"

#include <stdio.h>

#include "../formats/gguf_writer.h"

#define NAME_LIMIT (EXPORT_IMATRIX_NAME + 16)

static void announce(struct gguf_writer *w, const struct export_imatrix *x, size_t layer)
{
    const struct quants_format *f32 = quants_by_id(QUANTS_F32);
    char entry[EXPORT_IMATRIX_NAME], name[NAME_LIMIT];
    export_imatrix_name(layer, entry);
    snprintf(name, sizeof name, "%s.counts", entry);
    gguf_writer_tensor(w, name, 1, 0, f32);
    snprintf(name, sizeof name, "%s.in_sum2", entry);
    gguf_writer_tensor(w, name, x->neurons, 0, f32);
}

static enum status put_values(struct gguf_writer *w, const struct export_imatrix *x, size_t layer, struct error *e)
{
    const float count = (float)x->samples[layer];
    enum status s = gguf_writer_data(w, &count, sizeof count, e);
    for (size_t i = 0; i < x->neurons && s == STATUS_OK; i++) {
        const float sum = (float)(x->mean_square[layer * x->neurons + i] * (double)x->samples[layer]);
        s = gguf_writer_data(w, &sum, sizeof sum, e);
    }
    return s;
}

static void put_keys(struct gguf_writer *w, const struct export_imatrix *x)
{
    const char *source = x->source;
    uint64_t most = 0;
    for (size_t layer = 0; layer < x->layers; layer++)
        most = x->samples[layer] > most ? x->samples[layer] : most;
    const uint64_t chunks = x->prompts ? x->prompts : 1, size = most / chunks + (most % chunks > 0);
    gguf_writer_key_text(w, "general.type", "imatrix");
    gguf_writer_key_texts(w, "imatrix.datasets", &source, 1);
    gguf_writer_key_u32(w, "imatrix.chunk_count", (uint32_t)(chunks > UINT32_MAX ? UINT32_MAX : chunks));
    gguf_writer_key_u32(w, "imatrix.chunk_size", (uint32_t)(size > UINT32_MAX ? UINT32_MAX : size));
}

enum status export_gguf_write(const struct export_imatrix *x, const char *path, struct error *e)
{
    struct gguf_writer *w = NULL;
    enum status s = gguf_writer_open(&w, path, e);
    if (s != STATUS_OK)
        return s;
    put_keys(w, x);
    for (size_t layer = 0; layer < x->layers; layer++)
        if (x->samples[layer])
            announce(w, x, layer);
    s = gguf_writer_start(w, e);
    for (size_t layer = 0; layer < x->layers && s == STATUS_OK; layer++)
        if (x->samples[layer])
            s = put_values(w, x, layer, e);
    if (s == STATUS_OK)
        return gguf_writer_commit(w, e);
    gguf_writer_abandon(w);
    return s;
}
