/* archive_writer.c - fills an archive layer by layer; see archive_writer.h.
 *
 * The caller has the whole state on no single rank: layers come gathered one by one,
 * and so they are written, each data set's layer as one chunk. Nothing of a
 * layer stays in memory.
 *
 * A full disk shows in H5Dwrite or H5Dclose, never reliably in H5Fclose; so every
 * result counts, data sets are closed one by one, and before the rename the file is
 * sealed, opened and checked as a reader would. Only then the old file goes.
 */
#include "archive_writer.h"

#include <assert.h>
#include <hdf5.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "../base/memory.h"
#include "../base/outfile.h"
#include "archive_reader.h"
#include "archive_seal.h"
#include "facts_io.h"
#include "hdf5_fault.h"
#include "layout.h"
#include "phi3sat.h"

struct archive_writer {
    char *path;
    char *temporary;                    /* beside it; NULL: none               */
    hid_t file;                         /* -1: none                            */
    hid_t scale[SCHEMA_DIMENSIONS];     /* -1: none yet                        */
    hid_t *dataset;                     /* [count]; -1: none yet               */
    size_t count;
    struct schema_sizes sizes;
    uint8_t *written;                   /* [layers]                            */
    char *flat;                         /* one piece, as the file wants it     */
    size_t flat_size;
    const struct archive_checkpoint *checkpoint; /* while it is finished; of a checkpoint */
};

enum status archive_writer_probe(const char *path, struct error *e)
{
    char *temporary;
    enum status status = outfile_reserve(path, &temporary, e);
    if (status != STATUS_OK)
        return status;
    hdf5_fault_watch();
    hid_t file = layout_create_file(temporary);
    if (file < 0 || H5Fclose(file) < 0)
        status = hdf5_fault(e, STATUS_OUTPUT, path, "can't be written");
    outfile_discard(temporary);
    memory_free(temporary);
    return status;
}

/* Room for a piece of any data set; grows when the prompts come. */
static enum status make_room(struct archive_writer *w, struct error *e)
{
    for (size_t i = 0; i < w->count; i++) {
        struct schema_item item = schema_item(w->sizes.kind, i);
        enum status status = memory_grow(&w->flat, &w->flat_size, schema_piece_size(item.row, &w->sizes), 1,
                                         "a piece of the archive", e);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static enum status create_all_but_prompts(struct archive_writer *w, struct error *e)
{
    for (int d = SCHEMA_LAYER; d < SCHEMA_PROMPT; d++) {
        w->scale[d] = layout_create_scale(w->file, (enum schema_dimension)d, w->sizes.of[d]);
        if (w->scale[d] < 0)
            return hdf5_fault(e, STATUS_OUTPUT, w->path, "can't be written (%s)", schema_dimension_name[d]);
    }
    for (size_t i = 0; schema_groups[i]; i++)
        if (!layout_create_group(w->file, schema_groups[i]))
            return hdf5_fault(e, STATUS_OUTPUT, w->path, "can't be written (%s)", schema_groups[i]);
    for (size_t i = 0; i < w->count; i++) {
        struct schema_item item = schema_item(w->sizes.kind, i);
        if (item.row->dimension[0] == SCHEMA_PROMPT)
            continue;
        w->dataset[i] = layout_create_dataset(w->file, &item, &w->sizes, w->scale);
        if (w->dataset[i] < 0)
            return hdf5_fault(e, STATUS_OUTPUT, w->path, "can't be written (%s)", item.path);
    }
    return STATUS_OK;
}

/* Everything in memory that the writer needs, and the empty file. */
static enum status prepare(struct archive_writer *w, const char *path, struct error *e)
{
    enum status status = memory_string(&w->path, path, e);
    if (status == STATUS_OK)
        status = memory_array(&w->dataset, w->count, sizeof *w->dataset, "the archive's data sets", e);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < w->count; i++)
        w->dataset[i] = -1;
    status = memory_array(&w->written, w->sizes.of[SCHEMA_LAYER], 1, "the archive's layers", e);
    if (status == STATUS_OK)
        status = make_room(w, e);
    if (status == STATUS_OK)
        status = outfile_reserve(path, &w->temporary, e);
    if (status != STATUS_OK)
        return status;
    w->file = layout_create_file(w->temporary);
    if (w->file < 0)
        return hdf5_fault(e, STATUS_OUTPUT, path, "can't be written");
    return create_all_but_prompts(w, e);
}

static struct schema_sizes sizes_of(enum schema_kind kind, bool quick, size_t layers, size_t neurons)
{
    struct schema_sizes sizes = {kind, {[SCHEMA_NONE] = 1, [SCHEMA_LAYER] = layers, [SCHEMA_NEURON] = neurons,
                                        [SCHEMA_RANK] = ACCUMULATOR_EXTREMES, [SCHEMA_LIMB] = ACCUMULATOR_LIMBS,
                                        [SCHEMA_WORD] = 2}, quick};
    return sizes;
}

static enum status open_kind(struct archive_writer **w, const char *path, const struct schema_sizes *what,
                             struct error *e)
{
    assert(what->of[SCHEMA_LAYER] > 0 && what->of[SCHEMA_NEURON] > 0);
    assert(what->of[SCHEMA_LAYER] <= INT32_MAX && what->of[SCHEMA_NEURON] <= INT32_MAX);
    struct archive_writer *fresh;
    *w = NULL;
    enum status status = memory_array(&fresh, 1, sizeof *fresh, "an archive's writer", e);
    if (status != STATUS_OK)
        return status;
    fresh->sizes = *what;
    fresh->count = schema_count(what->kind);
    fresh->file = -1;
    for (int d = 0; d < SCHEMA_DIMENSIONS; d++)
        fresh->scale[d] = -1;
    hdf5_fault_watch();
    status = prepare(fresh, path, e);
    if (status != STATUS_OK) {
        archive_writer_abandon(fresh);
        return status;
    }
    *w = fresh;
    return STATUS_OK;
}

enum status archive_writer_open(struct archive_writer **w, const char *path, size_t layers, size_t neurons,
                                struct error *e)
{
    const struct schema_sizes what = sizes_of(SCHEMA_ARCHIVE, false, layers, neurons);
    return open_kind(w, path, &what, e);
}

enum status archive_writer_open_quick(struct archive_writer **w, const char *path, size_t layers, size_t neurons,
                                      struct error *e)
{
    const struct schema_sizes what = sizes_of(SCHEMA_ARCHIVE, true, layers, neurons);
    return open_kind(w, path, &what, e);
}

enum status archive_writer_open_checkpoint(struct archive_writer **w, const char *path, size_t layers, size_t neurons,
                                           struct error *e)
{
    const struct schema_sizes what = sizes_of(SCHEMA_CHECKPOINT, true, layers, neurons);
    return open_kind(w, path, &what, e);
}

/* Writes w->flat as piece `layer` of data set i, or as all of it. */
static bool write_piece(struct archive_writer *w, size_t i, const struct schema_row *row, size_t layer)
{
    hsize_t start[SCHEMA_RANK_LIMIT] = {layer}, count[SCHEMA_RANK_LIMIT] = {1};
    int rank = schema_rank(row);
    hid_t type = schema_memory_type(row->type);
    if (!schema_by_layer(row))
        return H5Dwrite(w->dataset[i], type, H5S_ALL, H5S_ALL, H5P_DEFAULT, w->flat) >= 0;
    for (int d = 1; d < rank; d++)
        count[d] = w->sizes.of[row->dimension[d]];
    hid_t in_file = H5Dget_space(w->dataset[i]), in_memory = H5Screate_simple(rank, count, NULL);
    bool done = in_file >= 0 && in_memory >= 0 &&
                H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                H5Dwrite(w->dataset[i], type, in_memory, in_file, H5P_DEFAULT, w->flat) >= 0;
    if (in_file >= 0)
        H5Sclose(in_file);
    if (in_memory >= 0)
        H5Sclose(in_memory);
    return done;
}

/* Unused entries of the list as the file marks them: missing. */
static void mark_unused(struct accumulator_layer *layer)
{
    for (int i = 0; i < ACCUMULATOR_EXTREMES; i++) {
        struct accumulator_extreme *entry = &layer->extremes[i];
        if (entry->neuron >= 0)
            continue;
        memset(entry, 0, sizeof *entry);
        entry->neuron = entry->position = -1;
        entry->value = NAN;
    }
}

enum status archive_writer_layer(struct archive_writer *w, size_t layer, const struct archive_writer_layer_data *data,
                                 struct error *e)
{
    assert(layer < w->sizes.of[SCHEMA_LAYER]);
    assert(w->sizes.kind == SCHEMA_CHECKPOINT || data->metrics->neurons == w->sizes.of[SCHEMA_NEURON]);
    struct accumulator_layer facts = *data->layer;
    mark_unused(&facts);
    /* The schema serves readers too, hence its pointers to what may be written. */
    struct schema_memory memory = {.metrics = (struct metrics *)data->metrics,
                                   .row = (struct summary_row *)data->row,
                                   .layer = &facts};
    for (int s = 0; s < SERIES_COUNT; s++)
        memory.block[s] = (struct accumulator_block *)data->block[s];
    hdf5_fault_watch();
    for (size_t i = 0; i < w->count; i++) {
        struct schema_item item = schema_item(w->sizes.kind, i);
        if (!schema_by_layer(item.row))
            continue;
        schema_gather(&item, &w->sizes, &memory, w->flat);
        if (!write_piece(w, i, item.row, layer))
            return hdf5_fault(e, STATUS_OUTPUT, w->path, "can't be written (%s, layer %zu)", item.path, layer);
    }
    w->written[layer] = 1;
    return STATUS_OK;
}

/* The data sets that no layer has: prompts and fingerprints. */
static enum status write_wholes(struct archive_writer *w, const struct archive_facts *facts,
                                const struct prompt_set *prompts, struct error *e)
{
    struct schema_memory memory = {.prompts = prompts->entry, .fingerprints = facts->layer_fingerprint};
    w->sizes.of[SCHEMA_PROMPT] = prompts->count;
    enum status status = make_room(w, e);
    if (status != STATUS_OK)
        return status;
    w->scale[SCHEMA_PROMPT] = layout_create_scale(w->file, SCHEMA_PROMPT, prompts->count);
    if (w->scale[SCHEMA_PROMPT] < 0)
        return hdf5_fault(e, STATUS_OUTPUT, w->path, "can't be written (prompt)");
    for (size_t i = 0; i < w->count; i++) {
        struct schema_item item = schema_item(w->sizes.kind, i);
        if (schema_by_layer(item.row))
            continue;
        if (w->dataset[i] < 0)
            w->dataset[i] = layout_create_dataset(w->file, &item, &w->sizes, w->scale);
        schema_gather(&item, &w->sizes, &memory, w->flat);
        if (w->dataset[i] < 0 || !write_piece(w, i, item.row, 0))
            return hdf5_fault(e, STATUS_OUTPUT, w->path, "can't be written (%s)", item.path);
    }
    return STATUS_OK;
}

static enum status write_words(struct archive_writer *w, const struct archive_facts *facts,
                               const struct archive_run *run, struct error *e)
{
    hid_t root = H5Gopen2(w->file, "/", H5P_DEFAULT);
    hid_t group = H5Gopen2(w->file, PHI3SAT_GROUP_RUN, H5P_DEFAULT);
    bool checkpoint = w->sizes.kind == SCHEMA_CHECKPOINT;
    bool done = root >= 0 && group >= 0 &&
                facts_io_write(root, checkpoint ? PHI3SAT_FORMAT_CHECKPOINT : PHI3SAT_FORMAT, facts) &&
                (!checkpoint || facts_io_write_checkpoint(root, w->checkpoint)) && facts_io_write_run(group, run);
    if (root >= 0 && H5Gclose(root) < 0)
        done = false;
    if (group >= 0 && H5Gclose(group) < 0)
        done = false;
    return done ? STATUS_OK : hdf5_fault(e, STATUS_OUTPUT, w->path, "can't be written (attributes)");
}

static bool close_all(struct archive_writer *w)
{
    bool done = true;
    for (size_t i = 0; i < w->count; i++) {
        if (w->dataset[i] >= 0 && H5Dclose(w->dataset[i]) < 0)
            done = false;
        w->dataset[i] = -1;
    }
    for (int d = 0; d < SCHEMA_DIMENSIONS; d++) {
        if (w->scale[d] >= 0 && H5Dclose(w->scale[d]) < 0)
            done = false;
        w->scale[d] = -1;
    }
    if (w->file >= 0 && H5Fflush(w->file, H5F_SCOPE_GLOBAL) < 0)
        done = false;
    if (w->file >= 0 && H5Fclose(w->file) < 0)
        done = false;
    w->file = -1;
    return done;
}

/* H5Fclose may say all is well when it is not: opens the closed file as a reader. */
static enum status read_back(const struct archive_writer *w, struct error *e)
{
    struct archive_reader *reader;
    struct error inner;
    error_clear(&inner);
    enum status status = archive_reader_open_own(&reader, w->temporary, w->sizes.kind == SCHEMA_CHECKPOINT, &inner);
    if (status == STATUS_OK) {
        archive_reader_close(reader);
        return STATUS_OK;
    }
    error_set(e, STATUS_OUTPUT, "can't be written: what was written is not readable: %s", inner.sentence);
    error_advice(e, "check the free space and the folder");
    error_file(e, w->path);
    return STATUS_OUTPUT;
}

static enum status finish(struct archive_writer *w, const struct archive_facts *facts, const struct archive_run *run,
                          const struct prompt_set *prompts, struct error *e)
{
    for (size_t layer = 0; layer < w->sizes.of[SCHEMA_LAYER]; layer++)
        assert(w->written[layer]);
    assert(facts->layers == w->sizes.of[SCHEMA_LAYER] && facts->intermediate_size == w->sizes.of[SCHEMA_NEURON]);
    hdf5_fault_watch();
    enum status status = write_wholes(w, facts, prompts, e);
    if (status == STATUS_OK)
        status = write_words(w, facts, run, e);
    if (status == STATUS_OK && !close_all(w))
        status = hdf5_fault(e, STATUS_OUTPUT, w->path, "can't be written");
    if (status == STATUS_OK)
        status = archive_seal_write(w->temporary, w->path, e);
    if (status == STATUS_OK)
        status = read_back(w, e);
    if (status == STATUS_OK) {
        status = outfile_publish(w->temporary, w->path, e); /* removes the temporary if it fails */
        memory_free(w->temporary);
        w->temporary = NULL;
    }
    return status;
}

/* HDF5 may hold a file open that it could not close; emptied first, it gives its space back all
 * the same, which matters where the disk is full. */
static void remove_temporary(const char *temporary)
{
    if (!temporary)
        return;
    int emptied = truncate(temporary, 0);
    (void)emptied; /* gone already, or not to be helped */
    outfile_discard(temporary);
}

enum status archive_writer_finish(struct archive_writer *w, const struct archive_facts *facts,
                                  const struct archive_run *run, const struct prompt_set *prompts, struct error *e)
{
    enum status status = finish(w, facts, run, prompts, e);
    archive_writer_abandon(w);
    return status;
}

enum status archive_writer_finish_checkpoint(struct archive_writer *w, const struct archive_facts *facts,
                                             const struct archive_checkpoint *checkpoint, const struct archive_run *run,
                                             const struct prompt_set *prompts, struct error *e)
{
    w->checkpoint = checkpoint;
    return archive_writer_finish(w, facts, run, prompts, e);
}

void archive_writer_abandon(struct archive_writer *w)
{
    if (!w)
        return;
    hdf5_fault_watch();
    if (w->dataset)
        close_all(w);
    remove_temporary(w->temporary);
    memory_free(w->temporary);
    memory_free(w->path);
    memory_free(w->dataset);
    memory_free(w->written);
    memory_free(w->flat);
    memory_free(w);
}
