/* archive_reader.h - reads an archive back; believes nothing it hasn't checked.
 *
 * Flow: file -> *reader* -> report, compare, merge, resume.
 *
 * Opening checks the seal, the format's name and version, every attribute and every data
 * set's type and shape; data are read a layer at a time, with HDF5's checksums. HDF5 itself works in
 * another process, so that a file that makes it crash or hang is one more kind of damaged file.
 * Not thread-safe.
 */
#ifndef PHI3SAT_ARCHIVE_ARCHIVE_READER_H
#define PHI3SAT_ARCHIVE_ARCHIVE_READER_H

#include "../stats/summary.h"
#include "archive_facts.h"
#include "prompt_set.h"

struct archive_reader; /* opaque */

/* Do these first bytes[size] of a file, or all of it, make it an HDF5 file? */
bool archive_reader_matches(const uint8_t *bytes, size_t size);

/* An attribute of the group `run`, as text. */
struct archive_reader_pair {
    char *name;
    char *value;
};

/* Opens and checks `path`. STATUS_INPUT: not there, no HDF5, not ours, of a newer
 * version, or damaged: says what and where. *r is NULL on failure; else closed by
 * archive_reader_close (NULL allowed). */
enum status archive_reader_open(struct archive_reader **r, const char *path, struct error *e) ERROR_MUST_USE;
/* The same of a checkpoint, which has no metrics and no summary; its prompts come with their layers. */
enum status archive_reader_open_checkpoint(struct archive_reader **r, const char *path,
                                           struct error *e) ERROR_MUST_USE;
/* The same, of a file that this process has just written: HDF5 reads it here, not in a process of its own. */
enum status archive_reader_open_own(struct archive_reader **r, const char *path, bool checkpoint,
                                    struct error *e) ERROR_MUST_USE;

/* Archives are read by a process that is forked at the first open and ends with the last close. A program that starts
 * MPI and reads an archive after that has it forked before, since some networks don't stand a fork: *prepare*; and
 * *dismiss* on ranks that read none. Where that fails, opening tries again and says why. */
void archive_reader_prepare(void);
void archive_reader_dismiss(void);

const struct archive_checkpoint *archive_reader_checkpoint(const struct archive_reader *r);
void archive_reader_close(struct archive_reader *r);

/* Borrowed from the reader. Layers and neurons are facts->layers and ->intermediate_size. */
const struct archive_facts *archive_reader_facts(const struct archive_reader *r);
const struct archive_reader_pair *archive_reader_run(const struct archive_reader *r, size_t *count);

/* An attribute of the group `run` as text, borrowed; NULL: it has none of that name. */
const char *archive_reader_run_value(const struct archive_reader *r, const char *name);

/* One layer < layers into what the caller made: `m` by metrics_init for this
 * number of neurons. The float32 values, counts, flags and extremes are those the run had, to the bit. */
enum status archive_reader_metrics(struct archive_reader *r, size_t layer, struct metrics *m,
                                   struct error *e) ERROR_MUST_USE;
enum status archive_reader_summary(struct archive_reader *r, size_t layer, struct summary_row *row,
                                   struct error *e) ERROR_MUST_USE;

/* The exact state of one layer: block[s] is [neurons / 64, up]; spare lanes are cleared. */
enum status archive_reader_state(struct archive_reader *r, size_t layer,
                                 struct accumulator_block *const block[SERIES_COUNT], struct accumulator_layer *facts,
                                 struct error *e) ERROR_MUST_USE;

/* What the file holds, for listings. */
struct archive_reader_dataset {
    char path[80];        /* "state/gate/sum1"                                       */
    char group[32];       /* "state/gate"                                            */
    const char *type;     /* "float32"                                               */
    uint64_t shape[3];    /* [dimensions]                                            */
    size_t dimensions;
    uint64_t bytes;       /* of its numbers                                          */
    uint64_t stored;      /* of them in the file, compressed                         */
    size_t pieces;        /* that it is read in: its layers, or 1                    */
    size_t piece_bytes;   /* of each; may be 0                                       */
};

/* Data set i < archive_reader_dataset_count() in the schema's order; the dimensions' own scales are not
 * among them. */
size_t archive_reader_dataset_count(void);
enum status archive_reader_dataset_at(struct archive_reader *r, size_t i, struct archive_reader_dataset *d,
                                      struct error *e) ERROR_MUST_USE;

/* Piece < pieces of data set i, as it stands in the file: row-major, in this machine's order of bytes.
 * flat: [piece_bytes]. */
enum status archive_reader_dataset_read(struct archive_reader *r, size_t i, size_t piece, void *flat,
                                        struct error *e) ERROR_MUST_USE;

/* Replaces `set` (zeroed or from before) by the archive's prompts, sorted. */
enum status archive_reader_prompts(struct archive_reader *r, struct prompt_set *set, struct error *e) ERROR_MUST_USE;

#endif
