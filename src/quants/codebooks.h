/* codebooks.h - the points that the IQ formats choose from.
 *
 * A point is 8 (IQ1, IQ2) or 4 (IQ3) magnitudes out of a few levels. An entry holds the number of each
 * magnitude's level, the first one in the lowest bits:
 *
 *   codebook          points  of  bits  levels
 *   codebooks_iq1       2048   8     2  -1, 0, 1 (IQ1_S and IQ1_M)
 *   codebooks_iq2_xxs    256   8     2  8, 25, 43
 *   codebooks_iq2_xs     512   8     2  8, 25, 43
 *   codebooks_iq2_s     1024   8     2  8, 25, 43
 *   codebooks_iq3_xxs    256   4     3  4, 12, 20, 28, 36, 44, 52, 62
 *   codebooks_iq3_s      512   4     3  1, 3, 5, 7, 9, 11, 13, 15
 */
#ifndef PHI3SAT_QUANTS_CODEBOOKS_H
#define PHI3SAT_QUANTS_CODEBOOKS_H

#include <stdint.h>

extern const uint16_t codebooks_iq1[2048], codebooks_iq2_xxs[256], codebooks_iq2_xs[512], codebooks_iq2_s[1024],
    codebooks_iq3_xxs[256], codebooks_iq3_s[512];

#endif
