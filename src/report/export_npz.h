/* export_npz.h - an archive as an .npz file of NumPy's.
 *
 * Flow: archive -> *npz*. A member is a data set, by its name in the archive ("gate/mean"), or an attribute
 * ("attributes/layers", "run/started"): numpy.load("r.npz")["gate/mean"]. docs/archive.md tells the rest.
 */
#ifndef PHI3SAT_REPORT_EXPORT_NPZ_H
#define PHI3SAT_REPORT_EXPORT_NPZ_H

#include <stdbool.h>

#include "../archive/archive_reader.h"

/* The whole file `path`, written aside and renamed. state: the exact sums and the prompts too. compress: by
 * deflate, else as it is, which loads faster. STATUS_INPUT: the archive can't be read; STATUS_OUTPUT. */
enum status export_npz_write(const char *path, struct archive_reader *r, bool state, bool compress,
                             struct error *e) ERROR_MUST_USE;

#endif
