/* test_quants.c - the table of block formats and their decoders.
 *
 * Two independent witnesses: tests/golden/quants.bin, decoded by the PyPI package gguf and NumPy
 * (bit for bit, signs of zeros too, NaN = NaN), and for the older types a formula of our own that
 * reads single bits of a block and computes in integers. The second works since
 * every finite half is an integer times 2^-24: a weight is (H(d) scale q - H(dmin)
 * minimum) 2^-24 with everything in brackets below 2^53, and one rounding gives
 * the float32.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/mapping.h"
#include "base/memory.h"
#include "quants/quants.h"
#include "tap.h"

/* xorshift64*: enough for random blocks. */
static uint64_t random_state = 88172645463325252u;

static uint32_t random_number(void)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (uint32_t)(random_state * 2685821657736338717u >> 32);
}

/* ---- the second witness: one weight from single bits ------------------------- */

/* Bits [at, at + width) of a string of bytes, least significant bit first. */
static int bits_at(const uint8_t *bytes, int at, int width)
{
    int value = 0;
    for (int b = 0; b < width; b++)
        value |= (bytes[(at + b) / 8] >> ((at + b) % 8) & 1) << b;
    return value;
}

/* A finite half as an integer number of 2^-24. */
static int64_t half_units(const uint8_t *bytes)
{
    int mantissa = bits_at(bytes, 0, 10), exponent = bits_at(bytes, 10, 5);
    int64_t units = exponent ? (int64_t)(mantissa + 1024) << (exponent - 1) : mantissa;
    return bits_at(bytes, 15, 1) ? -units : units;
}

static int64_t units_q4_0(const uint8_t *b, int i)
{
    return half_units(b) * (bits_at(b + 2, i % 16 * 8 + i / 16 * 4, 4) - 8);
}

static int64_t units_q4_1(const uint8_t *b, int i)
{
    return half_units(b) * bits_at(b + 4, i % 16 * 8 + i / 16 * 4, 4) + half_units(b + 2);
}

static int64_t units_q5_0(const uint8_t *b, int i)
{
    return half_units(b) * (bits_at(b + 6, i % 16 * 8 + i / 16 * 4, 4) + 16 * bits_at(b + 2, i, 1) - 16);
}

static int64_t units_q5_1(const uint8_t *b, int i)
{
    int q = bits_at(b + 8, i % 16 * 8 + i / 16 * 4, 4) + 16 * bits_at(b + 4, i, 1);
    return half_units(b) * q + half_units(b + 2);
}

static int64_t units_q8_0(const uint8_t *b, int i)
{
    int q = bits_at(b + 2, 8 * i, 8);
    return half_units(b) * (q < 128 ? q : q - 256);
}

/* Two bits of weight i where a byte holds weights l, l + 32, l + 64, l + 96 of a half. */
static int crumb(const uint8_t *bytes, int i)
{
    return bits_at(bytes, (i / 128 * 32 + i % 32) * 8 + i / 32 % 4 * 2, 2);
}

static int64_t units_q2_k(const uint8_t *b, int i)
{
    int scale = bits_at(b, i / 16 * 8, 4), minimum = bits_at(b, i / 16 * 8 + 4, 4);
    return half_units(b + 80) * scale * crumb(b + 16, i) - half_units(b + 82) * minimum;
}

static int64_t units_q3_k(const uint8_t *b, int i)
{
    int s = i / 16;
    int scale = bits_at(b + 96, s % 8 * 8 + s / 8 * 4, 4) + 16 * bits_at(b + 104, s % 4 * 8 + s / 4 * 2, 2) - 32;
    int q = crumb(b + 32, i) + 4 * bits_at(b, i % 32 * 8 + i / 32, 1) - 4;
    return half_units(b + 108) * scale * q;
}

/* Scale (first 0) or minimum (first 4) of sub-block s in the twelve bytes. */
static int six_bits(const uint8_t *packed, int s, int first)
{
    if (s < 4)
        return bits_at(packed, (first + s) * 8, 6);
    return bits_at(packed, (4 + s) * 8 + first, 4) + 16 * bits_at(packed, (first + s - 4) * 8 + 6, 2);
}

static int64_t units_q4_k(const uint8_t *b, int i)
{
    int q = bits_at(b + 16, (i / 64 * 32 + i % 32) * 8 + i / 32 % 2 * 4, 4);
    return half_units(b) * six_bits(b + 4, i / 32, 0) * q - half_units(b + 2) * six_bits(b + 4, i / 32, 4);
}

static int64_t units_q5_k(const uint8_t *b, int i)
{
    int q =
        bits_at(b + 48, (i / 64 * 32 + i % 32) * 8 + i / 32 % 2 * 4, 4) + 16 * bits_at(b + 16, i % 32 * 8 + i / 32, 1);
    return half_units(b) * six_bits(b + 4, i / 32, 0) * q - half_units(b + 2) * six_bits(b + 4, i / 32, 4);
}

static int64_t units_q6_k(const uint8_t *b, int i)
{
    int h = i / 128, j = i / 32 % 4, l = i % 32, scale = bits_at(b + 192, i / 16 * 8, 8);
    int q = bits_at(b, (64 * h + 32 * (j % 2) + l) * 8 + j / 2 * 4, 4) + 16 * crumb(b + 128, i) - 32;
    return half_units(b + 208) * (scale < 128 ? scale : scale - 256) * q;
}

static int64_t units_f16(const uint8_t *b, int i)
{
    (void)i;
    return half_units(b);
}

static const struct {
    enum quants_type type;
    int64_t (*units)(const uint8_t *block, int i);
    int halves[2]; /* byte positions of the halves; -1 none */
} witnesses[] = {
    {QUANTS_F16, units_f16, {0, -1}},    {QUANTS_Q4_0, units_q4_0, {0, -1}},   {QUANTS_Q4_1, units_q4_1, {0, 2}},
    {QUANTS_Q5_0, units_q5_0, {0, -1}},  {QUANTS_Q5_1, units_q5_1, {0, 2}},    {QUANTS_Q8_0, units_q8_0, {0, -1}},
    {QUANTS_Q2_K, units_q2_k, {80, 82}}, {QUANTS_Q3_K, units_q3_k, {108, -1}}, {QUANTS_Q4_K, units_q4_k, {0, 2}},
    {QUANTS_Q5_K, units_q5_k, {0, 2}},   {QUANTS_Q6_K, units_q6_k, {208, -1}},
};

/* Random bytes, but halves that are finite. */
static void random_block(uint8_t *block, size_t size, const int halves[2])
{
    for (size_t i = 0; i < size; i++)
        block[i] = (uint8_t)random_number();
    for (int h = 0; h < 2; h++)
        if (halves[h] >= 0 && (block[halves[h] + 1] & 0x7c) == 0x7c)
            block[halves[h] + 1] &= 0xfb;
}

static void check_witness(size_t w)
{
    const struct quants_format *format = quants_by_id(witnesses[w].type);
    size_t wrong = 0;
    for (int round = 0; round < 2000; round++) {
        uint8_t block[512];
        float out[256];
        random_block(block, format->block_bytes, witnesses[w].halves);
        format->decode(block, 1, out);
        for (uint32_t i = 0; i < format->block_elements; i++)
            wrong += out[i] != (float)witnesses[w].units(block, (int)i) * 0x1p-24f;
    }
    is_uint(wrong, 0, "%s: 2000 random blocks give the weights that single bits and integers give", format->name);
}

/* ---- the first witness: the golden file --------------------------------------- */

static bool same_bits(const float *got, const uint8_t *wanted)
{
    float value;
    memcpy(&value, wanted, sizeof value);
    return memcmp(got, wanted, sizeof value) == 0 || (isnan(*got) && isnan(value));
}

static bool check_record(struct cursor *c)
{
    uint32_t id = 0, blocks = 0, elements = 0;
    const uint8_t *bytes = NULL, *wanted = NULL;
    struct error e;
    float *out = NULL;
    size_t wrong = 0;
    if (cursor_u32(c, &id, "id", &e) || cursor_u32(c, &blocks, "blocks", &e) ||
        cursor_u32(c, &elements, "elements", &e))
        bail("quants.bin: %s", e.sentence);
    const struct quants_format *format = quants_by_id(id);
    if (!format || cursor_take(c, blocks, format->block_bytes, &bytes, "bytes", &e) ||
        cursor_take(c, elements, 4, &wanted, "values", &e) || memory_array(&out, elements, 4, "values", &e))
        bail("quants.bin is damaged at type %u", (unsigned)id);
    format->decode(bytes, blocks, out);
    for (uint32_t i = 0; i < elements; i++)
        wrong += !same_bits(&out[i], wanted + 4 * (size_t)i);
    memory_free(out);
    is_uint(elements, (uint64_t)blocks * format->block_elements, "%s: the golden is whole", format->name);
    return is_uint(wrong, 0, "%s: %u weights are the bits that an independent decoder gives, special scales included",
                   format->name, (unsigned)elements);
}

static void check_goldens(void)
{
    struct mapping golden;
    struct error e;
    char *path = tap_source("tests/golden/quants.bin");
    if (mapping_open(&golden, path, &e) != STATUS_OK)
        bail("%s: %s", path, e.sentence);
    struct cursor c = cursor_over(golden.bytes, golden.size);
    int records = 0;
    for (; cursor_remaining(&c); records++)
        check_record(&c);
    is_int(records, 31, "every type that we decode has a golden");
    mapping_close(&golden);
    free(path);
}

/* ---- halves, the table, ranges ------------------------------------------------ */

static void check_halves(void)
{
    size_t wrong = 0, loud = 0, wrong_bfloat = 0;
    for (uint32_t bits = 0; bits < 65536; bits++) {
        int exponent = bits >> 10 & 31, mantissa = bits & 1023;
        double value = exponent == 31 ? (mantissa ? NAN : INFINITY)
                       : exponent     ? ldexp(1024 + mantissa, exponent - 25)
                                      : ldexp(mantissa, -24);
        float wanted = (float)(bits & 0x8000 ? -value : value), got = quants_half((uint16_t)bits);
        uint32_t got_bits, bfloat_bits;
        memcpy(&got_bits, &got, 4);
        if (isnan(value))
            loud += got_bits != ((bits & 0x8000) << 16 | 0x7fc00000 | (uint32_t)mantissa << 13);
        else
            wrong += memcmp(&got, &wanted, 4) != 0;
        got = quants_bfloat((uint16_t)bits);
        memcpy(&bfloat_bits, &got, 4);
        bool is_nan = (bits & 0x7fff) > 0x7f80;
        wrong_bfloat += bfloat_bits != (bits << 16 | (is_nan ? 0x00400000u : 0));
    }
    is_uint(wrong, 0, "every finite or infinite half is its value by ldexp, sign of zero included");
    is_uint(loud, 0, "every NaN half is a quiet NaN with its payload and sign");
    is_uint(wrong_bfloat, 0, "every bfloat16 is the upper half of its float32, NaN made quiet");
}

/* All 256 of each, by the definition in ldexp. */
static void check_eighths(void)
{
    size_t wrong = 0, wrong_narrow = 0;
    for (unsigned b = 0; b < 256; b++) {
        const uint8_t byte = (uint8_t)b;
        float got, narrow;
        quants_by_name("F8_E4M3")->decode(&byte, 1, &got);
        quants_by_name("F8_E5M2")->decode(&byte, 1, &narrow);
        const int exponent = b >> 3 & 15, fraction = b & 7;
        const double size = exponent ? ldexp(8 + fraction, exponent - 10) : ldexp(fraction, -9);
        const bool is_nan = (b & 127) == 127;
        wrong += is_nan ? !isnan(got) : got != (float)(b & 128 ? -size : size) || !signbit(got) != !(b & 128);
        const int wide = b >> 2 & 31, rest = b & 3;
        const double narrow_size = wide ? ldexp(4 + rest, wide - 17) : ldexp(rest, -16);
        if (wide == 31)
            wrong_narrow += rest ? !isnan(narrow) : !isinf(narrow) || !signbit(narrow) != !(b & 128);
        else
            wrong_narrow += narrow != (float)(b & 128 ? -narrow_size : narrow_size) || !signbit(narrow) != !(b & 128);
    }
    is_uint(wrong, 0, "every F8_E4M3 byte is its value by ldexp, NaN where all bits are set");
    is_uint(wrong_narrow, 0, "every F8_E5M2 byte is its value by ldexp, infinite and NaN as a half is");
}

static void check_table(void)
{
    static const uint32_t without_row[] = {4, 5, 31, 32, 33, 36, 37, 38, 43, 142, 143, 999, 1002, UINT32_MAX};
    for (size_t i = 0; i < sizeof without_row / sizeof without_row[0]; i++)
        ok(!quants_by_id(without_row[i]), "id %u is unknown", (unsigned)without_row[i]);
    size_t found = 0, decodable = 0;
    for (size_t i = 0; i < quants_count(); i++) {
        const struct quants_format *format = quants_at(i);
        found += quants_by_id(format->id) == format && quants_by_name(format->name) == format;
        decodable += format->decode != NULL;
    }
    is_uint(found, quants_count(), "every row is found by its id and its name");
    is_uint(decodable, quants_count() - 4, "all types but four are decoded");
    ok(!quants_by_name("I8")->decode && !quants_by_name("I16")->decode && !quants_by_name("I32")->decode &&
           !quants_by_name("I64")->decode,
       "and those are the integers");
    ok(!quants_at(quants_count()), "there is no row past the last");
    ok(quants_by_name("q4_k") == quants_by_id(QUANTS_Q4_K), "names are found in small letters");
    ok(!quants_by_name("Q4_X"), "a name that is none is not found");
    is_uint(quants_by_id(9)->block_bytes, 36, "a Q8_1 block has 36 bytes");
    is_uint(quants_by_id(40)->block_elements, 64, "an NVFP4 block has 64 weights");
}

static void check_sizes(void)
{
    uint64_t bytes = 7;
    ok(quants_bytes(quants_by_id(QUANTS_Q4_K), 3072, &bytes), "3072 weights are whole Q4_K blocks");
    is_uint(bytes, 1728, "and take 1728 bytes");
    ok(!quants_bytes(quants_by_id(QUANTS_Q4_K), 3073, &bytes), "3073 weights are not");
    ok(!quants_bytes(quants_by_id(QUANTS_F32), UINT64_MAX / 2, &bytes), "a size beyond 64 bits is refused");
    is_uint(bytes, 1728, "and leaves the result alone");
    ok(quants_bytes(quants_by_id(QUANTS_Q4_K), 0, &bytes) && bytes == 0, "no weights take no bytes");
}

/* Ranges of three blocks (or 100 plain weights), from bytes at an odd address, with guards around. */
static void check_ranges(enum quants_type type)
{
    const struct quants_format *format = quants_by_id(type);
    size_t blocks = format->block_elements == 1 ? 100 : 3;
    static const int no_halves[2] = {-1, -1};
    uint8_t bytes[1 + 100 * 8];
    float whole[3 * 256], part[3 * 256 + 2];
    size_t elements = blocks * format->block_elements, wrong = 0, touched = 0;
    random_block(bytes, sizeof bytes, no_halves);
    format->decode(bytes + 1, blocks, whole);
    for (size_t first = 0; first < elements; first += 1 + random_number() % 5)
        for (size_t count = 0; first + count <= elements; count += 1 + random_number() % 7) {
            part[0] = part[count + 1] = 12345.0f;
            quants_decode_range(format, bytes + 1, first, count, part + 1);
            wrong += memcmp(part + 1, whole + first, count * sizeof *part) != 0;
            touched += part[0] != 12345.0f || part[count + 1] != 12345.0f;
        }
    is_uint(wrong, 0, "%s: ranges that begin and end anywhere are parts of the whole", format->name);
    is_uint(touched, 0, "%s: no range writes beside its place", format->name);
}

/* ---- every scale ---------------------------------------------------------------- */

static void put_half(uint8_t *block, int at, uint16_t bits)
{
    block[at] = (uint8_t)bits;
    block[at + 1] = (uint8_t)(bits >> 8);
}

/* The half of IQ1_M lies in the upper nibbles of four words. */
static void put_spread_half(uint8_t *block, int at, uint16_t bits)
{
    for (int k = 0; k < 4; k++)
        block[at + 1 + 2 * k] = (uint8_t)((block[at + 1 + 2 * k] & 15) | (bits >> 4 * k & 15) << 4);
}

/* Formats whose weights are d times something of the block: that something is the weight at d = 1. */
static const struct {
    enum quants_type type;
    int at;
    void (*put)(uint8_t *block, int at, uint16_t bits);
} scaled[] = {
    {QUANTS_Q8_1, 0, put_half},    {QUANTS_IQ2_XXS, 0, put_half}, {QUANTS_IQ2_XS, 0, put_half},
    {QUANTS_IQ3_XXS, 0, put_half}, {QUANTS_IQ1_S, 0, put_half},   {QUANTS_IQ4_NL, 0, put_half},
    {QUANTS_IQ3_S, 0, put_half},   {QUANTS_IQ2_S, 0, put_half},   {QUANTS_IQ4_XS, 0, put_half},
    {QUANTS_TQ1_0, 52, put_half},  {QUANTS_TQ2_0, 64, put_half},  {QUANTS_Q1_0, 0, put_half},
    {QUANTS_Q2_0, 0, put_half},    {QUANTS_IQ1_M, 48, put_spread_half},
};

static void check_every_half(size_t s)
{
    const struct quants_format *format = quants_by_id(scaled[s].type);
    uint8_t block[512];
    float unit[256], out[256];
    size_t wrong = 0;
    for (size_t i = 0; i < format->block_bytes; i++)
        block[i] = (uint8_t)random_number();
    scaled[s].put(block, scaled[s].at, 0x3c00);
    format->decode(block, 1, unit);
    for (uint32_t bits = 0; bits < 65536; bits++) {
        const float d = quants_half((uint16_t)bits);
        scaled[s].put(block, scaled[s].at, (uint16_t)bits);
        format->decode(block, 1, out);
        for (uint32_t i = 0; i < format->block_elements; i++) {
            const float wanted = d * unit[i];
            wrong += !same_bits(&out[i], (const uint8_t *)&wanted);
        }
    }
    is_uint(wrong, 0, "%s: with each of the 65536 halves as its scale", format->name);
}

static void check_scales(void)
{
    for (size_t s = 0; s < sizeof scaled / sizeof scaled[0]; s++)
        check_every_half(s);
}

int main(void)
{
    check_eighths();
    check_table();
    check_sizes();
    check_halves();
    for (size_t w = 0; w < sizeof witnesses / sizeof witnesses[0]; w++)
        check_witness(w);
    check_goldens();
    check_scales();
    check_ranges(QUANTS_F32);
    check_ranges(QUANTS_F16);
    check_ranges(QUANTS_BF16);
    check_ranges(QUANTS_Q5_1);
    check_ranges(QUANTS_Q6_K);
    check_ranges(QUANTS_Q1_0);
    check_ranges(QUANTS_NVFP4);
    check_ranges(QUANTS_F64);
    return tap_done();
}
