/* test_archive_reader.c - archives come back to the bit; damaged ones are named.
 *
 * The damage is done to copies of one small archive: by its bytes, or through HDF5 as
 * another program would. Each case pins the status and what the sentence says.
 */
#include <fcntl.h>
#include <hdf5.h>
#include <hdf5_hl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/archive_reader.h"
#include "archive/archive_seal.h"
#include "archive/sample.h"
#include "base/memory.h"
#include "tap.h"

#define LAYERS 3
#define NEURONS 70 /* a block and a part of one */

static char whole[512], copy[512];
static struct sample sample;

static void path_in_folder(char *path, const char *name)
{
    snprintf(path, 512, "%s/%s", tap_folder(), name);
}

static char *load(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *bytes = malloc(1 << 24);
    if (!f || !bytes)
        bail("no %s", path);
    *size = fread(bytes, 1, 1 << 24, f);
    fclose(f);
    return bytes;
}

static void store(const char *path, const char *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, size, f) != size)
        bail("can't write %s", path);
    fclose(f);
}

static void copy_whole(void)
{
    size_t size;
    char *bytes = load(whole, &size);
    store(copy, bytes, size);
    free(bytes);
}

/* ---- round trip ------------------------------------------------------------------ */

static bool same_metrics(const struct metrics *a, const struct metrics *b)
{
    bool same = a->count == b->count && memcmp(a->extremes, b->extremes, sizeof a->extremes) == 0;
    size_t n = a->neurons;
    for (int s = 0; s < SERIES_COUNT; s++) {
        for (int k = 0; k < METRIC_COUNT; k++)
            same = same && memcmp(a->value[s][k], b->value[s][k], n * sizeof(float)) == 0;
        same = same && memcmp(a->nonfinite[s], b->nonfinite[s], n * sizeof(uint32_t)) == 0;
    }
    return same && memcmp(a->flags, b->flags, n * sizeof(uint32_t)) == 0 && memcmp(a->saturated, b->saturated, n) == 0;
}

static void test_layer(struct archive_reader *r, size_t layer)
{
    struct error e;
    struct metrics m;
    struct summary_row row;
    struct accumulator a;
    struct accumulator_block *block[SERIES_COUNT];
    if (metrics_init(&m, NEURONS, &e) != STATUS_OK || accumulator_init(&a, 1, NEURONS, &e) != STATUS_OK)
        bail("no memory");
    memset(a.block, 0xa5, SERIES_COUNT * a.blocks * sizeof *a.block);
    for (int s = 0; s < SERIES_COUNT; s++)
        block[s] = accumulator_blocks(&a, 0, (enum series)s);
    is_int(archive_reader_metrics(r, layer, &m, &e), STATUS_OK, "layer %zu: metrics are read", layer);
    ok(same_metrics(&m, &sample.metrics[layer]), "layer %zu: metrics, flags and extremes are the same bits", layer);
    is_int(archive_reader_summary(r, layer, &row, &e), STATUS_OK, "layer %zu: summary is read", layer);
    is_bytes(&row, &sample.rows[layer], sizeof row, "layer %zu: and the same bits", layer);
    is_int(archive_reader_state(r, layer, block, &a.layer[0], &e), STATUS_OK, "layer %zu: state is read", layer);
    is_bytes(block[0], accumulator_blocks(&sample.state, layer, SERIES_GATE),
             SERIES_COUNT * a.blocks * sizeof *a.block, "layer %zu: all blocks are the same bits, spare lanes too",
             layer);
    is_bytes(&a.layer[0], &sample.state.layer[layer], sizeof a.layer[0], "layer %zu: and its facts", layer);
    metrics_free(&m);
    accumulator_free(&a);
}

static const char *run_value(const struct archive_reader *r, const char *name)
{
    size_t count;
    const struct archive_reader_pair *pair = archive_reader_run(r, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(pair[i].name, name) == 0)
            return pair[i].value;
    return "(none)";
}

static void test_round_trip(void)
{
    struct archive_reader *r;
    struct error e;
    struct prompt_set set = {0};
    is_int(archive_reader_open(&r, whole, &e), STATUS_OK, "an archive is opened");
    for (size_t layer = 0; layer < LAYERS; layer++)
        test_layer(r, layer);
    struct archive_facts f = *archive_reader_facts(r);
    is_bytes(f.layer_fingerprint, sample.facts.layer_fingerprint, LAYERS * sizeof f.layer_fingerprint[0],
             "the layers' hashes come back");
    f.layer_fingerprint = sample.facts.layer_fingerprint;
    ok(memcmp(&f, &sample.facts, sizeof f) == 0, "all facts come back");
    is_int(archive_reader_prompts(r, &set, &e), STATUS_OK, "prompts are read");
    is_uint(set.count, sample.prompts.count, "as many as were written");
    is_bytes(set.entry, sample.prompts.entry, set.count * sizeof *set.entry, "and the same");
    is_string(run_value(r, "ranks"), "4", "the run's numbers come back as text");
    is_string(run_value(r, "hosts"), "a b", "and its texts");
    is_string(run_value(r, "command_line"), "phi3sat --model 'Mod\xc3\xa8le ?.gguf'", "malformed UTF-8 became '?'");
    is_string(run_value(r, "merged_from"), "", "an empty text stays empty");
    is_string(run_value(r, "finished"), "(none)", "what isn't known is left out");
    prompt_set_free(&set);
    archive_reader_close(r);
}

/* ---- damage ---------------------------------------------------------------------- */

static enum status read_everything(const char *path, struct error *e)
{
    struct archive_reader *r;
    struct metrics m = {0};
    struct summary_row row;
    struct accumulator a = {0};
    struct prompt_set set = {0};
    enum status status = archive_reader_open(&r, path, e);
    if (status != STATUS_OK)
        return status;
    const struct archive_facts *f = archive_reader_facts(r);
    status = metrics_init(&m, f->intermediate_size, e);
    if (status == STATUS_OK)
        status = accumulator_init(&a, 1, f->intermediate_size, e);
    for (size_t layer = 0; layer < f->layers && status == STATUS_OK; layer++) {
        struct accumulator_block *block[SERIES_COUNT];
        for (int s = 0; s < SERIES_COUNT; s++)
            block[s] = accumulator_blocks(&a, 0, (enum series)s);
        status = archive_reader_metrics(r, layer, &m, e);
        if (status == STATUS_OK)
            status = archive_reader_summary(r, layer, &row, e);
        if (status == STATUS_OK)
            status = archive_reader_state(r, layer, block, a.layer, e);
    }
    if (status == STATUS_OK)
        status = archive_reader_prompts(r, &set, e);
    prompt_set_free(&set);
    metrics_free(&m);
    accumulator_free(&a);
    archive_reader_close(r);
    return status;
}

/* Replaces data set `path` by an empty one. */
static void replace(hid_t file, const char *path, hid_t type, int rank, const hsize_t *extent, bool chunked)
{
    hid_t space = H5Screate_simple(rank, extent, NULL), create = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[4] = {1, 1, 1, 1};
    if (chunked)
        H5Pset_chunk(create, rank, chunk);
    H5Ldelete(file, path, H5P_DEFAULT);
    hid_t set = H5Dcreate2(file, path, type, space, H5P_DEFAULT, create, H5P_DEFAULT);
    H5Dclose(set);
    H5Pclose(create);
    H5Sclose(space);
}

/* Writes `value` over element `at` of a data set. */
static void poke(hid_t file, const char *path, size_t at, hid_t type, const void *value)
{
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT), space = H5Dget_space(set);
    size_t points = (size_t)H5Sget_simple_extent_npoints(space), size = H5Tget_size(type);
    char *all = malloc(points * size);
    H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all);
    memcpy(all + at * size, value, size);
    H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all);
    free(all);
    H5Sclose(space);
    H5Dclose(set);
}

static void put_number(hid_t file, const char *name, hid_t file_type, hid_t type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    H5Adelete(file, name);
    hid_t attribute = H5Acreate2(file, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, value);
    H5Aclose(attribute);
    H5Sclose(space);
}

static void put_count(hid_t file, const char *name, uint64_t value)
{
    put_number(file, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &value);
}

static const hsize_t shape[3] = {LAYERS, NEURONS, 2}, swapped[2] = {NEURONS, LAYERS};

static void no_set(hid_t f) { H5Ldelete(f, "up/kurtosis", H5P_DEFAULT); }
static void no_group(hid_t f) { H5Ldelete(f, "summary", H5P_DEFAULT); }
static void no_run(hid_t f) { H5Ldelete(f, "run", H5P_DEFAULT); }
static void no_scale(hid_t f) { H5Ldelete(f, "neuron", H5P_DEFAULT); }
static void no_fact(hid_t f) { H5Adelete(f, "precision"); }
static void no_threshold(hid_t f) { H5Adelete(f, "gradient_threshold"); }
static void no_format(hid_t f) { H5Adelete(f, "format"); }
static void newer(hid_t f) { put_count(f, "format_version", 2); }
static void other_layers(hid_t f) { put_count(f, "layers", LAYERS + 1); }
static void other_prompts(hid_t f) { put_count(f, "prompts", 7); }
static void other_shape(hid_t f) { replace(f, "gate/min", H5T_IEEE_F32LE, 2, swapped, false); }
static void other_rank(hid_t f) { replace(f, "gate/min", H5T_IEEE_F32LE, 3, shape, false); }
static void other_type(hid_t f) { replace(f, "gate/min", H5T_IEEE_F64LE, 2, shape, false); }
static void other_order(hid_t f) { replace(f, "gate/min", H5T_IEEE_F32BE, 2, shape, false); }
static void no_chunks(hid_t f) { replace(f, "gate/min", H5T_IEEE_F32LE, 2, shape, true); }
static void a_group(hid_t f)
{
    H5Ldelete(f, "gate/min", H5P_DEFAULT);
    H5Gclose(H5Gcreate2(f, "gate/min", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}
static void soft_link(hid_t f)
{
    H5Ldelete(f, "gate/min", H5P_DEFAULT);
    H5Lcreate_soft("/gate/max", f, "gate/min", H5P_DEFAULT, H5P_DEFAULT);
}
static void external_link(hid_t f)
{
    H5Ldelete(f, "gate", H5P_DEFAULT);
    H5Lcreate_external(whole, "/gate", f, "gate", H5P_DEFAULT, H5P_DEFAULT);
}
static void external_bytes(hid_t f)
{
    hid_t space = H5Screate_simple(2, shape, NULL), create = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(create, whole, 0, H5F_UNLIMITED);
    H5Ldelete(f, "gate/min", H5P_DEFAULT);
    H5Dclose(H5Dcreate2(f, "gate/min", H5T_IEEE_F32LE, space, H5P_DEFAULT, create, H5P_DEFAULT));
    H5Pclose(create);
    H5Sclose(space);
}
static void huge(hid_t f)
{
    hsize_t extent = (hsize_t)1 << 50;
    replace(f, "neuron", H5T_STD_I32LE, 1, &extent, true);
    put_count(f, "intermediate_size", (uint64_t)1 << 50);
}
static void many_prompts(hid_t f)
{
    hsize_t extent = (hsize_t)1 << 40;
    replace(f, "prompt", H5T_STD_I32LE, 1, &extent, true);
}
static void not_boolean(hid_t f)
{
    uint8_t two = 2;
    poke(f, "saturation/saturated", NEURONS, H5T_NATIVE_UINT8, &two);
}
static void far_neuron(hid_t f)
{
    int32_t neuron = NEURONS;
    poke(f, "extremes/neuron", 17, H5T_NATIVE_INT32, &neuron);
}
static void no_value(hid_t f)
{
    float nan = NAN;
    poke(f, "extremes/value", 17, H5T_NATIVE_FLOAT, &nan);
}
static void countless(hid_t f)
{
    uint64_t all = UINT64_MAX;
    poke(f, "state/prompt_multiplicity", 1, H5T_NATIVE_UINT64, &all);
}
static void unsorted(hid_t f)
{
    uint64_t all = UINT64_MAX;
    poke(f, "state/prompt_hash", 1, H5T_NATIVE_UINT64, &all);
}
static void no_times(hid_t f)
{
    uint64_t zero = 0;
    poke(f, "state/prompt_multiplicity", 1, H5T_NATIVE_UINT64, &zero);
}
static void real_fact(hid_t f)
{
    double x = 32;
    put_number(f, "heads", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &x);
}

static const struct {
    const char *name;
    void (*damage)(hid_t file);
    const char *sentence;
} damages[] = {
    {"a data set is missing", no_set, "data set up/kurtosis is missing"},
    {"a group is missing", no_group, "data set summary/neurons is missing"},
    {"the group run is missing", no_run, "has no group run"},
    {"a dimension is missing", no_scale, "data set neuron is missing or no list"},
    {"an attribute is missing", no_fact, "attribute precision is missing or not what it should be"},
    {"a threshold is missing", no_threshold, "attribute gradient_threshold is missing"},
    {"another program's HDF5 file", no_format, "is an HDF5 file, but no archive of phi3sat"},
    {"a newer format", newer, "is of format version 2; this phi3sat reads version 1"},
    {"attribute and dimension disagree", other_layers, "attribute layers and dimension layer disagree"},
    {"a number as a real", real_fact, "attribute heads is missing or not what it should be"},
    {"another shape", other_shape, "data set gate/min has another shape"},
    {"another rank", other_rank, "data set gate/min has another number of dimensions"},
    {"another type", other_type, "data set gate/min has another type"},
    {"another byte order", other_order, "data set gate/min has another type"},
    {"chunks are missing", no_chunks, "data set gate/min is incomplete"},
    {"a group in place of a set", a_group, "data set gate/min can't be opened"},
    {"a soft link", soft_link, "data set gate/min is missing"},
    {"a link to another file", external_link, "data set gate/mean is missing"},
    {"bytes in another file", external_bytes, "data set gate/min lies in another file"},
    {"a claim of 2^50 neurons", huge, "data set neuron is longer than any model or prompt set"},
    {"a claim of 2^40 prompts", many_prompts, "data set prompt is longer than any model or prompt set"},
    {"saturated is 2", not_boolean, "data set saturation/saturated holds something other than 0 and 1"},
    {"an extreme of no neuron", far_neuron, "data set extremes/neuron names a neuron or position that isn't there"},
    {"an extreme without a value", no_value, "data set extremes/value has no value for a neuron"},
    {"more prompts than can be counted", countless, "data set state/prompt_multiplicity counts too many prompts"},
    {"prompts out of order", unsorted, "data set state/prompt_hash is not in ascending order"},
    {"a prompt run 0 times", no_times, "data set state/prompt_multiplicity holds a 0"},
    {"another number of prompts", other_prompts, "data set state/prompt_multiplicity disagrees with the attribute"},
};

static void expect_refusal(const char *path, const char *name, const char *sentence)
{
    struct error e;
    error_clear(&e);
    enum status status = read_everything(path, &e);
    is_int(status, STATUS_INPUT, "%s: refused as bad input", name);
    if (!ok(strstr(e.sentence, sentence) != NULL, "%s: said so", name))
        diag("%s", e.sentence);
    is_string(e.file, path, "%s: with the file's name", name);
}

static void test_damages(void)
{
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        copy_whole();
        hid_t file = H5Fopen(copy, H5F_ACC_RDWR, H5P_DEFAULT);
        damages[i].damage(file);
        H5Fclose(file);
        expect_refusal(copy, damages[i].name, damages[i].sentence);
    }
}

/* Where the first chunk of a data set lies. */
static size_t chunk_position(const char *path)
{
    haddr_t address = 0;
    hsize_t size = 0, offset[3];
    unsigned mask;
    hid_t file = H5Fopen(whole, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(file, path, H5P_DEFAULT);
    hid_t space = H5Dget_space(set);
    H5Dget_chunk_info(set, space, 0, offset, &mask, &address, &size);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
    return (size_t)address;
}

static void test_bytes(void)
{
    static const char *const sets[] = {"gate/mean", "summary/saturated", "state/ffn/sum4", "state/prompt_hash"};
    size_t size;
    char *bytes = load(whole, &size), sentence[128];
    size -= ARCHIVE_SEAL_SIZE; /* with it, all of these end as in test_seal */
    store(copy, bytes, size - 1);
    expect_refusal(copy, "a byte is missing at the end", "is cut off: it has");
    store(copy, bytes, size / 2);
    expect_refusal(copy, "half is missing", "is cut off: it has");
    store(copy, bytes, 4);
    expect_refusal(copy, "4 bytes", "is no HDF5 file");
    store(copy, bytes, 0);
    expect_refusal(copy, "an empty file", "is no HDF5 file");
    store(copy, "Layer,Neurons\n", 14);
    expect_refusal(copy, "a text", "is no HDF5 file");
    bytes[12] ^= 1;
    store(copy, bytes, size);
    expect_refusal(copy, "a flipped bit in the superblock", "can't be opened as HDF5");
    bytes[12] ^= 1;
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        size_t at = chunk_position(sets[i]) + 5;
        bytes[at] ^= 1;
        store(copy, bytes, size);
        snprintf(sentence, sizeof sentence, "data set %s can't be read: ", sets[i]);
        expect_refusal(copy, "a flipped bit in a chunk", sentence);
        bytes[at] ^= 1;
    }
    free(bytes);
    expect_refusal(tap_folder(), "a folder", "can't be read: Is a directory");
    path_in_folder(copy, "none.h5");
    expect_refusal(copy, "no file", "can't be read: No such file or directory");
    path_in_folder(copy, "pipe");
    if (mkfifo(copy, 0600) != 0)
        bail("no pipe");
    expect_refusal(copy, "a pipe", "is a device or a pipe, where an archive must be a file");
    path_in_folder(copy, "copy.h5");
}

/* One flipped bit of each 1,009 bytes, and of all those of the seal. */
static void test_seal(void)
{
    size_t size, opened = 0, unnamed = 0, flips = 0;
    struct error e;
    char *bytes = load(whole, &size);
    for (size_t at = 0; at < size; at += at + ARCHIVE_SEAL_SIZE + 1009 < size ? 1009 : 1, flips++) {
        bytes[at] ^= 0x10;
        store(copy, bytes, size);
        opened += read_everything(copy, &e) != STATUS_INPUT;
        unnamed += !strstr(e.sentence, "is damaged: ") || e.position < 0 || strcmp(e.file, copy) != 0;
        bytes[at] ^= 0x10;
    }
    ok(flips > 400, "bits are flipped in %zu places of a sealed archive", flips);
    is_uint(opened, 0, "none of these is read");
    is_uint(unnamed, 0, "each is named as damaged, with its place");
    store(copy, bytes, size - 1);
    expect_refusal(copy, "a sealed one without its last byte", "the 39 bytes behind its end");
    store(copy, bytes, size - ARCHIVE_SEAL_SIZE);
    is_int(read_everything(copy, &e), STATUS_OK, "one without seal is read: older programs wrote none");
    memmove(bytes + size, bytes + size - ARCHIVE_SEAL_SIZE, ARCHIVE_SEAL_SIZE);
    store(copy, bytes, size + ARCHIVE_SEAL_SIZE);
    expect_refusal(copy, "two seals", "the 80 bytes behind its end");
    free(bytes);
    copy_whole();
    hid_t file = H5Fopen(copy, H5F_ACC_RDWR, H5P_DEFAULT);
    float threshold = 0.5f;
    put_number(file, "variance_threshold", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, &threshold);
    H5Fclose(file);
    is_int(read_everything(copy, &e), STATUS_OK, "one that another program has edited is read");
    bytes = load(copy, &size);
    ok(memcmp(bytes + size - ARCHIVE_SEAL_SIZE, ARCHIVE_SEAL_WORDS, 16) != 0, "HDF5 has cut its seal off");
    free(bytes);
}

static void test_lock(void)
{
    struct error e;
    copy_whole();
    int fd = open(copy, O_RDWR | O_CLOEXEC);
    if (flock(fd, LOCK_EX) != 0) {
        skip(2, "no file locks here");
    } else {
        is_int(read_everything(copy, &e), STATUS_INPUT, "an archive that another program has locked is refused");
        ok(strstr(e.advice, "HDF5_USE_FILE_LOCKING=FALSE") != NULL, "and the variable named");
    }
    close(fd);
    is_int(read_everything(copy, &e), STATUS_OK, "and read once the lock is gone");
}

/* ---- listings --------------------------------------------------------------------- */

static void test_listing(void)
{
    struct archive_reader *r;
    struct archive_reader_dataset d;
    struct error e;
    size_t found = 0, wrong = 0, size;
    char *bytes = load(whole, &size);
    ok(archive_reader_matches((const uint8_t *)bytes, size), "an archive is told by its first bytes");
    ok(!archive_reader_matches((const uint8_t *)bytes, 7) && !archive_reader_matches((const uint8_t *)"", 0) &&
           !archive_reader_matches((const uint8_t *)bytes + 1, size - 1),
       "and by all eight of them, at the start");
    memmove(bytes + 1024, bytes, size - 1024);
    memset(bytes, 0, 1024);
    ok(archive_reader_matches((const uint8_t *)bytes, size), "or behind a user block");
    free(bytes);
    if (archive_reader_open(&r, whole, &e) != STATUS_OK)
        bail("a good archive doesn't open");
    for (size_t i = 0; i < archive_reader_dataset_count(); i++) {
        if (archive_reader_dataset_at(r, i, &d, &e) != STATUS_OK)
            bail("a good archive has no data set %zu", i);
        wrong += d.bytes == 0 || d.stored == 0 || d.dimensions == 0;
        if (strcmp(d.path, "state/up/sum1") == 0)
            found += strcmp(d.group, "state/up") == 0 && strcmp(d.type, "uint64") == 0 && d.dimensions == 3 &&
                     d.shape[0] == LAYERS && d.shape[1] == 3 && d.shape[2] == NEURONS && d.bytes == LAYERS * 3 * NEURONS * 8;
    }
    ok(wrong == 0, "every data set is listed with its bytes");
    is_uint(found, 1, "with group, type and shape, once");
    archive_reader_close(r);
}

int main(void)
{
    struct error e;
    unsetenv("HDF5_USE_FILE_LOCKING"); /* before HDF5 looks at it */
    path_in_folder(whole, "whole.h5");
    path_in_folder(copy, "copy.h5");
    sample_make(&sample, LAYERS, NEURONS, 1);
    is_int(sample_write(&sample, whole, false, &e), STATUS_OK, "an archive is written");
    test_round_trip();
    test_listing();
    test_damages();
    test_bytes();
    test_seal();
    test_lock();
    sample_free(&sample);
    return tap_done();
}
