/* layout.h - makes the file, its groups, dimensions and data sets, all empty.
 *
 * What makes an HDF5 file a netCDF-4 data set is in this file alone. Functions
 * return a negative id or false when HDF5 failed; hdf5_fault tells why.
 */
#ifndef PHI3SAT_ARCHIVE_LAYOUT_H
#define PHI3SAT_ARCHIVE_LAYOUT_H

#include "schema.h"

/* Makes (or empties) file `name`. Closing it closes all that is open in it. */
hid_t layout_create_file(const char *name);
bool layout_create_group(hid_t file, const char *name);

/* The scale of a dimension in the root; layer and neuron get their coordinates, the
 * others are dimensions only. */
hid_t layout_create_scale(hid_t file, enum schema_dimension dimension, size_t extent);

/* Data set `item` with attributes and its dimensions' scales (by enum). */
hid_t layout_create_dataset(hid_t file, const struct schema_item *item, const struct schema_sizes *sizes,
                            const hid_t scale[SCHEMA_DIMENSIONS]);

/* How a data set is opened: [layer, ..., neuron] without a chunk cache. */
hid_t layout_access(const struct schema_row *row);

#endif
