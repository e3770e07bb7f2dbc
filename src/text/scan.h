/* scan.h - finds the records of a source: lines, or JSON values, one after the other.
 *
 * Flow: spool -> *scan* -> prompts. Works through a window that is as large as the longest
 * record, whatever the size of the source. A record is bytes; what it means is the
 * reader's business.
 */
#ifndef PHI3SAT_TEXT_SCAN_H
#define PHI3SAT_TEXT_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"
#include "recognise.h"
#include "spool.h"

/* One file within a spool. */
struct scan_segment {
    size_t start, end; /* bytes; a BOM, or the bracket that opens an array, lies ahead of start */
    enum recognise_format format;
    char *name;        /* for messages; owned by whoever has the segments                    */
};

struct scan_record {
    const char *bytes; /* [length]; valid until the scan moves on */
    size_t length;
    size_t offset;     /* in the spool: scan_seek finds it again  */
    size_t line;       /* of its segment, from 1                  */
    size_t segment;
};

/* What went by and is not in any record. */
struct scan_counts {
    uint64_t lines;   /* of line formats; JSON values else */
    uint64_t blank;   /* lines of ASCII white space only   */
    uint64_t returns; /* carriage returns dropped at line ends  */
    uint64_t boms;    /* dropped before JSON records; those that begin a file lie ahead of its segment */
};

struct scan {
    const struct spool *spool;            /* borrowed */
    const struct scan_segment *segments;  /* [count], borrowed */
    size_t count;
    size_t segment;                       /* that `at` lies in */
    size_t at, line;                      /* where the next record is looked for */
    struct scan_counts counts;
    char *window;                         /* [capacity] holds bytes [base, base + fill) of the spool */
    size_t capacity, base, fill;
};

/* At the first record of all segments. Ended by scan_close. */
struct scan scan_begin(const struct spool *spool, const struct scan_segment *segments, size_t count);
void scan_close(struct scan *scan);

/* Goes to a record that was found before; counts go on. */
void scan_seek(struct scan *scan, size_t offset, size_t line);

/* The next record: a line that isn't blank, without its line end; or a JSON value (its extent
 * is sure only if it is valid). *found is false at the end. STATUS_INPUT: reading failed, or
 * a JSON array isn't closed. */
enum status scan_next(struct scan *scan, struct scan_record *record, bool *found, struct error *e) ERROR_MUST_USE;

#endif
