/* knot_writer.h - writes a .knot file (knot.h), front to back, however large it is.
 *
 * Flow: keys, sections and the tensors of each first (kept in memory), then the tensors' bytes in the same
 * order, in pieces of any size; checksums are taken as the bytes pass. The head, which holds them, is written last into the
 * room left for it. The file is written beside its name and renamed when it is whole (base/outfile.h).
 *
 *     knot_writer_open, knot_writer_copy_keys, knot_writer_section and _tensor ..., knot_writer_start,
 *     knot_writer_data ..., knot_writer_fingerprint ..., knot_writer_commit
 */
#ifndef PHI3SAT_FORMATS_KNOT_WRITER_H
#define PHI3SAT_FORMATS_KNOT_WRITER_H

#include "model_file.h"

struct knot_writer; /* opaque */

/* *w is NULL on failure, else ended by knot_writer_commit or _abandon. STATUS_OUTPUT: `path` can't be written, or is a device
 * or pipe, in which nobody can go back. `fingerprints`: the version of those that will be given. */
enum status knot_writer_open(struct knot_writer **w, const char *path, uint32_t fingerprints, struct error *e) ERROR_MUST_USE;

/* Adds all keys of `from`, those apart that tell of its file's form and not of the model (general.alignment, split.*,
 * phi3sat.rotary_halves), and arrays of arrays, which nobody reads; returns the number of the latter. A failure (memory) is
 * remembered and reported by knot_writer_start. */
size_t knot_writer_copy_keys(struct knot_writer *w, const struct model_file *from);
void knot_writer_key_bool(struct knot_writer *w, const char *key, bool value);

/* Begins the next section, and announces its next tensor: name, dimensions, dims, format of `t` are copied. Every section has
 * one at least. */
void knot_writer_section(struct knot_writer *w);
void knot_writer_tensor(struct knot_writer *w, const struct model_file_tensor *t);

/* Bytes of the file; valid after knot_writer_start, which ends keys and tensors. STATUS_FAILED, STATUS_OUTPUT. */
enum status knot_writer_start(struct knot_writer *w, struct error *e) ERROR_MUST_USE;
uint64_t knot_writer_size(const struct knot_writer *w);

/* The next `size` bytes of the tensor under way, of one tensor only; padding follows by itself. STATUS_OUTPUT as soon as a
 * write has failed. */
enum status knot_writer_data(struct knot_writer *w, const void *bytes, size_t size, struct error *e) ERROR_MUST_USE;

/* The fingerprint of a section's decoded weights. */
void knot_writer_fingerprint(struct knot_writer *w, size_t section, const uint64_t hash[2]);

/* Ends the file once every tensor is there; frees `w` in any case. STATUS_OUTPUT: the old file, if any, is as it was. */
enum status knot_writer_commit(struct knot_writer *w, struct error *e) ERROR_MUST_USE;

/* Drops everything; NULL is allowed. */
void knot_writer_abandon(struct knot_writer *w);

#endif
