/* test_roof.c - every set's loops run and count their work; memory is read on all threads. */
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "bench/roof.h"
#include "tap.h"

static void loops(const struct kernels *set)
{
    static struct timing_subject subject;
    const struct timing_plan plan = {.warmup = 0, .rounds = 1, .seconds = 0, .shortest = 0};
    for (int kind = 0; kind < ROOF_KINDS; kind++) {
        struct roof_run run = {roof_loop(set, (enum roof_kind)kind)};
        roof_subject(&subject, &run);
        timing_alternate(&plan, &(struct timing_subject *){&subject}, 1);
        ok(subject.count == 1 && subject.seconds[0] > 0 && run.loop->operations > 0 && *run.loop->instructions != '\0',
           "%s: the loop for %s runs: %s", set->name, roof_names[kind], run.loop->instructions);
        ok(roof_work(&run, 2) == 2 * roof_work(&run, 1), "two threads do twice the work");
    }
}

static void reading(const struct kernels *set, int threads)
{
    struct roof_memory m;
    struct error e;
    static struct timing_subject subject;
    const struct timing_plan plan = {.warmup = 0, .rounds = 1, .seconds = 0, .shortest = 0};
    threads_set(threads);
    if (roof_memory_open(&m, set, 100000, &e) != STATUS_OK)
        bail("no memory to read");
    ok(m.part % 1024 == 0 && m.part * (size_t)threads <= 100000, "%d threads get whole parts", threads);
    m.bytes[m.part * (size_t)threads - 1] ^= 0x40; /* the last byte counts too */
    roof_memory_subject(&subject, &m);
    timing_alternate(&plan, &(struct timing_subject *){&subject}, 1);
    ok(m.value != 0, "%s: %d threads read all of it", set->name, threads);
    ok(roof_memory_work(&m) == (double)(m.part * (size_t)threads), "and that is the work");
    roof_memory_close(&m);
    roof_memory_close(&m);
}

int main(void)
{
    for (size_t i = 0; kernels_at(i); i++) {
        threads_set(2);
        loops(kernels_at(i));
        reading(kernels_at(i), 1);
        reading(kernels_at(i), 3);
    }
    is_int(roof_of_mode(KERNELS_F32), ROOF_FMA, "multiply-adds bound float32 products");
    ok(roof_memory_size() >= 1024 && roof_cache_size() >= 1024, "there are sizes to read");
    ok(roof_machine_memory() > roof_memory_size(), "which leave memory to others");
    setenv("PHI3SAT_CACHE", "2", 1);
    ok(roof_memory_size() == 16 << 20 && roof_beyond_cache() == 8 << 20 && roof_cache_size() == 768 << 10,
       "the environment may say how large the cache is");
    setenv("PHI3SAT_CACHE", "what", 1);
    ok(roof_memory_size() >= roof_beyond_cache() && roof_beyond_cache() > 8 << 20, "and nonsense is none");
    unsetenv("PHI3SAT_CACHE");
    return tap_done();
}
