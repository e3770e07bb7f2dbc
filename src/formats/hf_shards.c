/* hf_shards.c - see hf_shards.h.
 *
 * Which files are opened is told by an index that nobody vouches for: its names may not lead out of the folder, there are at
 * most MOST_SHARDS, and index and shards must agree on every tensor. A copy that lacks a shard, or has one of another
 * model, is said as such.
 */
#include "hf_shards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/memory.h"
#include "hf_json.h"

#define MOST_SHARDS 4096
#define WHOLE "model.safetensors"
#define INDEX "model.safetensors.index.json"
#define FOREIGN "the files are not of one model; download the folder again"

/* What the index says of one tensor. */
struct place {
    struct model_file_text tensor, shard; /* in `decoded` */
    bool seen;                            /* its shard has it */
};

/* While an index is read. */
struct index {
    const struct mapping *map;
    char *decoded;
    struct place *places; /* [count] */
    size_t count;
    struct names names;   /* of the tensors */
    char **shards;        /* [shard_count] NUL-terminated, owned */
    size_t shard_count;
};

static enum status path_of(const char *folder, const char *name, char **path, struct error *e)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    enum status status = memory_array(path, size, 1, "a path", e);
    if (status == STATUS_OK)
        snprintf(*path, size, "%s/%s", folder, name);
    return status;
}

enum status hf_shards_open(struct model_file *file, const char *folder, const char *name, bool required,
                           const struct mapping **map, struct error *e)
{
    char *path = NULL;
    size_t capacity = file->part_count;
    *map = NULL;
    enum status status = path_of(folder, name, &path, e);
    if (status != STATUS_OK || (!required && access(path, F_OK) != 0))
        goto done;
    status = memory_grow(&file->parts, &capacity, file->part_count + 1, sizeof *file->parts, "the model's files", e);
    if (status == STATUS_OK)
        status = mapping_open(&file->parts[file->part_count], path, e);
    if (status == STATUS_OK)
        *map = &file->parts[file->part_count++];
done:
    memory_free(path);
    return status;
}

void hf_shards_free(struct hf_shards *s)
{
    for (size_t i = 0; i < s->count; i++)
        safetensors_free(&s->shards[i]);
    memory_free(s->shards);
    memset(s, 0, sizeof *s);
}

static void index_free(struct index *x)
{
    for (size_t i = 0; i < x->shard_count; i++)
        memory_free(x->shards[i]);
    memory_free(x->shards);
    memory_free(x->decoded);
    memory_free(x->places);
    names_free(&x->names);
}

static enum status refuse(const struct index *x, struct json_value at, const char *where, const char *sentence, struct error *e)
{
    hf_json_refuse(x->map, at, where, sentence, e);
    return error_advice(e, "the file is damaged; download it again");
}

/* A name that leads to no other folder. */
static bool is_plain(struct model_file_text name)
{
    return name.length > 0 && name.length < 256 && name.bytes[0] != '.' && !memchr(name.bytes, '/', name.length) &&
           !memchr(name.bytes, '\0', name.length);
}

static enum status read_places(struct index *x, struct json_value map, struct error *e)
{
    struct json_value key, value;
    size_t used = 0, repeated;
    struct json_walk walk = json_begin(map);
    while (json_next(&walk, &key, &value))
        x->count++;
    enum status s = memory_array(&x->decoded, map.length, 1, "the index of shards", e);
    if (s == STATUS_OK)
        s = memory_array(&x->places, x->count, sizeof *x->places, "the index of shards", e);
    if (s == STATUS_OK)
        s = names_init(&x->names, x->count, e);
    walk = json_begin(map);
    for (size_t i = 0; s == STATUS_OK && json_next(&walk, &key, &value); i++) {
        struct place *p = &x->places[i];
        if (json_kind(value) != JSON_STRING)
            return refuse(x, value, "weight_map", "a shard's name is no text", e);
        p->tensor = (struct model_file_text){x->decoded + used, json_decode(key, x->decoded + used)};
        used += p->tensor.length;
        p->shard = (struct model_file_text){x->decoded + used, json_decode(value, x->decoded + used)};
        used += p->shard.length;
        if (!is_plain(p->shard))
            return refuse(x, value, "weight_map", "a shard's name is not that of a file in this folder", e);
        names_set(&x->names, i, p->tensor);
    }
    if (s == STATUS_OK && !names_build(&x->names, &repeated)) {
        refuse(x, map, "weight_map", "a tensor is there twice", e);
        return view_name(e, "tensor", x->places[repeated].tensor, UINT64_MAX);
    }
    return s;
}

static int compare_shards(const void *left, const void *right)
{
    const struct place *a = *(const struct place *const *)left, *b = *(const struct place *const *)right;
    const size_t shorter = a->shard.length < b->shard.length ? a->shard.length : b->shard.length;
    const int order = memcmp(a->shard.bytes, b->shard.bytes, shorter);
    return order ? order : (a->shard.length > b->shard.length) - (a->shard.length < b->shard.length);
}

/* The names of shards, each once, in the order of their bytes. */
static enum status list_shards(struct index *x, struct error *e)
{
    const struct place **order = NULL;
    size_t capacity = 0;
    enum status s = memory_array(&order, x->count, sizeof *order, "the index of shards", e);
    for (size_t i = 0; i < x->count && s == STATUS_OK; i++)
        order[i] = &x->places[i];
    if (s == STATUS_OK && x->count)
        qsort(order, x->count, sizeof *order, compare_shards);
    for (size_t i = 0; i < x->count && s == STATUS_OK; i++) {
        if (i > 0 && compare_shards(&order[i - 1], &order[i]) == 0)
            continue;
        if (x->shard_count == MOST_SHARDS)
            s = refuse(x, (struct json_value){0}, "weight_map", "names more than 4096 shards", e);
        if (s == STATUS_OK)
            s = memory_grow(&x->shards, &capacity, x->shard_count + 1, sizeof *x->shards, "the index of shards", e);
        if (s == STATUS_OK)
            s = memory_bytes(&x->shards[x->shard_count], order[i]->shard.bytes, order[i]->shard.length, e);
        x->shard_count += s == STATUS_OK;
    }
    memory_free(order);
    return s;
}

static enum status read_index(struct index *x, const struct mapping *map, struct error *e)
{
    struct json_value root, weights;
    *x = (struct index){.map = map};
    enum status s = hf_json_object(map->path, map->bytes, map->size, 0, &root, e);
    if (s == STATUS_OK && !hf_json_member(root, "weight_map", JSON_OBJECT, &weights))
        s = refuse(x, root, "weight_map", "the index has no list of tensors", e);
    if (s == STATUS_OK)
        s = read_places(x, weights, e);
    return s == STATUS_OK ? list_shards(x, e) : s;
}

static enum status disagree(const struct mapping *map, const char *sentence, struct model_file_text tensor, struct error *e)
{
    error_set(e, STATUS_INPUT, "%s", sentence);
    error_file(e, map->path);
    error_advice(e, FOREIGN);
    return view_name(e, "tensor", tensor, UINT64_MAX);
}

/* Every tensor of the shard stands in the index for this shard. */
static enum status check_shard(const struct index *x, const char *shard, const struct safetensors *tensors,
                               const struct mapping *map, struct error *e)
{
    for (size_t i = 0; i < tensors->count; i++) {
        const struct model_file_text name = tensors->tensors[i].name;
        size_t at;
        if (!names_find_text(&x->names, name, &at))
            return disagree(map, "the shard has a tensor that its index lacks", name, e);
        if (!names_equal(x->places[at].shard, shard))
            return disagree(map, "the shard has a tensor that its index places in another", name, e);
        x->places[at].seen = true;
    }
    return STATUS_OK;
}

static enum status check_complete(const struct index *x, struct error *e)
{
    for (size_t i = 0; i < x->count; i++)
        if (!x->places[i].seen)
            return disagree(x->map, "the index names a tensor that its shard lacks", x->places[i].tensor, e);
    return STATUS_OK;
}

static enum status read_shard(struct hf_shards *s, struct model_file *file, const char *folder, const char *name,
                              const struct mapping **map, struct error *e)
{
    size_t capacity = s->count;
    enum status status = hf_shards_open(file, folder, name, true, map, e);
    if (status == STATUS_OK)
        status = memory_grow(&s->shards, &capacity, s->count + 1, sizeof *s->shards, "the model's files", e);
    return status == STATUS_OK ? safetensors_read(&s->shards[s->count++], *map, e) : status;
}

static enum status read_indexed(struct hf_shards *s, struct model_file *file, const char *folder, const struct index *x,
                                struct error *e)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < x->shard_count && status == STATUS_OK; i++) {
        const struct mapping *map;
        status = read_shard(s, file, folder, x->shards[i], &map, e);
        if (status == STATUS_OK)
            status = check_shard(x, x->shards[i], &s->shards[i], map, e);
        else if (e && status == STATUS_INPUT && e->where[0] == '\0')
            error_where(e, "shard %zu of %zu in " INDEX, i + 1, x->shard_count);
    }
    return status == STATUS_OK ? check_complete(x, e) : status;
}

/* Weights in a form that we don't read, so that "no weights" would puzzle. */
static enum status refuse_others(const char *folder, struct error *e)
{
    static const char *const others[] = {"pytorch_model.bin", "pytorch_model.bin.index.json", "consolidated.00.pth",
                                         "consolidated.safetensors", "tf_model.h5", "flax_model.msgpack"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char *path;
        enum status status = path_of(folder, others[i], &path, e);
        if (status != STATUS_OK)
            return status;
        const bool there = access(path, F_OK) == 0;
        memory_free(path);
        if (!there)
            continue;
        error_set(e, STATUS_INPUT, "the folder has its weights as %s, and no " WHOLE, others[i]);
        error_file(e, folder);
        return error_advice(e, "download the safetensors files, or save the model again with safe_serialization=True");
    }
    return STATUS_OK;
}

enum status hf_shards_read(struct hf_shards *s, struct model_file *file, const char *folder, const char *single,
                           struct error *e)
{
    const struct mapping *map = NULL;
    struct index x = {0};
    bool listed = false;
    char *whole = NULL;
    enum status status = path_of(folder, WHOLE, &whole, e);
    if (status != STATUS_OK)
        return status;
    const bool has_whole = access(whole, F_OK) == 0;
    memory_free(whole);
    if (single[0] || !has_whole)
        status = hf_shards_open(file, folder, INDEX, false, &map, e);
    /* Maps move as the list grows; the index keeps its own copy of this one, whose bytes stay. */
    const struct mapping index_map = map ? *map : (struct mapping){0};
    if (map && status == STATUS_OK)
        status = read_index(&x, &index_map, e);
    for (size_t i = 0; i < x.shard_count; i++)
        listed |= strcmp(x.shards[i], single) == 0;
    if (status == STATUS_OK && single[0] && !listed)
        status = read_shard(s, file, folder, single, &map, e);
    else if (status == STATUS_OK && map)
        status = read_indexed(s, file, folder, &x, e);
    else if (status == STATUS_OK && has_whole)
        status = read_shard(s, file, folder, WHOLE, &map, e);
    else if (status == STATUS_OK)
        status = refuse_others(folder, e);
    index_free(&x);
    return status;
}
