/* test_encode.c - encoders against the decoders, which have witnesses of their own.
 *
 * What the format can hold comes back bit for bit; what it can't comes back within a
 * bound that is known; zeros stay zeros; nothing that a float can be does harm. How the errors
 * compare with llama.cpp's is measured in docs/synth.md.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "quants/encode.h"
#include "quants/half.h"
#include "tap.h"

#define COUNT (256 * 256)
#define MOST_BYTES (4 * COUNT)

static float weights[COUNT], decoded[COUNT];
static uint8_t bytes[MOST_BYTES], again[MOST_BYTES];

/* Relative root mean square error on normal weights, a little above what was measured. Q4_0 to Q6_K
 * are below what llama.cpp's encoders reach (docs/synth.md). */
static const struct {
    const char *name;
    double bound;
} types[] = {
    {"F32", 0},       {"F16", 3e-4},    {"BF16", 2e-3},   {"Q4_0", 0.0822}, {"Q4_1", 0.0710},
    {"Q5_0", 0.0407}, {"Q5_1", 0.0342}, {"Q8_0", 0.0054}, {"Q2_K", 0.2660}, {"Q3_K", 0.1450},
    {"Q4_K", 0.0706}, {"Q5_K", 0.0349}, {"Q6_K", 0.0174},
};
#define TYPES (sizeof types / sizeof *types)

static const struct quants_format *format;

static void there_and_back(void)
{
    encode_function *encode = encode_find(format);
    if (!encode)
        bail("no encoder for %s", format->name);
    encode(weights, COUNT / format->block_elements, bytes);
    format->decode(bytes, COUNT / format->block_elements, decoded);
}

static void normal_weights(float deviation)
{
    struct random_stream r = random_open(11, format->id, 0, 0);
    random_normal(&r, deviation, COUNT, weights);
}

static double relative_error(void)
{
    double error = 0, size = 0;
    for (size_t i = 0; i < COUNT; i++) {
        double d = (double)decoded[i] - (double)weights[i];
        error += d * d;
        size += (double)weights[i] * (double)weights[i];
    }
    return sqrt(error / size);
}

static void errors(double bound)
{
    normal_weights(0.02f);
    there_and_back();
    double error = relative_error();
    ok(error <= bound, "%s: relative error %.5f is at most %.5f", format->name, error, bound);
    for (size_t i = 0; i < COUNT; i++)
        weights[i] *= 1024.0f;
    there_and_back();
    ok(relative_error() <= bound, "%s: and so with larger weights", format->name);
}

/* Blocks that decode to weights whose every level is used, so that there is one best scale. */
static void fill_representable(struct random_stream *r)
{
    size_t blocks = COUNT / format->block_elements;
    uint8_t *b = bytes;
    for (size_t i = 0; i < blocks * format->block_bytes; i++)
        bytes[i] = (uint8_t)random_bits(r);
    for (size_t k = 0; k < blocks; k++, b += format->block_bytes) {
        uint16_t d = half_from_float((float)(1 + random_unit(r))), m = half_from_float((float)(1 + random_unit(r)));
        switch ((enum quants_type)format->id) {
        case QUANTS_Q4_0:
        case QUANTS_Q5_0:
            half_store(b, d);
            memset(b + 2, 0, format->id == QUANTS_Q5_0 ? 4 : 0);
            b[format->block_bytes - 1] = 0; /* two weights at the lowest level */
            break;
        case QUANTS_Q4_1:
        case QUANTS_Q5_1:
            half_store(b, d);
            half_store(b + 2, m);
            b[4] |= 1; /* Q5_1: weight 0 has its fifth bit, 15 has not */
            b[5] &= 0x7f;
            b[format->block_bytes - 16] |= 0x0f;
            b[format->block_bytes - 1] &= 0xf0;
            break;
        case QUANTS_Q8_0:
            half_store(b, d);
            for (size_t i = 2; i < 34; i++)
                b[i] = b[i] == 0x80 ? 0x81 : b[i];
            b[9] = 127;
            break;
        case QUANTS_Q2_K:
            memset(b, 0xff, 16); /* scales and minima all 15 */
            for (size_t i = 16; i < 80; i += 16) { /* levels 0 and 3 in each sub-block */
                b[i] = 0;
                b[i + 1] = 0xff;
            }
            half_store(b + 80, d);
            half_store(b + 82, m);
            break;
        case QUANTS_Q3_K:
            memset(b + 96, 0, 12); /* scales all -32 */
            b[0] = b[16] = 0;      /* level -4 in each sub-block */
            for (size_t i = 32; i < 96; i += 16)
                b[i] = 0;
            half_store(b + 108, d);
            break;
        case QUANTS_Q4_K:
        case QUANTS_Q5_K:
            half_store(b, d);
            half_store(b + 2, m);
            for (size_t i = format->block_bytes - 128; i < format->block_bytes; i += 32) {
                b[i] = 0; /* levels 0 and 15 or 31 in each sub-block */
                b[i + 1] = 0xff;
            }
            if (format->id == QUANTS_Q5_K) {
                b[16] = 0;
                b[17] = 0xff;
            }
            b[4] |= 0x3f; /* one scale and one minimum of 63, none small */
            b[8] |= 0x3f;
            for (size_t i = 4; i < 12; i++)
                b[i] |= 0xa0;
            break;
        case QUANTS_Q6_K:
            memset(b + 192, 0x80, 16); /* scales all -128, level -32 in each sub-block */
            for (size_t i = 0; i < 192; i += 16)
                b[i] = 0;
            half_store(b + 208, d);
            break;
        default:
            break;
        }
    }
}

static void representable(void)
{
    if (format->block_elements == 1)
        return;
    struct random_stream r = random_open(12, format->id, 0, 0);
    fill_representable(&r);
    format->decode(bytes, COUNT / format->block_elements, weights);
    there_and_back();
    size_t same = 0, all = COUNT / format->block_elements;
    double worst = 0;
    for (size_t k = 0; k < all; k++)
        same += memcmp(weights + k * format->block_elements, decoded + k * format->block_elements,
                       format->block_elements * sizeof *weights) == 0;
    for (size_t i = 0; i < COUNT; i++)
        worst = fmax(worst, fabs((double)weights[i] - (double)decoded[i]));
    ok(same == all, "%s: %zu of %zu blocks that the format holds come back as they were (worst %g)", format->name, same,
       all, worst);
}

static void zeros(void)
{
    size_t kept = 0, wanted = 0, nonzero = 0;
    normal_weights(1);
    for (size_t i = 0; i < COUNT; i++)
        weights[i] = i % 5 == 2 ? 0 : fabsf(weights[i]);
    there_and_back();
    for (size_t i = 0; i < COUNT; i++)
        if (weights[i] == 0) {
            wanted++;
            kept += decoded[i] == 0;
        }
    is_uint(kept, wanted, "%s: zeros among positive weights stay zeros", format->name);
    memset(weights, 0, sizeof weights);
    there_and_back();
    for (size_t i = 0; i < COUNT; i++)
        nonzero += decoded[i] != 0;
    is_uint(nonzero, 0, "%s: zeros alone are zeros", format->name);
}

static void marks(void)
{
    /* What synth relies on: 0, ..., 0, c, 0, c is kept where c is, and exactly c where one scale can say so. */
    bool held = true;
    normal_weights(1);
    for (size_t i = 224; i < COUNT; i += 256)
        for (size_t k = 0; k < 32; k++)
            weights[i + k] = k == 29 || k == 31 ? 1 : 0;
    there_and_back();
    for (size_t i = 224; i < COUNT; i += 256)
        for (size_t k = 0; k < 32; k++)
            held &= weights[i + k] == 0 ? decoded[i + k] == 0 : fabsf(decoded[i + k] - 1) < 0.15f;
    ok(held, "%s: marks in a block of zeros are kept, and nothing else appears", format->name);
}

static void oddities(void)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, 1e38f, -1e38f, 1e-40f, -1e-9f, 65520, 3e5f, 0};
    bool alone = true, finite = true;
    normal_weights(1);
    there_and_back();
    size_t unit = format->block_elements;
    memcpy(again, bytes, sizeof again);
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++)
        weights[(2 * k + 1) * unit + k % unit] = odd[k];
    there_and_back();
    for (size_t k = 0; k < 20; k += 2)
        alone &= memcmp(again + k * format->block_bytes, bytes + k * format->block_bytes, format->block_bytes) == 0;
    ok(alone, "%s: an odd weight spoils no other block, and equal blocks give equal bytes", format->name);
    for (size_t i = 3 * unit; unit > 1 && i < 20 * unit; i++)
        finite &= isfinite(decoded[i]);
    ok(finite, "%s: blocks stay finite whatever comes", format->name);
}

static void halves(void)
{
    size_t same = 0, nearest = 0;
    for (uint32_t h = 0; h < 65536; h++) {
        float f = half_to_float((uint16_t)h);
        same += isnan(f) ? isnan(half_to_float(half_from_float(f))) : half_from_float(f) == h;
    }
    is_uint(same, 65536, "every half comes back from its float");
    struct random_stream r = random_open(13, 0, 0, 0);
    for (int i = 0; i < 100000; i++) {
        float f = ldexpf((float)random_unit(&r), (int)random_below(&r, 44) - 28);
        uint16_t h = half_from_float(f);
        double own = fabs((double)half_to_float(h) - (double)f);
        double up = fabs((double)half_to_float((uint16_t)(h + 1)) - (double)f);
        double down = h ? fabs((double)half_to_float((uint16_t)(h - 1)) - (double)f) : HUGE_VAL;
        nearest += own < fmin(up, down) || (own == fmin(up, down) && h % 2 == 0);
    }
    is_uint(nearest, 100000, "a float becomes the nearest half, ties the even one");
    ok(half_from_float(65519.99f) == 0x7bff && half_from_float(65520) == 0x7c00 && half_from_float(-1e9f) == 0xfc00,
       "the largest half, and infinity beyond");
    ok(half_from_float(-0.0f) == 0x8000 && half_from_float(0x1p-25f) == 0 && half_from_float(0x1.8p-25f) == 1,
       "a signed zero, and the smallest half");
    ok(half_bfloat_from_float(1.00390625f) == 0x3f80 && half_bfloat_from_float(1.01171875f) == 0x3f82 &&
           isnan(half_bfloat_to_float(half_bfloat_from_float(NAN))),
       "bfloat16: ties to even, NaN stays NaN");
}

static void fallbacks(void)
{
    static const char *const wanted[][4] = {
        {"Q4_K", "Q4_K", "Q5_0", "F16"}, {"Q5_K", "Q5_K", "Q5_1", "F16"}, {"Q6_K", "Q6_K", "Q8_0", "F16"},
        {"Q2_K", "Q2_K", "Q4_0", "F16"}, {"Q3_K", "Q3_K", "Q4_0", "F16"}, {"Q8_0", "Q8_0", "Q8_0", "F16"},
        {"F32", "F32", "F32", "F32"},    {"BF16", "BF16", "BF16", "BF16"}};
    static const uint64_t columns[] = {512, 96, 40};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        for (size_t k = 0; k < 3; k++)
            is_string(encode_fallback(quants_by_name(wanted[i][0]), columns[k])->name, wanted[i][k + 1],
                      "%s in rows of %d", wanted[i][0], (int)columns[k]);
    ok(encode_find(quants_by_name("IQ4_XS")) == NULL, "a type without an encoder has none");
}

int main(void)
{
    halves();
    fallbacks();
    for (size_t t = 0; t < TYPES; t++) {
        format = quants_by_name(types[t].name);
        errors(types[t].bound);
        representable();
        zeros();
        marks();
        oddities();
    }
    return tap_done();
}
