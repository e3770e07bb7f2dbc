/* wide.h - exact integers of up to 1024 bits, for the end of the statistics.
 *
 * Flow: accumulator limbs -> *wide* -> float64 moments. Sign and magnitude, as long as
 * they need to be. The largest use is n^3 S4 at scale 2^-512: 815 bits.
 * A bignum library was rejected: fixed size, four operations, called a million times.
 */
#ifndef PHI3SAT_STATS_WIDE_H
#define PHI3SAT_STATS_WIDE_H

#include <stdbool.h>
#include <stdint.h>

#define WIDE_LIMBS 16

struct wide {
    int size;                   /* limbs in use; 0 means zero                    */
    bool negative;              /* never with size 0                             */
    uint64_t limb[WIDE_LIMBS];  /* least significant first; [size-1] is not 0    */
};

/* From two's complement limbs[count * stride] (every stride-th), count <= 3, or
 * from an unsigned number. */
struct wide wide_from_limbs(const uint64_t *limbs, int count, int stride);
struct wide wide_from_unsigned(uint64_t value);

/* r = a + b, a - b, a * b, a * 2^bits. Results must fit WIDE_LIMBS: an overflow
 * is our own mistake and stops the program by assertion. r may alias. */
struct wide wide_add(const struct wide *a, const struct wide *b);
struct wide wide_subtract(const struct wide *a, const struct wide *b);
struct wide wide_multiply(const struct wide *a, const struct wide *b);
struct wide wide_shift(const struct wide *a, int bits);

/* a * 2^-scale as float64, rounded once, half to even. */
double wide_to_double(const struct wide *a, int scale);

#endif
