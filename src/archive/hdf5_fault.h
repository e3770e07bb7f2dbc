/* hdf5_fault.h - turns HDF5's error stack into one sentence of ours.
 *
 * HDF5 prints its stack of errors by itself. Here a handler in that place keeps
 * the innermost cause instead, at the moment a call fails and before the calls that
 * clean up wipe it out, and hdf5_fault puts it into a `struct error`.
 */
#ifndef PHI3SAT_ARCHIVE_HDF5_FAULT_H
#define PHI3SAT_ARCHIVE_HDF5_FAULT_H

#include <hdf5.h>
#include <stdbool.h>

#include "../base/error.h"

/* Silences HDF5 and forgets what failed before; at the start of an operation. */
void hdf5_fault_watch(void);

/* Says for hdf5_fault that something failed which HDF5 knows nothing of: an allocation of ours. */
void hdf5_fault_memory(void);

/* Files opened with `access` are not locked (HDF5_USE_FILE_LOCKING has the last word). False: HDF5 failed. */
bool hdf5_fault_unlocked(hid_t access);

/* Did a call fail since hdf5_fault_watch because the file system has no locks? Then that failure is forgotten. */
bool hdf5_fault_no_locks(void);

/* Fills `e` with `status`, the file, the sentence and, after a colon, what HDF5
 * said since hdf5_fault_watch (the first thing, nothing if nothing). A refused lock
 * gets advice that names HDF5_USE_FILE_LOCKING. Returns `status`, or STATUS_FAILED instead of STATUS_INPUT where there
 * was no memory to read it. */
enum status hdf5_fault(struct error *e, enum status status, const char *file, const char *format, ...)
    ERROR_PRINTF(4, 5);

#endif
