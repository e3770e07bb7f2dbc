/* export_imatrix.h - how much each input of a down projection matters, for tools that quantise.
 *
 * Flow: exact sums of an archive -> *mean squares of ffn* -> an importance matrix that llama.cpp reads. Its
 * llama-imatrix sums the squares of a weight matrix's inputs; those of blk.N.ffn_down.weight are the series ffn,
 * so E[x^2] = sum2 / n is what it would have found over these prompts.
 */
#ifndef PHI3SAT_REPORT_EXPORT_IMATRIX_H
#define PHI3SAT_REPORT_EXPORT_IMATRIX_H

#include "../archive/archive_reader.h"

struct export_imatrix {
    size_t layers, neurons;
    double *mean_square;    /* [layers, neurons]: E[x^2] of ffn over the finite samples           */
    uint64_t *samples;      /* [layers]; 0: no neuron has a value, and the layer gets no entry    */
    size_t entries;         /* layers that get one                                                */
    size_t guessed;         /* neurons without a value in them: given the mean of their layer     */
    uint64_t prompts;       /* what llama.cpp calls chunks                                        */
    char source[256];       /* where the prompts came from, printable                             */
};

/* Everything that both forms need. `x` is freed by export_imatrix_free, also on failure. STATUS_INPUT: the archive
 * can't be read, or no layer has a sample. */
enum status export_imatrix_read(struct export_imatrix *x, struct archive_reader *r, struct error *e) ERROR_MUST_USE;
void export_imatrix_free(struct export_imatrix *x);

/* The name of a layer's entry. */
#define EXPORT_IMATRIX_NAME 48
void export_imatrix_name(size_t layer, char name[EXPORT_IMATRIX_NAME]);

/* The older form (.dat, .imatrix), which every llama.cpp since January 2024 reads; written aside and renamed.
 * STATUS_OUTPUT. */
enum status export_imatrix_write(const struct export_imatrix *x, const char *path, struct error *e) ERROR_MUST_USE;

#endif
