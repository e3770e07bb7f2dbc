/* make_zip.c - make_zip OUT.zip LIMIT store|compress COUNT SIZE: a ZIP file of COUNT members of SIZE bytes each, with
 * what passes LIMIT in the fields of zip64, for other programs to read. Byte k of a member is k * k / 251 mod 256. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/export_zip.h"

#define PIECE (1 << 20)

static enum status put_members(struct export_zip *z, unsigned long count, uint64_t size, struct error *e)
{
    static unsigned char piece[PIECE];
    for (unsigned long i = 0; i < PIECE; i++)
        piece[i] = (unsigned char)(i * i / 251);
    enum status s = STATUS_OK;
    for (unsigned long i = 0; i < count && s == STATUS_OK; i++) {
        char name[64];
        snprintf(name, sizeof name, "folder%lu/member%lu", i % 3, i);
        s = export_zip_member(z, name, size, e);
        for (uint64_t left = size; left > 0 && s == STATUS_OK;) {
            const size_t step = left < PIECE ? (size_t)left : PIECE;
            s = export_zip_data(z, piece, step, e);
            left -= step;
        }
    }
    return s == STATUS_OK ? export_zip_finish(z, e) : s;
}

int main(int argc, char **argv)
{
    struct outfile out;
    struct export_zip *z = NULL;
    struct error e;
    char line[2048];
    if (argc != 6) {
        fprintf(stderr, "usage: make_zip OUT.zip LIMIT store|compress COUNT SIZE\n");
        return 2;
    }
    enum status s = outfile_open(&out, argv[1], &e);
    if (s == STATUS_OK)
        s = export_zip_open(&z, &out, strcmp(argv[3], "compress") == 0, strtoull(argv[2], NULL, 10), &e);
    if (s == STATUS_OK)
        s = put_members(z, strtoul(argv[4], NULL, 10), strtoull(argv[5], NULL, 10), &e);
    export_zip_close(z);
    if (s == STATUS_OK)
        s = outfile_commit(&out, &e);
    if (s != STATUS_OK) {
        error_format(&e, line, sizeof line);
        fprintf(stderr, "phi3sat: %s\n", line);
    }
    return (int)s;
}
