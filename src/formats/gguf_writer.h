/* gguf_writer.h - writes GGUF v3, front to back, however large the tensors are.
 *
 * Flow: keys and shapes first (kept in memory), then the tensors' bytes in the same order,
 * handed over in pieces of any size. The layout is drawn in gguf.h. The file is written
 * beside its name and renamed when it is whole (base/outfile.h).
 *
 *     gguf_writer_open, gguf_writer_key_..., gguf_writer_tensor, gguf_writer_start,
 *     gguf_writer_data ..., gguf_writer_commit
 */
#ifndef PHI3SAT_FORMATS_GGUF_WRITER_H
#define PHI3SAT_FORMATS_GGUF_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

#include "../base/error.h"
#include "../quants/quants.h"

struct gguf_writer; /* opaque */

/* *w is NULL on failure, else ended by gguf_writer_commit or gguf_writer_abandon. */
enum status gguf_writer_open(struct gguf_writer **w, const char *path, struct error *e) ERROR_MUST_USE;

/* Add a key. A failure (memory) is remembered and reported by gguf_writer_start. Strings are
 * copied; an array's elements too. Values of arrays: texts[count] NUL-terminated. */
void gguf_writer_key_text(struct gguf_writer *w, const char *key, const char *value);
void gguf_writer_key_u32(struct gguf_writer *w, const char *key, uint32_t value);
void gguf_writer_key_f32(struct gguf_writer *w, const char *key, float value);
void gguf_writer_key_bool(struct gguf_writer *w, const char *key, bool value);
void gguf_writer_key_texts(struct gguf_writer *w, const char *key, const char *const *texts, size_t count);
void gguf_writer_key_floats(struct gguf_writer *w, const char *key, const float *values, size_t count);
void gguf_writer_key_ints(struct gguf_writer *w, const char *key, const int32_t *values, size_t count);

/* Announces the next tensor: rows of `columns` weights, a whole number of blocks each; rows 0: a
 * vector. */
void gguf_writer_tensor(struct gguf_writer *w, const char *name, uint64_t columns, uint64_t rows,
                        const struct quants_format *format);

/* Bytes that the tensors announced so far will take. */
uint64_t gguf_writer_size(const struct gguf_writer *w);

/* Ends keys and tensors and writes them. STATUS_FAILED, STATUS_OUTPUT. */
enum status gguf_writer_start(struct gguf_writer *w, struct error *e) ERROR_MUST_USE;

/* The next `size` bytes of the tensor under way, of one tensor only; padding follows by itself.
 * STATUS_OUTPUT as soon as a write has failed. */
enum status gguf_writer_data(struct gguf_writer *w, const void *bytes, size_t size, struct error *e) ERROR_MUST_USE;

/* Ends the file once every tensor is there; frees `w` in any case. STATUS_OUTPUT: the old file,
 * if any, is as it was. */
enum status gguf_writer_commit(struct gguf_writer *w, struct error *e) ERROR_MUST_USE;

/* Drops everything; NULL is allowed. */
void gguf_writer_abandon(struct gguf_writer *w);

#endif
