/* same.h - are two archives the same but for how the run went?
 *
 * Compares everything outside the group /run: names, kinds and order of links; types
 * with byte order and size; shapes; chunks, filters and fill values; the raw bytes of each
 * data set; all attributes with their types. References are compared by what they
 * point to, since addresses differ between files that say the same.
 *
 * It knows nothing of phi3sat's schema, so that a set the schema forgot still counts.
 * (h5diff won't do: to it, different shapes are equal.)
 */
#ifndef PHI3SAT_TESTS_ARCHIVE_SAME_H
#define PHI3SAT_TESTS_ARCHIVE_SAME_H

#include <stdbool.h>
#include <stdio.h>

/* True: filters may differ, as those of a partial archive do. */
extern bool same_any_filters;

/* Prints the first `limit` differences to `to` (NULL: none). Returns how many there are (one a data
 * set's content or an attribute); 0: the same; -1: a file can't be read. */
long same_archives(const char *a, const char *b, FILE *to, long limit);

#endif
