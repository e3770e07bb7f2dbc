/* gain_text.c - see gain_text.h.
 *
 * FLOPs decide where many tokens go through the model together (prompts), bytes where one does (decoding). Removable
 * neurons are counted, super neurons stay.
 */
#include "gain_text.h"

#include <math.h>

#include "printing.h"

const struct gain_text_row gain_text_rows[GAIN_TEXT_ROWS] = {
    {"FLOPs, any width", GAIN_FLOPS, 1},
    {"FLOPs, widths of 256", GAIN_FLOPS, GAIN_BLOCK},
    {"bytes of f32, any width", GAIN_BYTES_F32, 1},
    {"bytes of Q4_K, widths of 256", GAIN_BYTES_Q4K, GAIN_BLOCK},
};

struct gain_shape gain_text_shape(const struct archive_facts *f)
{
    double length = f->prompts ? (double)f->tokens / (double)f->prompts : 0.0, seen = 0.5 * (length + 1.0);
    if (f->window && (double)f->window < seen)
        seen = (double)f->window;
    return (struct gain_shape){.layers = (size_t)f->layers, .hidden = (double)f->hidden_size,
                               .intermediate = (double)f->intermediate_size, .heads = (double)f->heads,
                               .kv_heads = (double)f->kv_heads, .head_dimension = (double)f->head_dimension,
                               .vocabulary = (double)f->vocabulary, .context = seen};
}

static void print_speedups(FILE *to, const struct gain_shape *shape, const struct summary_row *rows)
{
    fprintf(to, "%-30s %9s %9s %12s\n", "", "FFN alone", "layers", "whole model");
    for (size_t i = 0; i < GAIN_TEXT_ROWS; i++) {
        struct gain g = gain_of(shape, rows, gain_text_rows[i].cost, gain_text_rows[i].block);
        fprintf(to, "%-30s %8.2fx %8.2fx %11.2fx\n", gain_text_rows[i].name, gain_speedup(g.ffn), gain_speedup(g.layers),
                gain_speedup(g.model));
    }
}

static void print_sizes(FILE *to, const struct gain_shape *shape, const struct summary_row *rows)
{
    struct gain f32 = gain_of(shape, rows, GAIN_BYTES_F32, 1), q4k = gain_of(shape, rows, GAIN_BYTES_Q4K, GAIN_BLOCK);
    fprintf(to, "Weights and keys read for a token: %.1f MB of f32 instead of %.1f; %.1f MB of Q4_K instead of %.1f\n",
            1e-6 * f32.model[1], 1e-6 * f32.model[0], 1e-6 * q4k.model[1], 1e-6 * q4k.model[0]);
}

static void print_rates(FILE *to, const struct gain_shape *shape, const struct summary_row *rows, const struct gain_text_roofs *roofs)
{
    struct gain flops = gain_of(shape, rows, GAIN_FLOPS, GAIN_BLOCK);
    struct gain bytes = gain_of(shape, rows, GAIN_BYTES_Q4K, GAIN_BLOCK);
    if (roofs->gflops > 0.0)
        fprintf(to, "Prompts at %g GFLOP/s: at most %.1f tokens/s, without these neurons %.1f\n", roofs->gflops,
                1e9 * roofs->gflops / flops.model[0], 1e9 * roofs->gflops / flops.model[1]);
    if (roofs->gbytes > 0.0)
        fprintf(to, "Decoding Q4_K at %g GB/s: at most %.1f tokens/s, without these neurons %.1f\n", roofs->gbytes,
                1e9 * roofs->gbytes / bytes.model[0], 1e9 * roofs->gbytes / bytes.model[1]);
}

static void print_all(FILE *to, const struct archive_facts *facts, const struct summary_row *rows,
                      const struct gain_text_roofs *roofs)
{
    const struct gain_shape shape = gain_text_shape(facts);
    fprintf(to, "\n=== Beyond the linear estimate ===\n"
                "Speedup without the removable neurons, super neurons kept, at %.0f keys a token (docs/methods.md)\n",
            shape.context);
    print_speedups(to, &shape, rows);
    print_sizes(to, &shape, rows);
    print_rates(to, &shape, rows, roofs);
}

enum status gain_text_print(FILE *to, const struct archive_facts *facts, const struct summary_row *rows,
                            const struct gain_text_roofs *roofs, struct error *e)
{
    size_t measured = 0;
    for (size_t l = 0; l < facts->layers; l++)
        measured += !isnan(rows[l].removable);
    struct printing printing;
    const enum status begun = printing_begin(&printing, to, e);
    if (begun != STATUS_OK)
        return begun;
    to = printing.to;
    if (measured)
        print_all(to, facts, rows, roofs);
    return printing_end(&printing, e);
}
