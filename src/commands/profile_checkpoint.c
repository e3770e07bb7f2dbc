/* profile_checkpoint.c - see profile_checkpoint.h. */
#include "profile_checkpoint.h"

#include <signal.h>
#include <unistd.h>

#include "../archive/archive_reader.h"
#include "../base/log.h"
#include "../base/outfile.h"
#include "../base/signals.h"

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
    if (o->partial_every > 0.0)
        outfile_sweep(o->partial_path);
    outfile_sweep(o->csv_path);
    if (o->html)
        outfile_sweep(o->html);
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

static const struct ending {
    int number;
    const char *name;
    enum status status;
} endings[] = {{SIGTERM, "SIGTERM", STATUS_TERMINATED}, {SIGINT, "SIGINT", STATUS_INTERRUPTED},
               {SIGUSR1, "SIGUSR1", STATUS_CHECKPOINT}};

/* By number or, that being 0, by status; NULL: none. */
static const struct ending *find_ending(int number, enum status status)
{
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (number ? endings[i].number == number : endings[i].status == status)
            return &endings[i];
    return NULL;
}

enum status profile_checkpoint_early(const struct profile_options *o)
{
    uint32_t number = (uint32_t)signals_seen();
    if (!o->checkpoints)
        return STATUS_OK;
    ranks_largest(&number, 1);
    const struct ending *ending = number ? find_ending((int)number, STATUS_OK) : NULL;
    return ending ? ending->status : STATUS_OK;
}

bool profile_checkpoint_is_stop(enum status status)
{
    return find_ending(0, status) != NULL;
}

static enum status leave(const struct ranks *r, enum status status)
{
    ranks_finish_last();
    return r->rank == 0 ? status : STATUS_OK;
}

enum status profile_checkpoint_stopped_early(const struct ranks *r, enum status status)
{
    const struct ending *ending = find_ending(0, status);
    log_release();
    log_line("stopped by %s before any prompt was run: the same command starts again", ending ? ending->name : "a signal");
    return leave(r, status);
}

enum status profile_checkpoint_stopped(const struct profile_options *o, const struct ranks *r, int number)
{
    const struct ending *ending = find_ending(number, STATUS_OK);
    if (!number || !ending)
        return STATUS_FAILED;
    log_line("stopped by %s: the same command with --resume %s goes on", ending->name, o->checkpoint_path);
    return leave(r, ending->status);
}
