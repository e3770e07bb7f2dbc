/* schema.h - the one table of an archive's data sets.
 *
 * Flow: memory (metrics, summary, state) <-> *schema* <-> HDF5.
 *
 * A data set is a row: group, name, type, dimensions, words, and where its numbers
 * lie in memory. Writer and reader walk the table; neither knows a data set by name.
 * The first dimension of nearly all is the layer, and they are moved a layer at a time; the
 * others (prompts, the model's hashes) are moved as a whole.
 */
#ifndef PHI3SAT_ARCHIVE_SCHEMA_H
#define PHI3SAT_ARCHIVE_SCHEMA_H

#include <hdf5.h>
#include <stdbool.h>

#include "../stats/summary.h"
#include "prompt_set.h"

enum schema_dimension {
    SCHEMA_NONE = 0, SCHEMA_LAYER, SCHEMA_NEURON, SCHEMA_RANK, SCHEMA_LIMB, SCHEMA_WORD, SCHEMA_PROMPT,
    SCHEMA_DIMENSIONS
};

/* Names of dimensions, by enum; and which have coordinates of their own. */
extern const char *const schema_dimension_name[SCHEMA_DIMENSIONS];

/* What a file is: an archive, or a checkpoint, which has the state and not what follows from it. */
enum schema_kind { SCHEMA_ARCHIVE = 0, SCHEMA_CHECKPOINT };

struct schema_sizes {
    enum schema_kind kind;
    size_t of[SCHEMA_DIMENSIONS]; /* extents; of[SCHEMA_NONE] is 1 */
    bool quick;                   /* written in a hurry: not compressed */
};

enum schema_type { SCHEMA_U8, SCHEMA_I32, SCHEMA_U32, SCHEMA_U64, SCHEMA_F32, SCHEMA_F64 };
enum schema_fill { SCHEMA_NEVER_MISSING, SCHEMA_MISSING_NAN, SCHEMA_MISSING_MINUS_ONE };

/* In which struct a data set's numbers lie; `offset` is into it. */
enum schema_source {
    SCHEMA_METRIC,          /* metrics->value[series][offset as enum metric] */
    SCHEMA_NONFINITE,       /* metrics->nonfinite[series]                    */
    SCHEMA_COUNT,           /* metrics->count                                */
    SCHEMA_FLAGS,           /* metrics->flags                                */
    SCHEMA_SATURATED,       /* metrics->saturated                            */
    SCHEMA_SUMMARY,         /* struct summary_row                            */
    SCHEMA_BLOCK,           /* struct accumulator_block                      */
    SCHEMA_FACTS,           /* struct accumulator_layer                      */
    SCHEMA_EXTREME,         /* struct accumulator_extreme, of the same       */
    SCHEMA_PROMPTS,         /* struct prompt_set_entry                       */
    SCHEMA_PROMPT_LAYERS,   /* its `layers`, which only a checkpoint has     */
    SCHEMA_FINGERPRINTS     /* uint64_t[layers][2]                           */
};

#define SCHEMA_RANK_LIMIT 3

struct schema_row {
    const char *group;      /* "": the series' own group                        */
    const char *name;
    bool per_series;        /* once each in GROUP/gate, GROUP/up, GROUP/ffn     */
    enum schema_type type;
    enum schema_dimension dimension[SCHEMA_RANK_LIMIT];
    enum schema_source source;
    size_t offset;
    enum schema_fill fill;
    const char *long_name;  /* %s: the series, where there is one               */
    const char *csv_column; /* summary: the CSV's column, else NULL             */
};

/* Ended by a row without a name. */
extern const struct schema_row schema_table[];
extern const char *const schema_series_name[SERIES_COUNT];

/* One data set: a row, and the series where the row has one. */
struct schema_item {
    const struct schema_row *row;
    enum series series;
    char group[32];         /* "state/gate"                    */
    char path[80];          /* "state/gate/sum1"               */
};

/* Number of data sets of a file of this kind; the i-th of them. */
size_t schema_count(enum schema_kind kind);
struct schema_item schema_item(enum schema_kind kind, size_t i);

/* Groups in the order of the table, each before those inside it; NULL ends. */
extern const char *const schema_groups[];

size_t schema_type_size(enum schema_type type);
hid_t schema_file_type(enum schema_type type);    /* borrowed from HDF5, little-endian */
hid_t schema_memory_type(enum schema_type type);
int schema_rank(const struct schema_row *row);
bool schema_by_layer(const struct schema_row *row);

/* The parts of memory that rows point into; only those that are moved need be set. */
struct schema_memory {
    struct metrics *metrics;
    struct summary_row *row;
    struct accumulator_block *block[SERIES_COUNT];
    struct accumulator_layer *layer;
    struct prompt_set_entry *prompts;
    uint64_t (*fingerprints)[2];
};

/* Bytes of a data set's piece: one layer of it, or all of it. */
size_t schema_piece_size(const struct schema_row *row, const struct schema_sizes *sizes);

/* Copies a piece from memory to `flat` in the file's order, or back.
 * flat: [schema_piece_size], row-major. */
void schema_gather(const struct schema_item *item, const struct schema_sizes *sizes,
                   const struct schema_memory *memory, void *flat);
void schema_scatter(const struct schema_item *item, const struct schema_sizes *sizes,
                    const struct schema_memory *memory, const void *flat);

#endif
