/* archive_same.c - archive_same [--any-filters] A.h5 B.h5: are they the same outside /run?
 *
 * Exit status 0: the same; 1: not, and the first differences are printed, one a line;
 * 2: a file can't be read. What is compared: same.h.
 */
#include <stdio.h>
#include <string.h>

#include "same.h"

#define SHOWN 20

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--any-filters") == 0) {
        same_any_filters = true;
        argv++, argc--;
    }
    if (argc != 3) {
        fprintf(stderr, "usage: archive_same [--any-filters] A.h5 B.h5\n");
        return 2;
    }
    long found = same_archives(argv[1], argv[2], stdout, SHOWN);
    if (found < 0) {
        fprintf(stderr, "archive_same: %s and %s can't be read as HDF5\n", argv[1], argv[2]);
        return 2;
    }
    if (found > SHOWN)
        printf("and %ld more differences\n", found - SHOWN);
    return found > 0;
}
