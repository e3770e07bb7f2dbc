/* wide.c - schoolbook arithmetic on short integers; see wide.h. */
#include "wide.h"

#include <assert.h>
#include <math.h>

__extension__ typedef unsigned __int128 two_limbs;

static void trim(struct wide *a)
{
    while (a->size && a->limb[a->size - 1] == 0)
        a->size--;
    if (a->size == 0)
        a->negative = false;
}

struct wide wide_from_unsigned(uint64_t value)
{
    struct wide r = {.size = value != 0, .limb = {value}};
    return r;
}

struct wide wide_from_limbs(const uint64_t *limbs, int count, int stride)
{
    struct wide r = {.size = count};
    r.negative = limbs[(count - 1) * stride] >> 63;
    uint64_t carry = r.negative;
    for (int i = 0; i < count; i++) {
        uint64_t limb = limbs[i * stride];
        if (r.negative) { /* magnitude = ~value + 1 */
            limb = ~limb + carry;
            carry = carry && limb == 0;
        }
        r.limb[i] = limb;
    }
    trim(&r);
    return r;
}

static int compare_magnitudes(const struct wide *a, const struct wide *b)
{
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    for (int i = a->size - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static struct wide add_magnitudes(const struct wide *a, const struct wide *b)
{
    struct wide r = {.size = a->size > b->size ? a->size : b->size};
    uint64_t carry = 0;
    for (int i = 0; i < r.size; i++) {
        two_limbs sum = (two_limbs)(i < a->size ? a->limb[i] : 0) + (i < b->size ? b->limb[i] : 0) + carry;
        r.limb[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    if (carry) {
        assert(r.size < WIDE_LIMBS);
        r.limb[r.size++] = carry;
    }
    return r;
}

/* |a| - |b|, |a| >= |b| */
static struct wide subtract_magnitudes(const struct wide *a, const struct wide *b)
{
    struct wide r = {.size = a->size};
    uint64_t borrow = 0;
    for (int i = 0; i < a->size; i++) {
        uint64_t take = i < b->size ? b->limb[i] : 0;
        uint64_t part = a->limb[i] - take;
        uint64_t next = (a->limb[i] < take) | (part < borrow);
        r.limb[i] = part - borrow;
        borrow = next;
    }
    trim(&r);
    return r;
}

static struct wide combine(const struct wide *a, const struct wide *b, bool b_negative)
{
    struct wide r;
    if (a->negative == b_negative) {
        r = add_magnitudes(a, b);
        r.negative = a->negative;
    } else if (compare_magnitudes(a, b) >= 0) {
        r = subtract_magnitudes(a, b);
        r.negative = a->negative;
    } else {
        r = subtract_magnitudes(b, a);
        r.negative = b_negative;
    }
    trim(&r);
    return r;
}

struct wide wide_add(const struct wide *a, const struct wide *b)
{
    return combine(a, b, b->negative);
}

struct wide wide_subtract(const struct wide *a, const struct wide *b)
{
    return combine(a, b, !b->negative);
}

struct wide wide_multiply(const struct wide *a, const struct wide *b)
{
    struct wide r = {.size = a->size + b->size, .negative = a->negative != b->negative};
    assert(r.size <= WIDE_LIMBS);
    for (int i = 0; i < a->size; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < b->size; j++) {
            two_limbs sum = (two_limbs)a->limb[i] * b->limb[j] + r.limb[i + j] + carry;
            r.limb[i + j] = (uint64_t)sum;
            carry = (uint64_t)(sum >> 64);
        }
        if (b->size)
            r.limb[i + b->size] = carry;
    }
    trim(&r);
    return r;
}

struct wide wide_shift(const struct wide *a, int bits)
{
    struct wide r = {.size = 0, .negative = a->negative};
    int limbs = bits / 64, rest = bits % 64;
    if (a->size == 0)
        return *a;
    r.size = a->size + limbs + 1;
    if (r.size > WIDE_LIMBS) { /* the top limb may still be zero */
        assert(r.size == WIDE_LIMBS + 1 && (rest == 0 || a->limb[a->size - 1] >> (64 - rest) == 0));
        r.size = WIDE_LIMBS;
    }
    for (int i = limbs; i < r.size; i++) {
        uint64_t high = i - limbs < a->size ? a->limb[i - limbs] : 0;
        uint64_t low = i > limbs ? a->limb[i - limbs - 1] : 0;
        r.limb[i] = rest ? high << rest | low >> (64 - rest) : high;
    }
    trim(&r);
    return r;
}

double wide_to_double(const struct wide *a, int scale)
{
    if (a->size == 0)
        return 0.0;
    /* The leading 64 bits, with all that is below them gathered in the last one:
     * the conversion to float64 then rounds as the whole number would. */
    int top = a->size - 1, lead = __builtin_clzll(a->limb[top]);
    uint64_t bits = a->limb[top] << lead, sticky = 0;
    if (top > 0 && lead) {
        bits |= a->limb[top - 1] >> (64 - lead);
        sticky |= a->limb[top - 1] << lead;
    } else if (top > 0) {
        sticky |= a->limb[top - 1];
    }
    for (int i = top - 2; i >= 0; i--)
        sticky |= a->limb[i];
    double value = (double)(bits | (sticky != 0));
    return ldexp(a->negative ? -value : value, 64 * top - lead - scale);
}
