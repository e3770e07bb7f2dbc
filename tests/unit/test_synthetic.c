/* test_synthetic.c - the weights of benchmarks: the same for one seed, small where a block is padded. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "bench/synthetic.h"
#include "quants/encode.h"
#include "tap.h"

static struct synthetic_matrix make(const struct quants_format *format, size_t outputs, size_t inputs, uint64_t seed)
{
    struct synthetic_matrix m;
    struct error e;
    if (synthetic_open(&m, format, outputs, inputs, seed, &e) != STATUS_OK)
        bail("a small matrix can't be made");
    return m;
}

static void one_type(const struct quants_format *format)
{
    const size_t inputs = 300;
    threads_set(1);
    struct synthetic_matrix m = make(format, 9, inputs, 7), other = make(format, 9, inputs, 8);
    threads_set(3);
    struct synthetic_matrix small = make(format, 4, inputs, 7);
    float *row = calloc(m.padded, sizeof *row);
    double square = 0;
    double padding = 0;
    for (size_t r = 0; r < m.outputs && row; r++) {
        format->decode(m.bytes + r * m.row_bytes, m.padded / format->block_elements, row);
        for (size_t i = 0; i < m.padded; i++) {
            padding = fmax(padding, i < inputs ? 0 : fabs((double)row[i]));
            square += (double)row[i] * (double)row[i];
        }
    }
    ok(m.padded % format->block_elements == 0 && m.padded >= inputs && m.padded - inputs < format->block_elements,
       "%s: rows are padded to whole blocks", format->name);
    ok(fabs(square / 9 - 1) < 0.2, "%s: the deviation is 1 / sqrt(inputs)", format->name);
    ok(padding < 1 / sqrt((double)inputs), "%s: what pads a row is near 0", format->name);
    ok(memcmp(m.bytes, small.bytes, 4 * m.row_bytes) == 0, "%s: threads and size change no row", format->name);
    ok(memcmp(m.bytes, other.bytes, m.row_bytes) != 0, "%s: another seed gives others", format->name);
    free(row);
    synthetic_close(&m), synthetic_close(&other), synthetic_close(&small);
    synthetic_close(&m);
}

int main(void)
{
    struct error e;
    struct synthetic_matrix m;
    float *x;
    for (size_t i = 0; i < quants_count(); i++)
        if (encode_find(quants_at(i)))
            one_type(quants_at(i));
    m = make(quants_by_id(QUANTS_Q4_K), 2, 200, 1);
    ok(synthetic_rows(&m, 3, 1, &x, &e) == STATUS_OK && x[0] != 0 && x[199] != 0 && x[200] == 0 && x[255] == 0 && x[256] != 0,
       "activations are padded like the weights");
    memory_free(x);
    ok(synthetic_rows(&m, SIZE_MAX / 4, 1, &x, &e) == STATUS_USAGE && !x, "too many rows are wrong usage");
    synthetic_close(&m);
    is_int(synthetic_open(&m, quants_by_id(QUANTS_F32), SIZE_MAX / 2, 8, 1, &e), STATUS_USAGE, "a size beyond all memory too");
    ok(strstr(e.sentence, "F32") && *e.advice, "and the sentence says what");
    ok(synthetic_open(&m, quants_by_name("IQ2_XXS"), 1, 256, 1, &e) == STATUS_USAGE, "so is a type that has no encoder");
    synthetic_close(&m);
    return tap_done();
}
