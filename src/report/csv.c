/* csv.c - one row a layer; see csv.h.
 *
 * The header is that of the first tool, to the letter: scripts that read its CSV go
 * on working. Percentages are rounded to one decimal by printf (half to even on
 * the exact binary value); the archive's group `summary` has the unrounded numbers.
 */
#include "csv.h"

#include <math.h>

const char csv_header[] = "Layer,Neurons,LowVarGate%,LowVarUp%,LowVarFFN%,Saturated%,AvgVarGate,AvgVarUp,AvgVarFFN,"
                          "AvgMeanGate,AvgMeanUp,AvgMeanFFN,EstSpeedup";

/* printf would show the sign of a NaN as well. */
static void print_number(struct outfile *out, double value, int decimals)
{
    if (isnan(value))
        outfile_print(out, ",nan");
    else
        outfile_print(out, ",%.*f", decimals, value);
}

static void print_row(struct outfile *out, size_t layer, const struct summary_row *row)
{
    outfile_print(out, "%zu,%zu", layer, row->neurons);
    for (int s = 0; s < SERIES_COUNT; s++)
        print_number(out, 100.0 * row->low_variance[s], 1);
    print_number(out, 100.0 * row->saturated, 1);
    for (int s = 0; s < SERIES_COUNT; s++)
        print_number(out, row->average_variance[s], 6);
    for (int s = 0; s < SERIES_COUNT; s++)
        print_number(out, row->average_mean[s], 3);
    if (isnan(row->speedup))
        outfile_print(out, ",nan\n");
    else
        outfile_print(out, ",%.2fx\n", row->speedup);
}

void csv_print(struct outfile *out, const struct summary_row *rows, size_t layers)
{
    outfile_print(out, "%s\n", csv_header);
    for (size_t layer = 0; layer < layers; layer++)
        print_row(out, layer, &rows[layer]);
}

enum status csv_write(const char *path, const struct summary_row *rows, size_t layers, struct error *e)
{
    struct outfile out;
    enum status status = outfile_open(&out, path, e);
    if (status != STATUS_OK)
        return status;
    csv_print(&out, rows, layers);
    return outfile_commit(&out, e);
}
