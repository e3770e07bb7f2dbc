/* gguf_mutate.h - changes to a GGUF image that keep its sizes nearly right.
 *
 * For the targets that read keys and tensors in GGUF's form, .knot files included. A walk of its own, which shares nothing with
 * src/formats, notes where numbers, texts and entries stand, as far as the image is whole.
 */
#ifndef PHI3SAT_TESTS_GGUF_MUTATE_H
#define PHI3SAT_TESTS_GGUF_MUTATE_H

#include "mutate.h"

/* Where an image has what. */
struct gguf_image {
    size_t tensors_at, keys_at; /* the two counts, 8 bytes each                              */
    size_t entries_at;          /* the first key                                              */
    size_t alignment;           /* of the tensors' data                                       */
    bool big_endian;
};

/* Of a GGUF file: version, byte order and alignment as they are told. */
struct gguf_image gguf_image_of(const uint8_t *data, size_t size);

/* One change. Returns the new size. */
size_t gguf_mutate(uint8_t *data, size_t size, size_t max, struct gguf_image image, struct mutate_random *r);

/* Behind the last tensor's entry, where the padding begins; 0 when the walk doesn't get there. */
size_t gguf_entries_end(const uint8_t *data, size_t size, struct gguf_image image);

#endif
