/* make_archive.c - make_archive OUT.h5 LAYERS NEURONS SEED: an archive of invented
 * numbers, for tests of programs that read archives, and for timing. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sample.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    struct sample s;
    struct error e;
    char line[2048];
    if (argc != 5) {
        fprintf(stderr, "usage: make_archive OUT.h5 LAYERS NEURONS SEED\n");
        return 2;
    }
    sample_make(&s, strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10), strtoull(argv[4], NULL, 10));
    double start = now();
    enum status status = sample_write(&s, argv[1], false, &e);
    if (status == STATUS_OK) {
        printf("written in %.2f s\n", now() - start);
    } else {
        error_format(&e, line, sizeof line);
        fprintf(stderr, "phi3sat: %s\n", line);
    }
    sample_free(&s);
    return (int)status;
}
