/* export_long.h - an archive as one long table: a row for each layer, neuron and series.
 *
 * Flow: archive -> *long CSV*, for R, data bases and spreadsheets. Numbers have the 9 digits that give the float32
 * back when read, and a decimal point in every locale; a missing one is `nan`.
 */
#ifndef PHI3SAT_REPORT_EXPORT_LONG_H
#define PHI3SAT_REPORT_EXPORT_LONG_H

#include "../archive/archive_reader.h"

/* The whole file `path`, written aside and renamed. STATUS_INPUT: the archive can't be read; STATUS_OUTPUT. */
enum status export_long_write(const char *path, struct archive_reader *r, struct error *e) ERROR_MUST_USE;

#endif
