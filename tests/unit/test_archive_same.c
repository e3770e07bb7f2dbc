/* test_archive_same.c - does the comparison of archives notice what it must?
 *
 * Each case changes one thing in a copy of an archive; the comparison has to find it
 * from both sides, and nothing in what differs by /run alone.
 */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "archive/sample.h"
#include "archive/same.h"
#include "tap.h"

static char pristine[512], whole[512], copy[512];
static const hsize_t shape[2] = {2, 70};

static void make(hid_t file, const char *path, hid_t type, const hsize_t extent[2], bool chunked)
{
    hid_t space = H5Screate_simple(2, extent, NULL), create = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[2] = {1, 70};
    if (chunked)
        H5Pset_chunk(create, 2, chunk);
    H5Dclose(H5Dcreate2(file, path, type, space, H5P_DEFAULT, create, H5P_DEFAULT));
    H5Pclose(create);
    H5Sclose(space);
}

static void put_float(hid_t object, const char *name, hid_t type, float value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    if (H5Aexists(object, name) > 0)
        H5Adelete(object, name);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_FLOAT, &value);
    H5Aclose(attribute);
    H5Sclose(space);
}

static void on_object(hid_t file, const char *path, const char *name, hid_t type, float value)
{
    hid_t object = H5Oopen(file, path, H5P_DEFAULT);
    put_float(object, name, type, value);
    H5Oclose(object);
}

static void flip(hid_t file, const char *path, hid_t type)
{
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT), space = H5Dget_space(set);
    size_t size = (size_t)H5Sget_simple_extent_npoints(space) * H5Tget_size(type);
    char *bytes = malloc(size);
    H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes);
    bytes[size - 1] ^= 1;
    H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes);
    free(bytes);
    H5Sclose(space);
    H5Dclose(set);
}

static void nothing(hid_t f) { (void)f; }
static void other_run(hid_t f) { on_object(f, "run", "seconds", H5T_IEEE_F32LE, 99); }
static void more_run(hid_t f)
{
    make(f, "run/set", H5T_STD_I8LE, shape, false);
    on_object(f, "run", "new", H5T_IEEE_F32LE, 99);
}
static void byte_float(hid_t f) { flip(f, "gate/mean", H5T_NATIVE_FLOAT); }
static void byte_flags(hid_t f) { flip(f, "saturation/flags", H5T_NATIVE_UINT32); }
static void byte_state(hid_t f) { flip(f, "state/ffn/between_product", H5T_NATIVE_UINT64); }
static void byte_scale(hid_t f) { flip(f, "neuron", H5T_NATIVE_INT32); }
static void minus_zero(hid_t f)
{
    hid_t set = H5Dopen2(f, "gate/low_activity", H5P_DEFAULT);
    float x[140];
    H5Dread(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
    for (int i = 0; i < 140; i++)
        if (x[i] == 0.0f)
            x[i] = -0.0f;
    H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
    H5Dclose(set);
}
static void extra_set(hid_t f) { make(f, "gate/more", H5T_IEEE_F32LE, shape, false); }
static void extra_group(hid_t f) { H5Gclose(H5Gcreate2(f, "more", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)); }
static void no_set(hid_t f) { H5Ldelete(f, "gate/mean", H5P_DEFAULT); }
static void renamed(hid_t f) { H5Lmove(f, "gate/mean", f, "gate/average", H5P_DEFAULT, H5P_DEFAULT); }
static void remade(hid_t f, hid_t type, const hsize_t extent[2], bool chunked)
{
    H5Ldelete(f, "gate/more", H5P_DEFAULT);
    make(f, "gate/more", type, extent, chunked);
}
static const hsize_t flat[2] = {1, 140};
static void shaped(hid_t f) { remade(f, H5T_IEEE_F32LE, flat, false); }
static void wider(hid_t f) { remade(f, H5T_IEEE_F64LE, shape, false); }
static void swapped(hid_t f) { remade(f, H5T_IEEE_F32BE, shape, false); }
static void chunked(hid_t f) { remade(f, H5T_IEEE_F32LE, shape, true); }
static void as_group(hid_t f)
{
    H5Ldelete(f, "gate/more", H5P_DEFAULT);
    H5Gclose(H5Gcreate2(f, "gate/more", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}
static void root_value(hid_t f) { put_float(f, "super_ratio", H5T_IEEE_F32LE, 101); }
static void root_type(hid_t f) { put_float(f, "super_ratio", H5T_IEEE_F64LE, 100); }
static void root_more(hid_t f) { put_float(f, "more", H5T_IEEE_F32LE, 1); }
static void root_less(hid_t f) { H5Adelete(f, "precision"); }
static void set_attribute(hid_t f) { on_object(f, "gate/mean", "_FillValue", H5T_IEEE_F32LE, 0); }
static void set_attribute_more(hid_t f) { on_object(f, "state/gate/sum1", "more", H5T_IEEE_F32LE, 0); }
static void group_attribute(hid_t f) { on_object(f, "state", "more", H5T_IEEE_F32LE, 0); }
static void soft(hid_t f)
{
    H5Ldelete(f, "gate/more", H5P_DEFAULT);
    H5Lcreate_soft("/gate/mean", f, "gate/more", H5P_DEFAULT, H5P_DEFAULT);
}

/* `base` is done to both sides, `change` to the copy. */
static const struct {
    const char *name;
    void (*base)(hid_t file), (*change)(hid_t file);
    int differ;
} cases[] = {
    {"a copy", nothing, nothing, 0},
    {"another attribute in /run", nothing, other_run, 0},
    {"more in /run", nothing, more_run, 0},
    {"a bit of a float", nothing, byte_float, 1},
    {"a bit of the flags", nothing, byte_flags, 1},
    {"a bit of the state", nothing, byte_state, 1},
    {"a bit of a dimension's coordinates", nothing, byte_scale, 1},
    {"-0 for 0", nothing, minus_zero, 1},
    {"a data set more", nothing, extra_set, 1},
    {"a group more", nothing, extra_group, 1},
    {"a data set less", nothing, no_set, 1},
    {"a data set renamed", nothing, renamed, 1},
    {"another shape of as many values", extra_set, shaped, 1},
    {"a wider type", extra_set, wider, 1},
    {"another byte order", extra_set, swapped, 1},
    {"chunks", extra_set, chunked, 1},
    {"a group for a data set", extra_set, as_group, 1},
    {"a link for a data set", extra_set, soft, 1},
    {"an attribute's value", nothing, root_value, 1},
    {"an attribute's type", nothing, root_type, 1},
    {"an attribute more", nothing, root_more, 1},
    {"an attribute less", nothing, root_less, 1},
    {"a data set's fill value", nothing, set_attribute, 1},
    {"a data set's attribute more", nothing, set_attribute_more, 1},
    {"a group's attribute more", nothing, group_attribute, 1},
};

/* A fresh copy of `from`. */
static void copy_file(const char *from, const char *to)
{
    static char bytes[1 << 22];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    size_t size = in ? fread(bytes, 1, sizeof bytes, in) : 0;
    if (!out || size == 0 || size == sizeof bytes || fwrite(bytes, 1, size, out) != size || fclose(out) != 0)
        bail("can't copy %s", from);
    fclose(in);
}

static void edit(const char *path, void (*change)(hid_t))
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    change(file);
    if (file < 0 || H5Fclose(file) < 0)
        bail("can't change %s", path);
}

int main(void)
{
    struct sample sample;
    struct error e;
    snprintf(pristine, sizeof pristine, "%s/pristine.h5", tap_folder());
    snprintf(whole, sizeof whole, "%s/whole.h5", tap_folder());
    snprintf(copy, sizeof copy, "%s/copy.h5", tap_folder());
    sample_make(&sample, 2, 70, 1);
    if (sample_write(&sample, pristine, false, &e) != STATUS_OK)
        bail("can't write %s", pristine);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        copy_file(pristine, whole);
        copy_file(pristine, copy);
        edit(whole, cases[i].base);
        edit(copy, cases[i].base);
        edit(copy, cases[i].change);
        ok((same_archives(whole, copy, NULL, 0) > 0) == cases[i].differ, "%s: %s", cases[i].name,
           cases[i].differ ? "noticed" : "the same");
        ok((same_archives(copy, whole, NULL, 0) > 0) == cases[i].differ, "%s: from the other side too", cases[i].name);
    }
    is_int(same_archives(whole, tap_folder(), NULL, 0), -1, "what can't be read is neither");
    sample_free(&sample);
    return tap_done();
}
