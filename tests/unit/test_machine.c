/* test_machine.c - machines that hwloc makes up, and this one. */
#include "../../src/base/machine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tap/tap.h"

/* A machine is asked for once a process: each has a process of its own. The exit status is how many things are wrong. */
static int wrong_about(const char *made, size_t cores, size_t domains, uint64_t gib, size_t threads)
{
    int status = 99;
    pid_t child = fork();
    if (child == 0) {
        setenv("HWLOC_SYNTHETIC", made, 1);
        const struct machine *m = machine_here();
        struct machine_set first = {.word = {(UINT64_C(1) << threads) - 1}}, all = {.word = {UINT64_MAX}};
        struct machine_set one = machine_cores(m, &first), every = machine_cores(m, &all);
        _exit((m->cores != cores) + (m->domains != domains) + (m->memory >> 30 != gib) + !m->known +
              (machine_count(&one) != 1) + (machine_count(&every) != cores) + !machine_within(&one, &every) +
              (cores > 1 && machine_within(&every, &one)));
    }
    if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status))
        return WEXITSTATUS(status);
    return 99;
}

int main(void)
{
    is_int(wrong_about("numa:2(memory=8GiB) core:4 pu:1", 8, 2, 16, 1), 0, "two domains of four cores");
    is_int(wrong_about("numa:1(memory=4GiB) core:6 pu:2", 6, 1, 4, 2), 0, "two hardware threads are one core");
    is_int(wrong_about("numa:1(memory=1GiB) pu:3", 3, 1, 1, 1), 0, "where there are no cores, processors count as such");
    is_int(wrong_about("numa:1(memory=1GiB) core:1 pu:1", 1, 1, 1, 1), 0, "one of each");

    const struct machine *m = machine_here();
    struct machine_set binding = machine_binding(), cores = machine_cores(m, &binding);
    ok(m->cores >= 1 && m->domains >= 1 && machine_count(&binding) >= 1, "this machine has a core that we may use");
    ok(machine_count(&cores) >= 1 && machine_count(&cores) <= m->cores, "and we are kept to some of its cores");
    ok(machine_here() == m, "asked again it is the same");
    return tap_done();
}
