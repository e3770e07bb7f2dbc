/* knot.h - our packed container: a model in the order in which it is run, every byte under a checksum.
 *
 *     head                what the model is: fixed part, table of sections, keys, tensors, zeros
 *     section 0           tensors of no layer: embedding, output, rotary factors
 *     section 1 + L       layer L, in the order of the forward pass
 *
 * The fixed part, all numbers little-endian:
 *
 *      0  8  89 4B 4E 4F 54 0D 0A 1A ("KNOT" between bytes that a transfer as text changes)
 *      8  4  version, 1                         12  4  version of the fingerprints
 *     16 16  XXH3 (128 bits) of the head, with zeros in this place
 *     32  8  bytes of the file                  40  8  bytes of the head
 *     48  4  alignment of the sections          52  4  number of sections
 *     56  8  number of keys                     64  8  number of tensors
 *     72 24  zeros
 *     96     sections, 48 bytes each: position, size, XXH3 (low half first), fingerprint
 *
 * Behind them keys and tensors as GGUF v3 writes them (gguf.h); offsets count from the end of the tensors' list,
 * rounded up to 64. Head and sections follow each other without gaps. docs/knot.md says more, and why.
 */
#ifndef PHI3SAT_FORMATS_KNOT_H
#define PHI3SAT_FORMATS_KNOT_H

#include <stdbool.h>

#include "view.h"

#define KNOT_VERSION 1
#define KNOT_MAGIC "\x89KNOT\r\n\x1a"
#define KNOT_MAGIC_BYTES 8
#define KNOT_SUM_AT 16
#define KNOT_FIXED_BYTES 96
#define KNOT_SECTION_BYTES 48
#define KNOT_TENSOR_ALIGNMENT 64
#define KNOT_LEAST_ALIGNMENT 4096u
#define KNOT_LARGEST_ALIGNMENT (1u << 30)

/* Whether the file begins like one, or like one that a transfer as text has changed. */
bool knot_matches(const struct mapping *mapping);

/* Reads and checks everything but the sections' bytes: the head's checksum, sizes, keys, tensors, and that each tensor lies in
 * its section. `file` has its mapping and is zero otherwise; model_file_close frees what is there when this fails
 * (STATUS_INPUT, or STATUS_FAILED without memory). The error's file is left to the caller. */
enum status knot_read(struct model_file *file, struct error *e) ERROR_MUST_USE;

/* Compares the bytes of a section with its checksum. STATUS_INPUT: they differ. */
enum status knot_verify(const struct model_file *file, size_t section, struct error *e) ERROR_MUST_USE;

#endif
