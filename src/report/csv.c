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

const struct csv_column csv_columns[CSV_COLUMNS] = {
    {"LowVarGate%", 1}, {"LowVarUp%", 1},  {"LowVarFFN%", 1},  {"Saturated%", 1},  {"AvgVarGate", 6},  {"AvgVarUp", 6},
    {"AvgVarFFN", 6},   {"AvgMeanGate", 3}, {"AvgMeanUp", 3},   {"AvgMeanFFN", 3},  {"EstSpeedup", 2}};

void csv_values(const struct summary_row *row, double values[CSV_COLUMNS])
{
    for (int s = 0; s < SERIES_COUNT; s++) {
        values[s] = 100.0 * row->low_variance[s];
        values[4 + s] = row->average_variance[s];
        values[7 + s] = row->average_mean[s];
    }
    values[3] = 100.0 * row->saturated;
    values[10] = row->speedup;
}

/* printf would show the sign of a NaN as well. */
static void print_row(struct outfile *out, size_t layer, const struct summary_row *row)
{
    double values[CSV_COLUMNS];
    csv_values(row, values);
    outfile_print(out, "%zu,%zu", layer, row->neurons);
    for (int i = 0; i < CSV_COLUMNS; i++)
        if (isnan(values[i]))
            outfile_print(out, ",nan");
        else
            outfile_print(out, i == CSV_COLUMNS - 1 ? ",%.*fx" : ",%.*f", csv_columns[i].decimals, values[i]);
    outfile_print(out, "\n");
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
