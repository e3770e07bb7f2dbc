/* roof_lanes.h - the loops of each instruction set that do nothing but its fastest instructions.
 *
 * Expanded once per set, as kernels/lanes_table.h is; roof.h tells what they are for.
 */
#ifndef PHI3SAT_BENCH_ROOF_LANES_H
#define PHI3SAT_BENCH_ROOF_LANES_H

#include <stddef.h>
#include <stdint.h>

/* A loop over independent chains, long enough to hide the latency. */
struct roof_loop {
    const char *instructions;    /* "vpmaddwd + vpaddd"                               */
    double operations;           /* a step; a multiply-add counts 2                     */
    void (*run)(size_t steps);
};

#define ROOF_DECLARE(set)                                                                                              \
    extern const struct roof_loop roof_lanes_fma_##set, roof_lanes_int16_##set, roof_lanes_int8_##set,                   \
        roof_lanes_decode_##set;                                                                                       \
    /* Reads all of bytes[size] (64-byte aligned, size a multiple of 1024) and returns a value of it. */               \
    uint64_t roof_lanes_read_##set(const void *bytes, size_t size);

ROOF_DECLARE(reference)
ROOF_DECLARE(avx2)
ROOF_DECLARE(avx512)
ROOF_DECLARE(neon)

#endif
