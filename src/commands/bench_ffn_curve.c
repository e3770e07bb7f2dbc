/* bench_ffn_curve.c - see bench_ffn_curve.h.
 *
 * Across: milliseconds. Up: how far the output is off, in per cent. A line for each way.
 */
#include "bench_ffn_curve.h"

#include "../base/outfile.h"

#define WIDTH 640
#define HEIGHT 400
#define LEFT 70
#define RIGHT 120
#define TOP 40
#define BOTTOM 50

static const char *const colours[BENCH_FFN_WAYS] = {"#1b6ca8", "#b3541e", "#2e7d32", "#6a1b9a"};

struct frame {
    double latest, farthest; /* the ends of both axes                                  */
};

/* The next of 1, 2, 5 times a power of ten above `value`. */
static double round_up(double value)
{
    static const double steps[] = {1, 2, 5, 10};
    double power = 1;
    while (power > value && power > 1e-12)
        power /= 10;
    while (power * 10 <= value)
        power *= 10;
    for (size_t i = 0; i < 4; i++)
        if (steps[i] * power >= value)
            return steps[i] * power;
    return 10 * power;
}

static double across(const struct frame *f, double milliseconds)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * milliseconds / f->latest;
}

static double up(const struct frame *f, double percent)
{
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * percent / f->farthest;
}

static void write_axes(struct outfile *o, const struct frame *f)
{
    for (int i = 0; i <= 5; i++) {
        const double x = f->latest * i / 5, y = f->farthest * i / 5;
        outfile_print(o, "<path d='M%.1f %d V%d' class='grid'/><text x='%.1f' y='%d' text-anchor='middle'>%g</text>\n", across(f, x),
                      TOP, HEIGHT - BOTTOM, across(f, x), HEIGHT - BOTTOM + 18, x);
        outfile_print(o, "<path d='M%d %.1f H%d' class='grid'/><text x='%d' y='%.1f' text-anchor='end'>%g</text>\n", LEFT, up(f, y),
                      WIDTH - RIGHT, LEFT - 6, up(f, y) + 4, y);
    }
    outfile_print(o, "<text x='%d' y='%d' text-anchor='middle'>latency of the layer's FFN, ms</text>\n", (LEFT + WIDTH - RIGHT) / 2,
                  HEIGHT - 12);
    outfile_print(o, "<text transform='translate(18 %d) rotate(-90)' text-anchor='middle'>output off, %%</text>\n",
                  (TOP + HEIGHT - BOTTOM) / 2);
}

/* Told apart by form as well as by colour. The title, which a browser shows, may be empty. */
static void write_mark(struct outfile *o, enum bench_ffn_way way, double x, double y, const char *title)
{
    static const char *const forms[BENCH_FFN_WAYS] = {"m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", "m-4-4h8v8h-8z", "m0-5l5 9h-10z", "m0-5l5 5l-5 5l-5-5z"};
    outfile_print(o, "<path d='M%.1f %.1f%s' fill='%s'><title>%s</title></path>\n", x, y, forms[way], colours[way], title);
}

static void write_way(struct outfile *o, const struct frame *f, const struct bench_ffn_shares *shares, enum bench_ffn_way way)
{
    const char *command = "M";
    outfile_print(o, "<path fill='none' stroke='%s' stroke-width='1.5' d='", colours[way]);
    for (size_t i = 0; i < shares->count; i++)
        if (shares->of[i].way == way) {
            outfile_print(o, "%s%.1f %.1f ", command, across(f, 1e3 * shares->of[i].seconds.median), up(f, 100 * shares->of[i].off));
            command = "L";
        }
    outfile_print(o, "'/>\n");
    for (size_t i = 0; i < shares->count; i++) {
        const struct bench_ffn_share *s = &shares->of[i];
        const double x = across(f, 1e3 * s->seconds.median), y = up(f, 100 * s->off);
        char title[96];
        if (s->way != way)
            continue;
        snprintf(title, sizeof title, "%s, %.0f %%: %.3f ms, %.2f %% off", bench_ffn_way_names[way], 100 * s->wanted,
                 1e3 * s->seconds.median, 100 * s->off);
        write_mark(o, way, x, y, title);
        outfile_print(o, "<text x='%.1f' y='%.1f' class='small'>%.0f%%</text>\n", x + 6, y - 6, 100 * s->wanted);
    }
}

static void write_legend(struct outfile *o, const struct bench_ffn_shares *shares)
{
    bool there[BENCH_FFN_WAYS] = {false};
    int line = 0;
    for (size_t i = 0; i < shares->count; i++)
        there[shares->of[i].way] = true;
    for (int way = 0; way < BENCH_FFN_WAYS; way++)
        if (there[way]) {
            const double y = TOP + 20.0 * ++line;
            write_mark(o, (enum bench_ffn_way)way, WIDTH - RIGHT + 20, y, bench_ffn_way_names[way]);
            outfile_print(o, "<text x='%d' y='%.1f'>%s</text>\n", WIDTH - RIGHT + 32, y + 4, bench_ffn_way_names[way]);
        }
}

enum status bench_ffn_curve_write(const char *path, const struct bench_ffn_plan *p, const struct bench_ffn_shares *shares,
                                  struct error *e)
{
    struct outfile o;
    struct frame f = {0, 0};
    const enum status s = outfile_open(&o, path, e);
    if (s != STATUS_OK)
        return s;
    for (size_t i = 0; i < shares->count; i++) {
        f.latest = 1e3 * shares->of[i].seconds.median > f.latest ? 1e3 * shares->of[i].seconds.median : f.latest;
        f.farthest = 100 * shares->of[i].off > f.farthest ? 100 * shares->of[i].off : f.farthest;
    }
    f.latest = round_up(f.latest);
    f.farthest = round_up(f.farthest > 0 ? f.farthest : 1);
    outfile_print(&o, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' height='%d' font-family='sans-serif' "
                      "font-size='12'>\n<style>.grid{stroke:#ccc;fill:none}.small{font-size:10px}</style>\n"
                      "<rect width='100%%' height='100%%' fill='white'/>\n",
                  WIDTH, HEIGHT, WIDTH, HEIGHT);
    outfile_print(&o, "<text x='%d' y='22' font-size='14'>FFN of layer %zu: kept shares, %zu token%s at a time</text>\n", LEFT, p->first,
                  p->batch.value[0], p->batch.value[0] == 1 ? "" : "s");
    write_axes(&o, &f);
    for (int way = 0; way < BENCH_FFN_WAYS; way++)
        write_way(&o, &f, shares, (enum bench_ffn_way)way);
    write_legend(&o, shares);
    outfile_print(&o, "</svg>\n");
    return outfile_commit(&o, e);
}
