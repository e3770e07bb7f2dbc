/* plot_text.c - see plot_text.h.
 *
 * A layer is a line: its number, a bar of its saturated share, the share in digits, and a strip in which each cell is a
 * part of its neurons. The digits say all that the bar does, and shades differ in density, not in colour.
 */
#include "plot_text.h"

#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "printing.h"

#define BAR 32        /* columns of 100 % */
#define LINES_LIMIT 64

static const char *const eighths[2][9] = {{"", "", "", "", "#", "#", "#", "#", "#"},
                                          {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"}};
static const char *const shades[2][5] = {{" ", ".", ":", "+", "#"}, {" ", "░", "▒", "▓", "█"}};

bool plot_text_blocks(void)
{
    locale_t users = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (!users)
        return false;
    bool blocks = strcmp(nl_langinfo_l(CODESET, users), "UTF-8") == 0;
    freelocale(users);
    return blocks;
}

void plot_text_cells(const struct metrics *m, float cells[PLOT_TEXT_CELLS])
{
    size_t saturated[PLOT_TEXT_CELLS] = {0}, neurons[PLOT_TEXT_CELLS] = {0};
    for (size_t i = 0; i < m->neurons; i++) {
        size_t cell = i * PLOT_TEXT_CELLS / m->neurons;
        saturated[cell] += m->saturated[i];
        neurons[cell]++;
    }
    for (int k = 0; k < PLOT_TEXT_CELLS; k++)
        cells[k] = neurons[k] ? (float)saturated[k] / (float)neurons[k] : NAN;
}

static void print_bar(FILE *to, double share, bool blocks)
{
    long eights = isnan(share) ? 0 : lrint(share * BAR * 8);
    int columns = (int)(eights / 8);
    for (int i = 0; i < columns; i++)
        fputs(eighths[blocks][8], to);
    fputs(eighths[blocks][eights % 8], to);
    columns += *eighths[blocks][eights % 8] != '\0';
    fprintf(to, "%*s", BAR - columns, "");
}

/* A cell that isn't empty is never shown as one. */
static const char *shade(double share, bool blocks)
{
    if (isnan(share) || share <= 0.0)
        return shades[blocks][0];
    int level = (int)ceil(4.0 * share - 1e-9);
    return shades[blocks][level > 4 ? 4 : level];
}

/* The mean over layers [first, end) of what has a value. */
static double mean_share(const struct plot_text *p, size_t first, size_t end, int cell)
{
    double sum = 0.0, count = 0.0;
    for (size_t l = first; l < end; l++) {
        double share = cell < 0 ? p->rows[l].saturated : (double)p->cells[l][cell];
        if (isnan(share))
            continue;
        sum += share;
        count += 1.0;
    }
    return count > 0.0 ? sum / count : NAN;
}

static void print_line(FILE *to, const struct plot_text *p, size_t first, size_t end, bool blocks)
{
    const char *edge = blocks ? "│" : "|";
    char label[48];
    double share = mean_share(p, first, end, -1);
    if (end == first + 1)
        snprintf(label, sizeof label, "%zu", first);
    else
        snprintf(label, sizeof label, "%zu-%zu", first, end - 1);
    fprintf(to, "%9s %s", label, edge);
    print_bar(to, share, blocks);
    if (isnan(share))
        fprintf(to, "%s    nan  %s", edge, edge);
    else
        fprintf(to, "%s %5.1f%% %s", edge, 100.0 * share, edge);
    for (int k = 0; k < PLOT_TEXT_CELLS; k++)
        fputs(shade(mean_share(p, first, end, k), blocks), to);
    fprintf(to, "%s\n", edge);
}

static void print_all(FILE *to, const struct plot_text *p, bool blocks)
{
    size_t group = (p->layers + LINES_LIMIT - 1) / LINES_LIMIT;
    fprintf(to, "\n=== Saturated neurons by layer ===\n%9s  0%%%*s%8s  neurons 0 to %zu\n", group > 1 ? "layers" : "layer",
            BAR - 2, "100%", "", p->neurons - 1);
    for (size_t l = 0; l < p->layers; l += group)
        print_line(to, p, l, l + group < p->layers ? l + group : p->layers, blocks);
    fprintf(to, "Shades: '%s' none, '%s' up to a quarter of these neurons, '%s' a half, '%s' three quarters, '%s' more\n",
            shades[blocks][0], shades[blocks][1], shades[blocks][2], shades[blocks][3], shades[blocks][4]);
}

enum status plot_text_print(FILE *to, const struct plot_text *p, bool blocks, struct error *e)
{
    struct printing printing;
    const enum status begun = printing_begin(&printing, to, e);
    if (begun != STATUS_OK)
        return begun;
    to = printing.to;
    print_all(to, p, blocks);
    return printing_end(&printing, e);
}
