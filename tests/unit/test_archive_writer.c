/* test_archive_writer.c - an archive is whole or not there.
 *
 * A full disk is played by RLIMIT_FSIZE: a write past it fails with EFBIG, at whichever
 * call it comes. Limits of all sizes up to the archive's are tried. That this program ends
 * well is a point of its own: HDF5's clean-up at exit crashes after a full disk.
 */
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/archive_reader.h"
#include "archive/sample.h"
#include "archive/same.h"
#include "tap.h"

static char first[512], second[512];
static struct sample sample;

static void path_in_folder(char *path, const char *name)
{
    snprintf(path, 512, "%s/%s", tap_folder(), name);
}

static int files_in_folder(void)
{
    int count = 0;
    DIR *folder = opendir(tap_folder());
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static long size_of(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? (long)about.st_size : -1;
}

static void store_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0)
        bail("can't write %s", path);
    fclose(f);
}

static void test_order(void)
{
    struct error e;
    is_int(sample_write(&sample, first, false, &e), STATUS_OK, "layers are written first to last");
    is_int(sample_write(&sample, second, true, &e), STATUS_OK, "and last to first, over nothing");
    is_int(same_archives(first, second, stdout, 10), 0, "which gives the same archive");
    is_int(sample_write(&sample, second, true, &e), STATUS_OK, "an archive replaces an old one");
    is_int(files_in_folder(), 2, "nothing else is left in the folder");
    is_int(archive_writer_probe(first, &e), STATUS_OK, "a place can be probed that holds an archive");
    is_int(same_archives(first, second, stdout, 10), 0, "which is left as it was");
    is_int(files_in_folder(), 2, "and no file is left by the probe");
}

static void test_no_prompts(void)
{
    struct error e;
    struct archive_reader *r;
    struct prompt_set set = {0};
    struct sample none = sample;
    memset(&none.prompts, 0, sizeof none.prompts);
    none.facts.prompts = none.facts.tokens = 0;
    is_int(sample_write(&none, second, false, &e), STATUS_OK, "an archive without prompts is written");
    is_int(archive_reader_open(&r, second, &e), STATUS_OK, "and opened");
    is_int(archive_reader_prompts(r, &set, &e), STATUS_OK, "its prompts are read");
    is_uint(set.count, 0, "all none of them");
    prompt_set_free(&set);
    archive_reader_close(r);
}

static void test_abandon(void)
{
    struct error e;
    struct archive_writer *w;
    store_text(second, "old");
    is_int(archive_writer_open(&w, second, 2, 10, &e), STATUS_OK, "an archive is begun");
    is_int(files_in_folder(), 3, "beside its name");
    archive_writer_abandon(w);
    is_int(files_in_folder(), 2, "abandoned, it is gone");
    is_int(size_of(second), 3, "and the old file is there");
    archive_writer_abandon(NULL);
}

static void expect_refusal(const char *path, const char *sentence, const char *claim)
{
    struct error e;
    error_clear(&e);
    is_int(archive_writer_probe(path, &e), STATUS_OUTPUT, "%s: the probe refuses", claim);
    is_string(e.sentence, sentence, "%s: and says why", claim);
    is_string(e.file, path, "%s: and names the file", claim);
    is_int(sample_write(&sample, path, false, &e), STATUS_OUTPUT, "%s: so does the writer", claim);
}

static void test_places(void)
{
    char path[1024];
    struct error e;
    snprintf(path, sizeof path, "%s/none/a.h5", tap_folder());
    expect_refusal(path, "can't be written: No such file or directory", "no such folder");
    snprintf(path, sizeof path, "%s/a.h5", first);
    expect_refusal(path, "can't be written: Not a directory", "a file as folder");
    expect_refusal(tap_folder(), "can't be written: Is a directory", "a folder as file");
    expect_refusal("", "can't be written: No such file or directory", "no name");
    expect_refusal("/dev/null", "is a device or a pipe, which can't hold this kind of file", "a device");
    memset(path, 0, sizeof path);
    snprintf(path, sizeof path, "%s/", tap_folder());
    memset(path + strlen(path), 'x', 300);
    expect_refusal(path, "can't be written: File name too long", "a long name");
    snprintf(path, sizeof path, "%s/link.h5", tap_folder());
    if (symlink(first, path) != 0)
        bail("no symbolic links here");
    is_int(sample_write(&sample, path, false, &e), STATUS_OK, "a link as output is followed");
    struct stat about;
    ok(lstat(path, &about) == 0 && S_ISLNK(about.st_mode), "and stays a link");
    unlink(path);
}

/* Size limits from 0 to past the whole archive: each either fails and leaves the old
 * file and nothing else, or gives a whole archive. */
static void test_full_disk(void)
{
    struct error e;
    long whole = size_of(first);
    int bad = 0, failed = 0, succeeded = 0;
    struct rlimit limit, old;
    getrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, SIG_IGN);
    for (long size = 0; size < whole + whole / 10; size += whole / 40) {
        store_text(second, "old");
        limit = old;
        limit.rlim_cur = (rlim_t)size;
        setrlimit(RLIMIT_FSIZE, &limit);
        error_clear(&e);
        enum status status = sample_write(&sample, second, false, &e);
        setrlimit(RLIMIT_FSIZE, &old);
        if (status == STATUS_OK) {
            succeeded++;
            bad += same_archives(first, second, NULL, 0) != 0;
        } else {
            failed++;
            bad += status != STATUS_OUTPUT || size_of(second) != 3 || !strstr(e.sentence, "can't be written");
        }
        bad += files_in_folder() != 2;
    }
    ok(failed >= 38 && succeeded >= 2, "a disk that fills is noticed wherever it fills (%d times, %d not)", failed,
       succeeded);
    is_int(bad, 0, "each time the old file is as it was, and nothing else is left");
    diag("%s", e.sentence);
}

int main(void)
{
    struct error e;
    path_in_folder(first, "first.h5");
    path_in_folder(second, "second.h5");
    sample_make(&sample, 2, 70, 1);
    test_order();
    test_abandon();
    test_no_prompts();
    test_places();
    test_full_disk();
    is_int(sample_write(&sample, second, false, &e), STATUS_OK, "after all that the writer still works");
    sample_free(&sample);
    return tap_done();
}
