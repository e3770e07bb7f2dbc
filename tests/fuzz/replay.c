/* replay.c - runs a fuzz target without libFuzzer: files once each, or mutants made of them.
 *
 * Usage: fuzz_NAME [--save FOLDER] [--limit SECONDS] FILE|FOLDER...
 *        fuzz_NAME --mutate N [--seed S] [--from I] ... FILE|FOLDER...
 *
 * Mutant I depends on the files (in the order of their names), S and I only. A run that crashes, or takes more processor
 * time than the limit, is written to FOLDER/NAME-crash-HASH or NAME-hang-HASH, from where it can be run again; the exit
 * status is not 0 then. Processor time, not the clock: other programs may be at work.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "fuzz.h"
#include "mutate.h"

#define LARGEST ((size_t)1 << 21) /* of a mutant */
#define ASLEEP 120                /* seconds that a run may wait for something */

#pragma weak LLVMFuzzerCustomMutator
#pragma weak LLVMFuzzerInitialize

/* AddressSanitizer's, where it is linked. */
void __sanitizer_set_death_callback(void (*callback)(void));
#pragma weak __sanitizer_set_death_callback

struct seed {
    char *path;
    uint8_t *bytes;
    size_t size;
};

static struct {
    struct seed *seeds; /* [count] */
    size_t count, mutants, from;
    uint64_t seed;
    long limit;
    const char *save, *name;
} o = {.limit = 1, .save = "."};

/* What is being run: for the signal handler. */
static const uint8_t *volatile current;
static volatile size_t current_size, current_number;

static struct mutate_random engine; /* behind LLVMFuzzerMutate */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max)
{
    return mutate_bytes(data, size, max, &engine);
}

/* ---- when a run ends badly --------------------------------------------------------------- */

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return;
}

/* `to` has room for its digits. */
static char *digits(char *to, uint64_t value, unsigned base)
{
    char back[24];
    size_t n = 0;
    do
        back[n++] = "0123456789abcdef"[value % base];
    while ((value /= base) != 0);
    while (n)
        *to++ = back[--n];
    *to = '\0';
    return to;
}

static char *add(char *to, const char *text)
{
    const size_t length = strlen(text);
    memcpy(to, text, length + 1);
    return to + length;
}

/* Writes the input aside. No stdio: it is called from signal handlers. */
static void keep(const char *how)
{
    static char path[PATH_MAX + 256], number[24];
    static volatile sig_atomic_t kept;
    uint64_t hash = 14695981039346656037u;
    if (kept || !current) {
        fuzz_leave();
        return;
    }
    kept = 1;
    for (size_t i = 0; i < current_size; i++)
        hash = (hash ^ current[i]) * 1099511628211u;
    char *at = add(add(add(path, o.save), "/"), o.name);
    digits(add(add(add(at, "-"), how), "-"), hash, 16);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    say(o.name);
    say(": a ");
    say(how);
    say(" of input number ");
    digits(number, current_number, 10);
    say(number);
    if (fd >= 0 && write(fd, (const void *)current, current_size) == (ssize_t)current_size) {
        say(", kept as ");
        say(path);
    }
    say("\n");
    fuzz_leave();
}

static void crashed(int signal_number)
{
    keep("crash");
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void hung(int signal_number)
{
    (void)signal_number;
    keep("hang");
    _exit(98);
}

static void died(void)
{
    keep("crash");
}

static void watch_signals(void)
{
    static uint8_t stack[1 << 16]; /* the usual one may be what ran out */
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = crashed, .sa_flags = SA_ONSTACK};
    sigaltstack(&other, NULL);
    sigaction(SIGABRT, &action, NULL);
    /* A sanitizer says more about these. */
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal && !__sanitizer_set_death_callback; i++)
        sigaction(fatal[i], &action, NULL);
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(died);
    action.sa_handler = hung;
    sigaction(SIGPROF, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
}

/* ---- runs ----------------------------------------------------------------------------- */

static void run(const uint8_t *bytes, size_t size, size_t number)
{
    /* A block of just that size: a read past its end is one past a block's. */
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        exit(99);
    memcpy(copy, bytes, size);
    current = copy;
    current_size = size;
    current_number = number;
    const struct itimerval limit = {.it_value = {.tv_sec = o.limit}}, none = {0};
    setitimer(ITIMER_PROF, &limit, NULL);
    alarm(ASLEEP);
    const int result = LLVMFuzzerTestOneInput(copy, size);
    alarm(0);
    setitimer(ITIMER_PROF, &none, NULL);
    fuzz_claim(result == 0, "a target returns 0");
    current = NULL;
    free(copy);
}

static size_t change(uint8_t *data, size_t size, struct mutate_random *r)
{
    engine = mutate_random(mutate_next(r));
    if (LLVMFuzzerCustomMutator && !mutate_one_in(r, 5))
        return LLVMFuzzerCustomMutator(data, size, LARGEST, (unsigned)mutate_next(r));
    if (o.count > 1 && mutate_one_in(r, 12)) {
        const struct seed *other = &o.seeds[mutate_below(r, o.count)];
        return mutate_splice(data, size, LARGEST, other->bytes, other->size, r);
    }
    return mutate_bytes(data, size, LARGEST, r);
}

static void run_mutant(uint8_t *data, size_t number)
{
    struct mutate_random r = mutate_random(o.seed * 0x100000001B3u + number);
    const struct seed *s = &o.seeds[mutate_below(&r, o.count)];
    size_t size = s->size, changes = mutate_one_in(&r, 2) ? 1 : 1 + mutate_below(&r, 6);
    memcpy(data, s->bytes, size);
    while (changes--)
        size = change(data, size, &r);
    run(data, size, number);
}

static size_t open_files(void)
{
    size_t count = 0;
    for (int fd = 0; fd < 1024; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static void run_all(void)
{
    uint8_t *data = malloc(LARGEST);
    size_t files = 0;
    if (!data)
        exit(99);
    if (!o.mutants)
        for (size_t i = 0; i < o.count; i++)
            run(o.seeds[i].bytes, o.seeds[i].size, i);
    for (size_t i = o.from; i < o.from + o.mutants; i++) {
        run_mutant(data, i);
        if (i == o.from)
            files = open_files();
    }
    if (o.mutants) /* a target may keep one or two for all runs */
        fuzz_claim(open_files() <= files + 2, "runs leave no files open");
    free(data);
}

/* ---- seeds ------------------------------------------------------------------------------ */

static void give_up(const char *what, const char *name)
{
    fprintf(stderr, "%s: %s %s\n", o.name, what, name);
    exit(2);
}

static void load(const char *path)
{
    struct stat about;
    FILE *f = fopen(path, "rb");
    if (!f || fstat(fileno(f), &about) != 0)
        give_up("can't read", path);
    const size_t size = (size_t)about.st_size;
    if (size > LARGEST / 2 && o.mutants)
        give_up("is too large for a seed:", path);
    o.seeds = realloc(o.seeds, (o.count + 1) * sizeof *o.seeds);
    if (!o.seeds)
        exit(99);
    struct seed *s = &o.seeds[o.count++];
    s->path = strdup(path);
    s->size = size;
    s->bytes = malloc(size ? size : 1);
    if (!s->path || !s->bytes || fread(s->bytes, 1, size, f) != size)
        give_up("can't read", path);
    fclose(f);
}

static void gather(const char *path)
{
    struct stat about;
    struct dirent **entries;
    char inner[PATH_MAX];
    if (stat(path, &about) != 0)
        give_up("can't find", path);
    if (!S_ISDIR(about.st_mode)) {
        load(path);
        return;
    }
    const int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.') {
            snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name);
            gather(inner);
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

static void show(void)
{
    struct rusage used;
    const struct fuzz_counts c = fuzz_counts();
    getrusage(RUSAGE_SELF, &used);
    const double seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    printf("%s: %zu runs, %zu accepted, %zu refused, at most %zu bytes (refused: %.1f times the input), %.1f s\n", o.name, c.runs,
           c.accepted, c.refused, c.peak, c.refused_most, seconds);
}

static unsigned long long number_of(const char *option, const char *text)
{
    char *end = NULL;
    const unsigned long long value = text ? strtoull(text, &end, 10) : 0;
    if (!text || *end || end == text)
        give_up("needs a number:", option);
    return value;
}

static void take_option(const char *option, const char *value)
{
    if (strcmp(option, "--mutate") == 0)
        o.mutants = (size_t)number_of(option, value);
    else if (strcmp(option, "--seed") == 0)
        o.seed = number_of(option, value);
    else if (strcmp(option, "--from") == 0)
        o.from = (size_t)number_of(option, value);
    else if (strcmp(option, "--limit") == 0)
        o.limit = (long)number_of(option, value);
    else if (strcmp(option, "--save") == 0 && value && strlen(value) < PATH_MAX)
        o.save = value;
    else
        give_up("doesn't know", option);
}

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');
    int i = 1;
    o.name = slash ? slash + 1 : argv[0];
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i += 2)
        take_option(argv[i], argv[i + 1]);
    if (LLVMFuzzerInitialize)
        (void)LLVMFuzzerInitialize(&argc, &argv);
    for (; i < argc; i++)
        gather(argv[i]);
    if (!o.count)
        give_up("needs files or folders, and found none;", "there are the options --mutate, --seed, --from, --limit, --save");
    watch_signals();
    run_all();
    show();
    for (size_t s = 0; s < o.count; s++) {
        free(o.seeds[s].path);
        free(o.seeds[s].bytes);
    }
    free(o.seeds);
    return 0;
}
