/* model_file.h - one view of a model file: keys and tensors.
 *
 * Flow: *model file -> tensors* -> model. GGUF, Hugging Face folders and .knot files all fill the
 * same view, so nothing above this room has to know what the file was.
 */
#ifndef PHI3SAT_FORMATS_MODEL_FILE_H
#define PHI3SAT_FORMATS_MODEL_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

#include "../base/error.h"
#include "../base/mapping.h"
#include "../quants/quants.h"

enum model_file_key_type {
    MODEL_FILE_U8 = 0, MODEL_FILE_I8, MODEL_FILE_U16, MODEL_FILE_I16, MODEL_FILE_U32, MODEL_FILE_I32,
    MODEL_FILE_F32, MODEL_FILE_BOOL, MODEL_FILE_STRING, MODEL_FILE_ARRAY, MODEL_FILE_U64, MODEL_FILE_I64,
    MODEL_FILE_F64
};

/* A string inside the file: not NUL-terminated, may hold any byte. */
struct model_file_text {
    const char *bytes; /* [length], borrowed from the model file                 */
    size_t length;
};

struct model_file; /* opaque; owns the map and the index */

#define MODEL_FILE_MAX_DIMENSIONS 4

/* One tensor. dims[0] is the contiguous dimension (inputs of a matrix), as in
 * ggml: a weight matrix [outputs, inputs] has dims {inputs, outputs}. */
struct model_file_tensor {
    struct model_file_text name;
    uint32_t dimensions;                       /* 1..4                           */
    uint64_t dims[MODEL_FILE_MAX_DIMENSIONS];  /* unused ones are 1              */
    const struct quants_format *format;        /* never NULL                     */
    const uint8_t *bytes;                      /* in the map                     */
    uint64_t size;                             /* bytes                          */
    uint64_t position;                         /* of `bytes` in its file         */
    bool swapped;                              /* blocks are big-endian: quants/byte_order.h */
};

/* Opens and checks all of `path`: header, every key, every tensor's shape,
 * type, alignment, bounds, duplicate names and keys. What the file is, its
 * content tells. STATUS_INPUT names what is wrong and where. A file without
 * tensors (vocabulary only) is fine. A tensor of a known but not decodable type is
 * accepted here (format->decode is NULL) and refused where it is needed.
 * *file is NULL on failure; else closed by model_file_close (NULL allowed).
 * An open file is read-only: thread-safe. */
enum status model_file_open(struct model_file **file, const char *path, struct error *e) ERROR_MUST_USE;
void model_file_close(struct model_file *file);

/* The files that the model consists of: for a GGUF one; a folder's config.json, shards and tokenizer. */
size_t model_file_part_count(const struct model_file *file);
const struct mapping *model_file_part(const struct model_file *file, size_t i);

/* Which of them a tensor's bytes lie in; 0 for one that was made of something else. */
size_t model_file_part_of(const struct model_file *file, const struct model_file_tensor *tensor);

/* The bytes of all that is not a tensor's data: keys, names, shapes, types. [*size], borrowed. */
const uint8_t *model_file_header(const struct model_file *file, uint64_t *size);

/* As the user gave it. */
const char *model_file_path(const struct model_file *file);
/* "GGUF v3", for messages and /run. */
const char *model_file_kind(const struct model_file *file);

/* A Hugging Face folder, whose keys and tensors have other names where the user looks. */
bool model_file_is_folder(const struct model_file *file);

size_t model_file_tensor_count(const struct model_file *file);
const struct model_file_tensor *model_file_tensor_at(const struct model_file *file, size_t i);
/* NULL when there is none of that name (a hash look-up). */
const struct model_file_tensor *model_file_find_tensor(const struct model_file *file, const char *name);

/* A stretch of a .knot file under one checksum: 0 is what belongs to no layer, 1 + L is layer L. */
struct model_file_section {
    uint64_t position, size; /* bytes, padding included                         */
    uint64_t sum[2];         /* XXH3 of them, low half first                     */
    uint64_t fingerprint[2]; /* of what they decode to (model/fingerprint.h)     */
};

/* 0: a file of another kind, which has no checksums. `version` (NULL allowed): that of the fingerprints. */
size_t model_file_section_count(const struct model_file *file, uint32_t *version);
const struct model_file_section *model_file_section_at(const struct model_file *file, size_t i);

/* Reads all of section i and compares it with its checksum. STATUS_INPUT: they differ. */
enum status model_file_verify(const struct model_file *file, size_t i, struct error *e) ERROR_MUST_USE;

size_t model_file_key_count(const struct model_file *file);
struct model_file_text model_file_key_name(const struct model_file *file, size_t i);
enum model_file_key_type model_file_key_type_at(const struct model_file *file, size_t i);
bool model_file_has_key(const struct model_file *file, const char *key);

/* Each getter: *found false and the value untouched (so a default may stand in
 * it) when the key is missing; STATUS_INPUT when it is there with another type or out of
 * range (any integer type serves an integer; any float or integer a float).
 * `found` may be NULL: then a missing key is an error that names it. */
enum status model_file_get_uint(const struct model_file *file, const char *key, uint64_t *value, bool *found,
                                struct error *e) ERROR_MUST_USE;
enum status model_file_get_float(const struct model_file *file, const char *key, double *value, bool *found,
                                 struct error *e) ERROR_MUST_USE;
enum status model_file_get_bool(const struct model_file *file, const char *key, bool *value, bool *found,
                                struct error *e) ERROR_MUST_USE;
enum status model_file_get_text(const struct model_file *file, const char *key, struct model_file_text *value,
                                bool *found, struct error *e) ERROR_MUST_USE;

/* A text that is compared with names we know: one with a NUL byte would be shown as another than it is, and is refused. */
enum status model_file_get_word(const struct model_file *file, const char *key, struct model_file_text *value,
                                bool *found, struct error *e) ERROR_MUST_USE;

/* Where the value of `key` lies in the file; -1: nowhere, or its keys were made (folders). */
int64_t model_file_key_position(const struct model_file *file, const char *key);

/* The field of a folder's config.json that `key` was made of, as its user knows it; NULL: another kind of file, or none. */
const char *model_file_key_field(const struct model_file *file, const char *key);

/* Arrays. Length and element type of array `key`; elements are then read one by
 * one (strings by index in constant time: the index is built at open or on first
 * use, thread-safely - at open is simplest) */
enum status model_file_get_array(const struct model_file *file, const char *key, enum model_file_key_type *element,
                                 size_t *length, bool *found, struct error *e) ERROR_MUST_USE;
enum status model_file_array_text(const struct model_file *file, const char *key, size_t i,
                                  struct model_file_text *value, struct error *e) ERROR_MUST_USE;
enum status model_file_array_int(const struct model_file *file, const char *key, size_t i, int64_t *value,
                                 struct error *e) ERROR_MUST_USE;
enum status model_file_array_float(const struct model_file *file, const char *key, size_t i, double *value,
                                   struct error *e) ERROR_MUST_USE;

#endif
