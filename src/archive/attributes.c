/* attributes.c - writes and reads scalar attributes; see attributes.h.
 *
 * Reading is for files that nobody vouches for: class, size, shape and sign are
 * compared before a byte is copied, so that HDF5 never converts and never writes
 * more than the variable holds.
 */
#include "attributes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../base/memory.h"
#include "hdf5_fault.h"

/* Length of the UTF-8 sequence at s, 0 when it is none (overlong forms, surrogates
 * and what lies above U+10FFFF are none). */
static size_t sequence_length(const unsigned char *s)
{
    size_t length = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0))
        return 0;
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90))
        return 0;
    return length;
}

static void repair_utf8(char *text)
{
    unsigned char *s = (unsigned char *)text;
    while (*s) {
        size_t length = sequence_length(s);
        if (length == 0)
            *s = '?';
        s += length ? length : 1;
    }
}

/* memory_string, with the failure noted for hdf5_fault. */
static bool copy_text(char **copy, const char *text)
{
    if (memory_string(copy, text, NULL) == STATUS_OK)
        return true;
    hdf5_fault_memory();
    return false;
}

static hid_t text_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && (H5Tset_size(type, H5T_VARIABLE) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
        H5Tclose(type);
        return -1;
    }
    return type;
}

static bool write_attribute(hid_t object, const char *name, hid_t file_type, hid_t memory_type, hid_t space,
                            const void *values)
{
    hid_t attribute = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool done = attribute >= 0 && H5Awrite(attribute, memory_type, values) >= 0;
    if (attribute >= 0 && H5Aclose(attribute) < 0)
        done = false;
    return done;
}

bool attributes_put(hid_t object, const char *name, hid_t file_type, hid_t memory_type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    bool done = space >= 0 && write_attribute(object, name, file_type, memory_type, space, value);
    if (space >= 0)
        H5Sclose(space);
    return done;
}

bool attributes_put_list(hid_t object, const char *name, hid_t file_type, hid_t memory_type, const void *values,
                         size_t count)
{
    hsize_t length = count;
    hid_t space = H5Screate_simple(1, &length, NULL);
    bool done = space >= 0 && write_attribute(object, name, file_type, memory_type, space, values);
    if (space >= 0)
        H5Sclose(space);
    return done;
}

bool attributes_put_text(hid_t object, const char *name, const char *text)
{
    char *copy;
    if (!copy_text(&copy, text))
        return false;
    repair_utf8(copy);
    hid_t type = text_type();
    bool done = type >= 0 && attributes_put(object, name, type, type, &copy);
    if (type >= 0)
        H5Tclose(type);
    memory_free(copy);
    return done;
}

bool attributes_put_count(hid_t object, const char *name, uint64_t value)
{
    return attributes_put(object, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &value);
}

bool attributes_put_real(hid_t object, const char *name, double value)
{
    return attributes_put(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

bool attributes_put_float(hid_t object, const char *name, float value)
{
    return attributes_put(object, name, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, &value);
}

/* Opens a scalar attribute and its type; false (and nothing open) when there is none. */
static bool open_scalar(hid_t object, const char *name, hid_t *attribute, hid_t *type)
{
    if (H5Aexists(object, name) <= 0)
        return false;
    *attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (*attribute < 0)
        return false;
    *type = H5Aget_type(*attribute);
    hid_t space = H5Aget_space(*attribute);
    bool scalar = *type >= 0 && space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
    if (space >= 0)
        H5Sclose(space);
    if (scalar)
        return true;
    if (*type >= 0)
        H5Tclose(*type);
    H5Aclose(*attribute);
    return false;
}

static bool get_exactly(hid_t object, const char *name, hid_t file_type, hid_t memory_type, void *value)
{
    hid_t attribute, type;
    if (!open_scalar(object, name, &attribute, &type))
        return false;
    bool done = H5Tequal(type, file_type) > 0 && H5Aread(attribute, memory_type, value) >= 0;
    H5Tclose(type);
    H5Aclose(attribute);
    return done;
}

bool attributes_get_count(hid_t object, const char *name, uint64_t *value)
{
    return get_exactly(object, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, value);
}

bool attributes_get_real(hid_t object, const char *name, double *value)
{
    return get_exactly(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, value);
}

bool attributes_get_float(hid_t object, const char *name, float *value)
{
    return get_exactly(object, name, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, value);
}

/* Reads an open variable-length string into fresh memory. */
static bool read_text(hid_t attribute, char **text)
{
    char *raw = NULL;
    hid_t type = text_type();
    bool done = type >= 0 && H5Aread(attribute, type, &raw) >= 0;
    if (done) {
        const char *s = raw ? raw : ""; /* HDF5's form of an empty string */
        done = strlen(s) <= ATTRIBUTES_TEXT_LIMIT && copy_text(text, s);
    }
    if (raw)
        H5free_memory(raw);
    if (type >= 0)
        H5Tclose(type);
    return done;
}

static bool is_our_text(hid_t type)
{
    return H5Tis_variable_str(type) > 0 && H5Tget_cset(type) == H5T_CSET_UTF8;
}

bool attributes_get_text(hid_t object, const char *name, char **text)
{
    hid_t attribute, type;
    *text = NULL;
    if (!open_scalar(object, name, &attribute, &type))
        return false;
    bool done = is_our_text(type) && read_text(attribute, text);
    H5Tclose(type);
    H5Aclose(attribute);
    return done;
}

bool attributes_get_any(hid_t object, const char *name, char **text)
{
    char number[40];
    uint64_t count;
    double real;
    hid_t attribute, type;
    *text = NULL;
    if (!open_scalar(object, name, &attribute, &type))
        return true;
    bool is_text = is_our_text(type);
    bool done = !is_text || read_text(attribute, text);
    H5Tclose(type);
    H5Aclose(attribute);
    if (is_text)
        return done;
    if (attributes_get_count(object, name, &count))
        snprintf(number, sizeof number, "%" PRIu64, count);
    else if (attributes_get_real(object, name, &real))
        snprintf(number, sizeof number, "%.17g", real);
    else
        return true;
    return copy_text(text, number);
}
