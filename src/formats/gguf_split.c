/* gguf_split.c - models split into several GGUF files, opened from any of them; see gguf.h.
 *
 * llama-gguf-split and the converters write PREFIX-00001-of-00003.gguf and so on: each a whole GGUF file with
 * keys split.no (from 0), split.count and split.tensors.count (of all parts together). The first one has the model's
 * keys, and the tensors of each lie in its own data. So the name of any part gives those of the others; what they
 * say about themselves has to agree, since people mix up downloads.
 *
 * The parts become one view: the keys of the first, the tensors of all, every map kept. `file` is put together last, so
 * that a failure leaves nothing behind but what view_free knows.
 */
#include "gguf.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../base/memory.h"

#define SUFFIX_MOST 32 /* "-00001-of-00003.gguf" and its end */
#define MERGE "or join them with llama-gguf-split --merge"

/* What a part says of itself. */
struct place {
    uint64_t number, count, tensors;
    bool has_number, has_count, has_tensors;
};

/* Writers differ in the integer's type; what is below 0 becomes too large a number. */
static enum status integer(const struct model_file *file, const char *name, uint64_t *value, bool *has, struct error *e)
{
    size_t i;
    *has = names_find(&file->key_names, name, &i);
    if (!*has)
        return STATUS_OK;
    const struct view_key *key = &file->keys[i];
    if (view_is_signed(key->type) || view_is_unsigned(key->type)) {
        *value = view_number(file, key->bytes, view_width(key->type));
        return STATUS_OK;
    }
    error_set(e, STATUS_INPUT, "a number of a split model is a value of type %s", view_type_name(key->type));
    error_advice(e, "the file is damaged; download it again");
    return view_name(e, "key", key->name, key->position);
}

static enum status read_place(struct place *p, const struct model_file *file, struct error *e)
{
    *p = (struct place){0};
    enum status status = integer(file, "split.no", &p->number, &p->has_number, e);
    if (status == STATUS_OK)
        status = integer(file, "split.count", &p->count, &p->has_count, e);
    return status == STATUS_OK ? integer(file, "split.tensors.count", &p->tensors, &p->has_tensors, e) : status;
}

/* ---- refusals --------------------------------------------------------------------- */

static enum status refuse(struct error *e, const char *path, const char *key, const char *advice)
{
    if (key)
        error_where(e, "key \"%s\"", key);
    error_advice(e, "%s", advice);
    return error_file(e, path);
}

/* Parts that were put behind one another: the next one begins where this one's data end. */
static enum status refuse_joined(const struct model_file *file, uint64_t count, struct error *e)
{
    const struct mapping *map = &file->mapping;
    uint64_t end = file->text_size;
    for (size_t i = 0; i < file->tensor_count; i++) {
        const uint64_t last = file->tensors[i].position + file->tensors[i].size;
        end = last > end ? last : end;
    }
    /* writers fill up the data to their alignment, or don't */
    for (uint64_t at = end; at + 8 <= map->size && at <= end + GGUF_LARGEST_ALIGNMENT; at++) {
        if (memcmp(map->bytes + at, "GGUF", 4) == 0) {
            error_set(e, STATUS_INPUT, "holds parts of a model split into %" PRIu64
                      " files, joined one behind the other, as cat joins: the next begins at byte %" PRIu64, count, at);
            error_position(e, (int64_t)at);
            return refuse(e, map->path, NULL, "keep the parts as they were, " MERGE);
        }
        if (map->bytes[at] != 0)
            return STATUS_OK;
    }
    return STATUS_OK;
}

static enum status refuse_number(const struct model_file *file, const struct place *p, struct error *e)
{
    if (!p->has_number)
        error_set(e, STATUS_INPUT, "is part of a model split into %" PRIu64 " files, but doesn't say which", p->count);
    else
        error_set(e, STATUS_INPUT, "says that it is part %" PRIu64 " of %" PRIu64, p->number + 1, p->count);
    return refuse(e, file->mapping.path, "split.no", "the file is damaged; download it again");
}

static enum status refuse_name(const struct model_file *file, const struct place *p, const char *suffix, struct error *e)
{
    error_set(e, STATUS_INPUT, "is part %" PRIu64 " of a model split into %" PRIu64
              " files, but its name doesn't end in %s, so the others can't be found", p->number + 1, p->count, suffix);
    return refuse(e, file->mapping.path, NULL, "give all parts the names that they had when they were made, " MERGE);
}

static enum status refuse_missing(const char *path, size_t number, const struct place *p, struct error *e)
{
    error_set(e, STATUS_INPUT, "part %zu of the %" PRIu64 " of this model isn't there", number + 1, p->count);
    return refuse(e, path, NULL, "fetch it, and keep all parts in one folder");
}

/* Part `number` of the set that `first` is of says something else than its name and the others. */
static enum status check_place(const struct model_file *file, size_t number, const struct place *first, struct error *e)
{
    const char *key = "split.count", *same = "give parts that were made together; download the odd one again";
    struct place own;
    if (read_place(&own, file, e) != STATUS_OK)
        return error_file(e, file->mapping.path);
    if (!own.has_count || own.count < 2) {
        error_set(e, STATUS_INPUT, "has the name of part %zu of a model, but is a model of its own", number + 1);
    } else if (own.count != first->count) {
        error_set(e, STATUS_INPUT, "is part of a model split into %" PRIu64 " files, not of one split into %" PRIu64
                  ": a part of another set", own.count, first->count);
    } else if (!own.has_number || own.number != number) {
        key = "split.no";
        error_set(e, STATUS_INPUT, "has the name of part %zu, but says that it is part %" PRIu64, number + 1,
                  own.has_number ? own.number + 1 : 0);
        same = "give the parts their own names back, or download them again";
    } else if (own.has_tensors != first->has_tensors || own.tensors != first->tensors) {
        key = "split.tensors.count";
        error_set(e, STATUS_INPUT, "is part of a model with %" PRIu64 " tensors, the part that was named of one with %" PRIu64
                  ": a part of another set", own.tensors, first->tensors);
    } else {
        return STATUS_OK;
    }
    return refuse(e, file->mapping.path, key, same);
}

/* ---- the parts -------------------------------------------------------------------- */

struct set {
    struct place place;       /* of the part that was named                              */
    char *path;               /* a part's, its suffix written anew for each              */
    size_t stem, room;        /* length before the suffix; of `path` in all              */
    struct model_file *part;  /* [place.count]                                           */
};

static void name_part(const struct set *s, size_t number)
{
    snprintf(s->path + s->stem, s->room - s->stem, "-%05zu-of-%05" PRIu64 ".gguf", number + 1, s->place.count);
}

static enum status open_names(struct set *s, const struct model_file *file, struct error *e)
{
    const char *path = file->mapping.path;
    const size_t length = strlen(path);
    enum status status = memory_uninitialised(&s->path, length + SUFFIX_MOST, 1, "the name of a part", e);
    if (status != STATUS_OK)
        return status;
    s->room = length + SUFFIX_MOST;
    name_part(s, (size_t)s->place.number); /* with an empty stem: the suffix itself */
    const size_t suffix = strlen(s->path);
    if (length < suffix || strcmp(path + length - suffix, s->path) != 0)
        return refuse_name(file, &s->place, s->path, e);
    s->stem = length - suffix;
    memcpy(s->path, path, s->stem);
    return STATUS_OK;
}

static enum status open_part(struct set *s, struct model_file *named, size_t number, struct error *e)
{
    struct model_file *part = &s->part[number];
    enum status status = STATUS_OK;
    if (number == s->place.number) { /* read already; its owner from here on is the set */
        *part = *named;
        memset(named, 0, sizeof *named);
        return check_place(part, number, &s->place, e);
    }
    name_part(s, number);
    status = mapping_open(&part->mapping, s->path, e);
    if (status != STATUS_OK)
        return mapping_is_there(s->path) ? status : refuse_missing(s->path, number, &s->place, e);
    if (!gguf_matches(&part->mapping)) {
        error_set(e, STATUS_INPUT, "has the name of part %zu of a model, but is no GGUF file", number + 1);
        return refuse(e, s->path, NULL, "download it again");
    }
    status = gguf_read_one(part, e);
    if (status == STATUS_OK)
        status = check_place(part, number, &s->place, e);
    if (status != STATUS_OK && e && e->file[0] == '\0')
        error_file(e, s->path);
    return status;
}

static void close_set(struct set *s)
{
    for (size_t i = 0; s->part && i < s->place.count; i++) {
        view_free(&s->part[i]);
        mapping_close(&s->part[i].mapping);
    }
    memory_free(s->part);
    memory_free(s->path);
}

/* ---- one view of all --------------------------------------------------------------- */

static enum status check_total(const struct set *s, size_t total, struct error *e)
{
    if (!s->place.has_tensors || s->place.tensors == total)
        return STATUS_OK;
    error_set(e, STATUS_INPUT, "the %" PRIu64 " parts hold %zu tensors, not the %" PRIu64 " that they announce", s->place.count,
              total, s->place.tensors);
    return refuse(e, s->part[0].mapping.path, "split.tensors.count", "parts of different sets are mixed; download them again");
}

/* Their tables of tensors, one behind the other: what hosts compare. */
static enum status join_headers(struct model_file *file, const struct set *s, struct error *e)
{
    size_t size = 0, at = 0;
    for (size_t i = 0; i < s->place.count; i++)
        size += (size_t)s->part[i].text_size; /* of mapped files: the sum fits */
    enum status status = memory_uninitialised(&file->made, size, 1, "the parts' tables", e);
    for (size_t i = 0; i < s->place.count && status == STATUS_OK; i++) {
        memcpy(file->made + at, s->part[i].text, (size_t)s->part[i].text_size);
        at += (size_t)s->part[i].text_size;
    }
    file->text = file->made;
    file->text_size = at;
    return status;
}

static enum status join_tensors(struct model_file *file, const struct set *s, struct error *e)
{
    size_t total = 0, at = 0, repeated;
    for (size_t i = 0; i < s->place.count; i++)
        total += s->part[i].tensor_count;
    enum status status = check_total(s, total, e);
    if (status == STATUS_OK)
        status = memory_array(&file->tensors, total, sizeof *file->tensors, "the tensors", e);
    if (status == STATUS_OK)
        status = names_init(&file->tensor_names, total, e);
    if (status != STATUS_OK)
        return status;
    file->tensor_count = total;
    for (size_t i = 0; i < s->place.count; i++)
        for (size_t k = 0; k < s->part[i].tensor_count; k++, at++) {
            file->tensors[at] = s->part[i].tensors[k];
            names_set(&file->tensor_names, at, file->tensors[at].name);
        }
    if (names_build(&file->tensor_names, &repeated))
        return STATUS_OK;
    size_t part = 0;
    for (at = repeated; at >= s->part[part].tensor_count; part++)
        at -= s->part[part].tensor_count;
    error_set(e, STATUS_INPUT, "a tensor stands in an earlier part too");
    view_name(e, "tensor", file->tensors[repeated].name, file->tensors[repeated].position);
    return refuse(e, s->part[part].mapping.path, NULL, "parts of different sets are mixed; download them again");
}

/* Keys, maps and what is left move to `file`; nothing can fail here. */
static void take_over(struct model_file *file, struct set *s)
{
    struct model_file *first = &s->part[0];
    file->mapping = first->mapping;
    file->kind = first->kind;
    file->swapped = first->swapped;
    file->keys = first->keys;
    file->key_count = first->key_count;
    file->key_names = first->key_names;
    for (size_t i = 1; i < s->place.count; i++) {
        file->parts[i - 1] = s->part[i].mapping;
        memset(&s->part[i].mapping, 0, sizeof s->part[i].mapping);
    }
    file->part_count = (size_t)s->place.count - 1;
    memset(&first->mapping, 0, sizeof first->mapping);
    memset(&first->key_names, 0, sizeof first->key_names);
    first->keys = NULL;
    first->key_count = 0;
}

static enum status join(struct model_file *file, struct set *s, const char *path, struct error *e)
{
    enum status status = memory_string(&file->path, path, e);
    if (status == STATUS_OK)
        status = memory_array(&file->parts, (size_t)s->place.count - 1, sizeof *file->parts, "the parts' maps", e);
    if (status == STATUS_OK)
        status = join_headers(file, s, e);
    if (status == STATUS_OK)
        status = join_tensors(file, s, e);
    if (status == STATUS_OK)
        take_over(file, s);
    return status;
}

enum status gguf_split_open(struct model_file *file, struct error *e)
{
    struct set s = {.part = NULL};
    enum status status = read_place(&s.place, file, e);
    if (status != STATUS_OK)
        return status;
    if (!s.place.has_count || s.place.count < 2)
        return STATUS_OK;
    if (!s.place.has_number || s.place.number >= s.place.count || s.place.count > GGUF_MOST_PARTS)
        return refuse_number(file, &s.place, e);
    status = refuse_joined(file, s.place.count, e);
    if (status == STATUS_OK)
        status = open_names(&s, file, e);
    if (status == STATUS_OK) /* the last one first: a claim of thousands costs nothing where they aren't there */
        name_part(&s, (size_t)s.place.count - 1);
    if (status == STATUS_OK && !mapping_is_there(s.path))
        status = refuse_missing(s.path, (size_t)s.place.count - 1, &s.place, e);
    if (status == STATUS_OK)
        status = memory_array(&s.part, (size_t)s.place.count, sizeof *s.part, "the parts", e);
    for (size_t i = 0; i < s.place.count && status == STATUS_OK; i++)
        status = open_part(&s, file, i, e);
    if (status == STATUS_OK) {
        name_part(&s, (size_t)s.place.number);
        status = join(file, &s, s.path, e);
    }
    close_set(&s);
    return status;
}
