/* archive_reader.c - reads archives that nobody vouches for; see archive_reader.h.
 *
 * The order of checks: is it HDF5, is it ours, are the sizes sane and the same in the
 * attributes and the dimensions, has each data set of the schema its type, shape and all
 * its chunks, in this file and not behind a link or in another file. What remains is
 * found as data are read: the chunks' checksums, and numbers that other code uses
 * as an index.
 *
 * Sizes are checked before anything is allocated: a few bytes can claim a
 * data set of 2^60 neurons.
 */
#include "archive_reader.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "../base/memory.h"
#include "attributes.h"
#include "facts_io.h"
#include "hdf5_fault.h"
#include "layout.h"
#include "phi3sat.h"

/* More than any model has, and a layer of it still fits a small machine. */
#define LAYERS_LIMIT ((uint64_t)1 << 16)
#define NEURONS_LIMIT ((uint64_t)1 << 22)
/* A prompt's hash takes 16 bytes and doesn't compress: a file holds no more than
 * its size allows. */
#define PROMPT_BYTES 8
#define RUN_LIMIT 256 /* attributes of /run */

struct archive_reader {
    char *path;
    hid_t file;
    struct archive_facts facts;
    struct archive_checkpoint checkpoint; /* of a checkpoint                             */
    struct schema_sizes sizes;
    struct archive_reader_pair *run; /* [run_count] */
    size_t run_count;
    char *flat;                      /* one piece of any data set that goes by layers */
    size_t flat_size;
};

static enum status bad(const struct archive_reader *r, const char *path, const char *what, struct error *e)
{
    return hdf5_fault(e, STATUS_INPUT, r->path, "data set %s %s", path, what);
}

/* The signature stands at byte 0, or behind a user block of 512, 1024, 2048 ... bytes (HDF5's format
 * specification, superblock). */
bool archive_reader_matches(const uint8_t *bytes, size_t size)
{
    static const uint8_t signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    for (size_t at = 0; at < size && size - at >= sizeof signature; at = at ? 2 * at : 512)
        if (memcmp(bytes + at, signature, sizeof signature) == 0)
            return true;
    return false;
}

/* Missing, a folder, no permission: the system's words are better than HDF5's. */
static enum status look_at(const char *path, struct error *e)
{
    char byte;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int reason = fd < 0 ? errno : read(fd, &byte, 1) < 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    if (reason == 0)
        return STATUS_OK;
    error_set(e, STATUS_INPUT, "can't be read: %s", strerror(reason));
    error_advice(e, reason == ENOENT ? "check the path" : "check the file and its permissions");
    error_file(e, path);
    return STATUS_INPUT;
}

static enum status open_file(struct archive_reader *r, struct error *e)
{
    enum status status = look_at(r->path, e);
    if (status != STATUS_OK)
        return status;
    if (H5Fis_hdf5(r->path) == 0) {
        error_set(e, STATUS_INPUT, "is no HDF5 file");
        error_advice(e, "give the .h5 that phi3sat profile wrote");
        error_file(e, r->path);
        return STATUS_INPUT;
    }
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0)
        r->file = H5Fopen(r->path, H5F_ACC_RDONLY, access);
    if (access >= 0)
        H5Pclose(access);
    return r->file >= 0 ? STATUS_OK : hdf5_fault(e, STATUS_INPUT, r->path, "can't be opened as HDF5");
}

/* Each step of `path` must be a link to an object of this very file. */
static bool is_inside(hid_t file, const char *path)
{
    char part[96];
    H5L_info_t about;
    for (const char *s = path; s; s = *s ? strchr(s + 1, '/') : NULL) {
        size_t length = (size_t)(s - path);
        if (length == 0)
            continue;
        memcpy(part, path, length);
        part[length] = '\0';
        if (H5Lexists(file, part, H5P_DEFAULT) <= 0 || H5Lget_info(file, part, &about, H5P_DEFAULT) < 0 ||
            about.type != H5L_TYPE_HARD)
            return false;
    }
    return H5Lexists(file, path, H5P_DEFAULT) > 0 && H5Lget_info(file, path, &about, H5P_DEFAULT) >= 0 &&
           about.type == H5L_TYPE_HARD;
}

/* How many chunks of this size does it take? */
static hsize_t chunks_wanted(int rank, const hsize_t *extent, const hsize_t *chunk)
{
    hsize_t wanted = 1;
    for (int i = 0; i < rank; i++)
        wanted *= (extent[i] + chunk[i] - 1) / chunk[i];
    return wanted;
}

/* Are its bytes here, all of them? A chunk that isn't would read as the fill value.
 * Other files and virtual data sets are refused. */
static const char *check_storage(hid_t dataset, int rank, const hsize_t *extent)
{
    hsize_t chunk[H5S_MAX_RANK], chunks = 0;
    hid_t create = H5Dget_create_plist(dataset), space = H5Dget_space(dataset);
    H5D_layout_t layout = create >= 0 ? H5Pget_layout(create) : H5D_LAYOUT_ERROR;
    const char *wrong = NULL;
    if (layout == H5D_LAYOUT_ERROR || layout == H5D_VIRTUAL || H5Pget_external_count(create) != 0)
        wrong = "lies in another file";
    else if (layout == H5D_CHUNKED &&
             (H5Pget_chunk(create, rank, chunk) != rank || H5Dget_num_chunks(dataset, space, &chunks) < 0 ||
              chunks != chunks_wanted(rank, extent, chunk)))
        wrong = "is incomplete";
    if (create >= 0)
        H5Pclose(create);
    if (space >= 0)
        H5Sclose(space);
    return wrong;
}

/* NULL when the open data set is what the row wants. */
static const char *check_shape(hid_t dataset, const struct schema_row *row, const struct schema_sizes *sizes)
{
    hsize_t extent[H5S_MAX_RANK];
    hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    bool same_type = type >= 0 && H5Tequal(type, schema_file_type(row->type)) > 0;
    int rank = space >= 0 ? H5Sget_simple_extent_dims(space, extent, NULL) : -1;
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    if (!same_type)
        return "has another type";
    if (rank != schema_rank(row))
        return "has another number of dimensions";
    for (int i = 0; i < rank; i++)
        if (extent[i] != sizes->of[row->dimension[i]])
            return "has another shape";
    return check_storage(dataset, rank, extent);
}

/* Opens data set `item`; -1 with the error filled. */
static hid_t open_dataset(const struct archive_reader *r, const struct schema_item *item, struct error *e)
{
    if (!is_inside(r->file, item->path)) {
        bad(r, item->path, "is missing", e);
        return -1;
    }
    hid_t access = layout_access(item->row);
    hid_t dataset = access >= 0 ? H5Dopen2(r->file, item->path, access) : -1;
    if (access >= 0)
        H5Pclose(access);
    const char *wrong = dataset < 0 ? "can't be opened" : check_shape(dataset, item->row, &r->sizes);
    if (!wrong)
        return dataset;
    bad(r, item->path, wrong, e);
    if (dataset >= 0)
        H5Dclose(dataset);
    return -1;
}

/* The length of a dimension's scale. */
static enum status read_extent(struct archive_reader *r, enum schema_dimension dimension, uint64_t limit,
                               struct error *e)
{
    const char *name = schema_dimension_name[dimension];
    hsize_t extent[H5S_MAX_RANK] = {0};
    hid_t scale = is_inside(r->file, name) ? H5Dopen2(r->file, name, H5P_DEFAULT) : -1;
    hid_t space = scale >= 0 ? H5Dget_space(scale) : -1;
    int rank = space >= 0 ? H5Sget_simple_extent_dims(space, extent, NULL) : -1;
    enum status status = STATUS_OK;
    if (rank != 1)
        status = bad(r, name, "is missing or no list", e);
    else if (extent[0] > limit)
        status = bad(r, name, "is longer than any model or prompt set", e);
    if (space >= 0)
        H5Sclose(space);
    if (scale >= 0)
        H5Dclose(scale);
    r->sizes.of[dimension] = extent[0];
    return status;
}

static enum status check_sizes(struct archive_reader *r, struct error *e)
{
    r->sizes.of[SCHEMA_NONE] = 1;
    r->sizes.of[SCHEMA_RANK] = ACCUMULATOR_EXTREMES;
    r->sizes.of[SCHEMA_LIMB] = ACCUMULATOR_LIMBS;
    r->sizes.of[SCHEMA_WORD] = 2;
    hsize_t file_size = 0;
    if (H5Fget_filesize(r->file, &file_size) < 0)
        return hdf5_fault(e, STATUS_INPUT, r->path, "has no size");
    enum status status = read_extent(r, SCHEMA_LAYER, LAYERS_LIMIT, e);
    if (status == STATUS_OK)
        status = read_extent(r, SCHEMA_NEURON, NEURONS_LIMIT, e);
    if (status == STATUS_OK)
        status = read_extent(r, SCHEMA_PROMPT, file_size / PROMPT_BYTES, e);
    if (status != STATUS_OK)
        return status;
    if (r->facts.layers == 0 || r->facts.layers != r->sizes.of[SCHEMA_LAYER])
        return hdf5_fault(e, STATUS_INPUT, r->path, "attribute layers and dimension layer disagree");
    if (r->facts.intermediate_size == 0 || r->facts.intermediate_size != r->sizes.of[SCHEMA_NEURON])
        return hdf5_fault(e, STATUS_INPUT, r->path, "attribute intermediate_size and dimension neuron disagree");
    return STATUS_OK;
}

static enum status check_datasets(struct archive_reader *r, struct error *e)
{
    for (size_t i = 0; i < schema_count(r->sizes.kind); i++) {
        struct schema_item item = schema_item(r->sizes.kind, i);
        hid_t dataset = open_dataset(r, &item, e);
        if (dataset < 0)
            return STATUS_INPUT;
        H5Dclose(dataset);
        if (!schema_by_layer(item.row))
            continue;
        enum status status = memory_grow(&r->flat, &r->flat_size, schema_piece_size(item.row, &r->sizes), 1,
                                         "a piece of the archive", e);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static enum status read_facts(struct archive_reader *r, struct error *e)
{
    hid_t root = H5Gopen2(r->file, "/", H5P_DEFAULT);
    if (root < 0)
        return hdf5_fault(e, STATUS_INPUT, r->path, "has no readable root");
    bool checkpoint = r->sizes.kind == SCHEMA_CHECKPOINT;
    enum status status = facts_io_read(root, r->path, checkpoint ? PHI3SAT_FORMAT_CHECKPOINT : PHI3SAT_FORMAT,
                                       &r->facts, e);
    if (status == STATUS_OK && checkpoint)
        status = facts_io_read_checkpoint(root, r->path, &r->checkpoint, e);
    H5Gclose(root);
    return status;
}

struct run_reading {
    struct archive_reader *r;
    size_t capacity;
    bool failed;
};

/* Attributes of no kind that we write are passed over: newer versions may add some. */
static herr_t read_pair(hid_t group, const char *name, const H5A_info_t *about, void *user)
{
    struct run_reading *reading = user;
    struct archive_reader *r = reading->r;
    char *value;
    (void)about;
    reading->failed = !attributes_get_any(group, name, &value);
    if (reading->failed)
        return -1;
    if (r->run_count >= RUN_LIMIT || !value) {
        memory_free(value);
        return 0;
    }
    if (memory_grow(&r->run, &reading->capacity, r->run_count + 1, sizeof *r->run, "the run's attributes", NULL) !=
        STATUS_OK) {
        memory_free(value);
        hdf5_fault_note("no memory is left");
        reading->failed = true;
        return -1;
    }
    struct archive_reader_pair *pair = &r->run[r->run_count++];
    pair->value = value;
    reading->failed = memory_string(&pair->name, name, NULL) != STATUS_OK;
    if (reading->failed)
        hdf5_fault_note("no memory is left");
    return reading->failed ? -1 : 0;
}

static enum status read_run(struct archive_reader *r, struct error *e)
{
    struct run_reading reading = {.r = r};
    hsize_t position = 0;
    hid_t group = is_inside(r->file, PHI3SAT_GROUP_RUN) ? H5Gopen2(r->file, PHI3SAT_GROUP_RUN, H5P_DEFAULT) : -1;
    if (group < 0)
        return hdf5_fault(e, STATUS_INPUT, r->path, "has no group " PHI3SAT_GROUP_RUN);
    herr_t result = H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_NATIVE, &position, read_pair, &reading);
    H5Gclose(group);
    if (result >= 0 && !reading.failed)
        return STATUS_OK;
    return hdf5_fault(e, STATUS_INPUT, r->path, "attributes of group run can't be read");
}

/* Reads all of `item`, or its layer, into flat. */
static enum status read_piece(struct archive_reader *r, const struct schema_item *item, size_t layer, void *flat,
                              struct error *e)
{
    hsize_t start[SCHEMA_RANK_LIMIT] = {layer}, count[SCHEMA_RANK_LIMIT] = {1};
    int rank = schema_rank(item->row);
    hid_t dataset = open_dataset(r, item, e);
    if (dataset < 0)
        return STATUS_INPUT;
    if (!schema_by_layer(item->row))
        start[0] = 0, count[0] = r->sizes.of[item->row->dimension[0]];
    for (int d = 1; d < rank; d++)
        count[d] = r->sizes.of[item->row->dimension[d]];
    hid_t in_file = H5Dget_space(dataset), in_memory = H5Screate_simple(rank, count, NULL);
    enum status status = STATUS_OK;
    if (in_file < 0 || in_memory < 0 ||
        H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, NULL, count, NULL) < 0 ||
        H5Dread(dataset, schema_memory_type(item->row->type), in_memory, in_file, H5P_DEFAULT, flat) < 0)
        status = bad(r, item->path, "can't be read", e);
    if (in_file >= 0)
        H5Sclose(in_file);
    if (in_memory >= 0)
        H5Sclose(in_memory);
    H5Dclose(dataset);
    return status;
}

/* Reads all rows of one source and scatters them into memory. */
static enum status read_source(struct archive_reader *r, enum schema_source source, size_t layer,
                               const struct schema_memory *memory, void *flat, struct error *e)
{
    for (size_t i = 0; i < schema_count(r->sizes.kind); i++) {
        struct schema_item item = schema_item(r->sizes.kind, i);
        if (item.row->source != source)
            continue;
        enum status status = read_piece(r, &item, layer, flat, e);
        if (status != STATUS_OK)
            return status;
        schema_scatter(&item, &r->sizes, memory, flat);
    }
    return STATUS_OK;
}

static enum status read_fingerprints(struct archive_reader *r, struct error *e)
{
    size_t layers = r->sizes.of[SCHEMA_LAYER];
    void *flat = NULL;
    struct schema_memory memory = {0};
    enum status status = memory_array(&r->facts.layer_fingerprint, layers, sizeof *r->facts.layer_fingerprint,
                                      "the layers' hashes", e);
    if (status == STATUS_OK)
        status = memory_array(&flat, layers, sizeof *r->facts.layer_fingerprint, "the layers' hashes", e);
    memory.fingerprints = r->facts.layer_fingerprint;
    if (status == STATUS_OK)
        status = read_source(r, SCHEMA_FINGERPRINTS, 0, &memory, flat, e);
    memory_free(flat);
    return status;
}

static enum status open_and_check(struct archive_reader *r, const char *path, struct error *e)
{
    enum status status = memory_string(&r->path, path, e);
    if (status == STATUS_OK)
        status = open_file(r, e);
    if (status == STATUS_OK)
        status = read_facts(r, e);
    if (status == STATUS_OK)
        status = check_sizes(r, e);
    if (status == STATUS_OK)
        status = check_datasets(r, e);
    if (status == STATUS_OK)
        status = read_fingerprints(r, e);
    return status == STATUS_OK ? read_run(r, e) : status;
}

static enum status open_kind(struct archive_reader **r, const char *path, enum schema_kind kind, struct error *e)
{
    struct archive_reader *fresh;
    *r = NULL;
    enum status status = memory_array(&fresh, 1, sizeof *fresh, "an archive's reader", e);
    if (status != STATUS_OK)
        return status;
    fresh->file = -1;
    fresh->sizes.kind = kind;
    hdf5_fault_watch();
    status = open_and_check(fresh, path, e);
    if (status != STATUS_OK) {
        archive_reader_close(fresh);
        return status;
    }
    *r = fresh;
    return STATUS_OK;
}

enum status archive_reader_open(struct archive_reader **r, const char *path, struct error *e)
{
    return open_kind(r, path, SCHEMA_ARCHIVE, e);
}

enum status archive_reader_open_checkpoint(struct archive_reader **r, const char *path, struct error *e)
{
    return open_kind(r, path, SCHEMA_CHECKPOINT, e);
}

const struct archive_checkpoint *archive_reader_checkpoint(const struct archive_reader *r)
{
    return &r->checkpoint;
}

void archive_reader_close(struct archive_reader *r)
{
    if (!r)
        return;
    if (r->file >= 0)
        H5Fclose(r->file);
    for (size_t i = 0; i < r->run_count; i++) {
        memory_free(r->run[i].name);
        memory_free(r->run[i].value);
    }
    memory_free(r->run);
    memory_free(r->facts.layer_fingerprint);
    memory_free(r->path);
    memory_free(r->flat);
    memory_free(r);
}

const struct archive_facts *archive_reader_facts(const struct archive_reader *r)
{
    return &r->facts;
}

const struct archive_reader_pair *archive_reader_run(const struct archive_reader *r, size_t *count)
{
    *count = r->run_count;
    return r->run;
}

const char *archive_reader_run_value(const struct archive_reader *r, const char *name)
{
    for (size_t i = 0; i < r->run_count; i++)
        if (strcmp(r->run[i].name, name) == 0)
            return r->run[i].value;
    return NULL;
}

size_t archive_reader_dataset_count(void)
{
    return schema_count(SCHEMA_ARCHIVE);
}

enum status archive_reader_dataset_at(const struct archive_reader *r, size_t i, struct archive_reader_dataset *d,
                                      struct error *e)
{
    static const char *const type[] = {
        [SCHEMA_U8] = "uint8",   [SCHEMA_I32] = "int32",   [SCHEMA_U32] = "uint32",
        [SCHEMA_U64] = "uint64", [SCHEMA_F32] = "float32", [SCHEMA_F64] = "float64"};
    struct schema_item item = schema_item(r->sizes.kind, i);
    hdf5_fault_watch();
    memset(d, 0, sizeof *d);
    hid_t dataset = open_dataset(r, &item, e);
    if (dataset < 0)
        return STATUS_INPUT;
    memcpy(d->path, item.path, sizeof d->path);
    memcpy(d->group, item.group, sizeof d->group);
    d->type = type[item.row->type];
    d->dimensions = (size_t)schema_rank(item.row);
    d->bytes = schema_type_size(item.row->type); /* the sizes were checked: the product fits */
    for (size_t k = 0; k < d->dimensions; k++) {
        d->shape[k] = r->sizes.of[item.row->dimension[k]];
        d->bytes *= d->shape[k];
    }
    d->stored = H5Dget_storage_size(dataset);
    d->pieces = schema_by_layer(item.row) ? r->sizes.of[SCHEMA_LAYER] : 1;
    d->piece_bytes = schema_piece_size(item.row, &r->sizes);
    H5Dclose(dataset);
    return STATUS_OK;
}

enum status archive_reader_dataset_read(struct archive_reader *r, size_t i, size_t piece, void *flat, struct error *e)
{
    struct schema_item item = schema_item(r->sizes.kind, i);
    hdf5_fault_watch();
    return read_piece(r, &item, piece, flat, e);
}

/* Entries without a neuron become as accumulator_layer_clear leaves them; others must name one and be
 * finite, and are offered one by one, so that the list is in order whatever the file says. */
static enum status check_extremes(const struct archive_reader *r, struct accumulator_layer *layer, struct error *e)
{
    struct accumulator_extreme found[ACCUMULATOR_EXTREMES];
    memcpy(found, layer->extremes, sizeof found);
    accumulator_layer_clear(layer);
    for (int i = 0; i < ACCUMULATOR_EXTREMES; i++) {
        const struct accumulator_extreme *entry = &found[i];
        if (entry->neuron < -1 || entry->neuron >= (int64_t)r->sizes.of[SCHEMA_NEURON] || entry->position < -1)
            return bad(r, PHI3SAT_GROUP_EXTREMES "/neuron", "names a neuron or position that isn't there", e);
        if (entry->neuron >= 0 && !isfinite(entry->value))
            return bad(r, PHI3SAT_GROUP_EXTREMES "/value", "has no value for a neuron", e);
        if (entry->neuron >= 0)
            accumulator_extreme_offer(layer, entry);
    }
    return STATUS_OK;
}

static enum status read_extremes(struct archive_reader *r, size_t layer, struct accumulator_layer *facts,
                                 struct error *e)
{
    struct schema_memory memory = {.layer = facts};
    accumulator_layer_clear(facts);
    enum status status = read_source(r, SCHEMA_EXTREME, layer, &memory, r->flat, e);
    return status == STATUS_OK ? check_extremes(r, facts, e) : status;
}

static enum status check_saturated(const struct archive_reader *r, const struct metrics *m, struct error *e)
{
    for (size_t i = 0; i < m->neurons; i++)
        if (m->saturated[i] > 1)
            return bad(r, PHI3SAT_GROUP_SATURATION "/" PHI3SAT_SATURATED, "holds something other than 0 and 1", e);
    return STATUS_OK;
}

enum status archive_reader_metrics(struct archive_reader *r, size_t layer, struct metrics *m, struct error *e)
{
    static const enum schema_source sources[] = {SCHEMA_METRIC, SCHEMA_NONFINITE, SCHEMA_COUNT, SCHEMA_FLAGS,
                                                 SCHEMA_SATURATED};
    struct schema_memory memory = {.metrics = m};
    struct accumulator_layer facts;
    assert(layer < r->sizes.of[SCHEMA_LAYER] && m->neurons == r->sizes.of[SCHEMA_NEURON]);
    hdf5_fault_watch();
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        enum status status = read_source(r, sources[i], layer, &memory, r->flat, e);
        if (status != STATUS_OK)
            return status;
    }
    enum status status = read_extremes(r, layer, &facts, e);
    if (status != STATUS_OK)
        return status;
    memcpy(m->extremes, facts.extremes, sizeof m->extremes);
    return check_saturated(r, m, e);
}

enum status archive_reader_summary(struct archive_reader *r, size_t layer, struct summary_row *row, struct error *e)
{
    struct schema_memory memory = {.row = row};
    assert(layer < r->sizes.of[SCHEMA_LAYER]);
    hdf5_fault_watch();
    memset(row, 0, sizeof *row);
    return read_source(r, SCHEMA_SUMMARY, layer, &memory, r->flat, e);
}

enum status archive_reader_state(struct archive_reader *r, size_t layer,
                                 struct accumulator_block *const block[SERIES_COUNT], struct accumulator_layer *facts,
                                 struct error *e)
{
    struct schema_memory memory = {.layer = facts};
    size_t blocks = (r->sizes.of[SCHEMA_NEURON] + SUMS_LANES - 1) / SUMS_LANES;
    assert(layer < r->sizes.of[SCHEMA_LAYER]);
    hdf5_fault_watch();
    for (int s = 0; s < SERIES_COUNT; s++) {
        memory.block[s] = block[s];
        accumulator_block_clear(&block[s][blocks - 1]); /* its spare lanes */
    }
    enum status status = read_extremes(r, layer, facts, e);
    if (status == STATUS_OK)
        status = read_source(r, SCHEMA_FACTS, layer, &memory, r->flat, e);
    return status == STATUS_OK ? read_source(r, SCHEMA_BLOCK, layer, &memory, r->flat, e) : status;
}

/* Sorted, no hash twice, each there at least once, and as many as the facts say. */
static enum status check_prompts(const struct archive_reader *r, const struct prompt_set *set, struct error *e)
{
    uint64_t prompts = 0;
    const bool checkpoint = r->sizes.kind == SCHEMA_CHECKPOINT;
    for (size_t i = 0; i < set->count; i++) {
        if (i && !prompt_set_ascends(&set->entry[i - 1], &set->entry[i]))
            return bad(r, "state/prompt_hash", "is not in ascending order", e);
        if (set->entry[i].multiplicity == 0)
            return bad(r, "state/prompt_multiplicity", "holds a 0", e);
        if (checkpoint && (set->entry[i].layers == 0 || set->entry[i].layers > r->facts.layers))
            return bad(r, "state/prompt_layers", "is no number of layers", e);
        if (__builtin_add_overflow(prompts, set->entry[i].multiplicity, &prompts))
            return bad(r, "state/prompt_multiplicity", "counts too many prompts", e);
    }
    if (prompts != r->facts.prompts)
        return bad(r, "state/prompt_multiplicity", "disagrees with the attribute prompts", e);
    return STATUS_OK;
}

enum status archive_reader_prompts(struct archive_reader *r, struct prompt_set *set, struct error *e)
{
    size_t count = r->sizes.of[SCHEMA_PROMPT];
    void *flat = NULL;
    hdf5_fault_watch();
    prompt_set_free(set);
    enum status status = memory_array(&set->entry, count, sizeof *set->entry, "the set of prompts", e);
    if (status == STATUS_OK)
        status = memory_array(&flat, count, 2 * sizeof(uint64_t), "the set of prompts", e);
    if (status == STATUS_OK) {
        struct schema_memory memory = {.prompts = set->entry};
        set->capacity = set->count = count;
        status = read_source(r, SCHEMA_PROMPTS, 0, &memory, flat, e);
        if (status == STATUS_OK)
            status = read_source(r, SCHEMA_PROMPT_LAYERS, 0, &memory, flat, e);
    }
    if (status == STATUS_OK)
        status = check_prompts(r, set, e);
    if (status != STATUS_OK)
        prompt_set_free(set);
    memory_free(flat);
    return status;
}
