/* bench_ffn_curve.c - see bench_ffn_curve.h.
 *
 * Across: milliseconds. Up: how far the output is off, in per cent. A line for each way, told apart by dash and mark as well as
 * by colour.
 */
#include "bench_ffn_curve.h"

#include <stdio.h>

#include "../base/memory.h"
#include "../report/svg.h"

#define WIDTH 640.0
#define HEIGHT 400.0

static const char *const lines[BENCH_FFN_WAYS] = {"gate", "up", "ffn", "odd"};
static const char *const fills[BENCH_FFN_WAYS] = {"gatefill", "upfill", "ffnfill", "oddfill"};

/* x and y: room for all shares. */
static void write_way(const struct svg *s, const struct svg_frame *f, const struct bench_ffn_shares *shares, enum bench_ffn_way way,
                      double *x, double *y)
{
    size_t n = 0;
    for (size_t i = 0; i < shares->count; i++)
        if (shares->of[i].way == way) {
            x[n] = svg_x(f, 1e3 * shares->of[i].seconds.median);
            y[n++] = svg_y(f, 100 * shares->of[i].off);
        }
    if (n > 1)
        svg_line(s, lines[way], x, y, n);
    for (size_t i = 0; i < shares->count; i++) {
        const struct bench_ffn_share *share = &shares->of[i];
        const double across = svg_x(f, 1e3 * share->seconds.median), up = svg_y(f, 100 * share->off);
        char title[96];
        if (share->way != way)
            continue;
        snprintf(title, sizeof title, "%s, %.0f %%: %.3f ms, %.2f %% off", bench_ffn_way_names[way], 100 * share->wanted,
                 1e3 * share->seconds.median, 100 * share->off);
        svg_mark(s, (enum svg_form)way, fills[way], across, up, title);
        svg_text(s, across + 6, up - 6, "start", "num", "%.0f%%", 100 * share->wanted);
    }
}

static void write_key(const struct svg *s, const struct svg_frame *f, const struct bench_ffn_shares *shares)
{
    bool there[BENCH_FFN_WAYS] = {false};
    double y = f->top;
    for (size_t i = 0; i < shares->count; i++)
        there[shares->of[i].way] = true;
    for (int way = 0; way < BENCH_FFN_WAYS; way++)
        if (there[way]) {
            svg_mark(s, (enum svg_form)way, fills[way], f->right + 20, y += 20, bench_ffn_way_names[way]);
            svg_text(s, f->right + 32, y + 4, "start", "", "%s", bench_ffn_way_names[way]);
        }
}

static void write_all(struct outfile *out, const struct bench_ffn_plan *p, const struct bench_ffn_shares *shares, double *x, double *y)
{
    struct svg s;
    struct svg_frame f = {70, 40, WIDTH - 120, HEIGHT - 50, 0, 0, 0, 0, false, false};
    for (size_t i = 0; i < shares->count; i++) {
        f.x_to = 1e3 * shares->of[i].seconds.median > f.x_to ? 1e3 * shares->of[i].seconds.median : f.x_to;
        f.y_to = 100 * shares->of[i].off > f.y_to ? 100 * shares->of[i].off : f.y_to;
    }
    f.x_to = svg_round_up(f.x_to);
    f.y_to = svg_round_up(f.y_to);
    svg_open(&s, out, true, WIDTH, HEIGHT, "Latency and accuracy of kept shares of an FFN");
    svg_text(&s, f.left, 22, "start", "name", "FFN of layer %zu: kept shares, %zu token%s at a time", p->first, p->batch.value[0],
             p->batch.value[0] == 1 ? "" : "s");
    svg_ticks_x(&s, &f, "");
    svg_ticks_y(&s, &f, "");
    svg_caption_x(&s, &f, "latency of the layer's FFN, ms");
    svg_caption_y(&s, &f, "output off, %");
    for (int way = 0; way < BENCH_FFN_WAYS; way++)
        write_way(&s, &f, shares, (enum bench_ffn_way)way, x, y);
    write_key(&s, &f, shares);
    svg_close(&s);
}

enum status bench_ffn_curve_write(const char *path, const struct bench_ffn_plan *p, const struct bench_ffn_shares *shares,
                                  struct error *e)
{
    struct outfile out = {.path = NULL};
    double *x = NULL, *y = NULL;
    enum status s = memory_array(&x, shares->count, sizeof *x, "a curve", e);
    if (s == STATUS_OK)
        s = memory_array(&y, shares->count, sizeof *y, "a curve", e);
    if (s == STATUS_OK)
        s = outfile_open(&out, path, e);
    if (s == STATUS_OK) {
        write_all(&out, p, shares, x, y);
        s = outfile_commit(&out, e);
    }
    memory_free(x);
    memory_free(y);
    return s;
}
