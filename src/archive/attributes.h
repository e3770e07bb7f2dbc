/* attributes.h - attributes of HDF5 objects: scalars and short lists.
 *
 * Texts are scalar variable-length UTF-8 strings, which h5py gives as str and
 * netCDF as NC_STRING (fixed-length ones come as bytes). Numbers are little-endian
 * scalars. What HDF5 refused is left to hdf5_fault, hence plain bools.
 */
#ifndef PHI3SAT_ARCHIVE_ATTRIBUTES_H
#define PHI3SAT_ARCHIVE_ATTRIBUTES_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

#include "../base/error.h"

/* Write attribute `name` of `object`; false when HDF5 failed. Bytes of `text` that are
 * no UTF-8 become '?', since readers refuse the whole attribute otherwise. */
bool attributes_put_text(hid_t object, const char *name, const char *text);
bool attributes_put_count(hid_t object, const char *name, uint64_t value);
bool attributes_put_real(hid_t object, const char *name, double value);
bool attributes_put_float(hid_t object, const char *name, float value);
/* One value of type `file_type` as it lies at `value` in `memory_type`; and a list of
 * `count`. */
bool attributes_put(hid_t object, const char *name, hid_t file_type, hid_t memory_type, const void *value);
bool attributes_put_list(hid_t object, const char *name, hid_t file_type, hid_t memory_type, const void *values,
                         size_t count);

/* Read them back; false when missing, of another kind, no scalar or unreadable. A
 * text is at most ATTRIBUTES_TEXT_LIMIT bytes and freed with memory_free. */
#define ATTRIBUTES_TEXT_LIMIT (1 << 20)
bool attributes_get_text(hid_t object, const char *name, char **text);
bool attributes_get_count(hid_t object, const char *name, uint64_t *value);
bool attributes_get_real(hid_t object, const char *name, double *value);
bool attributes_get_float(hid_t object, const char *name, float *value);

/* A scalar attribute as text, for listings: *text stays NULL for kinds that we don't write; false
 * when one of ours can't be read. Freed with memory_free. */
bool attributes_get_any(hid_t object, const char *name, char **text);

#endif
