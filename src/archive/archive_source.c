/* archive_source.c - asks HDF5 for what a file claims to hold; see archive_source.h.
 *
 * The order of checks: is it HDF5, is it ours, are the sizes sane and the same in the
 * attributes and the dimensions, has each data set of the schema its type, shape and all
 * its chunks, in this file and not behind a link or in another file. What remains is
 * found as data are read: the chunks' checksums (here), and numbers that other code uses
 * as an index (archive_reader.c).
 *
 * Sizes are checked before anything is allocated: a few bytes can claim a
 * data set of 2^60 neurons.
 */
#include "archive_source.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/memory.h"
#include "attributes.h"
#include "facts_io.h"
#include "hdf5_fault.h"
#include "layout.h"
#include "phi3sat.h"

/* A prompt's hash takes 16 bytes and doesn't compress: a file holds no more than
 * its size allows. */
#define PROMPT_BYTES 8

struct archive_source {
    char *path;
    hid_t file;
    bool own;                   /* nobody else's: needs no lock */
    struct archive_opened told; /* all but layer_fingerprint */
};

static enum status bad(const struct archive_source *r, const char *path, const char *what, struct error *e)
{
    return hdf5_fault(e, STATUS_INPUT, r->path, "data set %s %s", path, what);
}

/* Missing, a folder, no permission: the system's words are better than HDF5's, which would wait for a pipe. */
static enum status look_at(const char *path, struct error *e)
{
    char byte;
    struct stat about = {.st_mode = 0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    int reason = fd < 0 || fstat(fd, &about) != 0 ? errno : 0;
    bool regular = S_ISREG(about.st_mode) || S_ISDIR(about.st_mode);
    if (reason == 0 && regular && read(fd, &byte, 1) < 0)
        reason = errno;
    if (fd >= 0)
        close(fd);
    if (reason == 0 && regular)
        return STATUS_OK;
    error_set(e, STATUS_INPUT, reason ? "can't be read: %s" : "is a device or a pipe, where an archive must be a file%.0s",
              strerror(reason));
    error_advice(e, reason == ENOENT ? "check the path" : "check the file and its permissions");
    return error_file(e, path);
}

static enum status open_file(struct archive_source *r, struct error *e)
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
    if (access >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 && (!r->own || hdf5_fault_unlocked(access)))
        r->file = H5Fopen(r->path, H5F_ACC_RDONLY, access);
    /* Locks keep writers out; where there are none, reading is what the user wants. */
    if (access >= 0 && r->file < 0 && hdf5_fault_no_locks() && hdf5_fault_unlocked(access))
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

/* A chunk is unpacked whole: one of gigabytes of zeros takes next to nothing in a file. */
static bool chunks_fit(int rank, const hsize_t *extent, const hsize_t *chunk)
{
    for (int i = 0; i < rank; i++)
        if (chunk[i] > extent[i])
            return false;
    return true;
}

/* How many chunks of this size does it take? */
static hsize_t chunks_wanted(int rank, const hsize_t *extent, const hsize_t *chunk)
{
    hsize_t wanted = 1;
    for (int i = 0; i < rank; i++)
        wanted *= (extent[i] + chunk[i] - 1) / chunk[i];
    return wanted;
}

/* Are its bytes in this file? Asked first: HDF5 opens the files of a virtual data set as soon as its extent is asked
 * for, and they may be anything. */
static bool is_here(hid_t dataset)
{
    hid_t create = H5Dget_create_plist(dataset);
    H5D_layout_t layout = create >= 0 ? H5Pget_layout(create) : H5D_LAYOUT_ERROR;
    bool here = layout != H5D_LAYOUT_ERROR && layout != H5D_VIRTUAL && H5Pget_external_count(create) == 0;
    if (create >= 0)
        H5Pclose(create);
    return here;
}

/* Are all of its chunks there? One that isn't would read as the fill value. */
static const char *check_chunks(hid_t dataset, int rank, const hsize_t *extent)
{
    hsize_t chunk[H5S_MAX_RANK], chunks = 0;
    hid_t create = H5Dget_create_plist(dataset), space = H5Dget_space(dataset);
    const char *wrong = NULL;
    if (create < 0 || (H5Pget_layout(create) == H5D_CHUNKED &&
                       (H5Pget_chunk(create, rank, chunk) != rank || H5Dget_num_chunks(dataset, space, &chunks) < 0 ||
                        chunks != chunks_wanted(rank, extent, chunk))))
        wrong = "is incomplete";
    else if (H5Pget_layout(create) == H5D_CHUNKED && !chunks_fit(rank, extent, chunk))
        wrong = "is stored in pieces larger than itself";
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
    if (!is_here(dataset))
        return "lies in another file";
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
    return check_chunks(dataset, rank, extent);
}

/* Opens data set `item`; -1 with the error filled. */
static hid_t open_dataset(const struct archive_source *r, const struct schema_item *item, struct error *e)
{
    if (!is_inside(r->file, item->path)) {
        bad(r, item->path, "is missing", e);
        return -1;
    }
    hid_t access = layout_access(item->row);
    hid_t dataset = access >= 0 ? H5Dopen2(r->file, item->path, access) : -1;
    if (access >= 0)
        H5Pclose(access);
    const char *wrong = dataset < 0 ? "can't be opened" : check_shape(dataset, item->row, &r->told.sizes);
    if (!wrong)
        return dataset;
    bad(r, item->path, wrong, e);
    if (dataset >= 0)
        H5Dclose(dataset);
    return -1;
}

/* The length of a dimension's scale. */
static enum status read_extent(struct archive_source *r, enum schema_dimension dimension, uint64_t limit,
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
    r->told.sizes.of[dimension] = extent[0];
    return status;
}

static enum status check_sizes(struct archive_source *r, struct error *e)
{
    r->told.sizes.of[SCHEMA_NONE] = 1;
    r->told.sizes.of[SCHEMA_RANK] = ACCUMULATOR_EXTREMES;
    r->told.sizes.of[SCHEMA_LIMB] = ACCUMULATOR_LIMBS;
    r->told.sizes.of[SCHEMA_WORD] = 2;
    hsize_t file_size = 0;
    if (H5Fget_filesize(r->file, &file_size) < 0)
        return hdf5_fault(e, STATUS_INPUT, r->path, "has no size");
    enum status status = read_extent(r, SCHEMA_LAYER, ARCHIVE_SOURCE_LAYERS_LIMIT, e);
    if (status == STATUS_OK)
        status = read_extent(r, SCHEMA_NEURON, ARCHIVE_SOURCE_NEURONS_LIMIT, e);
    if (status == STATUS_OK)
        status = read_extent(r, SCHEMA_PROMPT, file_size / PROMPT_BYTES, e);
    if (status != STATUS_OK)
        return status;
    if (r->told.facts.layers == 0 || r->told.facts.layers != r->told.sizes.of[SCHEMA_LAYER])
        return hdf5_fault(e, STATUS_INPUT, r->path, "attribute layers and dimension layer disagree");
    if (r->told.facts.intermediate_size == 0 || r->told.facts.intermediate_size != r->told.sizes.of[SCHEMA_NEURON])
        return hdf5_fault(e, STATUS_INPUT, r->path, "attribute intermediate_size and dimension neuron disagree");
    return STATUS_OK;
}

static enum status check_datasets(struct archive_source *r, struct error *e)
{
    for (size_t i = 0; i < schema_count(r->told.sizes.kind); i++) {
        struct schema_item item = schema_item(r->told.sizes.kind, i);
        hid_t dataset = open_dataset(r, &item, e);
        if (dataset < 0)
            return STATUS_INPUT;
        H5Dclose(dataset);
    }
    return STATUS_OK;
}

static enum status read_facts(struct archive_source *r, struct error *e)
{
    hid_t root = H5Gopen2(r->file, "/", H5P_DEFAULT);
    if (root < 0)
        return hdf5_fault(e, STATUS_INPUT, r->path, "has no readable root");
    bool checkpoint = r->told.sizes.kind == SCHEMA_CHECKPOINT;
    enum status status = facts_io_read(root, r->path, checkpoint ? PHI3SAT_FORMAT_CHECKPOINT : PHI3SAT_FORMAT,
                                       &r->told.facts, e);
    if (status == STATUS_OK && checkpoint)
        status = facts_io_read_checkpoint(root, r->path, &r->told.checkpoint, e);
    H5Gclose(root);
    return status;
}

struct run_reading {
    struct archive_source *r;
    size_t capacity;
    bool failed;
};

/* Attributes of no kind that we write are passed over: newer versions may add some. */
static herr_t read_pair(hid_t group, const char *name, const H5A_info_t *about, void *user)
{
    struct run_reading *reading = user;
    struct archive_source *r = reading->r;
    char *value;
    (void)about;
    reading->failed = !attributes_get_any(group, name, &value);
    if (reading->failed)
        return -1;
    if (r->told.run_count >= ARCHIVE_SOURCE_RUN_LIMIT || !value) {
        memory_free(value);
        return 0;
    }
    if (memory_grow(&r->told.run, &reading->capacity, r->told.run_count + 1, sizeof *r->told.run, "the run's attributes", NULL) !=
        STATUS_OK) {
        memory_free(value);
        hdf5_fault_memory();
        reading->failed = true;
        return -1;
    }
    struct archive_reader_pair *pair = &r->told.run[r->told.run_count++];
    pair->value = value;
    reading->failed = memory_string(&pair->name, name, NULL) != STATUS_OK;
    if (reading->failed)
        hdf5_fault_memory();
    return reading->failed ? -1 : 0;
}

static enum status read_run(struct archive_source *r, struct error *e)
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

enum status archive_source_piece(struct archive_source *r, size_t i, size_t layer, void *flat, struct error *e)
{
    const struct schema_item item = schema_item(r->told.sizes.kind, i);
    hsize_t start[SCHEMA_RANK_LIMIT] = {layer}, count[SCHEMA_RANK_LIMIT] = {1};
    const int rank = schema_rank(item.row);
    hdf5_fault_watch();
    hid_t dataset = open_dataset(r, &item, e);
    if (dataset < 0)
        return STATUS_INPUT;
    if (!schema_by_layer(item.row))
        start[0] = 0, count[0] = r->told.sizes.of[item.row->dimension[0]];
    for (int d = 1; d < rank; d++)
        count[d] = r->told.sizes.of[item.row->dimension[d]];
    hid_t in_file = H5Dget_space(dataset), in_memory = H5Screate_simple(rank, count, NULL);
    enum status status = STATUS_OK;
    if (in_file < 0 || in_memory < 0 ||
        H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, NULL, count, NULL) < 0 ||
        H5Dread(dataset, schema_memory_type(item.row->type), in_memory, in_file, H5P_DEFAULT, flat) < 0)
        status = bad(r, item.path, "can't be read", e);
    if (in_file >= 0)
        H5Sclose(in_file);
    if (in_memory >= 0)
        H5Sclose(in_memory);
    H5Dclose(dataset);
    return status;
}

enum status archive_source_stored(struct archive_source *r, size_t i, uint64_t *bytes, struct error *e)
{
    const struct schema_item item = schema_item(r->told.sizes.kind, i);
    hdf5_fault_watch();
    hid_t dataset = open_dataset(r, &item, e);
    if (dataset < 0)
        return STATUS_INPUT;
    *bytes = H5Dget_storage_size(dataset);
    H5Dclose(dataset);
    return STATUS_OK;
}

static enum status open_and_check(struct archive_source *r, const char *path, struct error *e)
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
    return status == STATUS_OK ? read_run(r, e) : status;
}

enum status archive_source_open(struct archive_source **r, const char *path, enum schema_kind kind, bool own,
                                struct error *e)
{
    struct archive_source *fresh;
    *r = NULL;
    enum status status = memory_array(&fresh, 1, sizeof *fresh, "an archive's reader", e);
    if (status != STATUS_OK)
        return status;
    fresh->file = -1;
    fresh->told.sizes.kind = kind;
    fresh->own = own;
    hdf5_fault_watch();
    status = open_and_check(fresh, path, e);
    if (status != STATUS_OK) {
        archive_source_close(fresh);
        return status;
    }
    *r = fresh;
    return STATUS_OK;
}

struct archive_opened *archive_source_told(struct archive_source *r)
{
    return &r->told;
}

void archive_source_free(struct archive_opened *told)
{
    for (size_t i = 0; i < told->run_count; i++) {
        memory_free(told->run[i].name);
        memory_free(told->run[i].value);
    }
    memory_free(told->run);
    told->run = NULL;
    told->run_count = 0;
}

void archive_source_close(struct archive_source *r)
{
    if (!r)
        return;
    if (r->file >= 0)
        H5Fclose(r->file);
    archive_source_free(&r->told);
    memory_free(r->path);
    memory_free(r);
}
