/* test_figures.c - rows of figures as a table and as JSON. */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/figures.h"
#include "tap.h"

static const struct figures_column columns[] = {{"name", "Name", FIGURES_TEXT, 6, 0},
                                                {"rows", "Rows", FIGURES_COUNT, 4, 0},
                                                {"rate", "Rate", FIGURES_REAL, 7, 2},
                                                {"share", "Share", FIGURES_SHARE, 6, 1},
                                                {"hidden", NULL, FIGURES_COUNT, 0, 0}};

static char *text;
static size_t size;
static FILE *stream;

static struct figures begin(bool json)
{
    struct figures f;
    free(text);
    stream = open_memstream(&text, &size);
    if (!stream)
        bail("no memory stream");
    figures_open(&f, stream, json, columns, 5);
    return f;
}

static void row(struct figures *f, const char *name, double rate)
{
    struct error e;
    const struct figures_cell cells[] = {{.text = name}, {.count = 512}, {.real = rate}, {.real = 0.875}, {.count = 3}};
    if (figures_row(f, cells, &e) != STATUS_OK)
        bail("a memory stream fails");
}

static bool is_json(void)
{
    struct json_value value;
    const char *wrong;
    size_t position;
    return json_check(text, size, &value, &wrong, &position);
}

static void table(void)
{
    struct error e;
    struct figures f = begin(false);
    figures_note(&f, "note %d", 1);
    row(&f, "Q4_K", 94.619);
    row(&f, "F16", 8);
    ok(figures_finish(&f, &e) == STATUS_OK, "a table ends");
    fclose(stream);
    is_string(text, "note 1\nName    Rows     Rate   Share\nQ4_K     512    94.62   87.5%\nF16      512     8.00   87.5%\n",
              "a table has titles once, columns below each other and none without a title");
}

static void json(void)
{
    struct error e;
    struct figures f = begin(true);
    figures_note(&f, "note");
    row(&f, "\"\n", 1234.5678);
    row(&f, "b", NAN);
    ok(figures_finish(&f, &e) == STATUS_OK, "an array ends");
    fclose(stream);
    is_string(text,
              "[\n  {\"name\": \"\\\"\\n\", \"rows\": 512, \"rate\": 1234.57, \"share\": 0.875, \"hidden\": 3},\n"
              "  {\"name\": \"b\", \"rows\": 512, \"rate\": null, \"share\": 0.875, \"hidden\": 3}\n]\n",
              "JSON has all columns, no notes, and null where there is no number");
    ok(is_json(), "and is JSON");
    f = begin(true);
    ok(figures_finish(&f, &e) == STATUS_OK, "without rows");
    fclose(stream);
    is_string(text, "[]\n", "the array is empty");
    f = begin(true);
    row(&f, "a", 1);
    figures_stop(&f);
    fclose(stream);
    ok(is_json(), "what was written before a failure is JSON too");
    f = begin(true);
    figures_stop(&f);
    fclose(stream);
    is_string(text, "", "a failure before the first row writes nothing");
}

static void csv(void)
{
    struct error e;
    struct figures f = begin(false);
    figures_open_csv(&f, stream, columns, 5);
    figures_note(&f, "note");
    row(&f, "a,\"b\"", 1234.5678);
    row(&f, "c", NAN);
    ok(figures_finish(&f, &e) == STATUS_OK, "CSV ends");
    fclose(stream);
    is_string(text, "name,rows,rate,share,hidden\n\"a,\"\"b\"\"\",512,1234.57,0.875,3\nc,512,nan,0.875,3\n",
              "CSV has keys once, all columns, no notes, and quotes where they are needed");
}

static void full(void)
{
    struct error e;
    struct figures f;
    FILE *disk = fopen("/dev/full", "w");
    if (!disk) {
        skip(1, "there is no /dev/full");
        return;
    }
    const struct figures_cell cells[] = {{.text = "a"}, {.count = 1}, {.real = 1}, {.real = 1}, {.count = 1}};
    figures_open(&f, disk, false, columns, 5);
    error_clear(&e);
    ok(figures_row(&f, cells, &e) == STATUS_OUTPUT && strcmp(e.file, "standard output") == 0, "a full disk is seen at once");
    fclose(disk);
}

int main(void)
{
    table();
    json();
    csv();
    full();
    free(text);
    return tap_done();
}
