/* faults.h - which call of the process is to go wrong, and how; for tests.
 *
 * A test's environment says it, faults.c counts and decides, faults_memory.c and faults_files.c
 * stand in the way of the calls themselves.
 */
#ifndef PHI3SAT_TESTS_FAULTS_H
#define PHI3SAT_TESTS_FAULTS_H

#include <stdbool.h>

/* Kinds of calls, each counted for itself from 0. */
enum fault {
    FAULT_ALLOC,   /* base/memory.c's                                     */
    FAULT_LIBRARY, /* malloc, calloc, realloc called from within a library */
    FAULT_OPEN,    /* of a file in the test's folder, and the rest likewise */
    FAULT_WRITE,
    FAULT_RESIZE,
    FAULT_SYNC,
    FAULT_RENAME,
    FAULT_CLOSE,
    FAULT_LOCK,
    FAULT_COUNT
};

#define FAULT_SHORT (-1) /* only a part is written */

/* One more call of this kind. 0: let it pass; FAULT_SHORT; else the errno to fail with. May end the
 * process, or do something to a file first, where the test says so. */
int faults_here(enum fault kind);

/* Blocks of base/memory.c that are there: +1, -1. */
void faults_live(int change);

/* Is anything to be counted? */
bool faults_wanted(void);

/* Is `path`, or the file that `fd` has open, a plain file of the test's folder? */
bool faults_path_counts(const char *path);
bool faults_descriptor_counts(int fd);

#endif
