/* archive_reader.c - reads archives that nobody vouches for; see archive_reader.h.
 *
 * What HDF5 makes of a file comes from archive_source.c, by way of a process of its own (archive_guard.c) unless this
 * very process has just written the file. Here the seal is checked before anyone looks at the file (archive_seal.c), and
 * numbers that other code uses as an index before they get there.
 */
#include "archive_reader.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "../base/memory.h"
#include "archive_guard.h"
#include "archive_seal.h"
#include "archive_source.h"
#include "phi3sat.h"
#include "schema.h"

struct archive_reader {
    char *path;
    struct archive_source *own;      /* read in this process, or                         */
    struct archive_guarded guarded;  /* in another                                       */
    struct archive_opened told;      /* with layer_fingerprint, owned                    */
    char *flat;                      /* one piece of any data set that goes by layers    */
    size_t flat_size;
};

static enum status bad(const struct archive_reader *r, const char *path, const char *what, struct error *e)
{
    error_set(e, STATUS_INPUT, "data set %s %s", path, what);
    error_advice(e, "it is damaged or no archive of phi3sat: copy it again, or profile its prompts again");
    return error_file(e, r->path);
}

/* The signature stands at byte 0, or behind a user block of 512, 1024, 2048 ... bytes (HDF5's format
 * specification, superblock). */
bool archive_reader_matches(const uint8_t *bytes, size_t size)
{
    static const uint8_t signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    for (size_t at = 0; at < size && size - at >= sizeof signature; at = at ? 2 * at : 512)
        if (memcmp(bytes + at, signature, sizeof signature) == 0)
            return true;
    return false;
}

static enum status read_piece(struct archive_reader *r, size_t i, size_t layer, void *flat, struct error *e)
{
    const size_t size = schema_piece_size(schema_item(r->told.sizes.kind, i).row, &r->told.sizes);
    return r->own ? archive_source_piece(r->own, i, layer, flat, e)
                  : archive_guard_piece(&r->guarded, i, layer, flat, size, e);
}

/* Reads all rows of one source and scatters them into memory. */
static enum status read_source(struct archive_reader *r, enum schema_source source, size_t layer,
                               const struct schema_memory *memory, void *flat, struct error *e)
{
    for (size_t i = 0; i < schema_count(r->told.sizes.kind); i++) {
        struct schema_item item = schema_item(r->told.sizes.kind, i);
        if (item.row->source != source)
            continue;
        enum status status = read_piece(r, i, layer, flat, e);
        if (status != STATUS_OK)
            return status;
        schema_scatter(&item, &r->told.sizes, memory, flat);
    }
    return STATUS_OK;
}

static enum status read_fingerprints(struct archive_reader *r, struct error *e)
{
    size_t layers = r->told.sizes.of[SCHEMA_LAYER];
    void *flat = NULL;
    struct schema_memory memory = {0};
    enum status status = memory_array(&r->told.facts.layer_fingerprint, layers, sizeof *r->told.facts.layer_fingerprint,
                                      "the layers' hashes", e);
    if (status == STATUS_OK)
        status = memory_array(&flat, layers, sizeof *r->told.facts.layer_fingerprint, "the layers' hashes", e);
    memory.fingerprints = r->told.facts.layer_fingerprint;
    if (status == STATUS_OK)
        status = read_source(r, SCHEMA_FINGERPRINTS, 0, &memory, flat, e);
    memory_free(flat);
    return status;
}

/* Room for a layer of any data set. */
static enum status make_room(struct archive_reader *r, struct error *e)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < schema_count(r->told.sizes.kind) && status == STATUS_OK; i++) {
        struct schema_item item = schema_item(r->told.sizes.kind, i);
        if (schema_by_layer(item.row))
            status = memory_grow(&r->flat, &r->flat_size, schema_piece_size(item.row, &r->told.sizes), 1,
                                 "a piece of the archive", e);
    }
    return status;
}

static enum status open_here(struct archive_reader *r, enum schema_kind kind, struct error *e)
{
    enum status status = archive_source_open(&r->own, r->path, kind, true, e);
    if (status != STATUS_OK)
        return status;
    struct archive_opened *told = archive_source_told(r->own);
    memcpy(&r->told, told, sizeof r->told);
    told->run = NULL;
    told->run_count = 0;
    return STATUS_OK;
}

static enum status open_and_check(struct archive_reader *r, const char *path, enum schema_kind kind, bool here,
                                  struct error *e)
{
    enum status status = memory_string(&r->path, path, e);
    if (status == STATUS_OK)
        status = archive_seal_check(path, e);
    if (status == STATUS_OK)
        status = here ? open_here(r, kind, e) : archive_guard_open(&r->guarded, path, kind, &r->told, e);
    if (status == STATUS_OK)
        status = make_room(r, e);
    return status == STATUS_OK ? read_fingerprints(r, e) : status;
}

static enum status open_kind(struct archive_reader **r, const char *path, enum schema_kind kind, bool here,
                             struct error *e)
{
    struct archive_reader *fresh;
    *r = NULL;
    enum status status = memory_array(&fresh, 1, sizeof *fresh, "an archive's reader", e);
    if (status != STATUS_OK)
        return status;
    status = open_and_check(fresh, path, kind, here, e);
    if (status != STATUS_OK) {
        archive_reader_close(fresh);
        return status;
    }
    *r = fresh;
    return STATUS_OK;
}

enum status archive_reader_open(struct archive_reader **r, const char *path, struct error *e)
{
    return open_kind(r, path, SCHEMA_ARCHIVE, false, e);
}

enum status archive_reader_open_checkpoint(struct archive_reader **r, const char *path, struct error *e)
{
    return open_kind(r, path, SCHEMA_CHECKPOINT, false, e);
}

enum status archive_reader_open_own(struct archive_reader **r, const char *path, bool checkpoint, struct error *e)
{
    return open_kind(r, path, checkpoint ? SCHEMA_CHECKPOINT : SCHEMA_ARCHIVE, true, e);
}

void archive_reader_prepare(void)
{
    archive_guard_keep();
}

void archive_reader_dismiss(void)
{
    archive_guard_end();
}

const struct archive_checkpoint *archive_reader_checkpoint(const struct archive_reader *r)
{
    return &r->told.checkpoint;
}

void archive_reader_close(struct archive_reader *r)
{
    if (!r)
        return;
    archive_source_close(r->own);
    archive_guard_close(&r->guarded);
    archive_source_free(&r->told);
    memory_free(r->told.facts.layer_fingerprint);
    memory_free(r->path);
    memory_free(r->flat);
    memory_free(r);
}

const struct archive_facts *archive_reader_facts(const struct archive_reader *r)
{
    return &r->told.facts;
}

const struct archive_reader_pair *archive_reader_run(const struct archive_reader *r, size_t *count)
{
    *count = r->told.run_count;
    return r->told.run;
}

const char *archive_reader_run_value(const struct archive_reader *r, const char *name)
{
    for (size_t i = 0; i < r->told.run_count; i++)
        if (strcmp(r->told.run[i].name, name) == 0)
            return r->told.run[i].value;
    return NULL;
}

size_t archive_reader_dataset_count(void)
{
    return schema_count(SCHEMA_ARCHIVE);
}

enum status archive_reader_dataset_at(struct archive_reader *r, size_t i, struct archive_reader_dataset *d,
                                      struct error *e)
{
    static const char *const type[] = {
        [SCHEMA_U8] = "uint8",   [SCHEMA_I32] = "int32",   [SCHEMA_U32] = "uint32",
        [SCHEMA_U64] = "uint64", [SCHEMA_F32] = "float32", [SCHEMA_F64] = "float64"};
    struct schema_item item = schema_item(r->told.sizes.kind, i);
    memset(d, 0, sizeof *d);
    memcpy(d->path, item.path, sizeof d->path);
    memcpy(d->group, item.group, sizeof d->group);
    d->type = type[item.row->type];
    d->dimensions = (size_t)schema_rank(item.row);
    d->bytes = schema_type_size(item.row->type); /* the sizes were checked: the product fits */
    for (size_t k = 0; k < d->dimensions; k++) {
        d->shape[k] = r->told.sizes.of[item.row->dimension[k]];
        d->bytes *= d->shape[k];
    }
    d->pieces = schema_by_layer(item.row) ? r->told.sizes.of[SCHEMA_LAYER] : 1;
    d->piece_bytes = schema_piece_size(item.row, &r->told.sizes);
    return r->own ? archive_source_stored(r->own, i, &d->stored, e)
                  : archive_guard_stored(&r->guarded, i, &d->stored, e);
}

enum status archive_reader_dataset_read(struct archive_reader *r, size_t i, size_t piece, void *flat, struct error *e)
{
    return read_piece(r, i, piece, flat, e);
}

/* Entries without a neuron become as accumulator_layer_clear leaves them; others must name one and be
 * finite, and are offered one by one, so that the list is in order whatever the file says. */
static enum status check_extremes(const struct archive_reader *r, struct accumulator_layer *layer, struct error *e)
{
    struct accumulator_extreme found[ACCUMULATOR_EXTREMES];
    memcpy(found, layer->extremes, sizeof found);
    accumulator_layer_clear(layer);
    for (int i = 0; i < ACCUMULATOR_EXTREMES; i++) {
        const struct accumulator_extreme *entry = &found[i];
        if (entry->neuron < -1 || entry->neuron >= (int64_t)r->told.sizes.of[SCHEMA_NEURON] || entry->position < -1)
            return bad(r, PHI3SAT_GROUP_EXTREMES "/neuron", "names a neuron or position that isn't there", e);
        if (entry->neuron >= 0 && !isfinite(entry->value))
            return bad(r, PHI3SAT_GROUP_EXTREMES "/value", "has no value for a neuron", e);
        if (entry->neuron >= 0)
            accumulator_extreme_offer(layer, entry);
    }
    return STATUS_OK;
}

static enum status read_extremes(struct archive_reader *r, size_t layer, struct accumulator_layer *facts,
                                 struct error *e)
{
    struct schema_memory memory = {.layer = facts};
    accumulator_layer_clear(facts);
    enum status status = read_source(r, SCHEMA_EXTREME, layer, &memory, r->flat, e);
    return status == STATUS_OK ? check_extremes(r, facts, e) : status;
}

static enum status check_saturated(const struct archive_reader *r, const struct metrics *m, struct error *e)
{
    for (size_t i = 0; i < m->neurons; i++)
        if (m->saturated[i] > 1)
            return bad(r, PHI3SAT_GROUP_SATURATION "/" PHI3SAT_SATURATED, "holds something other than 0 and 1", e);
    return STATUS_OK;
}

enum status archive_reader_metrics(struct archive_reader *r, size_t layer, struct metrics *m, struct error *e)
{
    static const enum schema_source sources[] = {SCHEMA_METRIC, SCHEMA_NONFINITE, SCHEMA_COUNT, SCHEMA_FLAGS,
                                                 SCHEMA_SATURATED};
    struct schema_memory memory = {.metrics = m};
    struct accumulator_layer facts;
    assert(layer < r->told.sizes.of[SCHEMA_LAYER] && m->neurons == r->told.sizes.of[SCHEMA_NEURON]);
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        enum status status = read_source(r, sources[i], layer, &memory, r->flat, e);
        if (status != STATUS_OK)
            return status;
    }
    enum status status = read_extremes(r, layer, &facts, e);
    if (status != STATUS_OK)
        return status;
    memcpy(m->extremes, facts.extremes, sizeof m->extremes);
    return check_saturated(r, m, e);
}

enum status archive_reader_summary(struct archive_reader *r, size_t layer, struct summary_row *row, struct error *e)
{
    struct schema_memory memory = {.row = row};
    assert(layer < r->told.sizes.of[SCHEMA_LAYER]);
    memset(row, 0, sizeof *row);
    return read_source(r, SCHEMA_SUMMARY, layer, &memory, r->flat, e);
}

enum status archive_reader_state(struct archive_reader *r, size_t layer,
                                 struct accumulator_block *const block[SERIES_COUNT], struct accumulator_layer *facts,
                                 struct error *e)
{
    struct schema_memory memory = {.layer = facts};
    size_t blocks = (r->told.sizes.of[SCHEMA_NEURON] + SUMS_LANES - 1) / SUMS_LANES;
    assert(layer < r->told.sizes.of[SCHEMA_LAYER]);
    for (int s = 0; s < SERIES_COUNT; s++) {
        memory.block[s] = block[s];
        accumulator_block_clear(&block[s][blocks - 1]); /* its spare lanes */
    }
    enum status status = read_extremes(r, layer, facts, e);
    if (status == STATUS_OK)
        status = read_source(r, SCHEMA_FACTS, layer, &memory, r->flat, e);
    return status == STATUS_OK ? read_source(r, SCHEMA_BLOCK, layer, &memory, r->flat, e) : status;
}

/* Sorted, no hash twice, each there at least once, and as many as the facts say. */
static enum status check_prompts(const struct archive_reader *r, const struct prompt_set *set, struct error *e)
{
    uint64_t prompts = 0;
    const bool checkpoint = r->told.sizes.kind == SCHEMA_CHECKPOINT;
    for (size_t i = 0; i < set->count; i++) {
        if (i && !prompt_set_ascends(&set->entry[i - 1], &set->entry[i]))
            return bad(r, "state/prompt_hash", "is not in ascending order", e);
        if (set->entry[i].multiplicity == 0)
            return bad(r, "state/prompt_multiplicity", "holds a 0", e);
        if (checkpoint && (set->entry[i].layers == 0 || set->entry[i].layers > r->told.facts.layers))
            return bad(r, "state/prompt_layers", "holds a number of layers that the model doesn't have", e);
        if (__builtin_add_overflow(prompts, set->entry[i].multiplicity, &prompts))
            return bad(r, "state/prompt_multiplicity", "counts too many prompts", e);
    }
    if (prompts != r->told.facts.prompts)
        return bad(r, "state/prompt_multiplicity", "disagrees with the attribute prompts", e);
    return STATUS_OK;
}

enum status archive_reader_prompts(struct archive_reader *r, struct prompt_set *set, struct error *e)
{
    size_t count = r->told.sizes.of[SCHEMA_PROMPT];
    void *flat = NULL;
    prompt_set_free(set);
    enum status status = memory_array(&set->entry, count, sizeof *set->entry, "the set of prompts", e);
    if (status == STATUS_OK)
        status = memory_array(&flat, count, 2 * sizeof(uint64_t), "the set of prompts", e);
    if (status == STATUS_OK) {
        struct schema_memory memory = {.prompts = set->entry};
        set->capacity = set->count = count;
        status = read_source(r, SCHEMA_PROMPTS, 0, &memory, flat, e);
        if (status == STATUS_OK)
            status = read_source(r, SCHEMA_PROMPT_LAYERS, 0, &memory, flat, e);
    }
    if (status == STATUS_OK)
        status = check_prompts(r, set, e);
    if (status != STATUS_OK)
        prompt_set_free(set);
    memory_free(flat);
    return status;
}
