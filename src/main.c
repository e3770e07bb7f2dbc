/* main.c - start and end of the process.
 *
 * Finds the subcommand (none means profile), runs it, prints its one error line from one rank,
 * ends MPI and exits. The only place that calls exit.
 */
#include <stdlib.h>
#include <string.h>

#include "base/descriptors.h"
#include "base/log.h"
#include "base/signals.h"
#include "cluster/ranks.h"
#include "cluster/watch.h"
#include "commands/program.h"

int main(int argc, char **argv)
{
    struct error e;
    error_clear(&e);
    descriptors_hold();
    signals_refuse_large_files();
    enum status status = program_run(argc, argv, &e);
    if (e.sentence[0] && ranks_speaks())
        log_error(&e);
    watch_finished(status);
    ranks_finish(); /* waits for all ranks, and some may have lost their host */
    watch_close();
    exit((int)status);
}
