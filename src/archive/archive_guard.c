/* archive_guard.c - the side that asks; see archive_guard.h, guard_wire.h for the talk.
 *
 * The other process may have been taken over by the file that it reads, so its answers are checked: texts end, numbers
 * that are an index or a size are in their range. That it is gone is told by its socket, why by how it ended.
 */
#include "archive_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/memory.h"
#include "attributes.h"
#include "guard_wire.h"

/* Silent for so long (ms): it waits for something that its own clock of processor time doesn't see. */
#define WAIT 120000
#define NAME_LIMIT 65536 /* of an attribute, in HDF5 */
#define SOCKET 3         /* of the process that reads; 0 to 2 are /dev/null */

static struct {
    pid_t process;
    int socket;   /* -1: there is none                  */
    unsigned age; /* of the process, from 1              */
    size_t open;  /* archives                            */
    bool kept;    /* though none is open                 */
} guard = {.socket = -1};

static void close_others(void)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, SOCKET + 1, ~0U, 0) == 0)
        return;
#endif
    struct rlimit files;
    const int most = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < 65536 ? (int)files.rlim_cur : 65536;
    for (int fd = SOCKET + 1; fd < most; fd++)
        close(fd);
}

/* In the new process: nothing of ours may stay open (locks and connections would outlive us), no signal for the
 * group is for it, and those of a crash do what they do, without a word or a core. */
static void settle_in(int fd)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGQUIT, SIGPIPE};
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF, SIGXCPU};
    const struct rlimit none = {0, 0};
    const int nothing = open("/dev/null", O_RDWR);
    sigset_t all;
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        signal(deadly[i], SIG_DFL);
    sigemptyset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    setrlimit(RLIMIT_CORE, &none);
    setsid(); /* no terminal */
    const int kept = fcntl(fd, F_DUPFD, SOCKET);
    for (int i = 0; i < SOCKET && nothing >= 0; i++)
        dup2(nothing, i);
    dup2(kept, SOCKET);
    close_others();
}

static enum status no_process(struct error *e)
{
    error_set(e, STATUS_FAILED, "can't start the process that reads archives: %s", strerror(errno));
    error_advice(e, "give the job more memory, or allow more processes (ulimit -u)");
    return STATUS_FAILED;
}

enum status archive_guard_start(struct error *e)
{
    int pair[2];
    if (guard.socket >= 0)
        return STATUS_OK;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return no_process(e);
    guard.process = fork();
    if (guard.process == 0) {
        settle_in(pair[1]);
        guard_process_serve(SOCKET);
        _exit(0);
    }
    close(pair[1]);
    if (guard.process < 0) {
        close(pair[0]);
        return no_process(e);
    }
    guard.socket = pair[0];
    guard.age++;
    guard.open = 0;
    guard.kept = false;
    return STATUS_OK;
}

/* How it ended, as waitpid tells; -1: not known. */
static int wait_for_end(void)
{
    int how = -1;
    close(guard.socket);
    guard.socket = -1;
    while (waitpid(guard.process, &how, 0) < 0)
        if (errno != EINTR)
            return -1;
    return how;
}

void archive_guard_keep(void)
{
    guard.kept = archive_guard_start(NULL) == STATUS_OK;
}

void archive_guard_end(void)
{
    if (guard.socket >= 0)
        wait_for_end();
}

/* It no longer answers. */
static enum status lost(const char *path, struct error *e)
{
    const bool silent = errno == ETIMEDOUT;
    if (silent)
        kill(guard.process, SIGKILL);
    const int how = wait_for_end();
    const int ended_by = how >= 0 && WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    if (ended_by == SIGKILL && !silent) {
        error_set(e, STATUS_FAILED, "the process that reads archives was killed");
        error_advice(e, "give the job more memory");
    } else {
        error_set(e, STATUS_INPUT, "is damaged: HDF5's library %s",
                  silent || ended_by == SIGPROF ? "takes far longer over it than over any file of its size"
                                                : "crashes on it");
        error_advice(e, "get it again from where it came from, or make it anew");
    }
    return error_file(e, path);
}

static enum status strange(const char *path, struct error *e)
{
    kill(guard.process, SIGKILL);
    wait_for_end();
    error_set(e, STATUS_INPUT, "is damaged: HDF5's library loses its mind over it");
    error_advice(e, "get it again from where it came from, or make it anew");
    return error_file(e, path);
}

static bool receive(void *bytes, size_t size)
{
    errno = 0;
    return guard_wire_receive(guard.socket, bytes, size, WAIT);
}

#define LAST(text) (text)[sizeof(text) - 1]

/* The reply's head; on failure its error, which is as untrusted as all the rest. */
static enum status receive_reply(struct guard_wire_reply *answer, const char *path, struct error *e)
{
    struct error told;
    if (!receive(answer, sizeof *answer))
        return lost(path, e);
    if (answer->status == STATUS_OK)
        return STATUS_OK;
    if (!receive(&told, sizeof told))
        return lost(path, e);
    LAST(told.file) = LAST(told.sentence) = LAST(told.where) = LAST(told.advice) = '\0';
    told.status = answer->status == STATUS_FAILED ? STATUS_FAILED : STATUS_INPUT;
    if (e)
        *e = told;
    return told.status;
}

static bool ends(const char *text, size_t size)
{
    return memchr(text, '\0', size) != NULL;
}

/* Could archive_source have said so? */
static bool is_sane(const struct archive_opened *o, enum schema_kind kind)
{
    const struct schema_sizes *s = &o->sizes;
    uint8_t flag;
    for (const struct archive_facts_row *row = archive_facts_table; row->name; row++)
        if (row->kind == ARCHIVE_FACTS_TEXT && !ends((const char *)&o->facts + row->offset, row->size))
            return false;
    memcpy(&flag, &o->facts.criteria.activity_signed, sizeof flag);
    return flag <= 1 && (unsigned)o->facts.criteria.combine <= CRITERIA_FFN && s->kind == kind &&
           s->of[SCHEMA_NONE] == 1 && s->of[SCHEMA_RANK] == ACCUMULATOR_EXTREMES &&
           s->of[SCHEMA_LIMB] == ACCUMULATOR_LIMBS && s->of[SCHEMA_WORD] == 2 && s->of[SCHEMA_LAYER] > 0 &&
           s->of[SCHEMA_LAYER] <= ARCHIVE_SOURCE_LAYERS_LIMIT && s->of[SCHEMA_NEURON] > 0 &&
           s->of[SCHEMA_NEURON] <= ARCHIVE_SOURCE_NEURONS_LIMIT && o->facts.layers == s->of[SCHEMA_LAYER] &&
           o->facts.intermediate_size == s->of[SCHEMA_NEURON] && o->run_count <= ARCHIVE_SOURCE_RUN_LIMIT;
}

static enum status receive_text(char **text, uint64_t size, uint64_t most, const char *path, struct error *e)
{
    if (size == 0 || size > most)
        return strange(path, e);
    enum status s = memory_array(text, (size_t)size, 1, "the run's attributes", e);
    if (s == STATUS_OK && !receive(*text, (size_t)size))
        s = lost(path, e);
    else if (s == STATUS_OK)
        (*text)[size - 1] = '\0';
    else
        archive_guard_end(); /* what it still says is of no use */
    return s;
}

static enum status receive_pairs(struct archive_opened *o, size_t count, const char *path, struct error *e)
{
    struct guard_wire_pair sizes;
    enum status s = memory_array(&o->run, count, sizeof *o->run, "the run's attributes", e);
    if (s != STATUS_OK)
        archive_guard_end();
    for (size_t i = 0; i < count && s == STATUS_OK; i++) {
        o->run_count = i + 1;
        s = receive(&sizes, sizeof sizes) ? STATUS_OK : lost(path, e);
        if (s == STATUS_OK)
            s = receive_text(&o->run[i].name, sizes.name_length, NAME_LIMIT, path, e);
        if (s == STATUS_OK)
            s = receive_text(&o->run[i].value, sizes.value_length, ATTRIBUTES_TEXT_LIMIT + 1, path, e);
    }
    return s;
}

static enum status receive_opened(struct archive_opened *o, const char *path, enum schema_kind kind, struct error *e)
{
    if (!receive(o, sizeof *o)) {
        memset(o, 0, sizeof *o);
        return lost(path, e);
    }
    const bool sane = is_sane(o, kind);
    const size_t count = o->run_count;
    o->facts.layer_fingerprint = NULL;
    o->run = NULL;
    o->run_count = 0;
    return sane ? receive_pairs(o, count, path, e) : strange(path, e);
}

enum status archive_guard_open(struct archive_guarded *g, const char *path, enum schema_kind kind,
                               struct archive_opened *opened, struct error *e)
{
    const struct guard_wire_request q = {.what = GUARD_WIRE_OPEN, .kind = (int32_t)kind, .length = strlen(path)};
    struct guard_wire_reply answer;
    memset(opened, 0, sizeof *opened);
    enum status s = archive_guard_start(e);
    if (s != STATUS_OK)
        return s;
    guard.open++; /* so that closing `g` ends the process if there is nothing else to read */
    *g = (struct archive_guarded){guard.age, -1, path};
    if (!guard_wire_send(guard.socket, &q, sizeof q) || !guard_wire_send(guard.socket, path, (size_t)q.length))
        return lost(path, e);
    s = receive_reply(&answer, path, e);
    if (s != STATUS_OK)
        return s;
    g->handle = answer.handle;
    return receive_opened(opened, path, kind, e);
}

/* The process that had it open is gone, over another archive. */
static enum status is_gone(const struct archive_guarded *g, struct error *e)
{
    error_set(e, STATUS_FAILED, "can't be read on: the process that reads archives has ended");
    return error_file(e, g->path);
}

static enum status ask(const struct archive_guarded *g, enum guard_wire_what what, size_t i, size_t layer,
                       struct guard_wire_reply *answer, struct error *e)
{
    const struct guard_wire_request q = {.what = (int32_t)what, .handle = g->handle, .i = i, .layer = layer};
    if (guard.socket < 0 || g->age != guard.age)
        return is_gone(g, e);
    if (!guard_wire_send(guard.socket, &q, sizeof q))
        return lost(g->path, e);
    return receive_reply(answer, g->path, e);
}

enum status archive_guard_piece(const struct archive_guarded *g, size_t i, size_t layer, void *flat, size_t size,
                                struct error *e)
{
    struct guard_wire_reply answer;
    enum status s = ask(g, GUARD_WIRE_PIECE, i, layer, &answer, e);
    if (s != STATUS_OK)
        return s;
    if (answer.size != size)
        return strange(g->path, e);
    return receive(flat, size) ? STATUS_OK : lost(g->path, e);
}

enum status archive_guard_stored(const struct archive_guarded *g, size_t i, uint64_t *bytes, struct error *e)
{
    struct guard_wire_reply answer;
    enum status s = ask(g, GUARD_WIRE_STORED, i, 0, &answer, e);
    *bytes = s == STATUS_OK ? answer.size : 0;
    return s;
}

void archive_guard_close(struct archive_guarded *g)
{
    const struct guard_wire_request q = {.what = GUARD_WIRE_CLOSE, .handle = g->handle};
    if (g->age != guard.age || guard.socket < 0 || !g->path)
        return;
    if (g->handle >= 0 && !guard_wire_send(guard.socket, &q, sizeof q))
        guard.open = 1, guard.kept = false; /* it is gone, and what it read was fine: nobody has to know */
    if (--guard.open == 0 && !guard.kept)
        archive_guard_end();
    g->path = NULL;
}
