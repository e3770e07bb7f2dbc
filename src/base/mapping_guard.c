/* mapping_guard.c - see mapping_guard.h. The handler calls nothing that isn't async-signal-safe.
 *
 * A table of fixed size, for the handler must not find it half grown. An entry is there once its `bytes` are, which are stored
 * last and taken away first.
 *
 * Open MPI prints a trace upon SIGBUS, but leaves a handler alone that it finds when it starts; one that came first is
 * called for faults elsewhere, in MPI's shared memory say.
 *
 * Rejected: siglongjmp back to an error return. Threads of a loop hold locks, and MPI may be in the middle of a call.
 */
#include "mapping_guard.h"

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "log.h"
#include "signals.h"
#include "temporaries.h"

#define LATE_MILLISECONDS 1000 /* a rank; a launcher needs some to notice */
#define LATE_RANKS 10

static struct entry {
    bool taken;
    const uint8_t *bytes; /* [size]; NULL: no entry, or not yet */
    size_t size;
    const char *path;
} entries[MAPPING_GUARD_LIMIT];

static struct sigaction before;
static int own_rank; /* LATE_RANKS at most */
static bool fallen; /* one thread is at the last words already */

static const struct entry *find(uintptr_t address)
{
    for (size_t i = 0; i < MAPPING_GUARD_LIMIT; i++) {
        const uintptr_t first = (uintptr_t)__atomic_load_n(&entries[i].bytes, __ATOMIC_ACQUIRE);
        if (first && address >= first && address - first < entries[i].size)
            return &entries[i];
    }
    return NULL;
}

static void append(char *line, size_t size, const char *text)
{
    const size_t used = strlen(line), length = strlen(text), room = size - 1 - used;
    memcpy(line + used, text, length < room ? length : room);
    line[used + (length < room ? length : room)] = '\0';
}

static void append_number(char *line, size_t size, uint64_t number)
{
    char digits[21] = "";
    size_t at = sizeof digits - 1;
    do
        digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    append(line, size, digits + at);
}

static bool told_to_end(void)
{
    sigset_t waiting;
    if (signals_seen() || signals_hint())
        return true;
    /* Open MPI sends SIGCONT at once, SIGTERM a second later */
    return sigpending(&waiting) == 0 && (sigismember(&waiting, SIGTERM) == 1 || sigismember(&waiting, SIGCONT) == 1);
}

static void speak(const struct entry *entry, uintptr_t address)
{
    static char line[5120];
    line[0] = '\0';
    append(line, 4200, entry->path);
    append(line, sizeof line, ": was cut short while it was in use, or its disk failed (byte ");
    append_number(line, sizeof line, (uint64_t)(address - (uintptr_t)entry->bytes));
    append(line, sizeof line, " of ");
    append_number(line, sizeof line, entry->size);
    append(line, sizeof line, "); run again with the whole file");
    log_last_words(line);
}

static void on_fault(int number, siginfo_t *about, void *context)
{
    const uintptr_t address = (uintptr_t)about->si_addr;
    const struct entry *entry = about->si_code > 0 ? find(address) : NULL;
    (void)context;
    if (!entry) { /* not ours: the instruction is tried again, and then it ends as it would without us */
        if (sigaction(number, &before, NULL) != 0)
            _exit(STATUS_FAILED);
        if (about->si_code <= 0)
            raise(number);
        return;
    }
    while (__atomic_exchange_n(&fallen, true, __ATOMIC_ACQ_REL))
        pause();
    temporaries_remove();
    if (own_rank)
        poll(NULL, 0, LATE_MILLISECONDS * own_rank);
    if (!own_rank || !told_to_end())
        speak(entry, address);
    _exit(STATUS_INPUT);
}

static void watch(void)
{
    struct sigaction now, ours;
    if (sigaction(SIGBUS, NULL, &now) != 0 || ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_fault))
        return;
    memset(&ours, 0, sizeof ours);
    ours.sa_sigaction = on_fault;
    ours.sa_flags = SA_SIGINFO;
    sigfillset(&ours.sa_mask);
    before = now;
    sigaction(SIGBUS, &ours, NULL);
}

void mapping_guard_add(const uint8_t *bytes, size_t size, const char *path)
{
    for (size_t i = 0; i < MAPPING_GUARD_LIMIT; i++) {
        struct entry *entry = &entries[i];
        if (__atomic_exchange_n(&entry->taken, true, __ATOMIC_ACQ_REL))
            continue;
        entry->size = size;
        entry->path = path;
        __atomic_store_n(&entry->bytes, bytes, __ATOMIC_RELEASE);
        break;
    }
    watch();
}

void mapping_guard_remove(const uint8_t *bytes)
{
    for (size_t i = 0; i < MAPPING_GUARD_LIMIT; i++) {
        if (__atomic_load_n(&entries[i].bytes, __ATOMIC_ACQUIRE) != bytes)
            continue;
        __atomic_store_n(&entries[i].bytes, NULL, __ATOMIC_RELEASE);
        __atomic_store_n(&entries[i].taken, false, __ATOMIC_RELEASE);
        return;
    }
}

void mapping_guard_rank(int rank)
{
    own_rank = rank < LATE_RANKS ? rank : LATE_RANKS;
}
