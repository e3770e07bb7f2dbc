/* figures.h - measured figures, row by row as they come: a table for people, a JSON array of objects, or CSV.
 *
 * Flow: benchmarks -> *figures* -> standard output. Each row is written at once, since the next may take a
 * while; so columns have fixed widths. JSON and CSV have every column, the table those with a title.
 */
#ifndef PHI3SAT_REPORT_FIGURES_H
#define PHI3SAT_REPORT_FIGURES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../base/error.h"
#include "../base/options.h"

enum figures_kind {
    FIGURES_TEXT,  /* cell.text                                                       */
    FIGURES_COUNT, /* cell.count                                                      */
    FIGURES_REAL,  /* cell.real with `digits` decimals; JSON: six significant digits, null if not finite */
    FIGURES_SHARE, /* cell.real, 1 is 100 %; JSON as FIGURES_REAL                       */
    FIGURES_SMALL  /* cell.real as 1.2e-07; JSON as FIGURES_REAL                        */
};

struct figures_column {
    const char *key;   /* JSON name                                                   */
    const char *title; /* NULL: in JSON only                                          */
    enum figures_kind kind;
    int width;         /* columns of the table                                        */
    int digits;        /* decimals in the table                                       */
};

struct figures_cell {
    const char *text;
    uint64_t count;
    double real;
};

/* Under way; a plain value. */
struct figures {
    FILE *to;
    bool json, csv;
    const struct figures_column *columns;
    size_t column_count, rows;
};

/* Begins, writing nothing yet; columns [count] must outlive it. `to`: NULL is standard output. */
void figures_open(struct figures *f, FILE *to, bool json, const struct figures_column *columns, size_t count);

/* The same as CSV: a line of keys, then a line a row; numbers as in JSON, nan where JSON has null. */
void figures_open_csv(struct figures *f, FILE *to, const struct figures_column *columns, size_t count);

/* A line for people only. */
void figures_note(struct figures *f, const char *format, ...) ERROR_PRINTF(2, 3);

/* One row, cells [columns]; the first one is preceded by the titles. STATUS_OUTPUT when it can't be written. */
enum status figures_row(struct figures *f, const struct figures_cell *cells, struct error *e) ERROR_MUST_USE;

/* Ends the array. STATUS_OUTPUT when any of it could not be written. */
enum status figures_finish(struct figures *f, struct error *e) ERROR_MUST_USE;

/* Ends it after a failure: what was measured before stays readable. */
void figures_stop(struct figures *f);

/* Prints the --help of `table` on standard output. */
enum status figures_help(const struct options_table *table, struct error *e) ERROR_MUST_USE;

#endif
