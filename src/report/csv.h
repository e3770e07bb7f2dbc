/* csv.h - the table of layers for people and spreadsheets.
 *
 * Flow: summary rows -> *csv*. Header and formats: DESIGN section 2; decimal
 * points in every locale; a missing value (an average over no neuron) is `nan`.
 */
#ifndef PHI3SAT_REPORT_CSV_H
#define PHI3SAT_REPORT_CSV_H

#include "../base/outfile.h"
#include "../stats/summary.h"

/* The first line, without its newline. */
extern const char csv_header[];

/* The columns behind Layer and Neurons, for tables that stand beside this one. */
#define CSV_COLUMNS 11
struct csv_column {
    const char *name;
    int decimals;
};
extern const struct csv_column csv_columns[CSV_COLUMNS];

/* A row's values in the columns' own units (percentages from 0 to 100); NaN missing. */
void csv_values(const struct summary_row *row, double values[CSV_COLUMNS]);

/* Header and one line a layer into an open output (outfile_open); faults of
 * writing are told by outfile_commit. rows: [layers]. */
void csv_print(struct outfile *out, const struct summary_row *rows, size_t layers);

/* The whole file `path`, written aside and renamed. STATUS_OUTPUT, and then an
 * old file is as it was. */
enum status csv_write(const char *path, const struct summary_row *rows, size_t layers, struct error *e) ERROR_MUST_USE;

#endif
