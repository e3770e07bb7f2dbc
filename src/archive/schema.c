/* schema.c - the table of data sets and the way between memory and file.
 *
 * In memory the state lies in blocks of 64 neurons, lanes side by side, for speed; in
 * the file a reader wants [layer, neuron]. Both are the same numbers under a regular
 * pattern: planes (limbs of a wide sum) of pieces (blocks) of a contiguous run
 * (lanes). `struct pattern` is that, and one loop each gathers and scatters any row.
 *
 * A new data set is a row here; its test and docs/archive.md's table follow
 * (tests/unit/test_schema.c compares the page with this table).
 */
#include "schema.h"

#include <stdio.h>
#include <string.h>

#include "phi3sat.h"

_Static_assert(sizeof(size_t) == 8, "summary_row's counts are written as 64-bit numbers");

const char *const schema_dimension_name[SCHEMA_DIMENSIONS] = {
    [SCHEMA_LAYER] = PHI3SAT_DIMENSION_LAYER, [SCHEMA_NEURON] = PHI3SAT_DIMENSION_NEURON,
    [SCHEMA_RANK] = PHI3SAT_DIMENSION_RANK,   [SCHEMA_LIMB] = PHI3SAT_DIMENSION_LIMB,
    [SCHEMA_WORD] = PHI3SAT_DIMENSION_WORD,   [SCHEMA_PROMPT] = PHI3SAT_DIMENSION_PROMPT,
};

const char *const schema_series_name[SERIES_COUNT] = {PHI3SAT_GROUP_GATE, PHI3SAT_GROUP_UP, PHI3SAT_GROUP_FFN};

const char *const schema_groups[] = {
    PHI3SAT_GROUP_GATE, PHI3SAT_GROUP_UP, PHI3SAT_GROUP_FFN, PHI3SAT_GROUP_SATURATION, PHI3SAT_GROUP_EXTREMES,
    PHI3SAT_GROUP_SUMMARY, PHI3SAT_GROUP_MODEL, PHI3SAT_GROUP_STATE, PHI3SAT_GROUP_STATE "/gate",
    PHI3SAT_GROUP_STATE "/up", PHI3SAT_GROUP_STATE "/ffn", PHI3SAT_GROUP_RUN, NULL,
};

#define LAYERS {SCHEMA_LAYER}
#define NEURONS {SCHEMA_LAYER, SCHEMA_NEURON}
#define LIMBS {SCHEMA_LAYER, SCHEMA_LIMB, SCHEMA_NEURON}
#define RANKS {SCHEMA_LAYER, SCHEMA_RANK}

/* Each kind of row, short enough for a line. */
#define METRIC(name, metric, words) \
    {"", name, true, SCHEMA_F32, NEURONS, SCHEMA_METRIC, metric, SCHEMA_MISSING_NAN, words, NULL}
#define EXTREME(name, type, dimensions, field, fill, words) \
    {PHI3SAT_GROUP_EXTREMES, name, false, type, dimensions, SCHEMA_EXTREME, \
     offsetof(struct accumulator_extreme, field), fill, words, NULL}
#define SUMMARY(name, type, field, fill, words, column) \
    {PHI3SAT_GROUP_SUMMARY, name, false, type, LAYERS, SCHEMA_SUMMARY, offsetof(struct summary_row, field), fill, \
     words, column}
#define BLOCK(name, type, dimensions, field, words) \
    {PHI3SAT_GROUP_STATE, name, true, type, dimensions, SCHEMA_BLOCK, offsetof(struct accumulator_block, field), \
     SCHEMA_NEVER_MISSING, words, NULL}
#define FACT(name, dimensions, field, words) \
    {PHI3SAT_GROUP_STATE, name, false, SCHEMA_U64, dimensions, SCHEMA_FACTS, \
     offsetof(struct accumulator_layer, field), SCHEMA_NEVER_MISSING, words, NULL}
#define PROMPT(name, dimensions, field, words) \
    {PHI3SAT_GROUP_STATE, name, false, SCHEMA_U64, dimensions, SCHEMA_PROMPTS, \
     offsetof(struct prompt_set_entry, field), SCHEMA_NEVER_MISSING, words, NULL}
#define PAIR(first) {first, SCHEMA_WORD}

const struct schema_row schema_table[] = {
    METRIC(PHI3SAT_MEAN, METRIC_MEAN, "mean of %s"),
    METRIC(PHI3SAT_VARIANCE, METRIC_VARIANCE, "population variance of %s"),
    METRIC(PHI3SAT_SKEWNESS, METRIC_SKEWNESS, "skewness of %s"),
    METRIC(PHI3SAT_KURTOSIS, METRIC_KURTOSIS, "excess kurtosis of %s"),
    METRIC(PHI3SAT_MIN, METRIC_MIN, "least value of %s"),
    METRIC(PHI3SAT_MAX, METRIC_MAX, "greatest value of %s"),
    METRIC(PHI3SAT_LOW_ACTIVITY, METRIC_LOW_ACTIVITY, "share of samples with |%s| below the activity threshold"),
    METRIC(PHI3SAT_INACTIVE, METRIC_INACTIVE, "share of samples with %s below the activity threshold"),
    METRIC(PHI3SAT_MEAN_STDERR, METRIC_MEAN_STDERR, "standard error of the mean of %s, prompts as clusters"),
    METRIC(PHI3SAT_LOW_ACTIVITY_STDERR, METRIC_LOW_ACTIVITY_STDERR,
           "standard error of low_activity of %s, prompts as clusters"),
    {"", PHI3SAT_COUNT, true, SCHEMA_U64, LAYERS, SCHEMA_COUNT, 0, SCHEMA_NEVER_MISSING,
     "samples of %s, non-finite ones included", NULL},
    {"", PHI3SAT_NONFINITE, true, SCHEMA_U32, NEURONS, SCHEMA_NONFINITE, 0, SCHEMA_NEVER_MISSING,
     "samples of %s that were not finite or 2^24 and more: left out", NULL},

    {PHI3SAT_GROUP_SATURATION, PHI3SAT_FLAGS, false, SCHEMA_U32, NEURONS, SCHEMA_FLAGS, 0, SCHEMA_NEVER_MISSING,
     "criteria that hold, a bit each", NULL},
    {PHI3SAT_GROUP_SATURATION, PHI3SAT_SATURATED, false, SCHEMA_U8, NEURONS, SCHEMA_SATURATED, 0,
     SCHEMA_NEVER_MISSING, "1: saturated by the rule of the attribute combine", NULL},

    EXTREME("value", SCHEMA_F32, RANKS, value, SCHEMA_MISSING_NAN, "largest values of ffn by magnitude, one a neuron"),
    EXTREME("neuron", SCHEMA_I32, RANKS, neuron, SCHEMA_MISSING_MINUS_ONE, "their neurons"),
    EXTREME("position", SCHEMA_I32, RANKS, position, SCHEMA_MISSING_MINUS_ONE, "their token positions in the prompt"),
    {PHI3SAT_GROUP_EXTREMES, "prompt_hash", false, SCHEMA_U64, {SCHEMA_LAYER, SCHEMA_RANK, SCHEMA_WORD},
     SCHEMA_EXTREME, offsetof(struct accumulator_extreme, hash), SCHEMA_NEVER_MISSING, "their prompts' hashes", NULL},

    SUMMARY("neurons", SCHEMA_U64, neurons, SCHEMA_NEVER_MISSING, "neurons", "Neurons"),
    SUMMARY("low_var_gate", SCHEMA_F64, low_variance[0], SCHEMA_MISSING_NAN,
            "share of neurons with low variance of gate", "LowVarGate%"),
    SUMMARY("low_var_up", SCHEMA_F64, low_variance[1], SCHEMA_MISSING_NAN, "share of neurons with low variance of up",
            "LowVarUp%"),
    SUMMARY("low_var_ffn", SCHEMA_F64, low_variance[2], SCHEMA_MISSING_NAN,
            "share of neurons with low variance of ffn", "LowVarFFN%"),
    SUMMARY("saturated", SCHEMA_F64, saturated, SCHEMA_MISSING_NAN, "share of saturated neurons", "Saturated%"),
    SUMMARY("avg_var_gate", SCHEMA_F64, average_variance[0], SCHEMA_MISSING_NAN,
            "average over neurons of the variance of gate", "AvgVarGate"),
    SUMMARY("avg_var_up", SCHEMA_F64, average_variance[1], SCHEMA_MISSING_NAN,
            "average over neurons of the variance of up", "AvgVarUp"),
    SUMMARY("avg_var_ffn", SCHEMA_F64, average_variance[2], SCHEMA_MISSING_NAN,
            "average over neurons of the variance of ffn", "AvgVarFFN"),
    SUMMARY("avg_mean_gate", SCHEMA_F64, average_mean[0], SCHEMA_MISSING_NAN,
            "average over neurons of the mean of gate", "AvgMeanGate"),
    SUMMARY("avg_mean_up", SCHEMA_F64, average_mean[1], SCHEMA_MISSING_NAN, "average over neurons of the mean of up",
            "AvgMeanUp"),
    SUMMARY("avg_mean_ffn", SCHEMA_F64, average_mean[2], SCHEMA_MISSING_NAN,
            "average over neurons of the mean of ffn", "AvgMeanFFN"),
    SUMMARY("est_speedup", SCHEMA_F64, speedup, SCHEMA_MISSING_NAN, "estimated speedup of the layer's FFN",
            "EstSpeedup"),
    SUMMARY("ffn_saturated", SCHEMA_F64, ffn_saturated, SCHEMA_MISSING_NAN,
            "share of neurons saturated by ffn alone", NULL),
    SUMMARY("removable", SCHEMA_F64, removable, SCHEMA_MISSING_NAN, "share of saturated neurons without super neurons",
            NULL),
    SUMMARY("super_neurons", SCHEMA_U64, super_neurons, SCHEMA_NEVER_MISSING, "super neurons", NULL),
    SUMMARY("nonfinite", SCHEMA_U64, nonfinite, SCHEMA_NEVER_MISSING, "values left out, all series", NULL),

    {PHI3SAT_GROUP_MODEL, "layer_fingerprint", false, SCHEMA_U64, PAIR(SCHEMA_LAYER), SCHEMA_FINGERPRINTS, 0,
     SCHEMA_NEVER_MISSING, "hash of each layer's decoded weights", NULL},

    BLOCK("sum1", SCHEMA_U64, LIMBS, sum[0], "sum of %s, in units of 2^-128"),
    BLOCK("sum2", SCHEMA_U64, LIMBS, sum[1], "sum of %s^2, in units of 2^-112"),
    BLOCK("sum3", SCHEMA_U64, LIMBS, sum[2], "sum of %s^3, in units of 2^-104"),
    BLOCK("sum4", SCHEMA_U64, LIMBS, sum[3], "sum of %s^4, in units of 2^-88"),
    BLOCK("between_square", SCHEMA_U64, LIMBS, between_square,
          "sum over prompts of (a prompt's sum of %s)^2, in units of 2^-96"),
    BLOCK("between_product", SCHEMA_U64, LIMBS, between_product,
          "sum over prompts of (a prompt's sum of %s) * samples, in units of 2^-96"),
    BLOCK("low_activity", SCHEMA_U64, NEURONS, low_activity, "samples with |%s| below the activity threshold"),
    BLOCK("inactive", SCHEMA_U64, NEURONS, inactive, "samples with %s below the activity threshold"),
    BLOCK("nonfinite", SCHEMA_U64, NEURONS, nonfinite, "samples of %s left out"),
    BLOCK("low_square", SCHEMA_U64, NEURONS, low_square, "sum over prompts of low_activity^2 of %s"),
    BLOCK("low_product", SCHEMA_U64, NEURONS, low_product, "sum over prompts of low_activity * samples of %s"),
    BLOCK("min", SCHEMA_F32, NEURONS, min, "least value of %s; +infinity: none"),
    BLOCK("max", SCHEMA_F32, NEURONS, max, "greatest value of %s; -infinity: none"),

    FACT("samples", LAYERS, samples, "samples"),
    FACT("prompts", LAYERS, prompts, "prompts with samples"),
    FACT("samples_square", PAIR(SCHEMA_LAYER), samples_square, "sum over prompts of samples^2"),
    PROMPT("prompt_hash", PAIR(SCHEMA_PROMPT), hash, "hash of a prompt's token ids, ascending"),
    PROMPT("prompt_multiplicity", {SCHEMA_PROMPT}, multiplicity, "how often it was run"),
    PROMPT("prompt_tokens", {SCHEMA_PROMPT}, tokens, "its tokens"),
    {PHI3SAT_GROUP_STATE, "prompt_layers", false, SCHEMA_U64, {SCHEMA_PROMPT}, SCHEMA_PROMPT_LAYERS,
     offsetof(struct prompt_set_entry, layers), SCHEMA_NEVER_MISSING, "layers that have counted it", NULL},
    {NULL, NULL, false, SCHEMA_U8, {SCHEMA_NONE}, SCHEMA_METRIC, 0, SCHEMA_NEVER_MISSING, NULL, NULL},
};

static bool is_in(const struct schema_row *row, enum schema_kind kind)
{
    switch (row->source) {
    case SCHEMA_BLOCK:
    case SCHEMA_FACTS:
    case SCHEMA_EXTREME:
    case SCHEMA_PROMPTS:
    case SCHEMA_FINGERPRINTS:
        return true;
    case SCHEMA_PROMPT_LAYERS:
        return kind == SCHEMA_CHECKPOINT;
    default:
        return kind == SCHEMA_ARCHIVE;
    }
}

/* Data sets of a row in such a file. */
static size_t copies(const struct schema_row *row, enum schema_kind kind)
{
    return !is_in(row, kind) ? 0 : row->per_series ? SERIES_COUNT : 1;
}

size_t schema_count(enum schema_kind kind)
{
    size_t count = 0;
    for (const struct schema_row *row = schema_table; row->name; row++)
        count += copies(row, kind);
    return count;
}

/* In the table's order, the three series of a row one after the other: so each group
 * has its data sets in the table's order, which is how readers list them. */
struct schema_item schema_item(enum schema_kind kind, size_t i)
{
    struct schema_item item = {.row = schema_table};
    while (i >= copies(item.row, kind)) {
        i -= copies(item.row, kind);
        item.row++;
    }
    item.series = (enum series)i;
    const char *series = item.row->per_series ? schema_series_name[item.series] : "";
    const char *slash = item.row->group[0] && series[0] ? "/" : "";
    snprintf(item.group, sizeof item.group, "%s%s%s", item.row->group, slash, series);
    snprintf(item.path, sizeof item.path, "%s/%s", item.group, item.row->name);
    return item;
}

size_t schema_type_size(enum schema_type type)
{
    static const size_t size[] = {[SCHEMA_U8] = 1,  [SCHEMA_I32] = 4, [SCHEMA_U32] = 4,
                                  [SCHEMA_U64] = 8, [SCHEMA_F32] = 4, [SCHEMA_F64] = 8};
    return size[type];
}

/* HDF5's names for types are calls, not constants. */
hid_t schema_file_type(enum schema_type type)
{
    switch (type) {
    case SCHEMA_U8:
        return H5T_STD_U8LE;
    case SCHEMA_I32:
        return H5T_STD_I32LE;
    case SCHEMA_U32:
        return H5T_STD_U32LE;
    case SCHEMA_U64:
        return H5T_STD_U64LE;
    case SCHEMA_F32:
        return H5T_IEEE_F32LE;
    case SCHEMA_F64:
        return H5T_IEEE_F64LE;
    }
    return -1;
}

hid_t schema_memory_type(enum schema_type type)
{
    switch (type) {
    case SCHEMA_U8:
        return H5T_NATIVE_UINT8;
    case SCHEMA_I32:
        return H5T_NATIVE_INT32;
    case SCHEMA_U32:
        return H5T_NATIVE_UINT32;
    case SCHEMA_U64:
        return H5T_NATIVE_UINT64;
    case SCHEMA_F32:
        return H5T_NATIVE_FLOAT;
    case SCHEMA_F64:
        return H5T_NATIVE_DOUBLE;
    }
    return -1;
}

int schema_rank(const struct schema_row *row)
{
    int rank = 0;
    while (rank < SCHEMA_RANK_LIMIT && row->dimension[rank] != SCHEMA_NONE)
        rank++;
    return rank;
}

bool schema_by_layer(const struct schema_row *row)
{
    return row->source != SCHEMA_PROMPTS && row->source != SCHEMA_PROMPT_LAYERS && row->source != SCHEMA_FINGERPRINTS;
}

size_t schema_piece_size(const struct schema_row *row, const struct schema_sizes *sizes)
{
    size_t size = schema_type_size(row->type);
    for (int i = schema_by_layer(row) ? 1 : 0; i < schema_rank(row); i++)
        size *= sizes->of[row->dimension[i]];
    return size;
}

/* planes x pieces x run bytes in memory; a plane is `plane_size` bytes in the file,
 * so that its last piece may be used in part only. */
struct pattern {
    char *base;
    size_t planes, plane_stride, plane_size;
    size_t piece_stride, run;
};

/* Pieces of one entry each in an array of structs of `stride` bytes. */
static struct pattern entries_of(void *first_field, size_t stride, size_t size, size_t entries)
{
    struct pattern p = {.base = first_field, .planes = 1, .plane_size = size, .piece_stride = stride};
    p.run = entries ? size / entries : 1;
    return p;
}

/* One stretch of memory. */
static struct pattern contiguous(void *start, size_t size)
{
    struct pattern p = {.base = start, .planes = 1, .plane_size = size, .piece_stride = size, .run = size ? size : 1};
    return p;
}

static struct pattern lanes_of(struct accumulator_block *block, const struct schema_row *row, size_t size)
{
    struct pattern p = {.base = (char *)block + row->offset, .planes = 1, .piece_stride = sizeof *block};
    p.run = SUMS_LANES * schema_type_size(row->type);
    p.plane_stride = p.run;
    if (row->dimension[1] == SCHEMA_LIMB)
        p.planes = ACCUMULATOR_LIMBS;
    p.plane_size = size / p.planes;
    return p;
}

static struct pattern pattern_of(const struct schema_item *item, const struct schema_sizes *sizes,
                                 const struct schema_memory *memory)
{
    const struct schema_row *row = item->row;
    size_t size = schema_piece_size(row, sizes);
    switch (row->source) {
    case SCHEMA_METRIC:
        return contiguous(memory->metrics->value[item->series][row->offset], size);
    case SCHEMA_NONFINITE:
        return contiguous(memory->metrics->nonfinite[item->series], size);
    case SCHEMA_COUNT:
        return contiguous(&memory->metrics->count, size);
    case SCHEMA_FLAGS:
        return contiguous(memory->metrics->flags, size);
    case SCHEMA_SATURATED:
        return contiguous(memory->metrics->saturated, size);
    case SCHEMA_SUMMARY:
        return contiguous((char *)memory->row + row->offset, size);
    case SCHEMA_BLOCK:
        return lanes_of(memory->block[item->series], row, size);
    case SCHEMA_FACTS:
        return contiguous((char *)memory->layer + row->offset, size);
    case SCHEMA_EXTREME:
        return entries_of((char *)memory->layer->extremes + row->offset, sizeof memory->layer->extremes[0], size,
                          sizes->of[SCHEMA_RANK]);
    case SCHEMA_PROMPTS:
    case SCHEMA_PROMPT_LAYERS:
        return entries_of((char *)memory->prompts + row->offset, sizeof *memory->prompts, size,
                          sizes->of[SCHEMA_PROMPT]);
    case SCHEMA_FINGERPRINTS:
        break;
    }
    return contiguous(memory->fingerprints, size);
}

void schema_gather(const struct schema_item *item, const struct schema_sizes *sizes,
                   const struct schema_memory *memory, void *flat)
{
    if (schema_piece_size(item->row, sizes) == 0)
        return;
    struct pattern p = pattern_of(item, sizes, memory);
    char *to = flat;
    for (size_t plane = 0; plane < p.planes; plane++) {
        const char *from = p.base + plane * p.plane_stride;
        for (size_t left = p.plane_size; left > 0; from += p.piece_stride) {
            size_t run = left < p.run ? left : p.run;
            memcpy(to, from, run);
            to += run;
            left -= run;
        }
    }
}

void schema_scatter(const struct schema_item *item, const struct schema_sizes *sizes,
                    const struct schema_memory *memory, const void *flat)
{
    if (schema_piece_size(item->row, sizes) == 0)
        return;
    struct pattern p = pattern_of(item, sizes, memory);
    const char *from = flat;
    for (size_t plane = 0; plane < p.planes; plane++) {
        char *to = p.base + plane * p.plane_stride;
        for (size_t left = p.plane_size; left > 0; to += p.piece_stride) {
            size_t run = left < p.run ? left : p.run;
            memcpy(to, from, run);
            from += run;
            left -= run;
        }
    }
}
