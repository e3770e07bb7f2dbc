/* roof.h - what this machine can do at most: the bound beside every benchmark.
 *
 * Flow: instruction set, threads -> *roof* -> operations or bytes a second. A roof is measured, never
 * taken from a data sheet: on the threads and with the instructions of the kernels it bounds, in turn with
 * them (timing.h).
 */
#ifndef PHI3SAT_BENCH_ROOF_H
#define PHI3SAT_BENCH_ROOF_H

#include "../base/error.h"
#include "../kernels/kernels.h"
#include "roof_lanes.h"
#include "timing.h"

enum roof_kind { ROOF_FMA, ROOF_INT16, ROOF_INT8, ROOF_DECODE, ROOF_KINDS };

/* "fma", "int16", "int8", "decode": what a vector of quants needs at one row (a mask, a conversion, a multiply-add to a
 * weight, one to a sum), counted as its two multiply-adds. */
extern const char *const roof_names[ROOF_KINDS];

/* The loop of a set; static storage. */
const struct roof_loop *roof_loop(const struct kernels *set, enum roof_kind kind);

/* The roof that bounds products computed in `mode`. */
enum roof_kind roof_of_mode(enum kernels_mode mode);

/* One loop on all threads at once, as a subject's context. */
struct roof_run {
    const struct roof_loop *loop;
};

/* A subject whose run is the loop on threads_count() threads. `run` must outlive it. */
void roof_subject(struct timing_subject *subject, struct roof_run *run);

/* Operations of one run of that subject on `threads` threads. */
double roof_work(const struct roof_run *run, int threads);

/* Bytes that all threads read, each its own part. */
struct roof_memory {
    uint64_t (*read)(const void *bytes, size_t size);
    uint8_t *bytes;
    size_t part;        /* bytes a thread reads, a multiple of 1024                  */
    int threads;
    uint64_t value;     /* of what was read: keeps the reading from being dropped     */
};

/* `size` bytes (rounded down to whole parts, at least one of 1 KiB) for threads_count() threads, each written by the
 * thread that will read it. Free with roof_memory_close (zeroed allowed). */
enum status roof_memory_open(struct roof_memory *m, const struct kernels *set, size_t size, struct error *e) ERROR_MUST_USE;
void roof_memory_close(struct roof_memory *m);

/* A subject whose run reads all of it once; work: bytes of a run. */
void roof_memory_subject(struct timing_subject *subject, struct roof_memory *m);
double roof_memory_work(const struct roof_memory *m);

/* Sizes to read: one that no cache holds and leaves the machine its memory, and one that stays in the last-level cache. The
 * environment may say how many MiB that has, in PHI3SAT_CACHE: a virtual machine names all of a processor's and has a part. */
size_t roof_memory_size(void);
size_t roof_cache_size(void);

/* Bytes of weights in turn that no cache holds, where several benchmarks have as many each: 4 last-level caches, at most a
 * sixteenth of the memory. */
size_t roof_beyond_cache(void);

/* Bytes of this machine's memory; SIZE_MAX when unknown. */
size_t roof_machine_memory(void);

#endif
