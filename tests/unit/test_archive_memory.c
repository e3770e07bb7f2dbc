/* test_archive_memory.c - every allocation of writing and reading fails once.
 *
 * Each time the fault is told with words, the old file is as it was, nothing is left in the
 * folder and no memory is kept.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "archive/archive_reader.h"
#include "archive/sample.h"
#include "failing_memory.h"
#include "tap.h"

static char path[512];

static int files_in_folder(void)
{
    int count = 0;
    DIR *folder = opendir(tap_folder());
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static bool is_old(void)
{
    struct stat about;
    return stat(path, &about) == 0 && about.st_size == 3 && files_in_folder() == 1;
}

/* What both loops count; `failed` must grow and the others stay 0. */
struct counts {
    long failed, wordless, leaked, odd;
};

static void tell(const struct counts *c, const char *what)
{
    ok(c->failed > 10, "%s fails %ld times on the way", what, c->failed);
    is_int(c->wordless, 0, "%s: each time with words", what);
    is_int(c->leaked, 0, "%s: and without keeping memory", what);
    is_int(c->odd, 0, "%s: nor leaving anything behind", what);
}

static void count(struct counts *c, enum status status, const struct error *e, long held, bool odd)
{
    c->leaked += failing_memory_held - held;
    if (status == STATUS_OK)
        return;
    c->failed++;
    if (!strstr(e->sentence, "memory")) {
        c->wordless++;
        diag("%s", e->sentence);
    }
    c->odd += odd;
}

static enum status read_all(struct error *e)
{
    struct archive_reader *r = NULL;
    struct prompt_set set = {0};
    enum status status = archive_reader_open(&r, path, e);
    if (status == STATUS_OK)
        status = archive_reader_prompts(r, &set, e);
    prompt_set_free(&set);
    archive_reader_close(r);
    return status;
}

int main(void)
{
    struct sample sample;
    struct error e;
    struct counts writing = {0}, reading = {0};
    enum status status = STATUS_FAILED;
    snprintf(path, sizeof path, "%s/archive.h5", tap_folder());
    FILE *old = fopen(path, "w");
    if (!old || fputs("old", old) < 0 || fclose(old) != 0)
        bail("can't write %s", path);
    sample_make(&sample, 1, 5, 1);
    for (long left = 0; status != STATUS_OK && left < 10000; left++) {
        long held = failing_memory_held;
        error_clear(&e);
        failing_memory_left = left;
        status = sample_write(&sample, path, false, &e);
        failing_memory_left = -1;
        count(&writing, status, &e, held, !is_old());
    }
    is_int(status, STATUS_OK, "an archive is written in the end");
    tell(&writing, "writing");
    status = STATUS_FAILED;
    for (long left = 0; status != STATUS_OK && left < 10000; left++) {
        long held = failing_memory_held;
        error_clear(&e);
        failing_memory_left = left;
        status = read_all(&e);
        failing_memory_left = -1;
        count(&reading, status, &e, held, false);
    }
    is_int(status, STATUS_OK, "and read in the end");
    tell(&reading, "reading");
    sample_free(&sample);
    return tap_done();
}
