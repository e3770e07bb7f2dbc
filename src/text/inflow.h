/* inflow.h - the bytes of a descriptor, decompressed where they are gzip or Zstandard.
 *
 * Flow: file, pipe -> *inflow* -> spool. What the bytes are, their first ones tell; the
 * name has no say. All members (gzip) and frames (Zstandard) are read, checksums
 * are checked, and an input that ends inside one is an error.
 */
#ifndef PHI3SAT_TEXT_INFLOW_H
#define PHI3SAT_TEXT_INFLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"

enum inflow_kind { INFLOW_PLAIN, INFLOW_GZIP, INFLOW_ZSTD };

struct inflow; /* opaque; one thread */

/* What `bytes`, the first ones of an input, are. Four suffice. */
enum inflow_kind inflow_recognise(const void *bytes, size_t size);

/* Begins to read `fd` from where it stands (borrowed: open until inflow_close). `name` is
 * for messages and must outlive it. *in is NULL on failure; inflow_close allows NULL. */
enum status inflow_open(struct inflow **in, int fd, const char *name, struct error *e) ERROR_MUST_USE;
void inflow_close(struct inflow *in);

/* Fills bytes[size] as far as the input goes; *got < size only at its end. STATUS_INPUT
 * with the compressed position: a read failed, a checksum is wrong, it ends too early. */
enum status inflow_read(struct inflow *in, void *bytes, size_t size, size_t *got, struct error *e) ERROR_MUST_USE;

enum inflow_kind inflow_kind(const struct inflow *in);

/* At the end: bytes behind the last member that are neither another one nor padding
 * with zeros. They were not used. */
uint64_t inflow_garbage(const struct inflow *in);

#endif
