/* hdf5_mutate.h - changes to HDF5 files that get past their checksums.
 *
 * Flow: an archive or a checkpoint -> *hdf5_mutate* -> fuzz_archive, fuzz_checkpoint, hdf5_alone.
 */
#ifndef PHI3SAT_TESTS_HDF5_MUTATE_H
#define PHI3SAT_TESTS_HDF5_MUTATE_H

#include "mutate.h"

/* One change in HDF5's own structures, their checksums made to fit again most times. Returns the new size. */
size_t hdf5_mutate(uint8_t *data, size_t size, size_t max, struct mutate_random *r);

/* Where HDF5's bytes end as the superblock says; `size` where it has none of versions 2 and 3. */
size_t hdf5_mutate_end(const uint8_t *data, size_t size);

/* Cuts our seal off, or makes it fit again (adds one where there is none, if there is room). Return the new size. */
size_t hdf5_mutate_unseal(const uint8_t *data, size_t size);
size_t hdf5_mutate_seal(uint8_t *data, size_t size, size_t max);

/* Whether it ends with a seal, and whether that one's sum is right, by the one-call function. */
bool hdf5_mutate_is_sealed(const uint8_t *data, size_t size);
bool hdf5_mutate_seal_fits(const uint8_t *data, size_t size);

#endif
