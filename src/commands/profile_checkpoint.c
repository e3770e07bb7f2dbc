/* profile_checkpoint.c - see profile_checkpoint.h. */
#include "profile_checkpoint.h"

#include <signal.h>
#include <unistd.h>

#include "../archive/archive_reader.h"
#include "../base/log.h"
#include "../base/outfile.h"

/* A file that is no checkpoint was named by mistake: the next checkpoint would take its place. */
static enum status look_at_old(const struct profile_options *o, bool *found, struct error *e)
{
    struct archive_reader *reader;
    *found = false;
    if (access(o->checkpoint_path, F_OK) != 0)
        return STATUS_OK;
    enum status s = archive_reader_open_checkpoint(&reader, o->checkpoint_path, e);
    archive_reader_close(reader);
    *found = s == STATUS_OK && o->resume_auto;
    if (s == STATUS_OK && !o->resume)
        log_warning("%s is the checkpoint of an earlier run and will be replaced; --resume auto goes on from it",
                    o->checkpoint_path);
    return s;
}

/* The run that is gone on with is over, but it may have been killed while it wrote. */
static void sweep(const struct profile_options *o)
{
    outfile_sweep(o->checkpoint_path);
    outfile_sweep(o->hdf5_path);
    outfile_sweep(o->csv_path);
}

enum status profile_checkpoint_find(const struct profile_options *o, const struct ranks *r, const char **from,
                                    struct error *e)
{
    uint64_t found = 0; /* rank 0 looks: the others may see the file later, or not at all */
    bool old = false;
    *from = NULL;
    if (!o->checkpoints)
        return STATUS_OK;
    enum status s = ranks_agree(r, r->rank == 0 ? look_at_old(o, &old, e) : STATUS_OK, e);
    if (s != STATUS_OK)
        return s;
    if (o->resume && r->rank == 0)
        sweep(o);
    found = old;
    ranks_broadcast(&found, sizeof found);
    if (o->resume && !o->resume_auto)
        *from = o->resume;
    else if (found)
        *from = o->checkpoint_path;
    return STATUS_OK;
}

enum status profile_checkpoint_stopped(const struct profile_options *o, const struct ranks *r, int number)
{
    static const struct {
        int number;
        const char *name;
        enum status status;
    } endings[] = {{SIGTERM, "SIGTERM", STATUS_TERMINATED}, {SIGINT, "SIGINT", STATUS_INTERRUPTED},
                   {SIGUSR1, "SIGUSR1", STATUS_CHECKPOINT}};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (endings[i].number == number) {
            log_line("stopped by %s: the same command with --resume %s goes on", endings[i].name, o->checkpoint_path);
            ranks_finish_last();
            return r->rank == 0 ? endings[i].status : STATUS_OK;
        }
    return STATUS_FAILED;
}
