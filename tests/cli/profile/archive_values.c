/* archive_values.c - what shell tests ask of an archive.
 *
 *   archive_values show A.h5 SET [INDEX...]       one number, or all, as %.17g
 *   archive_values golden A.h5 STATS.csv          does the archive agree with an engine's statistics?
 *   archive_values recompute A.h5 R.csv           do flags, `saturated` and the CSV follow from the arrays?
 *
 * Reads with HDF5 alone, nothing of ours, so that a fault that writer and reader share is
 * seen. Exit status 0: yes; 1: no, and the first differences are printed; 2: can't be read.
 */
#include <hdf5.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 12
#define SERIES 3
#define CRITERIA 3
#define SUPER (UINT32_C(1) << 24)

static const char *const series_name[SERIES] = {"gate", "up", "ffn"};
static long differences;

static void die(const char *what, const char *name)
{
    fprintf(stderr, "archive_values: %s %s\n", what, name);
    exit(2);
}

static void differ(const char *where, size_t layer, size_t neuron, double got, double wanted)
{
    if (++differences <= SHOWN)
        printf("%s [%zu, %zu]: got %.9g, wanted %.9g\n", where, layer, neuron, got, wanted);
}

/* A data set as float64: [rows, columns]; freed by nobody, the process is short. */
struct set {
    double *value;
    hsize_t extent[3];
    int rank;
};

static struct set read_set(hid_t file, const char *name)
{
    struct set s = {.extent = {1, 1, 1}};
    hid_t data = H5Dopen2(file, name, H5P_DEFAULT);
    if (data < 0)
        die("there is no data set", name);
    hid_t space = H5Dget_space(data);
    s.rank = H5Sget_simple_extent_dims(space, s.extent, NULL);
    size_t count = (size_t)(s.extent[0] * s.extent[1] * s.extent[2]);
    s.value = malloc(count * sizeof *s.value);
    if (!s.value || H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, s.value) < 0)
        die("can't read", name);
    H5Sclose(space);
    H5Dclose(data);
    return s;
}

static struct set read_of(hid_t file, int series, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", series_name[series], name);
    return read_set(file, path);
}

static double read_number(hid_t file, const char *name)
{
    double value = 0.0;
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    if (attribute < 0 || H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0)
        die("there is no attribute", name);
    H5Aclose(attribute);
    return value;
}

static char *read_text(hid_t file, const char *name)
{
    char *text = NULL;
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    if (attribute < 0)
        die("there is no attribute", name);
    hid_t type = H5Aget_type(attribute);
    if (H5Tis_variable_str(type) <= 0 || H5Aread(attribute, type, &text) < 0)
        die("is no text:", name);
    H5Tclose(type);
    H5Aclose(attribute);
    return text;
}

static int show(hid_t file, int argc, char **argv)
{
    struct set s = read_set(file, argv[0]);
    size_t at = 0, left = 1;
    if (argc - 1 > s.rank)
        die("has fewer dimensions:", argv[0]);
    for (int i = 0; i < s.rank; i++) {
        size_t index = i < argc - 1 ? strtoul(argv[i + 1], NULL, 10) : 0;
        if (index >= s.extent[i])
            die("is shorter:", argv[0]);
        at = at * s.extent[i] + index;
        if (i >= argc - 1)
            left *= s.extent[i];
    }
    for (size_t i = 0; i < left; i++)
        printf("%.17g\n", s.value[at + i]);
    return 0;
}

/* One line of a golden: layer,kind,neuron,count,mean,var_pop,min,max,share. */
struct golden {
    char kind[8];
    size_t layer, neuron;
    double count, mean, variance, min, max, share;
};

static bool read_golden(FILE *stats, struct golden *g)
{
    return fscanf(stats, "%zu,%7[a-z],%zu,%lf,%lf,%lf,%lf,%lf,%lf\n", &g->layer, g->kind, &g->neuron, &g->count,
                  &g->mean, &g->variance, &g->min, &g->max, &g->share) == 9;
}

/* Within 1e-4 of the series' standard deviation, or 1e-6. */
static void check(const char *what, const struct golden *g, double got, double wanted)
{
    double allowed = fmax(1e-4 * sqrt(g->variance), 1e-6);
    if (!(fabs(got - wanted) <= allowed))
        differ(what, g->layer, g->neuron, got, wanted);
}

static int golden(hid_t file, const char *path)
{
    static const char *const names[] = {"mean", "variance", "min", "max", "low_activity", "count"};
    struct set sets[SERIES][6];
    struct golden g;
    char line[256];
    size_t rows = 0;
    FILE *stats = fopen(path, "r");
    if (!stats || !fgets(line, sizeof line, stats))
        die("can't read", path);
    for (int s = 0; s < SERIES; s++)
        for (int n = 0; n < 6; n++)
            sets[s][n] = read_of(file, s, names[n]);
    size_t layers = (size_t)sets[0][0].extent[0], neurons = (size_t)sets[0][0].extent[1];
    for (; read_golden(stats, &g); rows++) {
        int s = strcmp(g.kind, "gate") == 0 ? 0 : strcmp(g.kind, "up") == 0 ? 1 : 2;
        size_t at = g.layer * neurons + g.neuron;
        if (g.layer >= layers || g.neuron >= neurons)
            die("the archive is smaller than", path);
        if (sets[s][5].value[g.layer] != g.count)
            differ("count", g.layer, g.neuron, sets[s][5].value[g.layer], g.count);
        check("mean", &g, sets[s][0].value[at], g.mean);
        check("min", &g, sets[s][2].value[at], g.min);
        check("max", &g, sets[s][3].value[at], g.max);
        check("variance", &g, sets[s][1].value[at], g.variance);
        /* half of a sample's share more, for the rounding to float32 */
        if (fabs(sets[s][4].value[at] - g.share) * g.count > 1.5)
            differ("low_activity", g.layer, g.neuron, sets[s][4].value[at], g.share);
    }
    fclose(stats);
    if (rows != layers * neurons * SERIES)
        differ("rows of the golden", 0, 0, (double)rows, (double)(layers * neurons * SERIES));
    return differences > 0;
}

/* The criteria, written again from DESIGN's words. */
struct rules {
    double variance, gradient, ratio, super_ratio;
    bool signed_activity, any, ffn_only;
};

static uint32_t series_flags(const struct rules *r, double mean, double variance, double low, double inactive)
{
    double quiet = r->signed_activity ? inactive : low;
    return (variance < r->variance ? 1u : 0u) | (fabs(mean) < r->gradient ? 2u : 0u) | (quiet > r->ratio ? 4u : 0u);
}

static bool combined(const struct rules *r, uint32_t flags)
{
    bool gate = flags & 7u, up = flags >> 8 & 7u, ffn = flags >> 16 & 7u;
    return r->ffn_only ? ffn : r->any ? gate || up || ffn : gate && up && ffn;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The lower middle one of the values that are there. */
static double median(const double *values, size_t count)
{
    double *sorted = malloc((count + 1) * sizeof *sorted);
    size_t kept = 0;
    if (!sorted)
        die("no memory for", "a median");
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            sorted[kept++] = values[i];
    qsort(sorted, kept, sizeof *sorted, ascending);
    double middle = kept ? sorted[(kept - 1) / 2] : 0.0;
    free(sorted);
    return middle;
}

struct arrays {
    struct set mean[SERIES], variance[SERIES], low[SERIES], inactive[SERIES], min, max, flags, saturated;
    size_t layers, neurons;
    double *largest; /* [neurons] of max |ffn| */
};

/* The shares and averages of one layer that the CSV has. */
struct row {
    double share[SERIES + 1], variance[SERIES], mean[SERIES], speedup;
};

static void recompute_layer(const struct arrays *a, const struct rules *r, size_t layer, struct row *row)
{
    size_t counted[SERIES] = {0};
    memset(row, 0, sizeof *row);
    for (size_t i = 0; i < a->neurons; i++)
        a->largest[i] = fmax(fabs(a->min.value[layer * a->neurons + i]), fabs(a->max.value[layer * a->neurons + i]));
    double middle = median(a->largest, a->neurons);
    for (size_t i = 0; i < a->neurons; i++) {
        size_t at = layer * a->neurons + i;
        uint32_t flags = a->largest[i] > 0 && a->largest[i] >= r->super_ratio * middle ? SUPER : 0;
        for (int s = 0; s < SERIES; s++) {
            double mean = a->mean[s].value[at], variance = a->variance[s].value[at];
            uint32_t own = series_flags(r, mean, variance, a->low[s].value[at], a->inactive[s].value[at]);
            flags |= own << (8 * s);
            row->share[s] += own & 1u;
            counted[s] += !isnan(mean);
            row->mean[s] += isnan(mean) ? 0 : mean;
            row->variance[s] += isnan(variance) ? 0 : variance;
        }
        bool saturated = combined(r, flags);
        row->share[SERIES] += saturated;
        if ((double)flags != a->flags.value[at])
            differ("flags", layer, i, a->flags.value[at], flags);
        if ((double)saturated != a->saturated.value[at])
            differ("saturated", layer, i, a->saturated.value[at], saturated);
    }
    for (int s = 0; s < SERIES; s++) {
        row->mean[s] /= (double)counted[s];
        row->variance[s] /= (double)counted[s];
    }
    for (int s = 0; s <= SERIES; s++)
        row->share[s] /= (double)a->neurons;
    row->speedup = row->share[SERIES] >= 0.95 ? 20 : 1 / (1 - row->share[SERIES]);
}

/* Printed with `decimals`, so off by half of the last one, and a little for another order of sums. */
static void check_printed(const char *what, size_t layer, double got, double wanted, int decimals)
{
    double allowed = 0.5 * pow(10, -decimals) * (1 + 1e-6) + 1e-9 * fabs(wanted);
    if (isnan(wanted) ? !isnan(got) : !(fabs(got - wanted) <= allowed))
        differ(what, layer, 0, got, wanted);
}

static void check_row(FILE *csv, const struct arrays *a, size_t layer, const struct row *row)
{
    size_t number, neurons;
    double share[4], variance[3], mean[3], speedup;
    if (fscanf(csv, "%zu,%zu,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lfx\n", &number, &neurons, &share[0], &share[1],
               &share[2], &share[3], &variance[0], &variance[1], &variance[2], &mean[0], &mean[1], &mean[2],
               &speedup) != 13)
        die("a line is missing or odd in", "the CSV");
    check_printed("Layer", layer, (double)number, (double)layer, 0);
    check_printed("Neurons", layer, (double)neurons, (double)a->neurons, 0);
    for (int s = 0; s <= SERIES; s++)
        check_printed(s < SERIES ? "LowVar%" : "Saturated%", layer, share[s], 100 * row->share[s], 1);
    for (int s = 0; s < SERIES; s++) {
        check_printed("AvgVar", layer, variance[s], row->variance[s], 6);
        check_printed("AvgMean", layer, mean[s], row->mean[s], 3);
    }
    check_printed("EstSpeedup", layer, speedup, row->speedup, 2);
}

static int recompute(hid_t file, const char *path)
{
    char *combine = read_text(file, "combine"), *activity = read_text(file, "activity"), line[512];
    struct rules r = {read_number(file, "variance_threshold"), read_number(file, "gradient_threshold"),
                      read_number(file, "low_activity_ratio"), read_number(file, "super_ratio"),
                      strcmp(activity, "signed") == 0, strcmp(combine, "any") == 0, strcmp(combine, "ffn") == 0};
    struct arrays a = {.min = read_of(file, 2, "min"), .max = read_of(file, 2, "max"),
                       .flags = read_set(file, "saturation/flags"),
                       .saturated = read_set(file, "saturation/saturated")};
    struct row row;
    FILE *csv = fopen(path, "r");
    if (!csv || !fgets(line, sizeof line, csv))
        die("can't read", path);
    for (int s = 0; s < SERIES; s++) {
        a.mean[s] = read_of(file, s, "mean");
        a.variance[s] = read_of(file, s, "variance");
        a.low[s] = read_of(file, s, "low_activity");
        a.inactive[s] = read_of(file, s, "inactive");
    }
    a.layers = (size_t)a.flags.extent[0];
    a.neurons = (size_t)a.flags.extent[1];
    a.largest = malloc(a.neurons * sizeof *a.largest);
    if (!a.largest)
        die("no memory for", "a layer");
    for (size_t layer = 0; layer < a.layers; layer++) {
        recompute_layer(&a, &r, layer, &row);
        check_row(csv, &a, layer, &row);
    }
    if (fgetc(csv) != EOF)
        die("there are more lines than layers in", path);
    fclose(csv);
    return differences > 0;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        die("usage: archive_values show|golden|recompute", "A.h5 SET|CSV [INDEX...]");
    hid_t file = H5Fopen(argv[2], H5F_ACC_RDONLY, H5P_DEFAULT);
    int code = 2;
    if (file < 0)
        die("can't open", argv[2]);
    if (strcmp(argv[1], "show") == 0)
        code = show(file, argc - 3, argv + 3);
    else if (strcmp(argv[1], "golden") == 0)
        code = golden(file, argv[3]);
    else if (strcmp(argv[1], "recompute") == 0)
        code = recompute(file, argv[3]);
    if (differences > SHOWN)
        printf("and %ld more\n", differences - SHOWN);
    H5Fclose(file);
    return code;
}
