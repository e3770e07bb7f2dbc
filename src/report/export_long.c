/* export_long.c - see export_long.h.
 *
 * The columns are the archive's data sets by their names, so that either form explains the other. A criterion has a
 * column of 0 and 1 that is called is_NAME: low_activity is a share already.
 */
#include "export_long.h"

#include <inttypes.h>
#include <math.h>

#include "../base/outfile.h"
#include "phi3sat.h"

static const char *const metric_name[METRIC_COUNT] = {
    [METRIC_MEAN] = PHI3SAT_MEAN, [METRIC_VARIANCE] = PHI3SAT_VARIANCE, [METRIC_SKEWNESS] = PHI3SAT_SKEWNESS,
    [METRIC_KURTOSIS] = PHI3SAT_KURTOSIS, [METRIC_MIN] = PHI3SAT_MIN, [METRIC_MAX] = PHI3SAT_MAX,
    [METRIC_LOW_ACTIVITY] = PHI3SAT_LOW_ACTIVITY, [METRIC_INACTIVE] = PHI3SAT_INACTIVE,
    [METRIC_MEAN_STDERR] = PHI3SAT_MEAN_STDERR, [METRIC_LOW_ACTIVITY_STDERR] = PHI3SAT_LOW_ACTIVITY_STDERR};

static const char *const series_name[SERIES_COUNT] = {PHI3SAT_GROUP_GATE, PHI3SAT_GROUP_UP, PHI3SAT_GROUP_FFN};

static void print_header(struct outfile *out)
{
    outfile_print(out, "layer,neuron,series," PHI3SAT_COUNT "," PHI3SAT_NONFINITE);
    for (int k = 0; k < METRIC_COUNT; k++)
        outfile_print(out, ",%s", metric_name[k]);
    for (int c = 0; c < CRITERIA_COUNT; c++)
        outfile_print(out, ",is_%s", criteria_table[c].name);
    outfile_print(out, "," PHI3SAT_SATURATED ",super\n");
}

/* printf would show the sign of a NaN as well. */
static void print_value(struct outfile *out, float value)
{
    if (isnan(value))
        outfile_print(out, ",nan");
    else
        outfile_print(out, ",%.9g", (double)value);
}

static void print_layer(struct outfile *out, size_t layer, const struct metrics *m)
{
    for (size_t i = 0; i < m->neurons; i++)
        for (int s = 0; s < SERIES_COUNT; s++) {
            outfile_print(out, "%zu,%zu,%s,%" PRIu64 ",%" PRIu32, layer, i, series_name[s], m->count,
                          m->nonfinite[s][i]);
            for (int k = 0; k < METRIC_COUNT; k++)
                print_value(out, m->value[s][k][i]);
            for (int c = 0; c < CRITERIA_COUNT; c++)
                outfile_print(out, ",%d", (m->flags[i] & PHI3SAT_FLAG(s, c)) != 0);
            outfile_print(out, ",%d,%d\n", m->saturated[i] != 0, (m->flags[i] & PHI3SAT_FLAG_SUPER) != 0);
        }
}

enum status export_long_write(const char *path, struct archive_reader *r, struct error *e)
{
    const struct archive_facts *facts = archive_reader_facts(r);
    struct metrics m = {.neurons = 0};
    struct outfile out;
    enum status s = outfile_open(&out, path, e);
    if (s != STATUS_OK)
        return s;
    s = metrics_init(&m, (size_t)facts->intermediate_size, e);
    if (s == STATUS_OK)
        print_header(&out);
    for (size_t layer = 0; layer < facts->layers && s == STATUS_OK; layer++) {
        s = archive_reader_metrics(r, layer, &m, e);
        if (s == STATUS_OK)
            print_layer(&out, layer, &m);
    }
    metrics_free(&m);
    if (s == STATUS_OK)
        return outfile_commit(&out, e);
    outfile_abandon(&out);
    return s;
}
