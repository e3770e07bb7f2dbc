/* test_plot_text.c - bars and strips, whole, in both alphabets. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/plot_text.h"
#include "tap.h"

static struct summary_row rows[200];
static float cells[200][PLOT_TEXT_CELLS];

static char *plot(size_t layers, bool blocks)
{
    struct plot_text p = {rows, (const float (*)[PLOT_TEXT_CELLS])cells, layers, 64};
    struct error e;
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    is_int(plot_text_print(to, &p, blocks, &e), STATUS_OK, "%zu layers are plotted", layers);
    fclose(to);
    return text;
}

static void fill(void)
{
    static const double shares[] = {0.0, 0.5, 1.0, NAN, 0.004};
    for (int l = 0; l < 200; l++) {
        rows[l].saturated = shares[l % 5];
        for (int k = 0; k < PLOT_TEXT_CELLS; k++)
            cells[l][k] = l % 5 == 3 ? NAN : l % 5 == 1 ? (float)k / 31.0f : (float)shares[l % 5];
    }
}

#define SPACES "                                "
#define HASHES "################################"

static void ascii(void)
{
    char *text = plot(5, false);
    is_string(text,
              "\n=== Saturated neurons by layer ===\n"
              "    layer  0%                          100%          neurons 0 to 63\n"
              "        0 |" SPACES "|   0.0% |" SPACES "|\n"
              "        1 |################                |  50.0% | .......::::::::++++++++########|\n"
              "        2 |" HASHES "| 100.0% |" HASHES "|\n"
              "        3 |" SPACES "|    nan  |" SPACES "|\n"
              "        4 |" SPACES "|   0.4% |................................|\n"
              "Shades: ' ' none, '.' up to a quarter of these neurons, ':' a half, '+' three quarters, '#' more\n",
              "every line in ASCII");
    free(text);
}

static void blocks(void)
{
    char *text = plot(5, true);
    ok(strstr(text, "1 │████████████████                │  50.0% │ ░░░░░░░▒▒▒▒▒▒▒▒▓▓▓▓▓▓▓▓████████│\n") != NULL,
       "blocks for a bar and shades");
    ok(strstr(text, "4 │▏                               │   0.4% │") != NULL, "an eighth of a column is seen");
    free(text);
}

static void groups(void)
{
    char *text = plot(200, false);
    size_t lines = 0;
    for (char *s = text; *s; s++)
        lines += *s == '\n';
    is_uint(lines, 1 + 2 + 50 + 1, "200 layers are shown in groups of four");
    ok(strstr(text, "\n      0-3 |") && strstr(text, "\n  196-199 |"), "which say what they hold");
    ok(strstr(text, "0-3 |################                |  50.0% |") != NULL, "and show means of what was measured");
    free(text);
}

static void counted(void)
{
    struct metrics m;
    struct error e;
    float shares[PLOT_TEXT_CELLS];
    if (metrics_init(&m, 64, &e) != STATUS_OK)
        bail("%s", e.sentence);
    m.saturated[0] = m.saturated[1] = m.saturated[63] = 1;
    plot_text_cells(&m, shares);
    ok(shares[0] == 1.0f && shares[1] == 0.0f && shares[31] == 0.5f, "a cell has its neurons' share");
    m.neurons = 3;
    plot_text_cells(&m, shares);
    ok(shares[0] == 1.0f && isnan(shares[1]) && shares[10] == 1.0f && shares[21] == 0.0f,
       "where there are fewer neurons than cells some have none");
    m.neurons = 64;
    metrics_free(&m);
}

int main(void)
{
    fill();
    ascii();
    blocks();
    groups();
    counted();
    return tap_done();
}
