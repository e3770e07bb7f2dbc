/* same.c - walks two HDF5 files side by side; see same.h.
 *
 * Values are read in the file's own type, so that HDF5 converts nothing and the
 * bytes compared are those stored; only what holds pointers (variable-length strings and
 * lists) or addresses (references) is looked into.
 */
#include "same.h"

#include <hdf5.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LEFT_OUT "/run"
#define SLAB_BYTES ((size_t)16 << 20)
#define NAMES 4096
#define OBJECTS 4096

struct object {
    haddr_t address;
    char path[120];
};

struct walk {
    FILE *to;
    long limit;
    long found;
    bool failed;
    hid_t file[2];
    struct object *object[2]; /* [OBJECTS] */
    size_t object_count[2];
};

static void differ(struct walk *w, const char *path, const char *format, ...)
{
    va_list args;
    if (w->to && w->found < w->limit) {
        fprintf(w->to, "%s: ", path);
        va_start(args, format);
        vfprintf(w->to, format, args);
        va_end(args);
        fprintf(w->to, "\n");
    }
    w->found++;
}

static bool values_same(const struct walk *w, hid_t type, const char *a, const char *b);

/* What a reference of file `side` points to. HDF5 would search the whole file for the name
 * of each one; here that is done once. */
static const char *name_of(const struct walk *w, int side, const char *reference)
{
    hobj_ref_t target; /* the address of an object */
    memcpy(&target, reference, sizeof target);
    for (size_t i = 0; i < w->object_count[side]; i++)
        if (w->object[side][i].address == target)
            return w->object[side][i].path;
    return "(nothing)";
}

struct visit {
    struct walk *walk;
    int side;
};

static herr_t note_object(hid_t file, const char *name, const H5O_info_t *about, void *user)
{
    const struct visit *visit = user;
    struct walk *w = visit->walk;
    size_t *count = &w->object_count[visit->side];
    (void)file;
    if (*count == OBJECTS)
        return -1;
    struct object *object = &w->object[visit->side][(*count)++];
    object->address = about->addr;
    snprintf(object->path, sizeof object->path, "%s", name);
    return 0;
}

static bool members_same(const struct walk *w, hid_t type, const char *a, const char *b)
{
    bool same = true;
    int members = H5Tget_nmembers(type);
    for (int i = 0; i < members && same; i++) {
        hid_t member = H5Tget_member_type(type, (unsigned)i);
        size_t offset = H5Tget_member_offset(type, (unsigned)i);
        same = values_same(w, member, a + offset, b + offset);
        H5Tclose(member);
    }
    return same;
}

static bool lists_same(const struct walk *w, hid_t type, const char *a, const char *b)
{
    hvl_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    if (x.len != y.len)
        return false;
    hid_t element = H5Tget_super(type);
    size_t size = H5Tget_size(element);
    bool same = true;
    for (size_t i = 0; i < x.len && same; i++)
        same = values_same(w, element, (const char *)x.p + i * size, (const char *)y.p + i * size);
    H5Tclose(element);
    return same;
}

static bool strings_same(const char *a, const char *b)
{
    const char *x, *y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return strcmp(x ? x : "", y ? y : "") == 0;
}

/* One value each. */
static bool values_same(const struct walk *w, hid_t type, const char *a, const char *b)
{
    switch (H5Tget_class(type)) {
    case H5T_COMPOUND:
        return members_same(w, type, a, b);
    case H5T_VLEN:
        return lists_same(w, type, a, b);
    case H5T_REFERENCE:
        return strcmp(name_of(w, 0, a), name_of(w, 1, b)) == 0;
    case H5T_STRING:
        if (H5Tis_variable_str(type) > 0)
            return strings_same(a, b);
        break;
    default:
        break;
    }
    return memcmp(a, b, H5Tget_size(type)) == 0;
}

/* May it be compared as one stretch of bytes? */
static bool is_plain(hid_t type)
{
    return H5Tdetect_class(type, H5T_VLEN) == 0 && H5Tdetect_class(type, H5T_REFERENCE) == 0 &&
           H5Tis_variable_str(type) == 0 && H5Tget_class(type) != H5T_COMPOUND;
}

/* Index of the first of `count` values that differs, or `count`. */
static size_t first_difference(const struct walk *w, hid_t type, const char *a, const char *b, size_t count)
{
    size_t size = H5Tget_size(type), i = 0;
    if (is_plain(type) && memcmp(a, b, count * size) == 0)
        return count;
    while (i < count && values_same(w, type, a + i * size, b + i * size))
        i++;
    return i;
}

static bool spaces_same(hid_t a, hid_t b)
{
    hsize_t extent[2][H5S_MAX_RANK], most[2][H5S_MAX_RANK];
    int rank = H5Sget_simple_extent_dims(a, extent[0], most[0]);
    if (H5Sget_simple_extent_type(a) != H5Sget_simple_extent_type(b) ||
        rank != H5Sget_simple_extent_dims(b, extent[1], most[1]))
        return false;
    size_t size = (size_t)rank * sizeof extent[0][0];
    return rank <= 0 || (memcmp(extent[0], extent[1], size) == 0 && memcmp(most[0], most[1], size) == 0);
}

static void compare_attribute(struct walk *w, const char *path, const char *name, hid_t a, hid_t b)
{
    hid_t type = H5Aget_type(a), other = H5Aget_type(b), space = H5Aget_space(a), other_space = H5Aget_space(b);
    if (H5Tequal(type, other) <= 0) {
        differ(w, path, "attribute %s has another type", name);
    } else if (!spaces_same(space, other_space)) {
        differ(w, path, "attribute %s has another shape", name);
    } else {
        size_t count = (size_t)H5Sget_simple_extent_npoints(space);
        char *x = calloc(count + 1, H5Tget_size(type)), *y = calloc(count + 1, H5Tget_size(type));
        if (!x || !y || H5Aread(a, type, x) < 0 || H5Aread(b, type, y) < 0)
            w->failed = true;
        else if (first_difference(w, type, x, y, count) < count)
            differ(w, path, "attribute %s has another value", name);
        if (x && y && !w->failed) {
            H5Dvlen_reclaim(type, space, H5P_DEFAULT, x);
            H5Dvlen_reclaim(type, space, H5P_DEFAULT, y);
        }
        free(x);
        free(y);
    }
    H5Tclose(type);
    H5Tclose(other);
    H5Sclose(space);
    H5Sclose(other_space);
}

/* Attributes of `a` in `a`'s order, each against `b`'s; then the number of `b`'s. */
static void compare_attributes(struct walk *w, const char *path, hid_t a, hid_t b)
{
    int count = H5Aget_num_attrs(a), others = H5Aget_num_attrs(b);
    char name[256], other_name[256];
    if (count != others)
        differ(w, path, "%d attributes and %d", count, others);
    for (int i = 0; i < count; i++) {
        hid_t x = H5Aopen_by_idx(a, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, (hsize_t)i, H5P_DEFAULT, H5P_DEFAULT);
        H5Aget_name(x, sizeof name, name);
        hid_t y = H5Aexists(b, name) > 0 ? H5Aopen(b, name, H5P_DEFAULT) : -1;
        if (y < 0) {
            differ(w, path, "attribute %s is in the first only", name);
        } else {
            compare_attribute(w, path, name, x, y);
            H5Aclose(y);
        }
        H5Aclose(x);
        if (i >= others || y < 0)
            continue;
        hid_t z = H5Aopen_by_idx(b, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, (hsize_t)i, H5P_DEFAULT, H5P_DEFAULT);
        H5Aget_name(z, sizeof other_name, other_name);
        if (strcmp(name, other_name) != 0)
            differ(w, path, "attribute %s stands where the other has %s", name, other_name);
        H5Aclose(z);
    }
}

/* Reads `rows` of the first dimension from `first`; a scalar whole. */
static bool read_rows(hid_t dataset, hid_t type, hid_t space, hsize_t first, hsize_t rows, void *values)
{
    hsize_t start[H5S_MAX_RANK] = {first}, count[H5S_MAX_RANK];
    int rank = H5Sget_simple_extent_dims(space, count, NULL);
    if (rank == 0)
        return H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    count[0] = rows;
    hid_t memory = H5Screate_simple(rank, count, NULL);
    bool done = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                H5Dread(dataset, type, memory, space, H5P_DEFAULT, values) >= 0;
    H5Sclose(memory);
    return done;
}

static void compare_values(struct walk *w, const char *path, hid_t a, hid_t b, hid_t type, hid_t space)
{
    hsize_t extent[H5S_MAX_RANK] = {1};
    int rank = H5Sget_simple_extent_dims(space, extent, NULL);
    size_t points = (size_t)H5Sget_simple_extent_npoints(space), size = H5Tget_size(type);
    if (points == 0)
        return;
    hsize_t all = rank > 0 ? extent[0] : 1, row = points / all, step = SLAB_BYTES / (row * size) + 1;
    if (step > all)
        step = all;
    char *x = calloc(step * row, size), *y = calloc(step * row, size);
    hid_t space_a = H5Scopy(space), space_b = H5Scopy(space);
    for (hsize_t first = 0; first < all && x && y; first += step) {
        hsize_t rows = all - first < step ? all - first : step;
        if (!read_rows(a, type, space_a, first, rows, x) || !read_rows(b, type, space_b, first, rows, y)) {
            w->failed = true;
            break;
        }
        size_t at = first_difference(w, type, x, y, rows * row);
        if (at < rows * row) {
            differ(w, path, "value %llu (row-major) differs", (unsigned long long)(first * row + at));
            break;
        }
    }
    w->failed = w->failed || !x || !y;
    H5Sclose(space_a);
    H5Sclose(space_b);
    free(x);
    free(y);
}

bool same_any_filters;

static bool filters_same(hid_t a, hid_t b)
{
    int count = H5Pget_nfilters(a);
    if (count != H5Pget_nfilters(b))
        return false;
    for (unsigned i = 0; i < (unsigned)count; i++) {
        unsigned values[2][16] = {{0}}, flags[2], config;
        size_t length[2] = {16, 16};
        if (H5Pget_filter2(a, i, &flags[0], &length[0], values[0], 0, NULL, &config) !=
                H5Pget_filter2(b, i, &flags[1], &length[1], values[1], 0, NULL, &config) ||
            flags[0] != flags[1] || length[0] != length[1] || memcmp(values[0], values[1], sizeof values[0]) != 0)
            return false;
    }
    return true;
}

static bool fills_same(hid_t a, hid_t b, hid_t type)
{
    H5D_fill_value_t x, y;
    char left[64] = {0}, right[64] = {0};
    if (H5Pfill_value_defined(a, &x) < 0 || H5Pfill_value_defined(b, &y) < 0 || x != y)
        return false;
    if (x != H5D_FILL_VALUE_USER_DEFINED || H5Tget_size(type) > sizeof left)
        return true;
    return H5Pget_fill_value(a, type, left) >= 0 && H5Pget_fill_value(b, type, right) >= 0 &&
           memcmp(left, right, sizeof left) == 0;
}

static void compare_storage(struct walk *w, const char *path, hid_t a, hid_t b, hid_t type)
{
    hid_t x = H5Dget_create_plist(a), y = H5Dget_create_plist(b);
    hsize_t chunk[2][H5S_MAX_RANK] = {{0}};
    if (H5Pget_layout(x) != H5Pget_layout(y))
        differ(w, path, "has another layout");
    else if (H5Pget_layout(x) == H5D_CHUNKED && (H5Pget_chunk(x, H5S_MAX_RANK, chunk[0]) !=
             H5Pget_chunk(y, H5S_MAX_RANK, chunk[1]) || memcmp(chunk[0], chunk[1], sizeof chunk[0]) != 0))
        differ(w, path, "has other chunks");
    if (!same_any_filters && !filters_same(x, y))
        differ(w, path, "has other filters");
    if (!fills_same(x, y, type))
        differ(w, path, "has another fill value");
    H5Pclose(x);
    H5Pclose(y);
}

static void compare_datasets(struct walk *w, const char *path, hid_t a, hid_t b)
{
    hid_t type = H5Dget_type(a), other = H5Dget_type(b), space = H5Dget_space(a), other_space = H5Dget_space(b);
    if (H5Tequal(type, other) <= 0)
        differ(w, path, "has another type");
    else if (!spaces_same(space, other_space))
        differ(w, path, "has another shape");
    else
        compare_values(w, path, a, b, type, space);
    compare_storage(w, path, a, b, type);
    H5Tclose(type);
    H5Tclose(other);
    H5Sclose(space);
    H5Sclose(other_space);
}

static void compare_groups(struct walk *w, const char *path, hid_t a, hid_t b, int depth);

static void compare_objects(struct walk *w, const char *path, hid_t a, hid_t b, int depth)
{
    H5I_type_t kind = H5Iget_type(a);
    if (a < 0 || b < 0) {
        w->failed = true;
        return;
    }
    if (kind != H5Iget_type(b)) {
        differ(w, path, "is another kind of object");
        return;
    }
    compare_attributes(w, path, a, b);
    if (kind == H5I_GROUP)
        compare_groups(w, path, a, b, depth + 1);
    else if (kind == H5I_DATASET)
        compare_datasets(w, path, a, b);
    else if (kind == H5I_DATATYPE && H5Tequal(a, b) <= 0)
        differ(w, path, "is another type");
}

/* The name of link i in the order of creation, or of names where that isn't kept. */
static void link_name(hid_t group, hsize_t i, char name[256])
{
    hid_t create = H5Gget_create_plist(group);
    unsigned order = 0;
    H5Pget_link_creation_order(create, &order);
    H5Pclose(create);
    H5Lget_name_by_idx(group, ".", order & H5P_CRT_ORDER_TRACKED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME, H5_ITER_INC, i,
                       name, 256, H5P_DEFAULT);
}

static void compare_groups(struct walk *w, const char *path, hid_t a, hid_t b, int depth)
{
    H5G_info_t about, other;
    if (H5Gget_info(a, &about) < 0 || H5Gget_info(b, &other) < 0 || depth > 16) {
        w->failed = true;
        return;
    }
    if (about.nlinks != other.nlinks)
        differ(w, path, "holds %llu names and %llu", (unsigned long long)about.nlinks,
               (unsigned long long)other.nlinks);
    for (hsize_t i = 0; i < about.nlinks; i++) {
        char name[256], other_name[256] = "", inner[NAMES];
        H5L_info_t link, other_link;
        link_name(a, i, name);
        if (i < other.nlinks)
            link_name(b, i, other_name);
        snprintf(inner, sizeof inner, "%s%s%s", path, path[1] ? "/" : "", name);
        if (strcmp(inner, LEFT_OUT) == 0)
            continue;
        if (H5Lexists(b, name, H5P_DEFAULT) <= 0) {
            differ(w, inner, "is in the first only");
            continue;
        }
        if (strcmp(name, other_name) != 0 && about.nlinks == other.nlinks)
            differ(w, inner, "stands where the other has %s", other_name);
        if (H5Lget_info(a, name, &link, H5P_DEFAULT) < 0 || H5Lget_info(b, name, &other_link, H5P_DEFAULT) < 0 ||
            link.type != H5L_TYPE_HARD || other_link.type != H5L_TYPE_HARD) {
            differ(w, inner, "is a soft or external link");
            continue;
        }
        hid_t x = H5Oopen(a, name, H5P_DEFAULT), y = H5Oopen(b, name, H5P_DEFAULT);
        compare_objects(w, inner, x, y, depth);
        H5Oclose(x);
        H5Oclose(y);
    }
}

long same_archives(const char *a, const char *b, FILE *to, long limit)
{
    struct walk w = {.to = to, .limit = limit};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    w.file[0] = H5Fopen(a, H5F_ACC_RDONLY, H5P_DEFAULT);
    w.file[1] = H5Fopen(b, H5F_ACC_RDONLY, H5P_DEFAULT);
    w.failed = w.file[0] < 0 || w.file[1] < 0;
    for (int i = 0; i < 2 && !w.failed; i++) {
        struct visit visit = {&w, i};
        w.object[i] = calloc(OBJECTS, sizeof *w.object[i]);
        w.failed = !w.object[i] || H5Ovisit(w.file[i], H5_INDEX_NAME, H5_ITER_NATIVE, note_object, &visit) < 0;
    }
    if (!w.failed) {
        hid_t x = H5Gopen2(w.file[0], "/", H5P_DEFAULT), y = H5Gopen2(w.file[1], "/", H5P_DEFAULT);
        compare_objects(&w, "/", x, y, 0);
        H5Gclose(x);
        H5Gclose(y);
    }
    for (int i = 0; i < 2; i++) {
        if (w.file[i] >= 0)
            H5Fclose(w.file[i]);
        free(w.object[i]);
    }
    return w.failed ? -1 : w.found;
}
