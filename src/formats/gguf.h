/* gguf.h - reads GGUF v2 and v3 into the view of a model file.
 *
 *   "GGUF" | u32 version | u64 tensors | u64 keys
 *   keys:     string name | u32 type | value
 *   tensors:  string name | u32 dimensions | u64 dims[] | u32 type | u64 offset
 *   padding to `general.alignment` (32 unless the key says otherwise)
 *   data:     each tensor at its offset from here, a multiple of the alignment
 *
 * string: u64 length, then its bytes. array: u32 element type, u64 length, then
 * the elements. All numbers are little-endian; a v3 file may be big-endian throughout, which its version tells.
 */
#ifndef PHI3SAT_FORMATS_GGUF_H
#define PHI3SAT_FORMATS_GGUF_H

#include <stdbool.h>

#include "../base/cursor.h"
#include "view.h"

#define GGUF_DEFAULT_ALIGNMENT 32
#define GGUF_LARGEST_ALIGNMENT (1u << 20)
#define GGUF_DEEPEST_ARRAY 8
#define GGUF_MOST_STRINGS (1 << 24) /* of an array, 64 times the largest vocabularies: a hole in a file is any number of empty ones */
#define GGUF_MOST_PARTS 65535 /* split.count is 16 bits wide */

/* Whether the bytes begin with GGUF's magic. */
bool gguf_matches(const struct mapping *mapping);

/* Reads and checks everything, the other files of a split model included. `file` has its mapping and is zero otherwise;
 * model_file_close frees what is there when this fails (STATUS_INPUT, or
 * STATUS_FAILED without memory). The error's file is left to the caller. */
enum status gguf_read(struct model_file *file, struct error *e) ERROR_MUST_USE;

/* The same of one file alone, and what then opens the others, if it is a part: `file` becomes the view of all. */
enum status gguf_read_one(struct model_file *file, struct error *e) ERROR_MUST_USE;
enum status gguf_split_open(struct model_file *file, struct error *e) ERROR_MUST_USE;

/* The parts, each in a file of its own. Keys first: they tell the alignment. */
enum status gguf_keys_read(struct model_file *file, struct cursor *c, size_t count, struct error *e) ERROR_MUST_USE;
enum status gguf_tensors_read(struct model_file *file, struct cursor *c, size_t count, uint32_t alignment,
                              struct error *e) ERROR_MUST_USE;

/* Reads a name: not empty, no NUL byte (a C string would see another name). */
enum status gguf_name(struct cursor *c, struct model_file_text *name, const char *noun, size_t index,
                      struct error *e) ERROR_MUST_USE;

#endif
