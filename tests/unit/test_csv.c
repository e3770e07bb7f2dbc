/* test_csv.c - the CSV's bytes: header, formats, missing values, locales. */
#include <locale.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "report/csv.h"
#include "tap.h"

#define HEADER \
    "Layer,Neurons,LowVarGate%,LowVarUp%,LowVarFFN%,Saturated%,AvgVarGate,AvgVarUp,AvgVarFFN,AvgMeanGate,AvgMeanUp," \
    "AvgMeanFFN,EstSpeedup\n"

static const struct summary_row rows[] = {
    {.neurons = 8192, .low_variance = {0.125, 0.0, 1.0}, .saturated = 0.0823,
     .average_variance = {0.5, 1.25e-7, 12345.678}, .average_mean = {-0.1234, 0.0, 2.0006}, .speedup = 1.0 / (1.0 - 0.0823)},
    {.neurons = 1, .low_variance = {0.0, 0.0, 0.0}, .saturated = 1.0, .average_variance = {NAN, -NAN, 0.0},
     .average_mean = {NAN, 0.0, 0.0}, .speedup = 20.0},
    {.neurons = 2, .low_variance = {0.5, 0.5, NAN}, .saturated = NAN, .average_variance = {1.0, 1.0, NAN},
     .average_mean = {0.0, 0.0, NAN}, .speedup = NAN},
};

static const char wanted[] = HEADER
    "0,8192,12.5,0.0,100.0,8.2,0.500000,0.000000,12345.678000,-0.123,0.000,2.001,1.09x\n"
    "1,1,0.0,0.0,0.0,100.0,nan,nan,0.000000,nan,0.000,0.000,20.00x\n"
    "2,2,50.0,50.0,nan,nan,1.000000,1.000000,nan,0.000,0.000,nan,nan\n";

static char path[512];

static void expect_file(const char *content, const char *claim)
{
    char got[4096] = "";
    FILE *f = fopen(path, "rb");
    size_t size = f ? fread(got, 1, sizeof got - 1, f) : 0;
    if (f)
        fclose(f);
    got[size] = '\0';
    is_string(got, content, "%s", claim);
}

int main(void)
{
    static struct summary_row many[32];
    struct error e;
    char where[600], line[64];
    int lines = 0;
    snprintf(path, sizeof path, "%s/report.csv", tap_folder());
    is_int(csv_write(path, rows, 3, &e), STATUS_OK, "a CSV is written");
    expect_file(wanted, "with the header and formats that scripts expect");
    is_int(csv_write(path, rows, 0, &e), STATUS_OK, "one of no layers");
    expect_file(HEADER, "is the header");

    for (int l = 0; l < 32; l++)
        many[l] = rows[0];
    is_int(csv_write(path, many, 32, &e), STATUS_OK, "one of 32 layers");
    FILE *f = fopen(path, "r");
    for (int c = f ? fgetc(f) : EOF; c != EOF; c = fgetc(f))
        lines += c == '\n';
    fclose(f);
    is_int(lines, 33, "has 33 lines");

    static const char *const commas[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    const char *locale = NULL;
    for (size_t i = 0; i < sizeof commas / sizeof commas[0] && !locale; i++)
        locale = setlocale(LC_ALL, commas[i]);
    if (locale) {
        is_int(csv_write(path, rows, 3, &e), STATUS_OK, "written in %s", locale);
        expect_file(wanted, "it has decimal points all the same");
    } else {
        skip(2, "no locale with decimal commas is installed");
    }
    setlocale(LC_ALL, "C"); /* the system's own messages are looked at below */

    snprintf(where, sizeof where, "%s/none/report.csv", tap_folder());
    is_int(csv_write(where, rows, 2, &e), STATUS_OUTPUT, "no such folder is an output's failure");
    is_int(csv_write("/dev/full", rows, 2, &e), STATUS_OUTPUT, "so is a full device");
    snprintf(line, sizeof line, "%.30s", e.sentence);
    is_string(line, "can't be written: No space lef", "which is said");
    return tap_done();
}
