/* view.h - what is behind `struct model_file`: for the readers of this room only.
 *
 * A reader (gguf.c, hf_folder.c, knot.c) fills this struct from the maps;
 * model_file.c answers questions from it and never looks at the format again.
 */
#ifndef PHI3SAT_FORMATS_VIEW_H
#define PHI3SAT_FORMATS_VIEW_H

#include "model_file.h"
#include "names.h"

/* One key. What it holds stays in the map. */
struct view_key {
    struct model_file_text name;
    enum model_file_key_type type;
    enum model_file_key_type element; /* arrays: the elements' type                  */
    uint64_t position;                /* of the value in the file                    */
    const uint8_t *bytes;             /* number, string's bytes, or first element    */
    uint64_t length;                  /* string: bytes; array: elements; else 1       */
    uint64_t *strings;                /* [length] arrays of strings, owned: where in  */
                                      /* file->text each one's 64-bit length stands   */
};

struct model_file {
    struct mapping mapping; /* the file that tells what the model is                  */
    struct mapping *parts;  /* [part_count] further files, owned: shards, tokenizers    */
    size_t part_count;
    bool swapped;           /* numbers of keys are big-endian                           */
    char *path;             /* what the user named; NULL: mapping.path. Owned           */
    const char *kind; /* static: "GGUF v3"                                           */
    uint8_t *made;    /* keys, names and tensors of no file of their own; NULL or owned */
    const uint8_t *text; /* what keys' `strings` count from: the map, or `made`         */
    uint64_t text_size;  /* of it, what is keys and the tensors' names and shapes        */
    struct view_key *keys;             /* [key_count], owned                         */
    size_t key_count;
    struct names key_names;
    struct model_file_tensor *tensors; /* [tensor_count], owned                      */
    size_t tensor_count;
    struct names tensor_names;
    struct model_file_section *sections; /* [section_count], owned; .knot files alone     */
    size_t section_count;
    uint32_t fingerprint_version;        /* of the sections' fingerprints                 */
};

/* Frees keys, tensors, indexes and further files, not the first map. */
void view_free(struct model_file *file);

/* Bytes of one value of a fixed-size type; 0 for strings and arrays. */
size_t view_width(enum model_file_key_type type);

/* Whether values of the type are signed or unsigned integers (bool is neither). */
bool view_is_signed(enum model_file_key_type type);
bool view_is_unsigned(enum model_file_key_type type);

/* The unsigned number of `width` bytes (1, 2, 4, 8) at `bytes`: little-endian, and in the byte order of the keys. */
uint64_t view_load(const uint8_t *bytes, size_t width);
uint64_t view_number(const struct model_file *file, const uint8_t *bytes, size_t width);

/* "u32", "string" and so on, for messages; "type 99" ids have none: NULL. */
const char *view_type_name(uint32_t type);

/* Says which key or tensor an error is about: `key "general.alignment"`. At most
 * 120 bytes of the name are shown. Returns e->status. */
enum status view_name(struct error *e, const char *noun, struct model_file_text name, uint64_t position);

#endif
