/* test_archive_guard.c - the process that HDF5 reads in may crash, hang or be killed: one line, and life goes on.
 *
 * A file that does it to one version of HDF5 is read by the next; so the process is ended by the signals that a crash
 * and its limits end it with.
 */
#include <hdf5.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "archive/archive_reader.h"
#include "archive/sample.h"
#include "base/memory.h"
#include "tap.h"

#define LAYERS 2
#define NEURONS 70

static char path[512];

/* Our only child; 0: there is none. */
static long child(void)
{
    char name[64], line[64] = "";
    snprintf(name, sizeof name, "/proc/self/task/%ld/children", (long)getpid());
    FILE *f = fopen(name, "r");
    if (!f || !fgets(line, sizeof line, f))
        line[0] = '\0';
    if (f)
        fclose(f);
    return strtol(line, NULL, 10);
}

static struct archive_reader *open_it(void)
{
    struct archive_reader *r;
    struct error e;
    if (archive_reader_open(&r, path, &e) != STATUS_OK)
        bail("the archive doesn't open: %s", e.sentence);
    return r;
}

static enum status read_layer(struct archive_reader *r, struct error *e)
{
    struct metrics m;
    enum status s = metrics_init(&m, NEURONS, e);
    if (s == STATUS_OK)
        s = archive_reader_metrics(r, 0, &m, e);
    metrics_free(&m);
    return s;
}

static void expect_end(int signal_number, enum status status, const char *sentence)
{
    struct error e;
    struct archive_reader *r = open_it(), *other = open_it();
    const long process = child();
    if (process <= 0) {
        archive_reader_close(r);
        archive_reader_close(other);
        skip(5, "no /proc that lists children");
        return;
    }
    kill((pid_t)process, signal_number);
    is_int(read_layer(r, &e), status, "signal %d: the status says whose fault it is", signal_number);
    ok(strstr(e.sentence, sentence) != NULL && strcmp(e.file, path) == 0, "signal %d: %s: %s", signal_number, e.file,
       e.sentence);
    is_int(read_layer(other, &e), STATUS_FAILED, "signal %d: what else was open can't be read on", signal_number);
    struct archive_reader *again = open_it();
    is_int(read_layer(again, &e), STATUS_OK, "signal %d: but opened again", signal_number);
    archive_reader_close(r);
    archive_reader_close(other);
    archive_reader_close(again);
    is_int(child(), 0, "signal %d: the process ends with the last archive", signal_number);
}

/* The shape that is wanted, in one chunk of that shape; but what is packed in it are 96 MB of zeros, which take 100 KB in the file:
 * HDF5 takes memory for as many as come. */
static void put_bomb(void)
{
    const hsize_t shape[2] = {LAYERS, NEURONS}, origin[2] = {0, 0};
    const uLong size = 96 << 20;
    uLongf packed = compressBound(size);
    Bytef *zeros = calloc(size, 1), *bytes = malloc(packed);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), create = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(2, shape, NULL);
    H5Pset_chunk(create, 2, shape);
    H5Pset_deflate(create, 1);
    H5Ldelete(file, "gate/min", H5P_DEFAULT);
    hid_t set = H5Dcreate2(file, "gate/min", H5T_IEEE_F32LE, space, H5P_DEFAULT, create, H5P_DEFAULT);
    if (!zeros || !bytes || compress2(bytes, &packed, zeros, size, 1) != Z_OK ||
        H5Dwrite_chunk(set, H5P_DEFAULT, 0, origin, packed, bytes) < 0)
        bail("no bomb");
    free(zeros);
    free(bytes);
    H5Dclose(set);
    H5Pclose(create);
    H5Sclose(space);
    H5Fclose(file);
}

static void test_bomb(void)
{
    struct error e;
    put_bomb();
    struct archive_reader *r = open_it();
    is_int(read_layer(r, &e), STATUS_INPUT, "a chunk of 96 MB in a small file is refused");
    ok(strstr(e.sentence, "data set gate/min can't be read: ") != NULL, "and named: %s", e.sentence);
    archive_reader_close(r);
}

static void test_prepared(void)
{
    archive_reader_prepare();
    const long process = child();
    archive_reader_close(open_it());
    is_int(child(), process, "a process that was asked for before stays between archives");
    archive_reader_dismiss();
    is_int(child(), 0, "and ends when it is dismissed");
    archive_reader_dismiss();
    archive_reader_close(open_it());
    is_int(child(), 0, "a later one ends by itself again");
}

int main(void)
{
    struct sample sample;
    struct error e;
    snprintf(path, sizeof path, "%s/a.h5", tap_folder());
    sample_make(&sample, LAYERS, NEURONS, 1);
    is_int(sample_write(&sample, path, false, &e), STATUS_OK, "an archive is written");
    is_int(child(), 0, "which takes no other process");
    expect_end(SIGSEGV, STATUS_INPUT, "is damaged: HDF5's library crashes on it");
    expect_end(SIGABRT, STATUS_INPUT, "is damaged: HDF5's library crashes on it");
    expect_end(SIGPROF, STATUS_INPUT, "is damaged: HDF5's library takes far longer over it");
    expect_end(SIGKILL, STATUS_FAILED, "the process that reads archives was killed");
    test_prepared();
    test_bomb();
    sample_free(&sample);
    return tap_done();
}
