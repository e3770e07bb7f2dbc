/* hf_folder.c - see hf_folder.h.
 *
 * Nothing behind this room knows that there was a folder: config.json and the tokenizer become the keys, and the tensors get
 * the names, that llama.cpp's conversion gives them. Weights stay where they are, in the maps of the shards; what is
 * made here (keys, names, rotary factors) is one block in file->made:
 *
 *     keys | a line a tensor: name, type, shape, place | rotary factors, float32
 *     `------------- file->text_size ----------------'
 */
#include "hf_folder.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/cursor.h"
#include "../base/memory.h"
#include "gguf.h"
#include "hf_config.h"
#include "hf_json.h"
#include "hf_names.h"
#include "hf_shards.h"
#include "hf_tokenizer.h"

#define LINE 160 /* of a tensor, but for its name */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool ends_with(const char *text, const char *tail)
{
    const size_t n = strlen(text), m = strlen(tail);
    return n >= m && strcmp(text + n - m, tail) == 0;
}

static bool is_json(const struct mapping *map)
{
    size_t i = 0;
    while (i < map->size && i < 4096 && strchr(" \t\r\n", map->bytes[i]) && map->bytes[i])
        i++;
    return i < map->size && map->bytes[i] == '{';
}

bool hf_folder_has(const struct mapping *map)
{
    const char *name = last_part(map->path);
    return safetensors_matches(map) || (is_json(map) && (strcmp(name, "config.json") == 0 || strcmp(name, "tokenizer.json") == 0 ||
                                                         ends_with(name, ".safetensors.index.json")));
}

/* While a folder is read. */
struct folder {
    struct model_file *file;
    char *path;            /* owned */
    const char *single;    /* the safetensors file that was named, "" */
    struct hf_config config;
    struct hf_shards shards;
    struct made_keys made;
    struct error *e;
};

static enum status find_folder(struct folder *f, const char *path)
{
    const char *name = last_part(path);
    f->single = "";
    if (f->file->mapping.path == NULL) { /* the folder itself; "dir/" is "dir" */
        size_t length = strlen(path);
        while (length > 1 && path[length - 1] == '/')
            length--;
        return memory_bytes(&f->path, path, length, f->e);
    }
    if (safetensors_matches(&f->file->mapping))
        f->single = name;
    if (name == path)
        return memory_string(&f->path, ".", f->e);
    return memory_bytes(&f->path, path, name == path + 1 ? 1 : (size_t)(name - path) - 1, f->e);
}

/* Maps config.json as the file's first part. */
static enum status open_config(struct folder *f)
{
    char *path = NULL;
    const size_t size = strlen(f->path) + sizeof "/config.json";
    struct stat about;
    enum status s = memory_array(&path, size, 1, "a path", f->e);
    if (s != STATUS_OK)
        return s;
    snprintf(path, size, "%s/config.json", f->path);
    if (stat(path, &about) != 0) {
        s = error_set(f->e, STATUS_INPUT, f->single[0] ? "is a safetensors file, and has no config.json beside it"
                                                       : "is a folder without a config.json");
        error_file(f->e, f->file->path);
        error_advice(f->e, "give the folder of a Hugging Face model, whole, or a model in GGUF form");
    } else {
        mapping_close(&f->file->mapping);
        s = mapping_open(&f->file->mapping, path, f->e);
    }
    memory_free(path);
    return s;
}

static enum status read_config(struct folder *f)
{
    const struct mapping *map = &f->file->mapping;
    struct json_value root;
    enum status s = hf_json_object(map->path, map->bytes, map->size, 0, &root, f->e);
    return s == STATUS_OK ? hf_config_read(&f->config, map, root, &f->made, f->e) : s;
}

/* Rotary factors, which GGUF has as tensors. */
struct vector {
    const char *name;
    const float *values;
};

static size_t list_vectors(const struct hf_config *c, struct vector vectors[3])
{
    const struct vector all[] = {{"rope_factors_long.weight", c->factors_long},
                                 {"rope_factors_short.weight", c->factors_short},
                                 {"rope_freqs.weight", c->frequency_factors}};
    size_t count = 0;
    for (size_t i = 0; i < 3; i++)
        if (all[i].values)
            vectors[count++] = all[i];
    return count;
}

/* Adds a tensor under `name`, which lies in file->made's last bytes, and ends its line. */
static void add_tensor(struct folder *f, const struct model_file_tensor *like, size_t name, size_t length)
{
    struct model_file_tensor *t = &f->file->tensors[f->file->tensor_count++];
    char line[LINE];
    *t = *like;
    t->name = (struct model_file_text){(const char *)f->made.bytes + name, length};
    const int n = snprintf(line, sizeof line, " %s %llu %llu %llu %llu %llu\n", t->format->name, (unsigned long long)t->dims[0],
                           (unsigned long long)t->dims[1], (unsigned long long)t->dims[2], (unsigned long long)t->dims[3],
                           (unsigned long long)t->position);
    made_keys_raw(&f->made, line, (size_t)n);
}

static void add_shards(struct folder *f)
{
    for (size_t s = 0; s < f->shards.count; s++)
        for (size_t i = 0; i < f->shards.shards[s].count; i++) {
            const struct model_file_tensor *t = &f->shards.shards[s].tensors[i];
            const size_t at = f->made.size;
            const size_t length = hf_names_translate(t->name, f->config.tied, (char *)f->made.bytes + at);
            if (!length)
                continue;
            f->made.size += length;
            add_tensor(f, t, at, length);
        }
}

/* The made block's second and third part. It is reserved as a whole, so that pointers into it hold. */
static enum status make_tensors(struct folder *f)
{
    struct vector vectors[3];
    const size_t vector_count = list_vectors(&f->config, vectors), bytes = f->config.factors * sizeof(float);
    size_t count = vector_count, room = 3 * (bytes + LINE + 64);
    for (size_t s = 0; s < f->shards.count; s++)
        for (size_t i = 0; i < f->shards.shards[s].count; i++, count++)
            room += f->shards.shards[s].tensors[i].name.length + HF_NAMES_LONGER + LINE;
    made_keys_reserve(&f->made, room);
    enum status s = made_keys_status(&f->made, f->e);
    if (s == STATUS_OK)
        s = memory_array(&f->file->tensors, count, sizeof *f->file->tensors, "the tensors", f->e);
    if (s != STATUS_OK)
        return s;
    add_shards(f);
    for (size_t i = 0; i < vector_count; i++) {
        const struct model_file_tensor like = {.dimensions = 1, .dims = {f->config.factors, 1, 1, 1},
                                               .format = quants_by_id(QUANTS_F32), .size = bytes};
        const size_t at = f->made.size, length = strlen(vectors[i].name);
        made_keys_raw(&f->made, vectors[i].name, length);
        add_tensor(f, &like, at, length);
    }
    f->file->text_size = f->made.size;
    for (size_t i = 0; i < vector_count; i++) {
        struct model_file_tensor *t = &f->file->tensors[f->file->tensor_count - vector_count + i];
        t->position = f->made.size;
        t->bytes = f->made.bytes + f->made.size;
        made_keys_raw(&f->made, vectors[i].values, bytes);
    }
    return made_keys_status(&f->made, f->e);
}

static enum status name_tensors(struct folder *f)
{
    struct model_file *file = f->file;
    size_t repeated;
    enum status s = names_init(&file->tensor_names, file->tensor_count, f->e);
    if (s != STATUS_OK)
        return s;
    for (size_t i = 0; i < file->tensor_count; i++)
        names_set(&file->tensor_names, i, file->tensors[i].name);
    if (names_build(&file->tensor_names, &repeated))
        return STATUS_OK;
    error_set(f->e, STATUS_INPUT, "a tensor is there twice");
    error_advice(f->e, "the files are not of one model; download the folder again");
    error_file(f->e, f->path);
    return view_name(f->e, "tensor", file->tensors[repeated].name, UINT64_MAX);
}

/* Hands the made block over to the file and reads its keys. */
static enum status read_keys(struct folder *f, size_t size, uint64_t count)
{
    struct cursor c = cursor_over(f->made.bytes, size);
    f->file->made = f->made.bytes;
    f->file->text = f->made.bytes;
    f->made.bytes = NULL;
    enum status s = gguf_keys_read(f->file, &c, (size_t)count, f->e);
    for (size_t i = 0; i < f->file->key_count && s == STATUS_OK; i++)
        f->file->keys[i].position = UINT64_MAX; /* nowhere in a file */
    return s;
}

static enum status read_folder(struct folder *f)
{
    enum status s = open_config(f);
    if (s == STATUS_OK)
        s = read_config(f);
    if (s == STATUS_OK)
        s = hf_shards_read(&f->shards, f->file, f->path, f->single, f->e);
    if (s == STATUS_OK)
        s = hf_tokenizer_read(f->file, f->path, &f->made, f->e);
    if (s == STATUS_OK)
        s = made_keys_status(&f->made, f->e);
    if (s != STATUS_OK)
        return s;
    const size_t keys_size = f->made.size;
    const uint64_t keys = f->made.count;
    s = make_tensors(f);
    if (s == STATUS_OK)
        s = read_keys(f, keys_size, keys);
    return s == STATUS_OK ? name_tensors(f) : s;
}

enum status hf_folder_read(struct model_file *file, const char *path, struct error *e)
{
    struct folder f = {.file = file, .e = e};
    enum status s = memory_string(&file->path, path, e);
    if (s == STATUS_OK)
        s = find_folder(&f, path);
    if (s == STATUS_OK)
        s = read_folder(&f);
    if (s == STATUS_OK)
        file->kind = f.shards.count == 0   ? "Hugging Face folder without weights"
                     : f.shards.count == 1 ? "Hugging Face folder, safetensors"
                                           : "Hugging Face folder, sharded safetensors";
    hf_config_free(&f.config);
    hf_shards_free(&f.shards);
    made_keys_free(&f.made);
    memory_free(f.path);
    return s;
}
