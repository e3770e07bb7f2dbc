/* roof.c - see roof.h. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "roof.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/caches.h"
#include "../base/memory.h"
#include "../base/threads.h"

/* Steps of a run: about a millisecond where a step takes 5 cycles. In 50 microseconds, a thread that waits for its
 * core behind another process decides all, and a product passes its "peak" twentyfold. */
#define STEPS 800000
/* A set of kernels without a fused multiply-add in hardware takes a hundred times as long. */
#define REFERENCE_STEPS 40000

const char *const roof_names[ROOF_KINDS] = {"fma", "int16", "int8", "decode"};

#define SET(set)                                                                                                       \
    {                                                                                                                  \
        #set, {&roof_lanes_fma_##set, &roof_lanes_int16_##set, &roof_lanes_int8_##set, &roof_lanes_decode_##set}, roof_lanes_read_##set          \
    }

static const struct {
    const char *name;
    const struct roof_loop *loop[ROOF_KINDS];
    uint64_t (*read)(const void *bytes, size_t size);
} sets[] = {
    SET(reference),
#ifdef HAVE_KERNELS_NEON
    SET(neon),
#endif
#ifdef HAVE_KERNELS_AVX2
    SET(avx2),
#endif
#ifdef HAVE_KERNELS_AVX512
    SET(avx512),
#endif
};

/* The row of a set of kernels; the reference's should one be missing. */
static size_t row_of(const struct kernels *set)
{
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (strcmp(sets[i].name, set->name) == 0)
            return i;
    return 0;
}

const struct roof_loop *roof_loop(const struct kernels *set, enum roof_kind kind)
{
    return sets[row_of(set)].loop[kind];
}

enum roof_kind roof_of_mode(enum kernels_mode mode)
{
    return (int)mode < ROOF_DECODE ? (enum roof_kind)mode : ROOF_FMA; /* modes and roofs stand in one order */
}

static size_t steps_of(const struct roof_run *run)
{
    for (int kind = 0; kind < ROOF_KINDS; kind++)
        if (run->loop == sets[0].loop[kind])
            return REFERENCE_STEPS;
    return STEPS;
}

static void loop_piece(void *context, size_t i, int thread)
{
    const struct roof_run *run = context;
    (void)i;
    (void)thread;
    run->loop->run(steps_of(run));
}

static void loop_run(void *context)
{
    threads_run((size_t)threads_count(), loop_piece, context);
}

void roof_subject(struct timing_subject *subject, struct roof_run *run)
{
    subject->run = loop_run;
    subject->context = run;
}

double roof_work(const struct roof_run *run, int threads)
{
    return run->loop->operations * (double)steps_of(run) * threads;
}

static void fill_piece(void *context, size_t i, int thread)
{
    struct roof_memory *m = context;
    (void)thread;
    memset(m->bytes + i * m->part, (int)(i + 1), m->part);
}

enum status roof_memory_open(struct roof_memory *m, const struct kernels *set, size_t size, struct error *e)
{
    const size_t threads = (size_t)threads_count();
    *m = (struct roof_memory){.read = sets[row_of(set)].read, .threads = threads_count()};
    m->part = size / threads / 1024 * 1024;
    m->part = m->part > 0 ? m->part : 1024;
    const enum status s = memory_uninitialised(&m->bytes, threads, m->part, "memory to read", e);
    if (s == STATUS_OK)
        threads_run(threads, fill_piece, m);
    return s;
}

void roof_memory_close(struct roof_memory *m)
{
    memory_free(m->bytes);
    m->bytes = NULL;
}

static void read_piece(void *context, size_t i, int thread)
{
    struct roof_memory *m = context;
    (void)thread;
    const uint64_t value = m->read(m->bytes + i * m->part, m->part);
    threads_lock();
    m->value ^= value;
    threads_unlock();
}

static void read_run(void *context)
{
    const struct roof_memory *m = context;
    threads_run((size_t)m->threads, read_piece, context);
}

void roof_memory_subject(struct timing_subject *subject, struct roof_memory *m)
{
    subject->run = read_run;
    subject->context = m;
}

double roof_memory_work(const struct roof_memory *m)
{
    return (double)m->part * m->threads;
}

#define MIB ((size_t)1 << 20)

static size_t system_value(int name)
{
    const long value = sysconf(name);
    return value > 0 ? (size_t)value : 0;
}

size_t roof_machine_memory(void)
{
    const size_t pages = system_value(_SC_PHYS_PAGES), page = system_value(_SC_PAGESIZE);
    size_t bytes;
    return pages > 0 && page > 0 && memory_multiply(pages, page, &bytes) ? bytes : SIZE_MAX;
}

/* PHI3SAT_CACHE, in bytes; 0: nothing that makes sense. */
static size_t told_level(void)
{
    const char *text = getenv("PHI3SAT_CACHE");
    const unsigned long told = text ? strtoul(text, NULL, 10) : 0;
    return told <= 1 << 20 ? (size_t)told * MIB : 0;
}

/* What one core can reach: for processors of several dies sysconf may name the sum of all dies. */
static size_t last_level(void)
{
    size_t bytes = told_level();
    if (bytes == 0)
        bytes = caches_read(NULL).third;
#ifdef _SC_LEVEL3_CACHE_SIZE
    if (bytes == 0)
        bytes = system_value(_SC_LEVEL3_CACHE_SIZE);
#endif
    return bytes > 0 ? bytes : 32 * MIB;
}

size_t roof_memory_size(void)
{
    const size_t beyond = 8 * last_level(), most = roof_machine_memory() / 4;
    const size_t wanted = beyond > 1024 * MIB || told_level() > 0 ? beyond : 1024 * MIB;
    return wanted < most ? wanted : most;
}

size_t roof_beyond_cache(void)
{
    const size_t beyond = 4 * last_level(), most = roof_machine_memory() / 16;
    return beyond < most ? beyond : most;
}

size_t roof_cache_size(void)
{
    const size_t third = last_level() * 3 / 8;
    return third < 12 * MIB ? third : 12 * MIB;
}
