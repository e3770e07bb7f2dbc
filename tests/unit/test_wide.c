/* test_wide.c - wide integers against 128-bit ones, against identities, and rounding to float64. */
#include <math.h>
#include <string.h>

#include "reference_sums.h"
#include "stats/wide.h"
#include "tap.h"

__extension__ typedef __int128 wide_int;

#define ROUNDS 20000

/* Two's complement in three limbs. */
static struct wide from_int(wide_int v)
{
    uint64_t limbs[3] = {(uint64_t)v, (uint64_t)(v >> 64), v < 0 ? UINT64_MAX : 0};
    return wide_from_limbs(limbs, 3, 1);
}

/* Low 128 bits, two's complement. */
static wide_int to_int(const struct wide *a)
{
    wide_int v = 0;
    for (int i = a->size < 2 ? a->size : 2; i-- > 0;)
        v = (wide_int)((__extension__(unsigned __int128)v << 64) | a->limb[i]);
    return a->negative ? -v : v;
}

static bool same(const struct wide *a, const struct wide *b)
{
    return a->size == b->size && a->negative == b->negative &&
           memcmp(a->limb, b->limb, (size_t)a->size * sizeof a->limb[0]) == 0;
}

/* A number of up to `bits` bits, all lengths alike, with long runs of zeros and ones. */
static wide_int random_int(int bits)
{
    wide_int v = 0;
    for (int done = 0; done < 126; done += 21)
        v = v << 21 | (wide_int)(reference_random() % 3 == 0 ? reference_random() >> 43 : reference_random() % 2 * 0x1fffff);
    v &= ((wide_int)1 << (reference_random() % (unsigned)bits + 1)) - 1;
    return reference_random() & 1 ? -v : v;
}

static struct wide random_wide(int limbs)
{
    struct wide a = from_int(random_int(126));
    for (int i = 2; i < limbs; i += 2) {
        struct wide b = from_int(random_int(126));
        a = wide_shift(&a, 128);
        a = wide_add(&a, &b);
    }
    return a;
}

static void small_numbers(void)
{
    bool sums = true, differences = true, products = true, shifts = true;
    for (int round = 0; round < ROUNDS; round++) {
        wide_int x = random_int(125), y = random_int(125), p = random_int(62), q = random_int(62);
        struct wide a = from_int(x), b = from_int(y), c = from_int(p), d = from_int(q);
        int bits = (int)(reference_random() % 64);
        struct wide sum = wide_add(&a, &b), difference = wide_subtract(&a, &b), product = wide_multiply(&c, &d);
        struct wide shifted = wide_shift(&c, bits);
        sums &= to_int(&sum) == x + y && sum.size <= 2 && sum.negative == (x + y < 0);
        differences &= to_int(&difference) == x - y && difference.negative == (x < y);
        products &= to_int(&product) == p * q;
        shifts &= to_int(&shifted) == p * ((wide_int)1 << bits);
    }
    ok(sums, "sums equal those of 128-bit integers");
    ok(differences, "differences equal those of 128-bit integers");
    ok(products, "products equal those of 128-bit integers");
    ok(shifts, "shifts equal those of 128-bit integers");
}

static void large_numbers(void)
{
    bool squares = true, shifts = true, zero = true, distributes = true;
    for (int round = 0; round < ROUNDS / 4; round++) {
        struct wide a = random_wide(6), b = random_wide(6), c = random_wide(4);
        struct wide sum = wide_add(&a, &b), difference = wide_subtract(&a, &b);
        struct wide left = wide_multiply(&sum, &difference), aa = wide_multiply(&a, &a), bb = wide_multiply(&b, &b);
        struct wide right = wide_subtract(&aa, &bb);
        squares &= same(&left, &right);
        left = wide_multiply(&sum, &c);
        struct wide ac = wide_multiply(&a, &c), bc = wide_multiply(&b, &c);
        right = wide_add(&ac, &bc);
        distributes &= same(&left, &right);
        int bits = (int)(reference_random() % 400);
        struct wide power = wide_from_unsigned(1);
        for (int i = 0; i < bits; i++)
            power = wide_add(&power, &power);
        left = wide_shift(&c, bits);
        right = wide_multiply(&c, &power);
        shifts &= same(&left, &right);
        left = wide_subtract(&a, &a);
        zero &= left.size == 0 && !left.negative;
    }
    ok(squares, "(a+b)(a-b) is a^2-b^2 for 384-bit numbers");
    ok(distributes, "(a+b)c is ac+bc");
    ok(shifts, "shifting is multiplying by a power of two");
    ok(zero, "a-a is zero without a sign");
}

static void full_width(void)
{
    struct wide one = wide_from_unsigned(1), top = wide_shift(&one, 1023);
    is_int(top.size, 16, "2^1023 has 16 limbs");
    is_double(wide_to_double(&top, 0), 0x1p1023, 0.0, "2^1023 is held");
    struct wide rest = wide_subtract(&top, &one);
    rest = wide_add(&rest, &top);
    is_double(wide_to_double(&rest, 1), 0x1p1023, 0.0, "2^1024 - 1 is held and rounds up");
    const uint64_t strided[9] = {7, 1, 1, 0, 1, 1, 0x8000000000000000u, 1, 1};
    struct wide a = wide_from_limbs(strided, 3, 3);
    ok(a.negative && a.size == 3 && a.limb[2] == 0x7fffffffffffffffu && a.limb[0] == (uint64_t)-7,
       "limbs with a stride are two's complement");
    const uint64_t least[3] = {0, 0, 0x8000000000000000u};
    a = wide_from_limbs(least, 3, 1);
    is_double(wide_to_double(&a, 128), -0x1p63, 0.0, "the least number of three limbs is -2^191");
}

static void rounding(void)
{
    bool direct = true, sticky = true;
    for (int round = 0; round < ROUNDS; round++) {
        wide_int x = random_int(112);
        struct wide a = from_int(x);
        int scale = (int)(reference_random() % 200);
        direct &= wide_to_double(&a, scale) == ldexp((double)(reference_real)x, -scale);
        /* a tie of the 54th bit, far above one more bit at the very end */
        uint64_t mantissa = (uint64_t)1 << 53 | reference_random() >> 11 | 1; /* 54 bits, odd */
        struct wide m = wide_from_unsigned(mantissa), one = wide_from_unsigned(1);
        int up = (int)(reference_random() % 700) + 1;
        m = wide_shift(&m, up);
        struct wide above = wide_add(&m, &one), below = wide_subtract(&m, &one);
        uint64_t even = mantissa % 4 == 3 ? mantissa + 1 : mantissa - 1;
        sticky &= wide_to_double(&m, up) == (double)even && wide_to_double(&above, up) == (double)(mantissa + 1) &&
                  wide_to_double(&below, up) == (double)(mantissa - 1);
    }
    ok(direct, "conversion to float64 rounds as a 128-bit integer does");
    ok(sticky, "a tie goes to even, and one bit far below decides");
    struct wide zero = wide_from_unsigned(0);
    ok(wide_to_double(&zero, 77) == 0.0 && !signbit(wide_to_double(&zero, 77)), "zero is +0");
}

int main(void)
{
    small_numbers();
    large_numbers();
    full_width();
    rounding();
    return tap_done();
}
