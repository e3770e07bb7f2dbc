/* facts_io.h - facts and run as attributes of an open HDF5 file, both ways. */
#ifndef PHI3SAT_ARCHIVE_FACTS_IO_H
#define PHI3SAT_ARCHIVE_FACTS_IO_H

#include <hdf5.h>
#include <stdbool.h>

#include "archive_facts.h"

/* Format, version and facts into the root (or whatever `root` is), the run into its
 * group; false when HDF5 failed. */
bool facts_io_write(hid_t root, const char *format, const struct archive_facts *facts);
bool facts_io_write_checkpoint(hid_t root, const struct archive_checkpoint *checkpoint);
bool facts_io_write_run(hid_t group, const struct archive_run *run);

/* Reads the facts of a file of this format (layer_fingerprint apart, which stays). STATUS_INPUT, with `file` named:
 * not ours, a newer version, an attribute missing or of another type. */
enum status facts_io_read(hid_t root, const char *file, const char *format, struct archive_facts *facts,
                          struct error *e) ERROR_MUST_USE;
enum status facts_io_read_checkpoint(hid_t root, const char *file, struct archive_checkpoint *checkpoint,
                                     struct error *e) ERROR_MUST_USE;

#endif
