/* repacked.h - copies of a weight matrix, or of two side by side, in vector form.
 *
 * Flow: matrix of a file or a seed -> *repacked* -> products of a few rows (kernels.h: struct kernels_vector_way). Two
 * matrices of one shape and type, gate and up, can take turns group by group, so that 64 neurons' weights are one stretch.
 */
#ifndef PHI3SAT_BENCH_REPACKED_H
#define PHI3SAT_BENCH_REPACKED_H

#include "../kernels/interleave.h"
#include "../model/lone_product.h"

#define REPACKED_PARTS 2

struct repacked {
    const struct interleave_form *form;
    size_t parts;                   /* matrices side by side                                */
    size_t outputs, inputs;         /* of each                                              */
    size_t groups, group_bytes;     /* of each: groups of 64 outputs                          */
    size_t copies;
    uint8_t *bytes;                 /* [copies, groups, parts, group_bytes]                    */
};

/* Repacks `parts` matrices of one type and shape, each `copies` (at least 1) times, on threads_count() threads: a thread writes the
 * groups that repacked_share gives it. STATUS_USAGE when the type has no such form or more than half of the machine's
 * memory would be taken. Free with repacked_close (zeroed allowed). */
enum status repacked_open(struct repacked *r, const struct lone_product_matrix *matrix, size_t parts, size_t copies,
                          struct error *e) ERROR_MUST_USE;
void repacked_close(struct repacked *r);

/* Bytes of one copy, all parts. */
size_t repacked_bytes(const struct repacked *r);

/* Where a group of one part of a copy begins; the next group of the same part is parts * group_bytes further on. */
const uint8_t *repacked_group(const struct repacked *r, size_t copy, size_t group, size_t part);

/* Groups [first, end) are thread `share`'s of `shares`: neighbours, so that its weights are one stream. */
struct repacked_range {
    size_t first, end;
};
struct repacked_range repacked_share(const struct repacked *r, size_t share, size_t shares);

/* y [rows, outputs] = x [rows, inputs] times one copy of the only part: thread `share`'s outputs of threads_count() threads. */
void repacked_multiply(const struct repacked *r, const struct kernels_vector_way *way, size_t copy, size_t rows, const float *x,
                       float *y, size_t share);

#endif
