/* hdf5_alone.c - counts what damaged archives do to HDF5's library when nothing stands between.
 *
 * Usage: hdf5_alone bytes|structures N SEED ARCHIVE
 *
 * Each of N mutants of an archive is read by a child of its own, without seal, as archive_source.c reads: `bytes` changes one to
 * three random bytes, `structures` is the mutator of fuzz_archive. docs/security.md gives what it prints: the reason for
 * src/archive/archive_guard.c.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "archive_oracle.h"
#include "fuzz.h"
#include "hdf5_mutate.h"

#define LARGEST ((size_t)1 << 21)
#define MOST_MEMORY ((rlim_t)4 << 30)
#define MUCH_MEMORY 200000 /* KiB of a process */

/* The engine's, which this program doesn't have. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return archive_oracle_run(data, size, false);
}

static struct {
    long crashed, hung, greedy, accepted, refused;
} seen;

static void read_it(const char *path)
{
    struct error e;
    const struct itimerval second = {.it_value = {.tv_sec = 1}};
    const struct rlimit space = {MOST_MEMORY, MOST_MEMORY}, no_core = {0, 0};
    setrlimit(RLIMIT_AS, &space);
    setrlimit(RLIMIT_CORE, &no_core);
    setitimer(ITIMER_PROF, &second, NULL);
    if (!freopen("/dev/null", "w", stderr))
        _exit(99);
    const enum status s = archive_oracle_read(path, false, true, &e);
    _exit(s == STATUS_OK ? 0 : 3);
}

static void count(int how, const struct rusage *used)
{
    if (used->ru_maxrss > MUCH_MEMORY)
        seen.greedy++;
    if (WIFSIGNALED(how) && WTERMSIG(how) == SIGPROF)
        seen.hung++;
    else if (WIFSIGNALED(how))
        seen.crashed++;
    else if (WEXITSTATUS(how) == 0)
        seen.accepted++;
    else
        seen.refused++;
}

static size_t change(uint8_t *data, size_t size, bool structures, struct mutate_random *r)
{
    for (size_t i = 1 + mutate_below(r, 3); i-- > 0;)
        if (structures)
            size = hdf5_mutate(data, size, LARGEST, r);
        else
            data[mutate_below(r, size)] = (uint8_t)mutate_next(r);
    return size;
}

int main(int argc, char **argv)
{
    static uint8_t seed[LARGEST], data[LARGEST];
    FILE *f = argc == 5 ? fopen(argv[4], "rb") : NULL;
    const size_t size = f ? hdf5_mutate_unseal(seed, fread(seed, 1, sizeof seed, f)) : 0;
    if (!size) {
        fprintf(stderr, "usage: hdf5_alone bytes|structures N SEED ARCHIVE\n");
        return 2;
    }
    fclose(f);
    const bool structures = strcmp(argv[1], "structures") == 0;
    const long n = strtol(argv[2], NULL, 10);
    for (long i = 0; i < n; i++) {
        struct mutate_random r = mutate_random(strtoull(argv[3], NULL, 10) * 1000003 + (uint64_t)i);
        struct rusage used;
        int how = 0;
        memcpy(data, seed, size);
        const char *path = fuzz_put("a.h5", data, change(data, size, structures, &r));
        const pid_t child = fork();
        if (child == 0)
            read_it(path);
        if (child < 0 || wait4(child, &how, 0, &used) < 0)
            return 99;
        count(how, &used);
    }
    fuzz_leave();
    printf("%ld mutants: %ld crashed, %ld took over 1 s, %ld over %d MB; %ld accepted, %ld refused\n", n, seen.crashed,
           seen.hung, seen.greedy, MUCH_MEMORY / 1000, seen.accepted, seen.refused);
    return 0;
}
