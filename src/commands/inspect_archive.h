/* inspect_archive.h - the facts of an archive on a sheet. */
#ifndef PHI3SAT_COMMANDS_INSPECT_ARCHIVE_H
#define PHI3SAT_COMMANDS_INSPECT_ARCHIVE_H

#include "../report/fact_sheet.h"

/* Writes all there is to say about `path`, a file of `size` bytes: what was measured and how, the results in
 * short, and its data sets by group (each one with `every`, and in JSON). Nothing is written when it can't
 * be read (STATUS_INPUT). */
enum status inspect_archive(struct fact_sheet *sheet, const char *path, uint64_t size, bool every,
                            struct error *e) ERROR_MUST_USE;

#endif
