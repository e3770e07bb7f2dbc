/* profile_outputs.c - see profile_outputs.h.
 *
 * Files are compared by device and inode, so that links and other spellings of a path
 * don't help; two outputs that are not there yet by folder and name.
 */
#include "profile_outputs.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../archive/archive_writer.h"
#include "../base/mapping.h"
#include "../base/outfile.h"

/* The path behind links; of a file that is not there yet, its folder's and its name. */
static bool real_name(const char *path, char *name, size_t size)
{
    char real[PATH_MAX], folder[PATH_MAX];
    if (realpath(path, real))
        return (size_t)snprintf(name, size, "%s", real) < size;
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash + 1 - path) : 1, slash ? path : ".");
    return realpath(folder, real) && (size_t)snprintf(name, size, "%s/%s", real, last) < size;
}

static bool twins(const char *one, const char *other)
{
    char x[2 * PATH_MAX], y[2 * PATH_MAX];
    return real_name(one, x, sizeof x) && real_name(other, y, sizeof y) && strcmp(x, y) == 0;
}

enum status profile_outputs_twins(const char *one, const char *other, const char *options, struct error *e)
{
    if (!twins(one, other))
        return STATUS_OK;
    error_set(e, STATUS_USAGE, "%s name the same file", options);
    error_advice(e, "choose another name for one of them");
    return error_file(e, other);
}

/* The page is written last, and would take the place of any of the others. */
static enum status refuse_page_twins(const struct profile_options *o, struct error *e)
{
    const char *const paths[] = {o->csv_path, o->hdf5_path, o->checkpoints ? o->checkpoint_path : NULL,
                                 o->resume && !o->resume_auto ? o->resume : NULL,
                                 o->partial_every > 0.0 ? o->partial_path : NULL, o->append};
    for (size_t i = 0; i < sizeof paths / sizeof *paths && o->html; i++)
        if (paths[i] && twins(paths[i], o->html)) {
            error_set(e, STATUS_USAGE, "is to be the page and something else as well");
            error_advice(e, "choose another --html");
            return error_file(e, o->html);
        }
    return STATUS_OK;
}

/* The checkpoint is removed in the end, and what is gone on from must not be written over before. */
static enum status refuse_checkpoint_twins(const struct profile_options *o, struct error *e)
{
    const char *const paths[] = {o->csv_path, o->hdf5_path};
    for (int i = 0; i < 2 && o->checkpoints; i++) {
        const bool from = o->resume && !o->resume_auto && twins(paths[i], o->resume);
        if (!from && !twins(paths[i], o->checkpoint_path))
            continue;
        error_set(e, STATUS_USAGE, "is to be a checkpoint and %s as well", i ? "the archive" : "the table");
        error_advice(e, "choose another --checkpoint");
        return error_file(e, from ? o->resume : o->checkpoint_path);
    }
    return STATUS_OK;
}

/* The partial archive is replaced all the time, and removed in the end. */
static enum status refuse_partial_twins(const struct profile_options *o, struct error *e)
{
    const char *const paths[] = {o->csv_path, o->checkpoints ? o->checkpoint_path : NULL,
                                 o->resume && !o->resume_auto ? o->resume : NULL};
    for (size_t i = 0; i < sizeof paths / sizeof *paths && o->partial_every > 0.0; i++)
        if (paths[i] && twins(paths[i], o->partial_path)) {
            error_set(e, STATUS_USAGE, "is to be the partial archive and something else as well");
            error_advice(e, "choose another --output or --checkpoint");
            return error_file(e, o->partial_path);
        }
    return STATUS_OK;
}

/* Elsewhere - is standard output. That has the summary, and an archive can't be written to a pipe. */
static enum status refuse_dash(const char *path, struct error *e)
{
    if (strcmp(path, "-") != 0)
        return STATUS_OK;
    error_set(e, STATUS_USAGE, "standard output has the summary and can't have a report as well");
    error_advice(e, "name a file, or ./- for one of that name");
    return error_file(e, path);
}

/* The archive of `--output /dev/stdout` would be made in /dev. */
static enum status refuse_device(const struct profile_options *o, struct error *e)
{
    struct stat about;
    if (o->hdf5 || stat(o->csv_path, &about) != 0 || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode))
        return STATUS_OK;
    error_set(e, STATUS_USAGE, "is a device or a pipe, which gives the archive no name");
    error_advice(e, "give --hdf5 FILE too");
    return error_file(e, o->csv_path);
}

/* /dev/stdout, /dev/fd/3, /proc/self/fd/3: a file that somebody has open already. Renaming over it would take it
 * away from the summary, or from whoever reads it. */
static enum status refuse_descriptor(const char *path, struct error *e)
{
    struct stat about;
    bool special = strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
    if (!special || stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return STATUS_OK;
    error_set(e, STATUS_USAGE, "is a file that is open already, the summary's perhaps");
    error_advice(e, "give --output and --hdf5 names of files");
    return error_file(e, path);
}

static enum status refuse_input(const char *path, uint64_t device, uint64_t inode, struct error *e)
{
    if (!outfile_is_input(path, device, inode))
        return STATUS_OK;
    error_set(e, STATUS_USAGE, "is an input and can't be an output too");
    error_advice(e, "choose another name for the output");
    return error_file(e, path);
}

/* An output in the folder that the prompts come from would be read as prompts the next time. */
static enum status refuse_within(const char *path, const struct stat *folder, struct error *e)
{
    char name[2 * PATH_MAX];
    struct stat about;
    if (!real_name(path, name, sizeof name))
        return STATUS_OK;
    char *slash = strrchr(name, '/');
    *slash = '\0';
    if (stat(*name ? name : "/", &about) != 0 || about.st_dev != folder->st_dev || about.st_ino != folder->st_ino)
        return STATUS_OK;
    error_set(e, STATUS_USAGE, "lies in the folder of the prompts and would be read as one of them");
    error_advice(e, "choose another name for the output");
    return error_file(e, path);
}

/* Where the prompts come from, if that is a file or a folder; what can't be opened is told by the intake, in its turn. */
static bool prompts_place(const struct profile_options *o, struct stat *about)
{
    const char *source = o->prompts ? o->prompts : o->tokens;
    if (!source) /* made */
        return false;
    bool found = (strcmp(source, "-") == 0 ? fstat(STDIN_FILENO, about) : stat(source, about)) == 0;
    return found && (S_ISREG(about->st_mode) || S_ISDIR(about->st_mode));
}

enum status profile_outputs_check(const struct profile_options *o, const struct model_file *model, struct error *e)
{
    const char *paths[5] = {o->csv_path, o->hdf5_path};
    int count = 2;
    struct stat prompts;
    bool has_place = prompts_place(o, &prompts);
    enum status s = refuse_device(o, e);
    if (o->checkpoints)
        paths[count++] = o->checkpoint_path;
    if (o->partial_every > 0.0)
        paths[count++] = o->partial_path;
    if (o->html)
        paths[count++] = o->html;
    for (int i = 0; i < count && s == STATUS_OK; i++) {
        s = refuse_dash(paths[i], e);
        if (s == STATUS_OK)
            s = refuse_descriptor(paths[i], e);
        for (size_t part = 0; part < model_file_part_count(model) && s == STATUS_OK; part++)
            s = refuse_input(paths[i], model_file_part(model, part)->device, model_file_part(model, part)->inode, e);
        if (s == STATUS_OK && has_place && S_ISDIR(prompts.st_mode))
            s = refuse_within(paths[i], &prompts, e);
        else if (s == STATUS_OK && has_place)
            s = refuse_input(paths[i], (uint64_t)prompts.st_dev, (uint64_t)prompts.st_ino, e);
    }
    if (s == STATUS_OK)
        s = profile_outputs_twins(o->csv_path, o->hdf5_path, "--output and --hdf5", e);
    if (s == STATUS_OK)
        s = refuse_checkpoint_twins(o, e);
    if (s == STATUS_OK)
        s = refuse_partial_twins(o, e);
    if (s == STATUS_OK)
        s = refuse_page_twins(o, e);
    if (s == STATUS_OK)
        s = outfile_probe(o->csv_path, e);
    if (s == STATUS_OK && o->html)
        s = outfile_probe(o->html, e);
    if (s == STATUS_OK)
        s = archive_writer_probe(o->hdf5_path, e);
    return s == STATUS_OK && o->checkpoints ? archive_writer_probe(o->checkpoint_path, e) : s;
}

/* The file to be written against everything that is read. */
static enum status refuse_inputs(const char *path, char *const *inputs, size_t count, struct error *e)
{
    struct stat about;
    enum status s = refuse_dash(path, e);
    if (s == STATUS_OK)
        s = refuse_descriptor(path, e);
    for (size_t k = 0; k < count && s == STATUS_OK; k++)
        if (stat(inputs[k], &about) == 0) /* what isn't there is told by the reader */
            s = refuse_input(path, (uint64_t)about.st_dev, (uint64_t)about.st_ino, e);
    return s;
}

enum status profile_outputs_check_merge(const char *csv_path, const char *hdf5_path, char *const *inputs, size_t count,
                                        struct error *e)
{
    enum status s = refuse_inputs(hdf5_path, inputs, count, e);
    if (s == STATUS_OK && csv_path)
        s = refuse_inputs(csv_path, inputs, count, e);
    if (s == STATUS_OK && csv_path)
        s = profile_outputs_twins(csv_path, hdf5_path, "--output and --hdf5", e);
    if (s == STATUS_OK && csv_path)
        s = outfile_probe(csv_path, e);
    return s == STATUS_OK ? archive_writer_probe(hdf5_path, e) : s;
}

enum status profile_outputs_check_table(const char *path, char *const *inputs, size_t count, struct error *e)
{
    enum status s = path ? refuse_inputs(path, inputs, count, e) : STATUS_OK;
    return s == STATUS_OK && path ? outfile_probe(path, e) : s;
}
