/* layout.c - an HDF5 file that is also a netCDF-4 data set; see layout.h.
 *
 * netCDF-4 is HDF5 with manners: dimensions are dimension scales, shared by name
 * and attached to every data set; a dimension without coordinates is a scale
 * with the name below; links and attributes keep the order of creation, which
 * ncdump shows. Groups see the root's dimensions.
 *
 * The format is held to HDF5 1.8's: headers with checksums, and every reader of
 * the last fifteen years opens it. Object headers carry no times, so that two runs can give the
 * same bytes. Each chunk has a checksum; a chunk is one layer of a data set, the unit in
 * which the file is written and read, so that the chunk cache is of no use there.
 *
 * Rejected: fixed-length string data sets (they crash netCDF 4.9.0) and an enum
 * type for the flags (anonymous enums vanish in netCDF): flags are CF flag masks.
 */
#include "layout.h"

#include <hdf5_hl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/memory.h"
#include "attributes.h"
#include "hdf5_fault.h"

#define ORDERED (H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED)
#define NO_VARIABLE "This is a netCDF dimension but not a netCDF variable.%10zu"

/* zlib's levels: the state is large and its high bits compress at any level. */
#define LEVEL_STATE 1
#define LEVEL 4

/* A chunk of data sets that aren't split by neuron. */
#define CHUNK_ENTRIES 16384

hid_t layout_create_file(const char *name)
{
    hid_t file = -1;
    hid_t create = H5Pcreate(H5P_FILE_CREATE), access = H5Pcreate(H5P_FILE_ACCESS);
    if (create >= 0 && access >= 0 && H5Pset_link_creation_order(create, ORDERED) >= 0 &&
        H5Pset_attr_creation_order(create, ORDERED) >= 0 && H5Pset_obj_track_times(create, false) >= 0 &&
        H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0 &&
        H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 && hdf5_fault_unlocked(access)) /* nobody knows its name yet */
        file = H5Fcreate(name, H5F_ACC_TRUNC, create, access);
    if (create >= 0)
        H5Pclose(create);
    if (access >= 0)
        H5Pclose(access);
    return file;
}

bool layout_create_group(hid_t file, const char *name)
{
    hid_t group = -1;
    hid_t create = H5Pcreate(H5P_GROUP_CREATE);
    if (create >= 0 && H5Pset_link_creation_order(create, ORDERED) >= 0 &&
        H5Pset_attr_creation_order(create, ORDERED) >= 0 && H5Pset_obj_track_times(create, false) >= 0)
        group = H5Gcreate2(file, name, H5P_DEFAULT, create, H5P_DEFAULT);
    if (create >= 0)
        H5Pclose(create);
    return group >= 0 && H5Gclose(group) >= 0;
}

/* What every data set is created with. */
static hid_t plain_properties(void)
{
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    if (create >= 0 && (H5Pset_attr_creation_order(create, ORDERED) < 0 || H5Pset_obj_track_times(create, false) < 0)) {
        H5Pclose(create);
        return -1;
    }
    return create;
}

static bool write_coordinates(hid_t scale, size_t extent)
{
    int32_t *coordinate;
    if (memory_array(&coordinate, extent, sizeof *coordinate, "coordinates", NULL) != STATUS_OK) {
        hdf5_fault_memory();
        return false;
    }
    for (size_t i = 0; i < extent; i++)
        coordinate[i] = (int32_t)i;
    bool done = H5Dwrite(scale, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, coordinate) >= 0;
    memory_free(coordinate);
    return done;
}

static bool has_coordinates(enum schema_dimension dimension)
{
    return dimension == SCHEMA_LAYER || dimension == SCHEMA_NEURON;
}

/* Makes `scale` the netCDF dimension; the ids are netCDF's own numbering. */
static bool finish_scale(hid_t scale, enum schema_dimension dimension, size_t extent)
{
    char name[96];
    int32_t id = (int32_t)dimension - 1;
    if (has_coordinates(dimension))
        snprintf(name, sizeof name, "%s", schema_dimension_name[dimension]);
    else
        snprintf(name, sizeof name, NO_VARIABLE, extent);
    if (H5DSset_scale(scale, name) < 0 ||
        !attributes_put(scale, "_Netcdf4Dimid", H5T_STD_I32LE, H5T_NATIVE_INT32, &id))
        return false;
    if (!has_coordinates(dimension))
        return true;
    return attributes_put_text(scale, "long_name", schema_dimension_name[dimension]) &&
           attributes_put_text(scale, "units", "1") && write_coordinates(scale, extent);
}

hid_t layout_create_scale(hid_t file, enum schema_dimension dimension, size_t extent)
{
    hsize_t size = extent;
    hid_t space = H5Screate_simple(1, &size, NULL), create = plain_properties(), scale = -1;
    if (space >= 0 && create >= 0)
        scale = H5Dcreate2(file, schema_dimension_name[dimension], H5T_STD_I32LE, space, H5P_DEFAULT, create,
                           H5P_DEFAULT);
    if (scale >= 0 && !finish_scale(scale, dimension, extent)) {
        H5Dclose(scale);
        scale = -1;
    }
    if (space >= 0)
        H5Sclose(space);
    if (create >= 0)
        H5Pclose(create);
    return scale;
}

/* Chunks and filters; an extent of 0 allows neither. */
static bool set_storage(hid_t create, const struct schema_row *row, bool quick, int rank, const hsize_t *extent)
{
    hsize_t chunk[SCHEMA_RANK_LIMIT];
    bool by_neuron = row->dimension[rank - 1] == SCHEMA_NEURON;
    for (int i = 0; i < rank; i++) {
        if (extent[i] == 0)
            return true;
        chunk[i] = extent[i] < CHUNK_ENTRIES || by_neuron ? extent[i] : CHUNK_ENTRIES;
    }
    if (by_neuron)
        chunk[0] = 1;
    if (quick) /* doesn't live long either */
        return H5Pset_chunk(create, rank, chunk) >= 0 && H5Pset_fletcher32(create) >= 0;
    return H5Pset_chunk(create, rank, chunk) >= 0 &&
           (schema_type_size(row->type) == 1 || H5Pset_shuffle(create) >= 0) &&
           H5Pset_deflate(create, row->source == SCHEMA_BLOCK ? LEVEL_STATE : LEVEL) >= 0 &&
           H5Pset_fletcher32(create) >= 0;
}

static bool set_fill(hid_t create, enum schema_fill fill)
{
    float nan_value = NAN;
    int32_t minus_one = -1;
    if (fill == SCHEMA_MISSING_NAN)
        return H5Pset_fill_value(create, H5T_NATIVE_FLOAT, &nan_value) >= 0;
    if (fill == SCHEMA_MISSING_MINUS_ONE)
        return H5Pset_fill_value(create, H5T_NATIVE_INT32, &minus_one) >= 0;
    return true;
}

static bool describe_fill(hid_t dataset, const struct schema_row *row)
{
    float single = NAN;
    double real = NAN;
    int32_t minus_one = -1;
    if (row->fill == SCHEMA_NEVER_MISSING)
        return true;
    const void *value = row->type == SCHEMA_F64 ? (const void *)&real : (const void *)&single;
    if (row->fill == SCHEMA_MISSING_MINUS_ONE)
        value = &minus_one;
    return attributes_put(dataset, "_FillValue", schema_file_type(row->type), schema_memory_type(row->type), value);
}

/* CF's words for the bits: one a series and criterion, and the super neurons'. */
static bool describe_flags(hid_t dataset)
{
    uint32_t mask[SERIES_COUNT * CRITERIA_COUNT + 1];
    char meanings[1024];
    size_t count = 0, length = 0;
    for (int s = 0; s < SERIES_COUNT; s++)
        for (int c = 0; c < CRITERIA_COUNT; c++) {
            mask[count++] = UINT32_C(1) << (c + CRITERIA_BITS_PER_SERIES * s);
            length += (size_t)snprintf(meanings + length, sizeof meanings - length, "%s_%s ", schema_series_name[s],
                                       criteria_table[c].name);
        }
    mask[count++] = UINT32_C(1) << CRITERIA_SUPER_BIT;
    snprintf(meanings + length, sizeof meanings - length, "super_neuron");
    return attributes_put_list(dataset, "flag_masks", H5T_STD_U32LE, H5T_NATIVE_UINT32, mask, count) &&
           attributes_put_text(dataset, "flag_meanings", meanings);
}

static bool describe_saturated(hid_t dataset)
{
    uint8_t value[2] = {0, 1};
    return attributes_put_list(dataset, "flag_values", H5T_STD_U8LE, H5T_NATIVE_UINT8, value, 2) &&
           attributes_put_text(dataset, "flag_meanings", "not_saturated saturated");
}

/* long_name with the series in place of its %s; a printf with a format from a
 * table would not be checked. */
static void word_for(const struct schema_item *item, char *words, size_t size)
{
    const char *format = item->row->long_name, *hole = strstr(format, "%s");
    if (hole)
        snprintf(words, size, "%.*s%s%s", (int)(hole - format), format, schema_series_name[item->series], hole + 2);
    else
        snprintf(words, size, "%s", format);
}

static bool describe(hid_t dataset, const struct schema_item *item)
{
    char words[160];
    word_for(item, words, sizeof words);
    if (!attributes_put_text(dataset, "long_name", words) || !attributes_put_text(dataset, "units", "1") ||
        !describe_fill(dataset, item->row))
        return false;
    if (item->row->csv_column && !attributes_put_text(dataset, "csv_column", item->row->csv_column))
        return false;
    if (item->row->source == SCHEMA_FLAGS)
        return describe_flags(dataset);
    return item->row->source != SCHEMA_SATURATED || describe_saturated(dataset);
}

hid_t layout_access(const struct schema_row *row)
{
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    bool by_neuron = row->dimension[schema_rank(row) - 1] == SCHEMA_NEURON;
    if (access >= 0 && by_neuron && H5Pset_chunk_cache(access, 1, 0, 1.0) < 0) {
        H5Pclose(access);
        return -1;
    }
    return access;
}

static bool finish_dataset(hid_t dataset, const struct schema_item *item, const hid_t scale[SCHEMA_DIMENSIONS])
{
    if (!describe(dataset, item))
        return false;
    for (int i = 0; i < schema_rank(item->row); i++)
        if (H5DSattach_scale(dataset, scale[item->row->dimension[i]], (unsigned)i) < 0)
            return false;
    return true;
}

hid_t layout_create_dataset(hid_t file, const struct schema_item *item, const struct schema_sizes *sizes,
                            const hid_t scale[SCHEMA_DIMENSIONS])
{
    const struct schema_row *row = item->row;
    int rank = schema_rank(row);
    hsize_t extent[SCHEMA_RANK_LIMIT];
    for (int i = 0; i < rank; i++)
        extent[i] = sizes->of[row->dimension[i]];
    hid_t space = H5Screate_simple(rank, extent, NULL), create = plain_properties(), access = layout_access(row);
    hid_t dataset = -1;
    if (space >= 0 && create >= 0 && access >= 0 && set_storage(create, row, sizes->quick, rank, extent) &&
        set_fill(create, row->fill))
        dataset = H5Dcreate2(file, item->path, schema_file_type(row->type), space, H5P_DEFAULT, create, access);
    if (dataset >= 0 && !finish_dataset(dataset, item, scale)) {
        H5Dclose(dataset);
        dataset = -1;
    }
    if (space >= 0)
        H5Sclose(space);
    if (create >= 0)
        H5Pclose(create);
    if (access >= 0)
        H5Pclose(access);
    return dataset;
}
