/* profile_alike.c - see profile_alike.h. */
#include "profile_alike.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "../base/log.h"

/* What starts a job again may do so on other hosts. */
static const char *batch_system(void)
{
    static const struct {
        const char *variable, *name;
    } systems[] = {{"SLURM_JOB_ID", "Slurm"}, {"PBS_JOBID", "PBS"}, {"LSB_JOBID", "LSF"}};
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
        if (getenv(systems[i].variable))
            return systems[i].name;
    return NULL;
}

static enum status check_checkpoint(const struct profile_options *o, const struct ranks *r, struct error *e)
{
    char host[64];
    int stranger;
    enum status s = alike_folder(r, o->checkpoint_path, &stranger, host, e);
    if (s != STATUS_OK || !stranger)
        return s;
    uint64_t batch = batch_system() != NULL; /* as rank 0 sees it */
    ranks_broadcast(&batch, sizeof batch);
    if (!batch) {
        log_warning("%s: rank %d on %s doesn't see this folder of rank 0 on %s: only a run that begins there finds the checkpoint",
                    o->checkpoint_path, stranger, host, r->host);
        return STATUS_OK;
    }
    if (r->rank == 0) {
        error_set(e, STATUS_OUTPUT, "rank %d on %s doesn't see this folder of rank 0 on %s, and %s may start the job again "
                  "elsewhere, where the checkpoint won't be found", stranger, host, r->host, batch_system());
        error_advice(e, "put --checkpoint on a file system that all hosts see");
        s = error_file(e, o->checkpoint_path);
    }
    return ranks_agree(r, s, e);
}

/* Devices have no folder to look into. */
static enum status check_results(const struct profile_options *o, const struct ranks *r, struct error *e)
{
    const char *const paths[] = {o->hdf5_path, o->csv_path};
    enum status s = STATUS_OK;
    for (int i = 0; i < 2 && s == STATUS_OK; i++) {
        char host[64];
        int stranger;
        struct stat about;
        uint64_t device = stat(paths[i], &about) == 0 && !S_ISREG(about.st_mode);
        ranks_broadcast(&device, sizeof device);
        if (device)
            continue;
        s = alike_folder(r, paths[i], &stranger, host, e);
        if (s != STATUS_OK || !stranger)
            continue;
        log_warning("%s: rank %d on %s doesn't see this folder: the results will be on %s alone", paths[i], stranger, host, r->host);
        break;
    }
    return s;
}

enum status profile_alike_check(const struct profile_options *o, const struct ranks *r, const struct model_file *file,
                                struct error *e)
{
    enum status s = alike_header(r, file, e);
    if (s == STATUS_OK && o->checkpoints)
        s = check_checkpoint(o, r, e);
    return s == STATUS_OK ? check_results(o, r, e) : s;
}

void profile_alike_changed(const struct model_file *file)
{
    for (size_t i = 0; i < model_file_part_count(file); i++)
        if (mapping_changed(model_file_part(file, i)))
            log_warning("%s was written to while it was in use: the results may be of neither model; run again",
                        model_file_part(file, i)->path);
}
