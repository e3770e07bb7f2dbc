/* export_zip.h - writes a ZIP file, front to back, member by member.
 *
 * Flow: bytes of arrays -> *zip* -> outfile; .npz files are ZIP files. A member's size is known when it begins, its
 * checksum and its compressed size when it ends: they are then written into its header (outfile_rewrite). All
 * members have the date 1980-01-01, so that the same archive gives the same bytes.
 */
#ifndef PHI3SAT_REPORT_EXPORT_ZIP_H
#define PHI3SAT_REPORT_EXPORT_ZIP_H

#include <stdbool.h>

#include "../base/outfile.h"

struct export_zip; /* opaque */

/* What a 32-bit field of the format can say: 0xFFFFFFFF itself means that the number stands elsewhere. */
#define EXPORT_ZIP_LIMIT UINT64_C(0xFFFFFFFE)

/* A ZIP file into `out`, which must be open, empty and a file; borrowed until export_zip_close. What passes `limit`
 * is written in the fields of zip64: EXPORT_ZIP_LIMIT; tests give less. *z is NULL on failure. */
enum status export_zip_open(struct export_zip **z, struct outfile *out, bool compress, uint64_t limit,
                            struct error *e) ERROR_MUST_USE;

/* Begins a member of just `size` bytes, which export_zip_data then brings in pieces. Names are ASCII, less than
 * 128 bytes, relative, with / between folders: the caller vouches for them. */
enum status export_zip_member(struct export_zip *z, const char *name, uint64_t size, struct error *e) ERROR_MUST_USE;
enum status export_zip_data(struct export_zip *z, const void *bytes, size_t size, struct error *e) ERROR_MUST_USE;

/* Ends the file. What could not be written is told by outfile_commit. */
enum status export_zip_finish(struct export_zip *z, struct error *e) ERROR_MUST_USE;

/* NULL is allowed. */
void export_zip_close(struct export_zip *z);

#endif
